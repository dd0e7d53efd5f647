import { type Flag, formatDefault, formatFlagTerm } from '../cli/flag.ts';
import { NOUNS, ROOT } from '../cli/registry.ts';
import {
  createProse,
  createSection,
  type HelpEntry,
  type HelpPage,
  type HelpSection,
  toSentence,
} from './page.ts';

/** The help of the program: its nouns, its topics, and the flags that every command has. */

/** The topics of `ttctl help`; their pages are loaded when one is asked for (topics.ts). */
export const TOPICS = [
  { name: 'bulk', about: 'work on many records: targets, files, jobs' },
  { name: 'dates', about: 'days, times, periods and time zones' },
  { name: 'environment', about: 'environment variables and files' },
  { name: 'errors', about: 'the codes of errors' },
  { name: 'exit-codes', about: 'exit codes and error output' },
  { name: 'limits', about: 'rate limits of the service, and how ttctl respects them' },
  { name: 'output', about: 'output formats, columns, sorting and queries' },
  { name: 'profiles', about: 'profiles for several services and workspaces' },
  { name: 'scripting', about: 'using ttctl in scripts and CI' },
] as const;

export type TopicName = (typeof TOPICS)[number]['name'];

/** Where the program is at home, as its package says; empty where it says nothing. */
export interface ProjectLinks {
  readonly homepage: string;
  readonly bugs: string;
}

export function buildNounSections(): readonly HelpSection[] {
  const groups = new Map<string, HelpEntry[]>();
  for (const { heading, name, about } of NOUNS) {
    groups.set(heading, [...(groups.get(heading) ?? []), [name, about]]);
  }
  return [...groups].map(([heading, entries]) => createSection(heading, { entries }));
}

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

export function listGlobalFlagEntries(): readonly HelpEntry[] {
  return [...listFlagEntries(ROOT.flags), HELP];
}

const USAGE = createSection('Usage', { commands: ['ttctl <noun> <verb> [targets...] [flags]'] });

export function buildRootPage(addresses?: ProjectLinks): HelpPage {
  return {
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
  };
}

function topicSection(): HelpSection {
  return createSection('Topics (ttctl help <topic>)', {
    entries: TOPICS.map(({ name, about }): HelpEntry => [name, about]),
  });
}

function addressLines({ homepage, bugs }: ProjectLinks): readonly string[] {
  return [
    ...(homepage === '' ? [] : [`Web: ${homepage}`]),
    ...(bugs === '' ? [] : [`Report bugs at: ${bugs}`]),
  ];
}

/** Of the word `help` itself. */
export function buildHelpPage(): HelpPage {
  return {
    lead: 'Show help for a command or topic.',
    sections: [
      createSection('Usage', {
        commands: ['ttctl help', 'ttctl help <noun> [<verb>]', 'ttctl help <topic>'],
      }),
      createSection('Examples', { commands: ['ttctl help timesheets approve', 'ttctl help bulk'] }),
      topicSection(),
      createProse('For a command, this is the same as: ttctl timesheets approve --help'),
    ],
  };
}

/** What `ttctl help topics` shows. */
export function buildTopicsPage(): HelpPage {
  return {
    lead: 'Help topics.',
    sections: [topicSection(), createProse('For a command: ttctl help timesheets approve')],
  };
}

/** What `ttctl` alone shows. */
export function buildShortRootPage(): HelpPage {
  return { lead: toSentence(ROOT.about), sections: [USAGE, ...buildNounSections(), FIRST] };
}

export function listFlagEntries(flags: readonly Flag[]): readonly HelpEntry[] {
  return flags.map((flag) => [formatTerm(flag), describeFlag(flag)]);
}

function formatTerm(flag: Flag): string {
  return flag.short === undefined ? `    ${formatFlagTerm(flag)}` : formatFlagTerm(flag);
}

/** What it means, its words where the description does not have them, and what it is without being given. */
function describeFlag(flag: Flag): string {
  const words = flag.binding === undefined ? (flag.choices ?? []) : [];
  const usual = formatDefault(flag);
  const more = [
    ...(words.length === 0 ? [] : [words.join(', ')]),
    ...(usual === undefined ? [] : [`default ${usual}`]),
  ];
  return more.length === 0 ? flag.about : `${flag.about} (${more.join('; ')})`;
}
