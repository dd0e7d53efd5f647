import type { Row } from '../../api/page.ts';
import { workspaceIdOf } from '../../api/reply.ts';
import type { Context } from '../../context.ts';
import { Cancelled, Failure } from '../../errors.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import { printLocalChange } from '../local-change.ts';

/** Members of what is printed; the last three are of a sign-in by OAuth2. */
export const signInFields = [
  ...['profile', 'account', 'base_url', 'workspace', 'workspace_name', 'credentials_file'],
  ...['scopes', 'access_expires_at', 'refresh_expires_at'],
];

export interface SignInSettings {
  /** Members of the profile: addresses, client id. What stands there already and is not named stays. */
  readonly members: Row;
  readonly workspaces: readonly Row[];
  readonly workspace: Row | undefined;
  /** Whose sign-in it is; undefined where the service does not tell. */
  readonly account: string | undefined;
  readonly details?: Row;
}

/**
 * Notes with the stored sign-in whose it is, so that the history can tell without asking the service. Nothing depends on
 * it: where it cannot be written, nothing is said.
 */
export const rememberAccount = async ({ credentials, settings }: Context, account: string): Promise<void> => {
  const store = await credentials();
  const profile = settings.profile.value;
  try {
    if (store.read(profile)?.account === account) return;
    await store.hold(profile, async (held) => {
      const stored = held.read();
      if (stored !== undefined) held.commit({ ...stored, account });
    });
  } catch (error) {
    if (!(error instanceof Failure) || error instanceof Cancelled) throw error;
  }
};

/** Stores the settings of a sign-in (not in a dry run), prints them, and names the next step. */
export const storeSignIn = async (context: Context, signIn: SignInSettings): Promise<void> => {
  const { settings, settingsStore, output, credentials } = context;
  const { members, workspaces, workspace, account, details = {} } = signIn;
  const profile = settings.profile.value;
  const signedIn = {
    profile,
    account: account ?? null,
    base_url: members.base_url,
    workspace: workspace?.id ?? null,
    workspace_name: workspace?.workspace_name ?? null,
    ...details,
  };
  const plan = settings.dryRun.value;
  if (!plan) {
    const chosen = workspace && { workspace: workspaceIdOf(workspace) };
    await settingsStore.changeProfile(profile, { ...members, ...chosen });
    if (account !== undefined) await rememberAccount(context, account);
  }
  await printLocalChange(context, {
    record: plan ? signedIn : { ...signedIn, credentials_file: (await credentials()).file },
    next: () => {
      if (settings.token !== undefined)
        output.warn('TTCTL_TOKEN is set and overrides the stored credential. Unset it to use this sign-in.');
      output.note(
        workspace === undefined
          ? `Choose one of ${workspaces.length} workspaces: ${context.commandLine`ttctl workspaces use <workspace>`}`
          : `Try it: ${context.commandLine`ttctl timesheets list --status submitted`}`,
      );
    },
    text: `profile ${profile} is signed in${account === undefined ? '' : ` as ${account}`}`,
    inspectLine: commandLine`ttctl auth status --profile ${profile}`,
  });
};
