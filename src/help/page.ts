/** A page of help as plain data, and as text. */

export type HelpEntry = readonly [term: string, about: string];

export type HelpBlock =
  | { readonly text: string }
  | { readonly entries: readonly HelpEntry[] }
  /** Command lines, one each; nothing of them is lost where they are broken. */
  | { readonly commands: readonly string[] };

export interface HelpSection {
  /** Without a colon; absent: prose of the page itself. */
  readonly title?: string;
  readonly blocks: readonly HelpBlock[];
}

export interface HelpPage {
  /** One sentence. */
  readonly lead: string;
  readonly sections: readonly HelpSection[];
}

export function createProse(...texts: readonly string[]): HelpSection {
  return { blocks: texts.map((text) => ({ text })) };
}

export function createSection(title: string, ...blocks: readonly HelpBlock[]): HelpSection {
  return { title, blocks };
}

/** Words that stay on one line. */
export function joinUnbroken(text: string): string {
  return text.replaceAll(' ', '\u00a0');
}

/** Lower-case phrases begin help; a sentence begins with a capital and ends with a full stop. */
export function toSentence(phrase: string): string {
  return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
}

/** Sets a page as text: 80 columns, fewer on a narrow terminal; headings bold where there is colour. */

export interface TextLayout {
  readonly width: number;
  readonly bold: boolean;
}

/** What a pipe gets, and a wide terminal: longer lines are hard to read. */
export const DEFAULT_WIDTH = 80;
const NARROWEST = 32;

/** For a terminal so wide; `undefined`: none. */
export function chooseWidth(columns: number | undefined): number {
  return Math.max(NARROWEST, Math.min(DEFAULT_WIDTH, columns || DEFAULT_WIDTH));
}

/** Words in lines of at most `width`; a longer word has a line of its own, and a non-breaking space breaks no line. */
export function wrapText(text: string, width: number): string[] {
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

export const INDENT = 2;
const GAP = 2;

/** Flags, and what a shell reads between commands. */
const BEGINS = /^(--?\w|[|&>])/;

/** A command line with a backslash where it goes on, so that it can be copied; never within a quoted word. */
export function wrapCommand(command: string, width: number): string[] {
  const parts = splitCommand(command, width - INDENT - 4 - 2);
  const lines: string[] = [];
  let line = spaces(INDENT);
  for (const [index, part] of parts.entries()) {
    const room = index === parts.length - 1 ? width : width - 2;
    const empty = line.trim() === '';
    if (!empty && line.length + 1 + part.length > room) {
      lines.push(`${line} \\`);
      line = spaces(INDENT + 4) + part;
    } else line = empty ? line + part : `${line} ${part}`;
  }
  return [...lines, line];
}

/** What stands before the first flag stays together, as do a flag and its value, as far as there is room for them. */
function splitCommand(command: string, room: number): readonly string[] {
  const parts: string[] = [];
  for (const word of command.match(/(?:"[^"]*"|'[^']*'|[^\s"']+)+/g) ?? []) {
    const last = parts.at(-1);
    const full = last === undefined || (last.startsWith('--') && last.includes(' '));
    if (full || BEGINS.test(word) || last.length + 1 + word.length > room) parts.push(word);
    else parts[parts.length - 1] = `${last} ${word}`;
  }
  return parts;
}

function spaces(count: number): string {
  return ' '.repeat(count);
}

export function renderHelpText(page: HelpPage, setting: TextLayout): string {
  return [
    `${wrapText(page.lead, setting.width).join('\n')}\n`,
    ...page.sections.map((one) => renderSection(one, setting)),
  ].join('\n');
}

function renderSection({ title, blocks }: HelpSection, { width, bold }: TextLayout): string {
  const indent = title === undefined ? 0 : INDENT;
  // Prose stands apart from what follows it; commands and terms of one block do not.
  const lines = blocks.flatMap((block, i) => [
    ...(i === 0 ? [] : ['']),
    ...renderBlock(block, width, indent),
  ]);
  const heading = bold ? `\u001b[1m${title}:\u001b[22m` : `${title}:`;
  return `${[...(title === undefined ? [] : [heading]), ...lines].join('\n')}\n`;
}

function renderBlock(block: HelpBlock, width: number, indent: number): string[] {
  if ('text' in block) return wrapText(block.text, width - indent).map((line) => spaces(indent) + line);
  if ('entries' in block) return block.entries.length === 0 ? [] : renderEntries(block.entries, width);
  return block.commands.flatMap((command) => wrapCommand(command, width));
}

function renderEntries(entries: readonly HelpEntry[], width: number): string[] {
  // Terms that are longer stand on a line of their own.
  const most = Math.floor(width * 0.375);
  const widest = entries.reduce((room, [term]) => Math.min(most, Math.max(room, term.length)), 0);
  const column = INDENT + (width < 60 ? 6 : widest + GAP);
  return entries.flatMap(([term, about]) => {
    const lines = about === '' ? [] : wrapText(about, width - column).map((line) => spaces(column) + line);
    const head = spaces(INDENT) + term;
    if (head.length > width)
      return [...wrapText(term, width - INDENT).map((line) => spaces(INDENT) + line), ...lines];
    if (head.length + GAP > column || lines.length === 0) return [head, ...lines];
    return [head.padEnd(column) + lines.join('\n').trimStart()];
  });
}
