import { NOUNS, ROOT } from '../cli/registry.ts';
import { flagEntries } from './flags.ts';
import { type Entry, type Page, prose, type Section, sentence, titled } from './page.ts';
import { TOPICS } from './topics.ts';

/** The help of the program: its nouns, its topics, and the flags that every command has. */

/** Where the program is at home, as its package says; empty where it says nothing. */
export interface Addresses {
  readonly homepage: string;
  readonly bugs: string;
}

export const nounSections = (): readonly Section[] => {
  const groups = new Map<string, Entry[]>();
  for (const { heading, name, about } of NOUNS) {
    groups.set(heading, [...(groups.get(heading) ?? []), [name, about]]);
  }
  return [...groups].map(([heading, entries]) => titled(heading, { entries }));
};

const topicSection = (): Section =>
  titled('Topics (ttctl help <topic>)', {
    entries: TOPICS.map(({ name, about }): Entry => [name, about]),
  });

const addressLines = ({ homepage, bugs }: Addresses): readonly string[] => [
  ...(homepage === '' ? [] : [`Web: ${homepage}`]),
  ...(bugs === '' ? [] : [`Report bugs at: ${bugs}`]),
];

const FIRST = titled('Try it without setup', {
  commands: ['ttctl --profile sandbox timesheets list --status submitted'],
});

const MORE = titled('More', {
  entries: [
    ['ttctl <noun>', 'commands of a noun'],
    ['ttctl <noun> <verb> --help', 'flags and examples of a command'],
    ['ttctl help <topic>', 'help on a topic'],
    ['ttctl version --json', 'version and installation details'],
  ],
});

const HELP: Entry = ['-h, --help', 'show help'];

export const globalFlags = (): readonly Entry[] => [...flagEntries(ROOT.flags), HELP];

const USAGE = titled('Usage', { commands: ['ttctl <noun> <verb> [targets...] [flags]'] });

export const rootPage = (addresses?: Addresses): Page => ({
  lead: sentence(ROOT.about),
  sections: [
    USAGE,
    ...nounSections(),
    topicSection(),
    titled('Global flags', { entries: globalFlags() }),
    FIRST,
    MORE,
    ...(addresses === undefined ? [] : addressLines(addresses)).map((line) => prose(line)),
  ],
});

/** Of the word `help` itself. */
export const helpPage = (): Page => ({
  lead: 'Show help for a command or topic.',
  sections: [
    titled('Usage', { commands: ['ttctl help', 'ttctl help <noun> [<verb>]', 'ttctl help <topic>'] }),
    titled('Examples', { commands: ['ttctl help timesheets approve', 'ttctl help bulk'] }),
    topicSection(),
    prose('For a command, this is the same as: ttctl timesheets approve --help'),
  ],
});

/** What `ttctl help topics` shows. */
export const topicsPage = (): Page => ({
  lead: 'Help topics.',
  sections: [topicSection(), prose('For a command: ttctl help timesheets approve')],
});

/** What `ttctl` alone shows. */
export const shortRootPage = (): Page => ({
  lead: sentence(ROOT.about),
  sections: [USAGE, ...nounSections(), FIRST],
});
