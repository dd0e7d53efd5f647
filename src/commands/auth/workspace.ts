import { collectRows, type Row } from '../../api/page.ts';
import type { Context } from '../../context.ts';
import { toText } from '../../json/stringify.ts';
import { Cancelled, Failure, UsageError } from '../../outcome.ts';
import { API_ROLES } from '../../resources/member.ts';

/** The default workspace of a sign-in, and whose it is. */

const formatWorkspace = (row: Row): string =>
  `${toText(row.id)}  ${toText(row.workspace_name)}  ${toText(row.role)}`;

const findMatches = (workspaces: readonly Row[], nameOrId: string): readonly Row[] =>
  workspaces.filter(
    (row) =>
      toText(row.id) === nameOrId || toText(row.workspace_name).toLowerCase() === nameOrId.toLowerCase(),
  );

const selectWorkspace = (workspaces: readonly Row[], nameOrId: string): Row => {
  const [row, ...more] = findMatches(workspaces, nameOrId);
  if (row !== undefined && more.length === 0) return row;
  const message =
    row === undefined ? `no workspace "${nameOrId}" for this token` : `"${nameOrId}" is ambiguous`;
  throw new UsageError(message, { reason: workspaces.map(formatWorkspace).join('\n') });
};

const askWorkspace = async ({ prompter, output }: Context, choices: readonly Row[]): Promise<Row> => {
  output.note(choices.map(formatWorkspace).join('\n'));
  const check = (text: string) =>
    findMatches(choices, text).length === 1 ? undefined : 'Name one of them by its id or its full name.';
  return selectWorkspace(choices, await prompter.text('default workspace (id or name)', { check }));
};

/** The workspaces that a token shows. @throws Failure when it is refused */
export const fetchWorkspaces = (
  context: Context,
  { token, baseUrl }: { readonly token: string; readonly baseUrl: string },
): Promise<readonly Row[]> => collectRows(context.as(token, baseUrl).workspaces.list({}).pages());

/** Whose token it is: the e-mail address, or the id where the service does not tell more. */
export const fetchTokenAccount = async (
  context: Context,
  { token, baseUrl }: { readonly token: string; readonly baseUrl: string },
  workspace: Row | undefined,
): Promise<string | undefined> => {
  if (workspace?.user_id == null) return undefined;
  const memberId = toText(workspace.user_id);
  const query = [['workspace_id', toText(workspace.id)]] as const;
  try {
    const { data } = await context
      .as(token, baseUrl)
      .members.get({ memberId }, { query, body: {}, input: {} })
      .send();
    return data?.email ?? memberId;
  } catch (error) {
    if (error instanceof Cancelled || !(error instanceof Failure)) throw error;
    return memberId;
  }
};

/**
 * The requested one, else the only one that this person manages, else the answer to a question where one can be asked.
 * @throws UsageError for a named one that is not there
 */
export const chooseWorkspace = async (
  context: Context,
  workspaces: readonly Row[],
): Promise<Row | undefined> => {
  const { settings, prompter } = context;
  const requested = settings.workspace;
  const profileMatches = requested?.from === 'profile' ? findMatches(workspaces, requested.value) : [];
  if (profileMatches.length === 1) return profileMatches[0];
  // The workspace in the profile may belong to a previous account.
  if (requested !== undefined && requested.from !== 'profile')
    return selectWorkspace(workspaces, requested.value);
  const managed = workspaces.filter((row) => API_ROLES.includes(row.role));
  if (managed.length <= 1) return managed[0];
  return prompter.available && !settings.dryRun.value ? askWorkspace(context, managed) : undefined;
};
