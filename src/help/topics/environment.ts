import { type Directories, resolveDirectories } from '../../config/environment.ts';
import { listSettings } from '../../config/settings.ts';
import { createProse, createSection, type HelpEntry, type HelpPage } from '../page.ts';

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

/** Where things are kept on a platform when no variable says otherwise; the home directory as `~`. */
const listPlaces = (platform: string, home: string): readonly HelpEntry[] => {
  const found = resolveDirectories({}, platform, home);
  return Object.entries(KEPT).map(([kind, what]) => [
    (found[kind as keyof Directories] ?? '').replace(home, '~'),
    what,
  ]);
};

export const buildEnvironmentTopic: HelpPage = {
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
