/** A page of help as plain data, and as text. */

export type HelpEntry = readonly [term: string, about: string];

type HelpBlock =
  | { readonly text: string }
  | { readonly entries: readonly HelpEntry[] }
  /** Command lines, one each; nothing of them is lost where they are broken. */
  | { readonly commands: readonly string[] };

interface HelpSection {
  /** Without a colon; absent: prose of the page itself. */
  readonly title?: string;
  readonly blocks: readonly HelpBlock[];
}

export interface HelpPage {
  readonly lead: string;
  readonly sections: readonly HelpSection[];
}

export function writeEntries(entries: readonly HelpEntry[]): string {
  return entries.map(([term, about]) => `${term} :: ${about}`).join('\n');
}

/**
 * A page from its texts: the lead, then sections, empty ones left out. `# Title` begins one that has a title,
 * `term :: what it is` is an entry, `$ line` a command, any other line a paragraph.
 */
export function parsePage([lead = '', ...parts]: readonly string[]): HelpPage {
  const sections = parts.filter(Boolean).map((part): HelpSection => {
    const lines = part.split('\n');
    const title = lines[0]?.startsWith('# ') ? lines.shift()?.slice(2) : undefined;
    const blocks: ({ text: string } | { entries: HelpEntry[] } | { commands: string[] })[] = [];
    for (const line of lines) {
      const last = blocks.at(-1) ?? { text: '' };
      const [term = '', about] = line.split(' :: ', 2);
      if (about !== undefined && 'entries' in last) last.entries.push([term, about]);
      else if (about !== undefined) blocks.push({ entries: [[term, about]] });
      else if (!line.startsWith('$ ')) blocks.push({ text: line });
      else if ('commands' in last) last.commands.push(line.slice(2));
      else blocks.push({ commands: [line.slice(2)] });
    }
    return { blocks, ...(title === undefined ? {} : { title }) };
  });
  return { lead, sections };
}

/** Lower-case phrases begin help; a sentence begins with a capital and ends with a full stop. */
export function toSentence(phrase: string): string {
  return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
}

/** What a pipe gets, and a wide terminal: longer lines are hard to read. */
const DEFAULT_WIDTH = 80;
const NARROWEST = 32;

/** For a terminal so wide; `undefined`: none. */
export function chooseWidth(columns: number | undefined): number {
  return Math.max(NARROWEST, Math.min(DEFAULT_WIDTH, columns || DEFAULT_WIDTH));
}

/** Words in lines of at most `width`; a longer word has a line of its own, and a non-breaking space breaks no line. */
export function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((one) => one.replaceAll('\u00a0', ' '));
}

/** Flags, and what a shell reads between commands. */
const BEGINS = /^(--?\w|[|&>])/;

/** A command line with a backslash where it goes on, so that it can be copied; never within a quoted word. */
export function wrapCommand(command: string, width: number): string[] {
  const further = ' '.repeat(INDENT + 4);
  // What stands before the first flag stays together, as do a flag and its value, as far as there is room for them.
  const parts: string[] = [];
  for (const word of command.match(/(?:"[^"]*"|'[^']*'|[^\s"']+)+/g) ?? []) {
    const last = parts.at(-1);
    const isFull = last === undefined || (last.startsWith('--') && last.includes(' '));
    const fits = !isFull && further.length + last.length + 1 + word.length + 2 <= width;
    if (!fits || BEGINS.test(word)) parts.push(word);
    else parts[parts.length - 1] = `${last} ${word}`;
  }
  const lines: string[] = [];
  let line = ' '.repeat(INDENT);
  for (const [index, part] of parts.entries()) {
    const room = index === parts.length - 1 ? width : width - 2;
    const isEmpty = line.trim() === '';
    if (!isEmpty && line.length + 1 + part.length > room) {
      lines.push(`${line} \\`);
      line = further + part;
    } else line = isEmpty ? line + part : `${line} ${part}`;
  }
  return [...lines, line];
}

const INDENT = 2;
const GAP = 2;

/** Sets a page as text; headings bold where there is colour. */
export function renderHelpText(
  page: HelpPage,
  { width, bold }: { readonly width: number; readonly bold: boolean },
): string {
  const sections = page.sections.map(({ title, blocks }) => {
    const indent = ' '.repeat(title === undefined ? 0 : INDENT);
    // Prose stands apart from what follows it; commands and terms of one block do not.
    const lines = blocks.flatMap((block, i) => {
      const set =
        'text' in block
          ? wrapWords(block.text, width - indent.length).map((line) => indent + line)
          : 'entries' in block
            ? renderEntries(block.entries, width)
            : block.commands.flatMap((command) => wrapCommand(command, width));
      return i === 0 ? set : ['', ...set];
    });
    const heading = bold ? `\u001b[1m${title}:\u001b[22m` : `${title}:`;
    return `${[...(title === undefined ? [] : [heading]), ...lines].join('\n')}\n`;
  });
  return [`${wrapWords(page.lead, width).join('\n')}\n`, ...sections].join('\n');
}

function renderEntries(entries: readonly HelpEntry[], width: number): string[] {
  // Terms that are longer stand on a line of their own.
  const most = Math.floor(width * 0.375);
  const widest = entries.reduce((room, [term]) => Math.min(most, Math.max(room, term.length)), 0);
  const column = INDENT + widest + GAP;
  return entries.flatMap(([term, about]) => {
    const lines =
      about === '' ? [] : wrapWords(about, width - column).map((line) => ' '.repeat(column) + line);
    const head = ' '.repeat(INDENT) + term;
    if (head.length + GAP > column || lines.length === 0) return [head, ...lines];
    return [head.padEnd(column) + lines.join('\n').trimStart()];
  });
}
