import { type Flag, formatDefault, formatFlagTerm } from '../cli/flag.ts';
import { NOUNS, ROOT } from '../cli/registry.ts';
import { type HelpEntry, type HelpPage, parsePage, toSentence, writeEntries } from './page.ts';

/** The help of the program: its nouns, its topics, and the flags that every command has. */

/** The topics of `ttctl help`; their pages are loaded when one is asked for (topics.ts). */
export const TOPICS = [
  { name: 'bulk', about: 'work on many records: targets, files, jobs' },
  { name: 'environment', about: 'environment variables and files' },
  { name: 'errors', about: 'the codes of errors' },
  { name: 'exit-codes', about: 'exit codes and error output' },
  { name: 'limits', about: 'rate limits of the service, and how ttctl respects them' },
  { name: 'output', about: 'output formats, columns, sorting and queries' },
  { name: 'profiles', about: 'profiles for several services and workspaces' },
] as const;

export type TopicName = (typeof TOPICS)[number]['name'];

/** Where the program is at home, as its package says; empty where it says nothing. */
export interface ProjectLinks {
  readonly homepage: string;
  readonly bugs: string;
}

const USAGE = '# Usage\n$ ttctl <noun> <verb> [targets...] [flags]';
const FIRST = '# Try it without setup\n$ ttctl --profile sandbox timesheets list --status submitted';
const TOPIC_LIST = `# Topics (ttctl help <topic>)
${writeEntries(TOPICS.map(({ name, about }) => [name, about]))}`;
const MORE = `# More
ttctl <noun> :: commands of a noun
ttctl <noun> <verb> --help :: flags and examples of a command
ttctl help <topic> :: help on a topic
ttctl version --json :: version and installation details`;

function writeNouns(): string[] {
  const groups = new Map<string, HelpEntry[]>();
  for (const { heading, name, about } of NOUNS)
    groups.set(heading, [...(groups.get(heading) ?? []), [name, about]]);
  return [...groups].map(([heading, entries]) => `# ${heading}\n${writeEntries(entries)}`);
}

export function buildShortRootPage(): HelpPage {
  return parsePage([toSentence(ROOT.about), USAGE, ...writeNouns(), FIRST]);
}

export function buildRootPage({ homepage, bugs }: ProjectLinks = { homepage: '', bugs: '' }): HelpPage {
  const flags = `# Global flags\n${formatFlags(ROOT.flags)}\n-h, --help :: show help`;
  const links = [homepage && `Web: ${homepage}`, bugs && `Report bugs at: ${bugs}`];
  return parsePage([
    toSentence(ROOT.about),
    ...[USAGE, ...writeNouns(), TOPIC_LIST, flags, FIRST, MORE, ...links],
  ]);
}

export function formatFlags(flags: readonly Flag[]): string {
  const entries = flags.map((flag): HelpEntry => {
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
  return writeEntries(entries);
}
