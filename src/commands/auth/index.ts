import { renewCredential } from '../../auth/renewal.ts';
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
import { printLocalChange } from '../local-change.ts';
import { SERVICE_EXITS } from '../outputs.ts';
import { authLogin } from './login.ts';

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
    const { settings, output, clock, credentials } = context;
    if (!/^\d{1,5}$/.test(String(options.minDays)))
      throw new UsageError(`--min-days: "${options.minDays}" is not a whole number`);
    const minDays = Number(options.minDays);
    const { token, tokenCreated } = settings;
    const profile = settings.profile.value;
    const stored = token === undefined ? credentials.read(profile) : undefined;
    if (token === undefined && stored === undefined) await context.identity();
    const what = token === undefined ? `the sign-in of profile ${profile}` : 'TTCTL_TOKEN';
    const ofToken = token && tokenCreated ? getTokenExpiry(tokenCreated.value) : null;
    /** ISO 8601; null: nobody knows, or never. */
    const expiry = stored === undefined ? ofToken : getSignInExpiry(stored);
    let hint = 'Create a new token, and set TTCTL_TOKEN and, to the day it is created, TTCTL_TOKEN_CREATED.';
    if (stored !== undefined)
      hint = isRenewable(stored)
        ? `Renew it: ${commandLine`ttctl auth refresh --profile ${profile}`}`
        : `Sign in again: ${formatSignInCommand({ kind: stored.kind, profile })}`;
    const daysLeft = expiry === null ? null : countDaysUntil(expiry, clock.now());
    const silent = settings.quiet.value && settings.output.value.shape === 'screen';
    if (!silent) await output.record({ profile, ends_at: expiry, days_left: daysLeft, min_days: minDays });
    if (expiry === null || daysLeft === null) {
      if (options.strict !== true || stored?.kind === 'client' || settings.embedded)
        return output.note(`${what} has no known expiry, so nothing was checked.`);
      throw new Failure(`${what} has no known expiry`, { code: 'unknown_end', exit: EXIT.found, hint });
    }
    if (daysLeft >= minDays) return;
    throw new Failure(`${what} expires on ${formatExpiryDay(expiry, clock.now(), context.timeZone)}`, {
      code: 'ends_soon',
      exit: EXIT.found,
      reason: `Days left: ${daysLeft}; required: ${minDays}.`,
      hint,
    });
  },
});

const authStatus = defineCommand({
  path: 'auth status',
  about: 'show who is signed in and how',
  examples: ['ttctl auth status', 'ttctl auth status --output json'],
  prints: {
    shape: 'record',
    fields: [
      ...['profile', 'account', 'workspace', 'base_url', 'kind', 'source', 'scopes'],
      ...['access_expires_at', 'refresh_expires_at', 'checked'],
    ],
  },
  exits: SERVICE_EXITS,
  run: async (context) => {
    const { settings, output } = context;
    const { profile, kind, source, stored } = await context.identity();
    const created = kind === 'environment' ? settings.tokenCreated : undefined;
    const tokenExpiry = created === undefined ? null : getTokenExpiry(created.value);
    const account = await fetchAccount(context).catch((error: unknown) => {
      if (!(error instanceof NetworkError)) throw error;
      output.warn(`the service could not be reached: ${error.message}`);
      return undefined;
    });
    if (account != null && stored !== undefined) await context.credentials.rememberAccount(profile, account);
    await output.record({
      profile,
      account: account ?? stored?.account ?? null,
      workspace: (await context.knownWorkspaceId()) ?? null,
      base_url: settings.baseUrl?.value ?? null,
      kind,
      source,
      scopes: stored?.scopes ?? null,
      access_expires_at: stored === undefined ? tokenExpiry : getAccessExpiry(stored),
      refresh_expires_at: stored?.refresh_expires_at ?? null,
      checked: account !== undefined,
    });
  },
});

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
    const store = context.credentials;
    const stored = store.read(profile);
    // Where nobody is signed in, it says so.
    if (stored === undefined) await context.identity();
    if (stored === undefined || !isRenewable(stored)) {
      const kind = stored?.kind ?? 'oauth';
      const subject = kind === 'personal' ? 'a Personal Access Token' : `the sign-in of profile ${profile}`;
      throw new Failure(`${subject} cannot be renewed`, {
        code: 'not_renewable',
        exit: EXIT.signedOut,
        hint: `Sign in again: ${formatSignInCommand({ kind, profile })}`,
      });
    }
    const { access_expires_at = null, refresh_expires_at = null } = await context.watch.during(
      () => 'renewing the sign-in',
      () => renewCredential(context, store, stored),
      true,
    );
    await printLocalChange(context, {
      record: { profile, renewed: true, access_expires_at, refresh_expires_at },
      text: `the sign-in of profile ${profile} was renewed`,
      inspectLine: commandLine`ttctl auth status --profile ${profile}`,
    });
  },
});

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
    if (settings.token !== undefined)
      output.warn('TTCTL_TOKEN is set, and commands use it. Unset it to sign out.');
    if (stored === undefined) {
      await output.record({ profile, removed: false });
      return output.note('There was no stored credential.');
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
      next: () =>
        output.note('The token remains valid until it expires. To end it sooner, revoke it in the service.'),
      text: `the credential of profile ${profile} was removed`,
      inspectLine: 'ttctl profile list',
    });
  },
});
