import { type Directories, directories } from '../../config/paths.ts';
import { VARIABLES } from '../../config/variables.ts';
import { type Entry, type Page, prose, titled } from '../page.ts';

const KEPT: Readonly<Record<keyof Directories, string>> = {
  config: 'settings.json, credentials.json',
  state: 'jobs, deliveries, the rate ledger, the sandbox',
  cache: 'what may be deleted at any time',
};

/** Where things are kept on a platform when no variable says otherwise; the home directory as `~`. */
const placesOn = (platform: string, home: string): readonly Entry[] => {
  const found = directories({}, platform, home);
  return Object.entries(KEPT).map(([kind, what]) => [
    (found[kind as keyof Directories] ?? '').replace(home, '~'),
    what,
  ]);
};

export const environment = (): Page => ({
  lead: 'Variables that ttctl reads.',
  sections: [
    prose(
      'A value is taken from the first that has it: flag, environment, profile, default. See them with their sources: ttctl profile show',
    ),
    titled('Variables', { entries: VARIABLES }),
    prose(
      'An empty variable counts as unset. With TTCTL_TOKEN, TTCTL_BASE_URL and TTCTL_WORKSPACE set, every command works with no settings file, no home directory and a read-only disk.',
    ),
    titled('Places on Linux', { entries: placesOn('linux', '/home/you') }),
    titled('Places on macOS', { entries: placesOn('darwin', '/Users/you') }),
    titled('Places on Windows', { entries: placesOn('win32', 'C:\\Users\\you') }),
    prose('On Linux and macOS XDG_CONFIG_HOME, XDG_STATE_HOME and XDG_CACHE_HOME move them.'),
  ],
});
