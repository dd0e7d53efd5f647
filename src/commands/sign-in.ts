import { type Row, toPages } from '../api/page.ts';
import type { Credential } from '../auth/credentials.ts';
import { renewCredential } from '../auth/renewal.ts';
import {
  countDaysUntil,
  formatExpiryDay,
  formatSignInCommand,
  getAccessExpiry,
  getSignInExpiry,
  getTokenExpiry,
  isRenewable,
} from '../auth/session.ts';
import { fetchAccount } from '../changes/log.ts';
import { defineCommand, type Group, listCommands, type Noun, type Program } from '../cli/command.ts';
import { forgetProfile } from '../completion/names.ts';
import { LISTED_SETTINGS, type SettingName } from '../config/settings.ts';
import { EXIT, Failure, NetworkError, UsageError } from '../errors.ts';
import type { Column } from '../output/list-view.ts';
import { getOffsetMinutes } from '../parsing/calendar.ts';
import { SCOPES } from '../parsing/names.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { findNearest, parseCount } from '../parsing/text.ts';
import type { Run } from '../run.ts';
import { groupFlags } from './flags.ts';
import { changeLocally } from './local-change.ts';
import { authLogin, refuseSandbox, serviceFlags } from './login.ts';
import { SERVICE_EXITS } from './outputs.ts';

export function auth(noun: Noun): Group {
  return {
    ...noun,
    commands: [authLogin, authStatus, authCheck, authRefresh, authToken, authLogout],
  };
}

const authCheck = defineCommand({
  path: 'auth check',
  about: 'fail if the sign-in expires soon, without contacting the service',
  examples: ['ttctl auth check --min-days 14', 'ttctl auth check --profile work --quiet'],
  prints: { shape: 'record', fields: ['profile', 'ends_at', 'days_left', 'min_days'] },
  exits: [3, 10],
  flags: [
    { name: 'min-days', value: 'n', about: 'days that must remain', default: '14' },
    { name: 'strict', about: 'exit with 10 if the expiry is not known' },
  ],
  run: async (run, { options }) => {
    const { settings, output, clock, credentials } = run;
    const minDays = parseCount('--min-days', options.minDays);
    const { token, tokenCreated, tokenCommand } = settings;
    const profile = settings.profile.value;
    const stored = (token ?? tokenCommand) === undefined ? credentials.read(profile) : undefined;
    if (token === undefined && stored === undefined) await run.identity();
    const what = token === undefined ? `the sign-in of profile ${profile}` : 'TTCTL_TOKEN';
    const ofToken = token && tokenCreated ? getTokenExpiry(tokenCreated.value) : null;
    /** ISO 8601; null: nobody knows, or never. */
    const expiry = stored === undefined ? ofToken : getSignInExpiry(stored);
    const hint = adviseRenewal(profile, stored);
    const daysLeft = expiry === null ? null : countDaysUntil(expiry, clock.now());
    const silent = settings.quiet.value && settings.output.value.shape === 'screen';
    if (!silent) await output.record({ profile, ends_at: expiry, days_left: daysLeft, min_days: minDays });
    if (expiry === null || daysLeft === null) {
      const ofCommand = token === undefined && tokenCommand !== undefined;
      if (options.strict !== true || stored?.kind === 'client' || settings.embedded || ofCommand)
        return output.note(`${what} has no known expiry, so nothing was checked.`);
      throw new Failure(`${what} has no known expiry`, { code: 'unknown_end', exit: EXIT.found, hint });
    }
    if (daysLeft >= minDays) return;
    throw new Failure(`${what} expires on ${formatExpiryDay(expiry, clock.now(), run.timeZone)}`, {
      code: 'ends_soon',
      exit: EXIT.found,
      reason: `Days left: ${daysLeft}; required: ${minDays}.`,
      hint,
    });
  },
});

function adviseRenewal(profile: string, stored: Credential | undefined): string {
  if (stored === undefined)
    return 'Create a new token, and set TTCTL_TOKEN and, to the day it is created, TTCTL_TOKEN_CREATED.';
  return isRenewable(stored)
    ? `Renew it: ${commandLine`ttctl auth refresh --profile ${profile}`}`
    : `Sign in again: ${formatSignInCommand({ kind: stored.kind, profile })}`;
}

const authStatus = defineCommand({
  path: 'auth status',
  about: 'show who is signed in and how',
  prints: {
    shape: 'record',
    fields: [
      ...['profile', 'account', 'workspace', 'base_url', 'kind', 'source', 'scopes'],
      ...['access_expires_at', 'refresh_expires_at', 'checked'],
    ],
  },
  exits: SERVICE_EXITS,
  run: async (run) => {
    const { settings, output } = run;
    const { profile, kind, source, stored } = await run.identity();
    const created = kind === 'environment' ? settings.tokenCreated : undefined;
    const tokenExpiry = created === undefined ? null : getTokenExpiry(created.value);
    const account = await fetchAccount(run).catch((error: unknown) => {
      if (!(error instanceof NetworkError)) throw error;
      output.warn(`the service could not be reached: ${error.message}`);
      return undefined;
    });
    await output.record({
      ...{ profile, account: account ?? stored?.account ?? null },
      workspace: (await run.knownWorkspaceId()) ?? null,
      base_url: settings.baseUrl?.value ?? null,
      ...{ kind, source, scopes: stored?.scopes ?? null },
      access_expires_at: stored === undefined ? tokenExpiry : getAccessExpiry(stored),
      refresh_expires_at: stored?.refresh_expires_at ?? null,
      checked: account !== undefined,
    });
  },
});

const authRefresh = defineCommand({
  path: 'auth refresh',
  about: 'renew the sign-in now',
  prints: {
    shape: 'record',
    fields: ['profile', 'renewed', 'access_expires_at', 'refresh_expires_at'],
  },
  exits: [3, 7],
  run: async (run) => {
    const { settings, output } = run;
    const profile = settings.profile.value;
    if (settings.token !== undefined) {
      throw new UsageError('TTCTL_TOKEN is set and cannot be renewed', {
        hint: 'Unset it to renew the stored sign-in.',
      });
    }
    refuseSandbox(run, 'refresh');
    if (settings.dryRun.value) return output.record({ profile, renewed: false, planned: true });
    const stored = settings.tokenCommand === undefined ? run.credentials.read(profile) : undefined;
    // Where nobody is signed in, it says so.
    if (stored === undefined) await run.identity();
    if (stored === undefined || !isRenewable(stored)) {
      const kind = stored?.kind ?? 'oauth';
      const subject = kind === 'personal' ? 'a Personal Access Token' : `the sign-in of profile ${profile}`;
      throw new Failure(`${subject} cannot be renewed`, {
        code: 'not_renewable',
        exit: EXIT.signedOut,
        hint:
          settings.tokenCommand === undefined
            ? `Sign in again: ${formatSignInCommand({ kind, profile })}`
            : 'Its token_command is run whenever a token is needed: there is nothing to renew.',
      });
    }
    const { access_expires_at = null, refresh_expires_at = null } = await run.watch.during(
      () => 'renewing the sign-in',
      () => renewCredential(run, stored),
    );
    await changeLocally(run, {
      record: { profile, renewed: true, access_expires_at, refresh_expires_at },
      text: `the sign-in of profile ${profile} was renewed`,
      inspectLine: commandLine`ttctl auth status --profile ${profile}`,
    });
  },
});

const authToken = defineCommand({
  path: 'auth token',
  about: 'print the access token, renewed first if it is about to expire',
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
  about: 'sign out and remove the credential, or the token command, from this machine',
  examples: ['ttctl auth logout', 'ttctl auth logout --profile work --yes'],
  prints: { shape: 'record', fields: ['profile', 'removed'] },
  exits: [9],
  run: async (run) => {
    const { settings, settingsStore, output, credentials } = run;
    const profile = settings.profile.value;
    const stored = credentials.read(profile);
    const { base_url: address, token_command: command } = settingsStore.read().profiles[profile] ?? {};
    if (settings.token !== undefined)
      output.warn('TTCTL_TOKEN is set, and commands use it. Unset it to sign out.');
    if (stored === undefined && command === undefined) {
      await output.record({ profile, removed: false });
      return output.note('There was no stored credential.');
    }
    await changeLocally(run, {
      question: `remove the ${stored ? 'credential' : 'token command'} of profile ${profile}`,
      facts: [`address    ${stored?.base_url ?? address ?? 'none'}`],
      async change() {
        await removeCredential(run, profile);
        if (command !== undefined) await settingsStore.changeProfile(profile, { token_command: undefined });
      },
      record: { profile, removed: !settings.dryRun.value },
      next: () => output.note(`The token ${STILL_VALID}`),
      text: `the ${stored ? 'credential' : 'token command'} of profile ${profile} was removed`,
      inspectLine: 'ttctl profile list',
    });
  },
});

const STILL_VALID = 'remains valid until it expires. To end it sooner, revoke it in the service.';

function removeCredential({ credentials, directories }: Run, name: string): Promise<boolean> {
  if (directories.cache !== undefined) forgetProfile(directories.cache, name);
  return credentials.remove(name);
}

export function profile(noun: Noun): Group {
  return { ...noun, commands: [profileList, profileShow, profileSet, profileUse, profileRemove] };
}

const listColumns: readonly Column[] = [
  { field: 'name' },
  { field: 'current', kind: 'state' },
  { field: 'base_url', title: 'address' },
  { field: 'workspace' },
  { field: 'signed_in', title: 'signed in' },
];

const profileList = defineCommand({
  path: 'profile list',
  about: 'list the profiles',
  prints: { shape: 'list', fields: listColumns.map(({ field }) => field) },
  flags: [...groupFlags],
  settings: 'mended',
  run: async (run) => {
    const { settings, settingsStore, output } = run;
    const { profiles } = settingsStore.read();
    const store = run.credentials;
    const names = [...new Set([...Object.keys(profiles), 'sandbox'])].sort();
    const rows = names.map((name) => ({
      name,
      current: name === settings.profile.value,
      base_url: name === 'sandbox' ? 'embedded' : (profiles[name]?.base_url ?? null),
      workspace: profiles[name]?.workspace ?? null,
      signed_in:
        name === 'sandbox' || profiles[name]?.token_command !== undefined || store.read(name) !== undefined,
    }));
    await output.list(toPages(rows), { noun: 'profiles', columns: listColumns, id: 'name' });
  },
});

const showColumns: readonly Column[] = [
  { field: 'setting' },
  { field: 'value', least: 12 },
  { field: 'from', drop: 1 },
  { field: 'source', drop: 2 },
];

/** Means what `--profile` means (`openSettings`). */
const profileOperand = { name: 'profile', about: 'name of the profile', required: false } as const;

const profileShow = defineCommand({
  path: 'profile show',
  about: 'show the current settings and their sources',
  positionals: [profileOperand],
  prints: { shape: 'list', fields: showColumns.map(({ field }) => field) },
  settings: 'mended',
  run: async (run) => {
    const { settings, output, settingsStore } = run;
    const { value, from, name } = settings.profile;
    const rows: Row[] = [{ setting: 'profile', value, from, source: from === 'default' ? null : name }];
    for (const [setting, { member, usual }] of LISTED_SETTINGS)
      if (member !== undefined || typeof usual === 'number') rows.push(describeSetting(run, setting));
    await output.list(toPages(rows), { noun: 'settings', columns: showColumns, id: 'setting' });
    output.note(`Settings file: ${settingsStore.file ?? 'none'}`);
  },
});

function describeSetting({ settings, timeZone }: Run, name: SettingName): Row {
  const current = settings[name];
  const setting = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  // The zone in force, also where none is set.
  if (name === 'timezone' && current === undefined)
    return { setting, value: timeZone(), from: 'system', source: null };
  if (current === undefined) return { setting, value: null, from: 'not set', source: null };
  let value: unknown = current.value;
  // As a profile or a variable has it.
  if (name === 'output') value = settings.output.value.name;
  if (name === 'rateLimit' && settings.rateLimit.value !== 'off') {
    const { requests, perSeconds, writes, writesPerSeconds } = settings.rateLimit.value;
    value = `${requests}/${perSeconds},${writes}/${writesPerSeconds}`;
  }
  return { setting, value, from: current.from, source: current.from === 'default' ? null : current.name };
}

const profileSet = defineCommand({
  path: 'profile set',
  about: 'create or change a profile',
  examples: [
    'ttctl profile set work --base-url https://api.example.com/api/v2 --workspace 7',
    "ttctl profile set payroll --allow 'timesheets approve,inbox decide'",
  ],
  positionals: [profileOperand],
  newProfile: true,
  prints: {
    shape: 'record',
    fields: ['profile', ...LISTED_SETTINGS.flatMap(([, { member }]) => member ?? [])],
  },
  flags: [
    ...serviceFlags,
    { name: 'redirect-uri', value: 'url', about: 'redirect address of the OAuth2 application' },
    { name: 'scope', value: 'scopes', about: 'scopes to sign in with', offers: SCOPES },
    { name: 'token-command', value: 'command', about: 'command that prints the token when one is needed' },
    { name: 'timezone', value: 'name', about: 'time zone of dates and periods' },
    { name: 'rate-limit', value: 'rate', about: 'requests/seconds,writes/seconds: 150/60,20/1; or off' },
    { name: 'settle', value: 'seconds', about: 'how long to look for what a write did' },
    { name: 'read-only', about: 'refuse writes' },
    { name: 'no-read-only', about: 'allow writes', unsafe: true },
    { name: 'allow', value: 'commands', about: 'allow only the writes of these commands; all: of any' },
  ],
  settings: 'mended',
  run: async (run, { options, program }) => {
    const { settings, settingsStore, output } = run;
    const profile = settings.profile.value;
    if (options.allow !== undefined) checkAllowed(String(settings.allow?.value), await program());
    // What flags gave, by the members of the stored profile; the settings have checked it.
    const changes: Record<string, unknown> = {};
    for (const [name, { member }] of LISTED_SETTINGS)
      if (member !== undefined && settings[name]?.from === 'flag') changes[member] = settings[name].value;
    if (changes.output !== undefined) changes.output = settings.output.value.name;
    if (changes.rate_limit !== undefined) changes.rate_limit = options.rateLimit;
    if (changes.timezone !== undefined) getOffsetMinutes(0, String(changes.timezone)); // refuses what is no zone
    if (Object.keys(changes).length === 0)
      throw new UsageError('nothing to set', {
        hint: 'Pass a setting, for example --workspace 7. Run ttctl profile set --help for all options.',
      });
    const currentProfile = settingsStore.read().current_profile;
    await changeLocally(run, {
      change: () => settingsStore.changeProfile(profile, changes),
      record: { profile, ...changes },
      next: () => currentProfile === undefined && output.note(`${profile} is now the default profile.`),
      text: `profile ${profile} was changed`,
      inspectLine: commandLine`ttctl profile show --profile ${profile}`,
    });
  },
});

/** @throws UsageError for what is no command: it would allow nothing, without a word */
function checkAllowed(allowed: string, program: Program): void {
  const paths = listCommands(program).map(({ path }) => path);
  const unknown = allowed.split(',').find((name) => name !== 'all' && !paths.includes(name));
  if (unknown === undefined) return;
  const near = findNearest(unknown, paths);
  throw new UsageError(`--allow: there is no command "${unknown}"`, {
    hint:
      near === undefined ? "For example: --allow 'timesheets approve,inbox decide'" : `Did you mean ${near}?`,
  });
}

const profileUse = defineCommand({
  path: 'profile use',
  about: 'set the default profile',
  examples: ['ttctl profile use work', 'ttctl profile use sandbox'],
  prints: { shape: 'record', fields: ['current_profile'] },
  positionals: [{ name: 'profile', about: 'name of the profile', required: true }],
  settings: 'mended',
  run: async (run, { targets: [name = ''] }) => {
    const { settingsStore } = run;
    if (name !== 'sandbox' && !Object.hasOwn(settingsStore.read().profiles, name))
      throw new UsageError(`there is no profile "${name}"`, { hint: 'List them: ttctl profile list' });
    await changeLocally(run, {
      change: () => settingsStore.update((file) => ({ ...file, current_profile: name })),
      record: { current_profile: name },
      text: `${name} is now the default profile`,
      inspectLine: 'ttctl profile list',
    });
  },
});

const profileRemove = defineCommand({
  path: 'profile remove',
  about: 'remove a profile and its credential from this machine',
  examples: ['ttctl profile remove work', 'ttctl profile remove work --yes'],
  prints: { shape: 'record', fields: ['profile', 'removed'] },
  exits: [9],
  positionals: [{ name: 'profile', about: 'name of the profile', required: true }],
  settings: 'mended',
  run: async (run, { targets: [name = ''] }) => {
    const { settings, settingsStore, output, credentials } = run;
    const { profiles } = settingsStore.read();
    if (!Object.hasOwn(profiles, name) && credentials.read(name) === undefined)
      throw new UsageError(`there is no stored profile "${name}"`, { hint: 'List them: ttctl profile list' });
    let wasSignedIn = false;
    await changeLocally(run, {
      question: `remove profile ${name}`,
      facts: [`address    ${profiles[name]?.base_url ?? 'none'}`],
      async change() {
        wasSignedIn = await removeCredential(run, name);
        await settingsStore.update(({ current_profile: current, ...file }) => {
          const { [name]: _removed, ...others } = file.profiles;
          const kept = current !== name && current && { current_profile: current };
          return { ...file, ...kept, profiles: others };
        });
      },
      record: { profile: name, removed: !settings.dryRun.value },
      next: () => wasSignedIn && output.note(`Its token ${STILL_VALID}`),
      text: `profile ${name} was removed`,
      inspectLine: 'ttctl profile list',
    });
  },
});
