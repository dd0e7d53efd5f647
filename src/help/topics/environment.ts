import { type Directories, directories } from '../../config/paths.ts';
import { VARIABLES } from '../../config/variables.ts';
import { type Entry, type Page, prose, titled } from '../page.ts';

const KEPT: Readonly<Record<keyof Directories, string>> = {
  config: 'settings.json, credentials.json, cache.key',
  state: 'jobs, deliveries, the rate ledger, faults, the sandbox',
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

export const environment: Page = {
  lead: 'Variables that ttctl reads.',
  sections: [
    prose(
      'A value is taken from the first that has it: flag, environment, profile, default. See them with their sources: ttctl profile show',
    ),
    titled('Variables', { entries: VARIABLES }),
    prose(
      'An empty variable counts as unset. With TTCTL_TOKEN, TTCTL_BASE_URL and TTCTL_WORKSPACE set, every command that asks the service works with no settings file, no home directory and a read-only disk. What has to be written down needs a place: a run over several targets writes a journal (or --no-journal), webhooks listen keeps deliveries (--store names a folder), and the sandbox its state.',
    ),
    titled('Places on Linux', { entries: placesOn('linux', '/home/you') }),
    titled('Places on macOS', { entries: placesOn('darwin', '/Users/you') }),
    titled('Places on Windows', { entries: placesOn('win32', 'C:\\Users\\you') }),
    prose(
      'On Linux and macOS XDG_CONFIG_HOME, XDG_STATE_HOME and XDG_CACHE_HOME move them; a relative path there counts as unset.',
    ),
    titled('Who may write there', {
      text: 'Files in these places are used only if nobody else could have written them: the file and its folder belong to you or to root, and others cannot write them. What is yours and only too open (the group may write it, or the folder lets nobody else in) is closed, with a warning. The rest is refused with exit 2, and the message has the command to mend it. A symbolic link to settings.json is followed and judged by where it leads. In a home directory that belongs to somebody else, as in many containers, root also takes the settings of that user, but no credentials. Windows has no such check. ttctl doctor shows every place.',
    }),
    titled('Removing ttctl', {
      text: 'npm uninstall -g ttctl takes the program away and leaves these places as they are: sign out first (ttctl auth logout), then delete them. Nothing else is written, but for files that you name.',
    }),
    titled('Not read', {
      text: 'PAGER: nothing is paged; pipe into less -S. EDITOR: no text is edited; a long one comes from a file (--input, --from-file). DEBUG: it is TTCTL_DEBUG.',
    }),
    titled('What ttctl sends', {
      text: 'Requests to the addresses that you name, and nothing else: nothing is counted or reported, and no newer version is looked for.',
    }),
  ],
};
