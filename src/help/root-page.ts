import { type Flag, formatDefault, formatFlagTerm } from '../cli/flag.ts';
import { NOUNS, ROOT } from '../cli/registry.ts';
import { createProse, createSection, type HelpEntry, type HelpPage, parsePage, toSentence } from './page.ts';

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

/** What `ttctl` alone shows: the nouns under their headings. */
export function buildShortRootPage(): HelpPage {
  const groups = new Map<string, HelpEntry[]>();
  for (const { heading, name, about } of NOUNS)
    groups.set(heading, [...(groups.get(heading) ?? []), [name, about]]);
  return {
    lead: toSentence(ROOT.about),
    sections: [
      createSection('Usage', { commands: ['ttctl <noun> <verb> [targets...] [flags]'] }),
      ...[...groups].map(([heading, entries]) => createSection(heading, { entries })),
      createSection('Try it without setup', {
        commands: ['ttctl --profile sandbox timesheets list --status submitted'],
      }),
    ],
  };
}

const MORE = parsePage(`
More

# More
ttctl <noun> :: commands of a noun
ttctl <noun> <verb> --help :: flags and examples of a command
ttctl help <topic> :: help on a topic
ttctl version --json :: version and installation details`);

export function buildRootPage({ homepage, bugs }: ProjectLinks = { homepage: '', bugs: '' }): HelpPage {
  const { lead, sections } = buildShortRootPage();
  const links = [
    ...(homepage === '' ? [] : [`Web: ${homepage}`]),
    ...(bugs === '' ? [] : [`Report bugs at: ${bugs}`]),
  ];
  const flags: readonly HelpEntry[] = [...listFlagEntries(ROOT.flags), ['-h, --help', 'show help']];
  return {
    lead,
    sections: [
      ...sections.slice(0, -1),
      ...TOPIC_LIST.sections.slice(0, 1),
      createSection('Global flags', { entries: flags }),
      ...sections.slice(-1),
      ...MORE.sections,
      ...links.map((line) => createProse(line)),
    ],
  };
}

/** What `ttctl help topics` shows. */
export const TOPIC_LIST = parsePage(`
Help topics.

# Topics (ttctl help <topic>)
${TOPICS.map(({ name, about }) => `${name} :: ${about}`).join('\n')}

For a command: ttctl help timesheets approve`);

/** Of the word `help` itself. */
export function buildHelpPage(): HelpPage {
  const { sections } = parsePage(`
Help

# Usage
$ ttctl help
$ ttctl help <noun> [<verb>]
$ ttctl help <topic>

# Examples
$ ttctl help timesheets approve
$ ttctl help bulk`);
  return { lead: 'Show help for a command or topic.', sections: [...sections, ...TOPIC_LIST.sections] };
}

export function listFlagEntries(flags: readonly Flag[]): readonly HelpEntry[] {
  return flags.map((flag) => {
    const term = formatFlagTerm(flag);
    // What it means, its words where the description does not have them, and what it is without being given.
    const words = flag.binding === undefined ? (flag.choices ?? []) : [];
    const usual = formatDefault(flag);
    const more = [
      ...(words.length === 0 ? [] : [words.join(', ')]),
      ...(usual === undefined ? [] : [`default ${usual}`]),
    ];
    const about = more.length === 0 ? flag.about : `${flag.about} (${more.join('; ')})`;
    return [flag.short === undefined ? `    ${term}` : term, about];
  });
}
