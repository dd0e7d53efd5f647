import { type Flag, formatDefault, formatFlagTerm } from '../cli/flag.ts';
import { NOUNS, ROOT } from '../cli/registry.ts';
import { wrapText } from '../output/terminal.ts';

/** The pages of help as texts, how they are set, and those of the program itself: its nouns, topics and global flags. */

export type HelpEntry = readonly [term: string, about: string];

/**
 * What a page is about, then its sections. `# Title` begins one that has a title, `term :: what it is` is an entry,
 * `$ line` a command, any other line a paragraph. Empty sections are left out.
 */
export type HelpPage = readonly string[];

/** The topics of `ttctl help`; their pages are loaded when one is asked for (topics.ts). */
export const TOPICS = [
  { name: 'agents', about: 'for scripts, bots and language models: the whole tool on one page' },
  { name: 'bulk', about: 'work on many records: targets, files, jobs' },
  { name: 'environment', about: 'environment variables and files' },
  { name: 'errors', about: 'the codes of errors' },
  { name: 'exit-codes', about: 'exit codes and error output' },
  { name: 'flags', about: 'flags that many commands have: files, raw values, history' },
  { name: 'limits', about: 'rate limits of the service, and how ttctl respects them' },
  { name: 'output', about: 'output formats, columns, sorting and queries' },
  { name: 'profiles', about: 'profiles for several services and workspaces' },
] as const;

export function buildShortRootPage(): HelpPage {
  const headings = [...new Set(NOUNS.map(({ heading }) => heading))].map((heading) => {
    const nouns = NOUNS.filter((noun) => noun.heading === heading);
    return `# ${heading}\n${writeEntries(nouns.map(({ name, about }) => [name, about]))}`;
  });
  return [
    toSentence(ROOT.about),
    '# Usage\n$ ttctl <noun> <verb> [targets...] [flags]',
    ...headings,
    '# Try it without setup\n$ ttctl --profile sandbox timesheets list --status submitted',
  ];
}

/** @param homepage @param bugs as the package says, empty where it says nothing */
export function buildRootPage({ homepage = '', bugs = '' }): HelpPage {
  const short = buildShortRootPage();
  return [
    ...short.slice(0, -1),
    `# Topics (ttctl help <topic>)\n${writeEntries(TOPICS.map(({ name, about }) => [name, about]))}`,
    `# Global flags\n${formatFlags(ROOT.flags)}\n-h, --help :: show help`,
    ...short.slice(-1),
    `# More
ttctl <noun> :: commands of a noun
ttctl <noun> <verb> --help :: flags and examples of a command
ttctl help <topic> :: help on a topic
ttctl version --json :: version and installation details`,
    homepage && `Web: ${homepage}`,
    bugs && `Report bugs at: ${bugs}`,
  ];
}

export function writeEntries(entries: readonly HelpEntry[]): string {
  return entries.map(([term, about]) => `${term} :: ${about}`).join('\n');
}

/** What each means, its words where the description does not have them, and what it is without being given. */
export function formatFlags(flags: readonly Flag[]): string {
  const entries = flags.map((flag): HelpEntry => {
    const words = flag.binding === undefined ? (flag.choices ?? []).join(', ') : '';
    const usual = formatDefault(flag);
    const more = [words, usual === undefined ? '' : `default ${usual}`].filter(Boolean).join('; ');
    const term = formatFlagTerm(flag);
    return [flag.short === undefined ? `    ${term}` : term, more ? `${flag.about} (${more})` : flag.about];
  });
  return writeEntries(entries);
}

export function toSentence(phrase: string): string {
  return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
}

const DEFAULT_WIDTH = 80;
/** However wide the terminal is: longer lines are hard to read. */
const WIDEST = 100;
const NARROWEST = 32;
const INDENT = 2;
const GAP = 2;

/**
 * Sets a page as text.
 * @param columns of the terminal; `undefined`: none
 * @param bold whether headings are
 */
export function renderHelpText(page: HelpPage, columns: number | undefined, bold: boolean): string {
  const width = Math.max(NARROWEST, Math.min(WIDEST, columns || DEFAULT_WIDTH));
  const sections = page.filter(Boolean).map((text) => {
    const lines = text.split('\n');
    const title = lines[0]?.startsWith('# ') ? lines.shift()?.slice(2) : undefined;
    const indent = title === undefined ? 0 : INDENT;
    const terms = lines.map((line) => (getKind(line) === 'entry' ? line.indexOf(' :: ') : 0));
    const longest = terms.reduce((most, length) => Math.max(most, length), 0);
    // Longer terms than this stand on a line of their own.
    const column = indent + Math.min(Math.floor(width * 0.375), longest) + GAP;
    const set = lines.flatMap((line, i) => {
      const kind = getKind(line);
      // Prose stands apart from what is around it; commands and terms that follow each other do not.
      const isApart = i > 0 && (kind === 'prose' || kind !== getKind(lines[i - 1] ?? ''));
      return [...(isApart ? [''] : []), ...setLine(line, indent, column, width)];
    });
    const heading = bold ? `\u001b[1m${title}:\u001b[22m` : `${title}:`;
    return `${[...(title === undefined ? [] : [heading]), ...set].join('\n')}\n`;
  });
  return sections.join('\n');
}

function getKind(line: string): 'command' | 'entry' | 'prose' {
  if (line.startsWith('$ ')) return 'command';
  return line.includes(' :: ') ? 'entry' : 'prose';
}

function setLine(line: string, indent: number, column: number, width: number): readonly string[] {
  const space = ' '.repeat(indent);
  if (getKind(line) === 'command') return wrapCommand(line.slice(2), width, space);
  if (getKind(line) === 'prose') return wrapWords(line, width - indent).map((one) => space + one);
  const [term = '', about = ''] = line.split(' :: ', 2);
  const meant = about === '' ? [] : wrapWords(about, width - column);
  const head = space + term;
  const isBeside = head.length + GAP <= column;
  const first = isBeside ? head.padEnd(column) + (meant.shift() ?? '') : head;
  return [first.trimEnd(), ...meant.map((one) => ' '.repeat(column) + one)];
}

/** A flag, or what a shell reads between commands, that is not within quotes. */
const PART = / (?=(?:--?\w|[|&>])(?:[^"']|"[^"]*"|'[^']*')*$)/;

/** A command line with a backslash where it goes on, so that it can be copied. */
function wrapCommand(command: string, width: number, space: string): readonly string[] {
  const lines: string[] = [];
  const [first, ...parts] = command.split(PART);
  let line = space + first;
  for (const part of parts) {
    const isFull = line.length + 1 + part.length + ' \\'.length > width;
    if (isFull) lines.push(`${line} \\`);
    line = isFull ? `${space}    ${part}` : `${line} ${part}`;
  }
  return [...lines, line];
}

/** A longer word has a line of its own, and a non-breaking space breaks no line. */
function wrapWords(text: string, width: number): string[] {
  return wrapText('', text, width).map((line) => line.replaceAll('\u00a0', ' '));
}
