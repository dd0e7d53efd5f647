import { Option } from 'commander';
import type { Context } from '../../context.ts';
import { offsetMinutes } from '../../notation/calendar.ts';
import { SCOPES } from '../../notation/scope-list.ts';
import { commandLine } from '../../notation/shell-word.ts';
import { UsageError } from '../../outcome.ts';
import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { offering } from '../options.ts';
import { tellChange } from '../planned.ts';
import { unsafe } from '../unsafe.ts';

/** Setting of a run → member of the stored profile. */
const MEMBERS = {
  baseUrl: 'base_url',
  authUrl: 'auth_url',
  tokenUrl: 'token_url',
  clientId: 'client_id',
  redirectUri: 'redirect_uri',
  scope: 'scope',
  workspace: 'workspace',
  timezone: 'timezone',
  output: 'output',
  readOnly: 'read_only',
  protected: 'protected',
} as const;

/** What flags gave; the settings have checked it. @throws UsageError for nothing */
const given = (
  { settings }: Context,
  options: Readonly<Record<string, unknown>>,
): Record<string, unknown> => {
  const found: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(MEMBERS)) {
    const { from, value } = settings[name as keyof typeof MEMBERS] ?? {};
    if (from === 'flag') found[member] = value;
  }
  if (options.rateLimit !== undefined) found.rate_limit = options.rateLimit;
  if (found.timezone !== undefined) offsetMinutes(0, String(found.timezone)); // refuses what is no zone
  if (Object.keys(found).length > 0) return found;
  const hint = 'Name a setting, for example --workspace 7. See: ttctl profile set --help';
  throw new UsageError('nothing to set', { hint });
};

export const profileSet = (door: Door) =>
  localCommand('set', 'make or change a profile', {
    examples: [
      'ttctl profile set --profile work --base-url https://api.example.com/api/v2 --workspace 7',
      'ttctl profile set --profile work --timezone Europe/Lisbon --rate-limit 150/60,20/1',
    ],
    newProfile: true,
    prints: { shape: 'record', fields: ['profile', ...Object.values(MEMBERS), 'rate_limit'] },
  })
    .option('--base-url <url>', 'the version 2 root of the API')
    .option('--auth-url <url>', 'the authorization host')
    .option('--token-url <url>', 'the token host')
    .option('--client-id <id>', 'client id of the OAuth2 application')
    .option('--redirect-uri <url>', 'redirect address of the OAuth2 application')
    .addOption(offering(new Option('--scope <scopes>', 'scopes to sign in with'), SCOPES))
    .option('--timezone <name>', 'time zone of date words and periods')
    .option('--rate-limit <rate>', 'requests/seconds,writes/seconds: 150/60,20/1; or off')
    .addOption(new Option('--read-only', 'refuse writes'))
    .addOption(unsafe(new Option('--no-read-only', 'allow writes').default(undefined)))
    .addOption(new Option('--protected', "ask for the profile's name before a write"))
    .addOption(unsafe(new Option('--no-protected', 'ask as for any other').default(undefined)))
    .action(
      run(door, async (context, _targets, options) => {
        const { settings, settingsStore, output } = context;
        const profile = settings.profile.value;
        const changes = given(context, options);
        const before = settingsStore.read().current_profile;
        if (!settings.dryRun.value) await settingsStore.changeProfile(profile, changes);
        const next = () => before === undefined && output.note(`${profile} is now the default profile.`);
        const [text, record] = [`profile ${profile} was changed`, { profile, ...changes }];
        const look = commandLine`ttctl profile show --profile ${profile}`;
        await tellChange(context, { record, next, text, look });
      }),
    );
