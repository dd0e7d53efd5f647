import type { Row } from '../../api/page.ts';
import { defineCommand } from '../../cli/command.ts';
import { listSettings } from '../../config/settings.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../outcome.ts';
import { getOffsetMinutes } from '../../parsing/calendar.ts';
import { SCOPES } from '../../parsing/names.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import { printLocalChange } from '../local-change.ts';

/** What flags gave, by the members of the stored profile; the settings have checked it. */
function readFlagSettings({ settings }: Context, options: Readonly<Record<string, unknown>>): Row {
  const changes: Record<string, unknown> = {};
  for (const [name, { member }] of listSettings())
    if (member !== undefined && settings[name]?.from === 'flag') changes[member] = settings[name].value;
  if (changes.output !== undefined) changes.output = settings.output.value.name;
  if (changes.rate_limit !== undefined) changes.rate_limit = options.rateLimit;
  if (changes.timezone !== undefined) getOffsetMinutes(0, String(changes.timezone)); // refuses what is no zone
  if (Object.keys(changes).length > 0) return changes;
  const hint = 'Pass a setting, for example --workspace 7. Run ttctl profile set --help for all options.';
  throw new UsageError('nothing to set', { hint });
}

export const profileSet = defineCommand({
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
    { name: 'protected', about: "ask for the profile's name before a write" },
    { name: 'no-protected', about: 'ask only for the usual confirmations', unsafe: true },
  ],
  settings: 'mended',
  run: async (context, { options }) => {
    const { settings, settingsStore, output } = context;
    const profile = settings.profile.value;
    const changes = readFlagSettings(context, options);
    const currentProfile = settingsStore.read().current_profile;
    if (!settings.dryRun.value) await settingsStore.changeProfile(profile, changes);
    const next = () => currentProfile === undefined && output.note(`${profile} is now the default profile.`);
    const [text, record] = [`profile ${profile} was changed`, { profile, ...changes }];
    const inspectLine = commandLine`ttctl profile show --profile ${profile}`;
    await printLocalChange(context, { record, next, text, inspectLine });
  },
});
