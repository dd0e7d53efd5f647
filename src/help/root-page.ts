import { NOUNS, ROOT } from '../cli/registry.ts';
import { listFlagEntries } from './flags.ts';
import {
  createProse,
  createSection,
  type HelpEntry,
  type HelpPage,
  type HelpSection,
  toSentence,
} from './page.ts';
import { TOPICS } from './topics.ts';

/** The help of the program: its nouns, its topics, and the flags that every command has. */

/** Where the program is at home, as its package says; empty where it says nothing. */
export interface ProjectLinks {
  readonly homepage: string;
  readonly bugs: string;
}

export const buildNounSections = (): readonly HelpSection[] => {
  const groups = new Map<string, HelpEntry[]>();
  for (const { heading, name, about } of NOUNS) {
    groups.set(heading, [...(groups.get(heading) ?? []), [name, about]]);
  }
  return [...groups].map(([heading, entries]) => createSection(heading, { entries }));
};

const topicSection = (): HelpSection =>
  createSection('Topics (ttctl help <topic>)', {
    entries: TOPICS.map(({ name, about }): HelpEntry => [name, about]),
  });

const addressLines = ({ homepage, bugs }: ProjectLinks): readonly string[] => [
  ...(homepage === '' ? [] : [`Web: ${homepage}`]),
  ...(bugs === '' ? [] : [`Report bugs at: ${bugs}`]),
];

const FIRST = createSection('Try it without setup', {
  commands: ['ttctl --profile sandbox timesheets list --status submitted'],
});

const MORE = createSection('More', {
  entries: [
    ['ttctl <noun>', 'commands of a noun'],
    ['ttctl <noun> <verb> --help', 'flags and examples of a command'],
    ['ttctl help <topic>', 'help on a topic'],
    ['ttctl version --json', 'version and installation details'],
  ],
});

const HELP: HelpEntry = ['-h, --help', 'show help'];

export const listGlobalFlagEntries = (): readonly HelpEntry[] => [...listFlagEntries(ROOT.flags), HELP];

const USAGE = createSection('Usage', { commands: ['ttctl <noun> <verb> [targets...] [flags]'] });

export const buildRootPage = (addresses?: ProjectLinks): HelpPage => ({
  lead: toSentence(ROOT.about),
  sections: [
    USAGE,
    ...buildNounSections(),
    topicSection(),
    createSection('Global flags', { entries: listGlobalFlagEntries() }),
    FIRST,
    MORE,
    ...(addresses === undefined ? [] : addressLines(addresses)).map((line) => createProse(line)),
  ],
});

/** Of the word `help` itself. */
export const buildHelpPage = (): HelpPage => ({
  lead: 'Show help for a command or topic.',
  sections: [
    createSection('Usage', { commands: ['ttctl help', 'ttctl help <noun> [<verb>]', 'ttctl help <topic>'] }),
    createSection('Examples', { commands: ['ttctl help timesheets approve', 'ttctl help bulk'] }),
    topicSection(),
    createProse('For a command, this is the same as: ttctl timesheets approve --help'),
  ],
});

/** What `ttctl help topics` shows. */
export const buildTopicsPage = (): HelpPage => ({
  lead: 'Help topics.',
  sections: [topicSection(), createProse('For a command: ttctl help timesheets approve')],
});

/** What `ttctl` alone shows. */
export const buildShortRootPage = (): HelpPage => ({
  lead: toSentence(ROOT.about),
  sections: [USAGE, ...buildNounSections(), FIRST],
});
