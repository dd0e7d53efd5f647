import { type Row, toPages } from '../../api/page.ts';
import { defineCommand, type Group, type Noun } from '../../cli/command.ts';
import { forgetProfile } from '../../completion/names.ts';
import { listSettings, type SettingName } from '../../config/settings.ts';
import { UsageError } from '../../errors.ts';
import type { Column } from '../../output/list-view.ts';
import { getOffsetMinutes } from '../../parsing/calendar.ts';
import { SCOPES } from '../../parsing/names.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import type { Run } from '../../run.ts';
import { groupFlags } from '../flags.ts';
import { printLocalChange } from '../local-change.ts';

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
  examples: ['ttctl profile list', 'ttctl profile list --output json'],
  prints: { shape: 'list', fields: listColumns.map(({ field }) => field) },
  flags: [...groupFlags],
  settings: 'mended',
  run: async (context) => {
    const { settings, settingsStore, output } = context;
    const { profiles } = settingsStore.read();
    const store = context.credentials;
    const names = [...new Set([...Object.keys(profiles), 'sandbox'])].sort();
    const rows = names.map((name) => ({
      name,
      current: name === settings.profile.value,
      base_url: name === 'sandbox' ? 'embedded' : (profiles[name]?.base_url ?? null),
      workspace: profiles[name]?.workspace ?? null,
      signed_in: name === 'sandbox' || store.read(name) !== undefined,
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

const profileShow = defineCommand({
  path: 'profile show',
  about: 'show the current settings and their sources',
  examples: ['ttctl profile show', 'ttctl profile show --profile work --output json'],
  prints: { shape: 'list', fields: showColumns.map(({ field }) => field) },
  settings: 'mended',
  run: async (context) => {
    const { settings, output, settingsStore } = context;
    const { value, from, name } = settings.profile;
    const rows: Row[] = [{ setting: 'profile', value, from, source: from === 'default' ? null : name }];
    for (const [setting, { member, usual, variable = '' }] of listSettings())
      if (member !== undefined || typeof usual === 'number')
        rows.push(describeSetting(context, setting, variable));
    await output.list(toPages(rows), { noun: 'settings', columns: showColumns, id: 'setting' });
    output.note(`Settings file: ${settingsStore.file ?? 'none'}`);
  },
});

function describeSetting({ settings, timeZone }: Run, name: SettingName, variable: string): Row {
  const current = settings[name];
  const setting = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  // The embedded sandbox has no address.
  if (settings.unusedAddresses.includes(variable))
    return { setting, value: null, from: 'not used', source: variable };
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
    'ttctl profile set --profile work --base-url https://api.example.com/api/v2 --workspace 7',
    'ttctl profile set --profile work --timezone Europe/Lisbon --rate-limit 150/60,20/1',
  ],
  newProfile: true,
  prints: {
    shape: 'record',
    fields: ['profile', ...listSettings().flatMap(([, { member }]) => member ?? [])],
  },
  flags: [
    { name: 'base-url', value: 'url', about: 'base URL of the API (version 2)' },
    { name: 'auth-url', value: 'url', about: 'authorization host' },
    { name: 'token-url', value: 'url', about: 'token host' },
    { name: 'client-id', value: 'id', about: 'client id of the OAuth2 application' },
    { name: 'redirect-uri', value: 'url', about: 'redirect address of the OAuth2 application' },
    { name: 'scope', value: 'scopes', about: 'scopes to sign in with', offers: SCOPES },
    { name: 'timezone', value: 'name', about: 'time zone of dates and periods' },
    { name: 'rate-limit', value: 'rate', about: 'requests/seconds,writes/seconds: 150/60,20/1; or off' },
    {
      name: 'settle',
      value: 'seconds',
      about: 'how long to look for what a write did if its response was lost',
    },
    { name: 'read-only', about: 'refuse writes' },
    { name: 'no-read-only', about: 'allow writes', unsafe: true },
  ],
  settings: 'mended',
  run: async (context, { options }) => {
    const { settings, settingsStore, output } = context;
    const profile = settings.profile.value;
    // What flags gave, by the members of the stored profile; the settings have checked it.
    const changes: Record<string, unknown> = {};
    for (const [name, { member }] of listSettings())
      if (member !== undefined && settings[name]?.from === 'flag') changes[member] = settings[name].value;
    if (changes.output !== undefined) changes.output = settings.output.value.name;
    if (changes.rate_limit !== undefined) changes.rate_limit = options.rateLimit;
    if (changes.timezone !== undefined) getOffsetMinutes(0, String(changes.timezone)); // refuses what is no zone
    if (Object.keys(changes).length === 0)
      throw new UsageError('nothing to set', {
        hint: 'Pass a setting, for example --workspace 7. Run ttctl profile set --help for all options.',
      });
    const currentProfile = settingsStore.read().current_profile;
    if (!settings.dryRun.value) await settingsStore.changeProfile(profile, changes);
    const next = () => currentProfile === undefined && output.note(`${profile} is now the default profile.`);
    await printLocalChange(context, {
      record: { profile, ...changes },
      next,
      text: `profile ${profile} was changed`,
      inspectLine: commandLine`ttctl profile show --profile ${profile}`,
    });
  },
});

const profileUse = defineCommand({
  path: 'profile use',
  about: 'set the default profile',
  examples: ['ttctl profile use work', 'ttctl profile use sandbox'],
  prints: { shape: 'record', fields: ['current_profile'] },
  positionals: [{ name: 'profile', about: 'name of the profile', required: true }],
  settings: 'mended',
  run: async (context, { targets: [name = ''] }) => {
    const { settings, settingsStore } = context;
    const { profiles } = settingsStore.read();
    if (name !== 'sandbox' && !Object.hasOwn(profiles, name)) {
      throw new UsageError(`there is no profile "${name}"`, { hint: 'List them: ttctl profile list' });
    }
    if (!settings.dryRun.value) await settingsStore.update((file) => ({ ...file, current_profile: name }));
    const record = { current_profile: name };
    const text = `${name} is now the default profile`;
    await printLocalChange(context, { record, text, inspectLine: 'ttctl profile list' });
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
  run: async (context, { targets: [name = ''] }) => {
    const { settings, settingsStore, output, confirm, directories } = context;
    const { profiles } = settingsStore.read();
    const store = context.credentials;
    if (!Object.hasOwn(profiles, name) && store.read(name) === undefined)
      throw new UsageError(`there is no stored profile "${name}"`, { hint: 'List them: ttctl profile list' });
    if (settings.dryRun.value) return output.record({ profile: name, removed: false, planned: true });
    await confirm({
      local: true,
      question: `remove profile ${name}`,
      facts: [`address    ${profiles[name]?.base_url ?? 'none'}`],
    });
    const signedIn = await store.remove(name);
    if (directories.cache !== undefined) forgetProfile(directories.cache, name);
    await settingsStore.update(({ current_profile: current, ...file }) => {
      const { [name]: _removed, ...others } = file.profiles;
      return { ...file, ...(current !== name && current && { current_profile: current }), profiles: others };
    });
    const tokenNote = 'Its token remains valid until it expires. To end it sooner, revoke it in the service.';
    await printLocalChange(context, {
      record: { profile: name, removed: true },
      next: () => signedIn && output.note(tokenNote),
      text: `profile ${name} was removed`,
      inspectLine: 'ttctl profile list',
    });
  },
});
