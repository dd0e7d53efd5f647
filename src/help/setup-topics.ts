import { DEFAULT_PER_PAGE } from '../api/page.ts';
import { type Directories, resolveDirectories } from '../config/environment.ts';
import { DEFAULT_PROFILE, listSettings, type ProfileMember, SANDBOX_PROFILE } from '../config/settings.ts';
import { DEFAULT_MAX_WAIT, DEFAULT_RATE, DEFAULT_SETTLE, DEFAULT_TIMEOUT } from '../config/values.ts';
import { createRateWindows } from '../http/budget.ts';
import { createProse, createSection, type HelpEntry, type HelpPage } from './page.ts';

/** The topics of help on settings, profiles and limits. */

/** The environment variables that ttctl reads. README and help print this table. */
export const VARIABLES: readonly (readonly [name: string, meaning: string])[] = [
  ['TTCTL_PROFILE', 'profile to use'],
  ...listSettings().flatMap(([, { variable, about = '' }]) =>
    variable === undefined ? [] : [[variable, about] as const],
  ),
  [
    'TTCTL_SANDBOX_SECRET',
    'lets ttctl sandbox control the server at TTCTL_BASE_URL; printed by ttctl sandbox env',
  ],
  ['TTCTL_NO_INPUT, CI', 'never prompt'],
  ['TTCTL_WEBHOOK_TOKEN', 'token of the webhook, to verify signatures of deliveries'],
  ['TTCTL_CONFIG_DIR', 'directory for settings and credentials'],
  ['TTCTL_STATE_DIR', 'directory for jobs, deliveries, the rate ledger, fault reports and the sandbox'],
  ['TTCTL_CACHE_DIR', 'directory for caches; may be deleted at any time'],
  ['BROWSER', 'program that opens the sign-in page'],
  ['NO_COLOR, FORCE_COLOR', 'disable or force colour'],
  [
    'HTTPS_PROXY, NO_PROXY',
    'proxy, and hosts to reach without it; http is allowed only for this machine, never through a proxy',
  ],
  ['NODE_EXTRA_CA_CERTS', 'file with additional certificate authorities'],
];

const KEPT: Readonly<Record<keyof Directories, string>> = {
  config: 'settings.json, credentials.json',
  state: 'jobs, deliveries, the rate ledger, faults, the sandbox',
  cache: 'caches; may be deleted at any time',
};

export const environmentPage: HelpPage = {
  lead: 'Environment variables and files.',
  sections: [
    createProse(
      'Flags override environment variables, which override the profile and the defaults. To show all settings and their sources: ttctl profile show',
    ),
    createSection('Variables', { entries: VARIABLES }),
    createProse(
      'An empty variable counts as unset. With TTCTL_TOKEN, TTCTL_BASE_URL and TTCTL_WORKSPACE set, commands that use the service work without a settings file or home directory, and on a read-only disk. These need a writable directory: bulk runs (for a journal, unless --no-history is given), webhooks listen (for deliveries, in the --store folder) and the sandbox (for its state).',
    ),
    createSection('Files on Linux', { entries: listPlaces('linux', '/home/you') }),
    createSection('Files on macOS', { entries: listPlaces('darwin', '/Users/you') }),
    createSection('Files on Windows', { entries: listPlaces('win32', 'C:\\Users\\you') }),
    createProse(
      'On Linux and macOS XDG_CONFIG_HOME, XDG_STATE_HOME and XDG_CACHE_HOME override them; relative paths are ignored.',
    ),
    createSection('File permissions', {
      text: 'A file of ttctl is used only if nobody else could have written it: a regular file that belongs to you or to root, and that others cannot write to. Anything else is refused with exit code 2, and the message shows the command to fix it. A file that others can read is set to mode 600, with a warning. A symbolic link to settings.json is followed, and its target is checked; credentials and journals must not be links. Root also uses the settings of another user, with a warning, but not the credentials. Directories are not checked. Windows has no such check. ttctl doctor shows every location.',
    }),
    createSection('Uninstall', {
      text: 'npm uninstall -g ttctl removes the program but not these files. Sign out first (ttctl auth logout), then delete them. ttctl writes nothing else except files that you name.',
    }),
    createSection('Not supported', {
      text: 'PAGER: pipe into less -S instead. EDITOR: pass long text in a file (--input, --from-file). DEBUG: use TTCTL_DEBUG.',
    }),
    createSection('Privacy', {
      text: 'ttctl sends requests only to the addresses that you configure. It has no telemetry and no update check.',
    }),
  ],
};

/** Where things are kept on a platform when no variable says otherwise; the home directory as `~`. */
function listPlaces(platform: string, home: string): readonly HelpEntry[] {
  const found = resolveDirectories({}, platform, home);
  return Object.entries(KEPT).map(([kind, what]) => [
    (found[kind as keyof Directories] ?? '').replace(home, '~'),
    what,
  ]);
}

const { requests, perSeconds, writes, writesPerSeconds } = DEFAULT_RATE;
const [all, changes] = createRateWindows(DEFAULT_RATE);

export const limitsPage: HelpPage = {
  lead: 'Rate limits of the service, and how ttctl respects them.',
  sections: [
    createSection('Limits of the service', {
      entries: [
        [`${requests} requests in ${perSeconds} s`, 'reads and writes together'],
        [`${writes} writes in ${writesPerSeconds} s`, 'writes only'],
      ],
    }),
    createProse(
      'All ttctl processes that use the same credential share one ledger in the state directory, so that a terminal, a cron job and a bulk run together stay within the limits. A note on stderr says when ttctl is waiting.',
      `A bulk run leaves ${all.reserve} of the ${all.limit} requests and ${changes.reserve} of the ${changes.limit} writes free, so that single commands do not have to wait for it.`,
    ),
    createSection('When a request fails', {
      entries: [
        ['429', 'all processes of the credential wait as Retry-After says, then retry'],
        ['no connection', 'retried up to 3 times, since nothing was sent'],
        [
          'reset, timeout, 5xx',
          'reads are retried up to 3 times; writes are never retried: the records are checked',
        ],
      ],
    }),
    createSection('Settings', {
      entries: [
        [
          '--max-wait <seconds>',
          `per request, in total (${DEFAULT_MAX_WAIT}); 0 fails at once with exit code 7; waiting for the ledger does not count`,
        ],
        ['--timeout <seconds>', `per attempt (${DEFAULT_TIMEOUT})`],
        [
          'settle',
          `of a profile, or TTCTL_SETTLE: seconds to look for what a write did if its response was lost (${DEFAULT_SETTLE}); 0 looks once`,
        ],
        [
          'rate_limit',
          `of a profile, or TTCTL_RATE_LIMIT: ${requests}/${perSeconds},${writes}/${writesPerSeconds} is the default; off disables the ledger`,
        ],
      ],
    }),
    createSection('Examples', {
      commands: [
        'ttctl profile set --profile work --rate-limit 300/60,20/1',
        'ttctl timesheets list --max-wait 0 --json',
      ],
    }),
    createProse(
      `A list is fetched ${DEFAULT_PER_PAGE} rows per request. Before a large run, ttctl prints how many requests it needs and how long they take.`,
    ),
  ],
};

const MEANING: Readonly<Record<ProfileMember, string>> = {
  base_url: 'base URL of the API (version 2), such as https://<host>/api/v2',
  auth_url: 'authorization host, for signing in with a browser',
  token_url: 'token host',
  client_id: 'client id of the OAuth2 application',
  redirect_uri: 'registered redirect address',
  scope: 'scopes to sign in with: read,write',
  workspace: 'the workspace, by id or name',
  timezone: 'time zone of dates and periods (default: system)',
  rate_limit: 'requests/seconds,writes/seconds, or off; see ttctl help limits',
  settle: 'seconds to look for what a write did if its response was lost; see ttctl help limits',
  output: 'default output format; see ttctl help output',
  protected: 'true: asks for the name of the profile before a write',
  read_only: 'true: refuses every write',
};

export const profilesPage: HelpPage = {
  lead: 'Profiles for several services and workspaces.',
  sections: [
    createProse(
      `A command uses the profile from --profile, else TTCTL_PROFILE, else ttctl profile use, else ${DEFAULT_PROFILE}.`,
      `The profile ${SANDBOX_PROFILE} is built in: the whole service inside the command, with no account and no server. It holds practice data.`,
    ),
    createSection('Settings of a profile', {
      entries: Object.entries(MEANING).map(([name, meaning]): HelpEntry => [name, meaning]),
    }),
    createProse(
      'They are stored in settings.json; tokens and client secrets are in credentials.json, readable only by you. A flag or variable overrides the profile for one run.',
    ),
    createSection('Examples', {
      commands: [
        'ttctl auth login --profile work --base-url https://api.example.com/api/v2',
        'ttctl profile set --profile work --workspace 7 --timezone Europe/Lisbon',
        'ttctl profile set --profile payroll --read-only',
        'ttctl profile use work',
        'ttctl profile show',
        'ttctl members list --profile sandbox',
      ],
    }),
  ],
};
