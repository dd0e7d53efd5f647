import type { Row } from '../../api/page.ts';
import type { Context } from '../../context.ts';
import { toText } from '../../json/stringify.ts';
import { UsageError } from '../../outcome.ts';

/** The default workspace of a sign-in. */

/** Roles that may use the API (docs/service.md, Access). */
const MANAGERS = ['Owner', 'Executive manager'];

const words = (row: Row): string => `${toText(row.id)}  ${toText(row.workspace_name)}  ${toText(row.role)}`;

const matches = (workspaces: readonly Row[], wanted: string): readonly Row[] =>
  workspaces.filter(
    (row) => toText(row.id) === wanted || toText(row.workspace_name).toLowerCase() === wanted.toLowerCase(),
  );

const named = (workspaces: readonly Row[], wanted: string): Row => {
  const [row, ...more] = matches(workspaces, wanted);
  if (row !== undefined && more.length === 0) return row;
  const what = row === undefined ? `no workspace "${wanted}" for this token` : `"${wanted}" is ambiguous`;
  throw new UsageError(what, { reason: workspaces.map(words).join('\n') });
};

const asked = async ({ prompter, output }: Context, choices: readonly Row[]): Promise<Row> => {
  output.note(choices.map(words).join('\n'));
  const check = (text: string) =>
    matches(choices, text).length === 1 ? undefined : 'Name one of them by its id or its full name.';
  return named(choices, await prompter.text('default workspace (id or name)', { check }));
};

/** The workspaces that a token shows. @throws Failure when it is refused */
export const fetchWorkspaces = async (
  context: Context,
  { token, baseUrl }: { readonly token: string; readonly baseUrl: string },
): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for await (const page of context.as(token, baseUrl).workspaces.list({}).pages()) rows.push(...page.rows);
  return rows;
};

/**
 * The one named, else the only one that this person runs, else the answer to a question where one can be asked.
 * @throws UsageError for a named one that is not there
 */
export const chooseWorkspace = async (
  context: Context,
  workspaces: readonly Row[],
): Promise<Row | undefined> => {
  const { settings, prompter } = context;
  const wanted = settings.workspace;
  const kept = wanted?.from === 'profile' ? matches(workspaces, wanted.value) : [];
  if (kept.length === 1) return kept[0];
  // What the profile says may be of the account before.
  if (wanted !== undefined && wanted.from !== 'profile') return named(workspaces, wanted.value);
  const run = workspaces.filter((row) => MANAGERS.includes(toText(row.role)));
  if (run.length <= 1) return run[0];
  return prompter.available && !settings.dryRun.value ? asked(context, run) : undefined;
};
