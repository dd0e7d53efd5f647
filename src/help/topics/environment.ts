import { type Directories, resolveDirectories } from '../../config/environment.ts';
import { VARIABLES } from '../../config/variables.ts';
import { createProse, createSection, type HelpEntry, type HelpPage } from '../page.ts';

const KEPT: Readonly<Record<keyof Directories, string>> = {
  config: 'settings.json, credentials.json, cache.key',
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
      text: 'These files are used only if nobody else could have written them: the file and its folder belong to you or to root, and others cannot write to them. If your own file is too open (the group can write to it, or only its folder protects it), ttctl fixes its mode and prints a warning. The same applies to the state directory. If it belongs to another user, ttctl uses it with a warning, but not the files and folders in it that are not yours. Everything else is refused with exit code 2, and the message shows the command to fix it. A symbolic link to settings.json is followed, and its target is checked. In a home directory that belongs to another user, as in many containers, root also uses the settings of that user, but not the credentials. Windows has no such check. ttctl doctor shows every location.',
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
