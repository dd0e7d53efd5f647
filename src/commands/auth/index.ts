import type { Credential } from '../../auth/credentials.ts';
import { renewCredential } from '../../auth/renewer.ts';
import {
  countDaysUntil,
  formatExpiryDay,
  formatSignInCommand,
  getAccessExpiry,
  getSignInExpiry,
  getTokenExpiry,
  isRenewable,
} from '../../auth/session.ts';
import { fetchAccount } from '../../changes/account.ts';
import { defineCommand, type Group, type Noun } from '../../cli/command.ts';
import { forgetProfile } from '../../completion/names.ts';
import { EXIT, Failure, NetworkError, UsageError } from '../../errors.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import type { Run } from '../../run.ts';
import { printLocalChange } from '../local-change.ts';
import { SERVICE_EXITS } from '../outputs.ts';
import { authLogin, rememberAccount } from './login.ts';

export function auth(noun: Noun): Group {
  return {
    ...noun,
    commands: [authLogin, authStatus, authCheck, authRefresh, authToken, authLogout],
  };
}

const authCheck = defineCommand({
  path: 'auth check',
  about: 'fail if the sign-in expires soon, without contacting the service',
  examples: [
    'ttctl auth check --min-days 14',
    'ttctl auth check --profile work --quiet',
    'ttctl auth check --strict',
  ],
  prints: { shape: 'record', fields: ['profile', 'ends_at', 'days_left', 'min_days'] },
  exits: [3, 10],
  flags: [
    { name: 'min-days', value: 'n', about: 'days that must remain', default: '14' },
    { name: 'strict', about: 'exit with 10 if the expiry is not known' },
  ],
  run: async (context, { options }) => {
    const { settings, output, clock } = context;
    const minDays = parseDays(options.minDays);
    const profile = settings.profile.value;
    const end = await readEnd(context);
    const { expiry, advice: hint } = end;
    const daysLeft = expiry === null ? null : countDaysUntil(expiry, clock.now());
    const silent = settings.quiet.value && settings.output.value.shape === 'screen';
    if (!silent) await output.record({ profile, ends_at: expiry, days_left: daysLeft, min_days: minDays });
    if (expiry === null) return reportUnknown(context, end, options.strict === true);
    if (daysLeft === null || daysLeft >= minDays) return;
    const what = settings.token === undefined ? `the sign-in of profile ${profile}` : 'TTCTL_TOKEN';
    throw new Failure(`${what} expires on ${formatExpiryDay(expiry, clock.now(), context.timeZone)}`, {
      code: 'ends_soon',
      exit: EXIT.found,
      reason:
        daysLeft < 0
          ? 'It has expired.'
          : `${daysLeft} ${daysLeft === 1 ? 'day remains' : 'days remain'}; ${minDays} required.`,
      hint,
    });
  },
});

function parseDays(raw: unknown): number {
  if (!/^\d{1,5}$/.test(String(raw))) throw new UsageError(`--min-days: "${raw}" is not a whole number`);
  return Number(raw);
}

interface SignInEnd {
  /** ISO 8601; null: nobody knows, or never. */
  readonly expiry: string | null;
  /** That nobody knows it, and what to do. */
  readonly unknown?: readonly [problem: string, hint: string];
  /** What to do before it ends. */
  readonly advice: string;
}

/** @throws Failure (exit 3) when there is no credential */
async function readEnd(run: Run): Promise<SignInEnd> {
  const { settings, identity } = run;
  if (settings.token !== undefined) return readTokenEnd(run);
  const profile = settings.profile.value;
  const stored = run.credentials.read(profile);
  if (stored === undefined) {
    await identity();
    return { expiry: null, advice: '' };
  }
  const advice = formatAdvice(stored, profile);
  const expiry = getSignInExpiry(stored);
  if (expiry !== null || stored.kind === 'client') return { expiry, advice };
  return { expiry, advice, unknown: ['the sign-in has no known expiry', advice] };
}

function readTokenEnd({ settings: { tokenCreated } }: Run): SignInEnd {
  const advice = 'Create a new token, and set TTCTL_TOKEN and TTCTL_TOKEN_CREATED.';
  if (tokenCreated !== undefined) return { expiry: getTokenExpiry(tokenCreated.value), advice };
  const hint = 'Set TTCTL_TOKEN_CREATED to the day it was created.';
  return { expiry: null, advice, unknown: ['TTCTL_TOKEN has no known expiry', hint] };
}

function formatAdvice(stored: Credential, profile: string): string {
  if (isRenewable(stored)) return `Renew it: ${commandLine`ttctl auth refresh --profile ${profile}`}`;
  const flag = stored.kind === 'personal' ? ' --token-stdin' : '';
  return `Sign in again: ${commandLine`ttctl auth login --profile ${profile}`}${flag}`;
}

/** @throws Failure (exit 10) where it has to be known */
function reportUnknown({ output }: Run, { unknown }: SignInEnd, strict: boolean): void {
  const [problem, hint] = unknown ?? [];
  if (problem === undefined) {
    output.note('It has no known expiry.');
    return;
  }
  if (strict) throw new Failure(problem, { code: 'unknown_end', exit: EXIT.found, hint });
  output.note(`${problem}, so nothing was checked. ${hint}`);
}

const authStatusFields = [
  'profile',
  'account',
  'workspace',
  'base_url',
  'kind',
  'source',
  'scopes',
  'access_expires_at',
  'refresh_expires_at',
  'checked',
] as const;

const authStatus = defineCommand({
  path: 'auth status',
  about: 'show who is signed in and how',
  examples: ['ttctl auth status', 'ttctl auth status --output json'],
  prints: { shape: 'record', fields: authStatusFields },
  exits: SERVICE_EXITS,
  run: async (context) => {
    const { settings, output } = context;
    const store = context.credentials;
    const { profile, kind, source } = await context.identity();
    const stored = kind === 'environment' || kind === 'sandbox' ? undefined : store.read(profile);
    const created = kind === 'environment' ? settings.tokenCreated : undefined;
    const tokenExpiry = created === undefined ? null : getTokenExpiry(created.value);
    const answer = await askAccount(context);
    if (answer?.account != null && stored !== undefined)
      await rememberAccount(store, profile, answer.account);
    await output.record({
      profile,
      account: answer?.account ?? stored?.account ?? null,
      workspace: (await context.knownWorkspaceId()) ?? null,
      base_url: settings.baseUrl?.value ?? null,
      kind,
      source,
      scopes: stored?.scopes ?? null,
      access_expires_at: stored === undefined ? tokenExpiry : getAccessExpiry(stored),
      refresh_expires_at: stored?.refresh_expires_at ?? null,
      checked: answer !== undefined,
    });
  },
});

/** Who the service says we are; `undefined` when it could not be reached. */
async function askAccount(run: Run): Promise<{ account: string | null } | undefined> {
  try {
    return { account: await fetchAccount(run) };
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    run.output.warn(`the service could not be reached: ${error.message}`);
    return undefined;
  }
}

const authRefresh = defineCommand({
  path: 'auth refresh',
  about: 'renew the sign-in now',
  examples: ['ttctl auth refresh', 'ttctl auth refresh --profile work --output json'],
  prints: {
    shape: 'record',
    fields: ['profile', 'renewed', 'access_expires_at', 'refresh_expires_at'],
  },
  exits: [3, 7],
  run: async (context) => {
    const { settings, output } = context;
    const profile = settings.profile.value;
    if (settings.token !== undefined) {
      throw new UsageError('TTCTL_TOKEN is set and cannot be renewed', {
        hint: 'Unset it to renew the stored sign-in.',
      });
    }
    if (settings.embedded) throw new UsageError('the profile sandbox needs no sign-in');
    if (settings.dryRun.value) return output.record({ profile, renewed: false, planned: true });
    const { access_expires_at, refresh_expires_at } = await renewStored(context);
    await printLocalChange(context, {
      record: {
        profile,
        renewed: true,
        access_expires_at: access_expires_at ?? null,
        refresh_expires_at: refresh_expires_at ?? null,
      },
      text: `the sign-in of profile ${profile} was renewed`,
      inspectLine: commandLine`ttctl auth status --profile ${profile}`,
    });
  },
});

/** Renews what is stored for the profile. @throws Failure (exit 3) where it cannot be */
async function renewStored(run: Run): Promise<Credential> {
  const profile = run.settings.profile.value;
  const store = run.credentials;
  const stored = store.read(profile);
  if (stored !== undefined && isRenewable(stored))
    return run.watch.request(
      () => 'renewing the sign-in',
      () => renewCredential(run, store, stored),
    );
  const kind = stored?.kind ?? 'oauth';
  const hint = `Sign in again: ${formatSignInCommand({ kind, profile })}`;
  if (stored === undefined)
    throw new Failure(`not signed in (profile ${profile})`, {
      code: 'not_signed_in',
      exit: EXIT.signedOut,
      hint,
    });
  const subject = kind === 'personal' ? 'a Personal Access Token' : `the sign-in of profile ${profile}`;
  throw new Failure(`${subject} cannot be renewed`, { code: 'not_renewable', exit: EXIT.signedOut, hint });
}

const authToken = defineCommand({
  path: 'auth token',
  about: 'print the access token, renewed first if it is about to expire',
  examples: ['ttctl auth token', 'ttctl auth token --profile work --output json'],
  prints: { shape: 'record', fields: ['profile', 'access_token'] },
  exits: [3, 7],
  run: async ({ settings, output, accessToken }) => {
    const token = await accessToken();
    if (settings.output.value.shape === 'screen') return output.text(token);
    await output.record({ profile: settings.profile.value, access_token: token });
  },
});

const authLogout = defineCommand({
  path: 'auth logout',
  about: 'sign out and remove the credential from this machine',
  examples: ['ttctl auth logout', 'ttctl auth logout --profile work --yes'],
  prints: { shape: 'record', fields: ['profile', 'removed'] },
  exits: [9],
  run: async (context) => {
    const { settings, output, confirm, directories } = context;
    const profile = settings.profile.value;
    const store = context.credentials;
    const stored = store.read(profile);
    const warn = (): void => {
      if (settings.token !== undefined)
        output.warn('TTCTL_TOKEN is still set, and commands use it. Unset it to sign out.');
    };
    if (stored === undefined) {
      await output.record({ profile, removed: false });
      warn();
      output.note('There was no stored credential.');
      return;
    }
    if (settings.dryRun.value) return output.record({ profile, removed: false, planned: true });
    await confirm({
      local: true,
      question: `remove the credential of profile ${profile}`,
      facts: [`address    ${stored.base_url}`],
    });
    await store.remove(profile);
    if (directories.cache !== undefined) forgetProfile(directories.cache, profile);
    await printLocalChange(context, {
      record: { profile, removed: true },
      next: () => {
        warn();
        output.note('The token remains valid until it expires. To end it sooner, revoke it in the service.');
      },
      text: `the credential of profile ${profile} was removed`,
      inspectLine: 'ttctl profile list',
    });
  },
});
