import type { Row } from '../../api/page.ts';
import { readDay, today } from '../../calendar.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../outcome.ts';

/** Takes a Personal Access Token, tries it, and stores it with the address and the workspace. */

/** Roles that may use the API (spec/api.md, Authentication). */
const MANAGERS = ['Owner', 'Executive manager'];

const readToken = async ({ prompter, stdin }: Context): Promise<string> => {
  const text = prompter.available ? await prompter.secret('Personal Access Token') : await stdin();
  const token = text.trim();
  if (token === '' || /\s/.test(token)) {
    throw new UsageError('stdin holds no token', {
      hint: 'Pipe in one line: printf \'%s\' "$TOKEN" | ttctl auth login --token-stdin',
    });
  }
  return token;
};

/** The default workspace: the one named, else the only one that this person runs. */
const chooseWorkspace = (workspaces: readonly Row[], wanted: string | undefined): Row | undefined => {
  if (wanted === undefined) {
    const run = workspaces.filter((row) => MANAGERS.includes(String(row.role)));
    return run.length === 1 ? run[0] : undefined;
  }
  const fits = (row: Row) =>
    String(row.id) === wanted || String(row.workspace_name).toLowerCase() === wanted.toLowerCase();
  const found = workspaces.filter(fits);
  if (found.length === 1) return found[0];
  throw new UsageError(
    found.length === 0 ? `no workspace "${wanted}" for this token` : `"${wanted}" is ambiguous`,
    {
      reason: workspaces.map((row) => `${row.id}  ${row.workspace_name}  ${row.role}`).join('\n'),
    },
  );
};

const workspacesOf = async (context: Context, token: string): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for await (const page of context.as(token).workspaces.list({}).pages()) rows.push(...page.rows);
  return rows;
};

/** @throws UsageError, Failure when the token is refused: nothing is stored then */
export const signIn = async (context: Context, options: Readonly<Record<string, unknown>>): Promise<void> => {
  const { settings, settingsStore, credentials, output, clock } = context;
  if (options.tokenStdin !== true) throw new UsageError('missing --token-stdin', { code: 'missing_value' });
  const utcDay = () => today(clock.now(), 'UTC');
  const created = readDay(String(options.created ?? 'today'), utcDay);
  const profile = settings.profile.value;
  if (settings.embedded) {
    throw new UsageError('the profile sandbox needs no sign-in', {
      hint: 'Use it at once: ttctl --profile sandbox members list',
    });
  }
  const baseUrl = settings.baseUrl?.value;
  if (baseUrl === undefined)
    throw new UsageError('missing --base-url', {
      code: 'missing_value',
      hint: 'For example --base-url https://<host>/api/v2',
    });
  const token = await readToken(context);
  const workspaces = await workspacesOf(context, token);
  const workspace = chooseWorkspace(workspaces, settings.workspace?.value);
  const store = await credentials();
  await store.write(profile, {
    kind: 'personal',
    base_url: baseUrl,
    access_token: token,
    created_at: created,
  });
  await settingsStore.update((file) => ({
    ...file,
    current_profile: file.current_profile ?? profile,
    profiles: {
      ...file.profiles,
      [profile]: {
        ...file.profiles[profile],
        base_url: baseUrl,
        ...(workspace && { workspace: Number(workspace.id) }),
      },
    },
  }));
  await output.record({
    profile,
    base_url: baseUrl,
    workspace: workspace?.id ?? null,
    workspace_name: workspace?.workspace_name ?? null,
    credentials_file: store.file,
  });
  output.note(
    workspace === undefined
      ? `Choose one of ${workspaces.length} workspaces: ttctl workspaces use <workspace>`
      : 'Try it: ttctl timesheets list --status submitted',
  );
};
