import type { Measure } from './layout.ts';

/** Text in lines that break where a reader expects it: between words, and inside a long one at its seams. */

/** What stays on one line where it fits on one. */
export interface TextPiece {
  readonly text: string;
  /** Spaces before it, where it does not begin a line. Default 1. */
  readonly gap?: number;
  /** Where it may be broken when it is wider than a whole line; within its parts anywhere. Absent: it stays whole. */
  readonly seams?: (text: string) => readonly string[];
}

/** Words in lines of at most this width; a word that is wider stays whole. */
export const wrapWords = (text: string, width: number, measure: Measure): string[] => {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || measure(`${last} ${word}`) > width) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
};

const COMMANDS = new Set(['ttctl', 'chmod', 'chown', 'cp', 'eval', 'export', 'mv', 'rm']);
const ENDS = /[.,;:)]$/;

/** Whether a quotation is open after this word. */
const isQuoteOpen = (wasOpen: boolean, word: string): boolean => {
  const quotes = word.replace(/\\./g, '').match(/["']/g) ?? [];
  return wasOpen !== (quotes.length % 2 === 1);
};

/**
 * The words of a sentence; a command line in it stays whole, so that it can be copied.
 * @param gap before the first of them
 */
export const splitWords = (text: string, gap = 1): readonly TextPiece[] => {
  const pieces: TextPiece[] = [];
  // `request: PUT /timesheets/17/approve (400)`: nothing that is copied.
  const seams = text.trimStart().startsWith('request: ') ? { seams: splitAddress } : {};
  let command = false;
  let quoted = false;
  let previous = '';
  for (const word of text.split(' ')) {
    const last = pieces.at(-1);
    // A quoted word of a command line may hold anything.
    command &&= quoted || (!ENDS.test(previous) && !word.startsWith('('));
    if (command && last !== undefined) pieces[pieces.length - 1] = { ...last, text: `${last.text} ${word}` };
    else pieces.push({ text: word, ...(last === undefined ? { gap } : {}), ...seams });
    command ||= COMMANDS.has(word);
    quoted = command && isQuoteOpen(quoted, word);
    previous = word;
  }
  return pieces;
};

/** What is several words may be broken between them. */
export const splitAnywhere = (text: string): readonly string[] => [text];

/** An address breaks behind a slash and before a parameter. */
export const splitAddress = (address: string): readonly string[] =>
  address.split(/(?<=[^/]\/)|(?=[?&])/).filter((part) => part !== '');

/** JSON breaks behind a comma between members; a long text in it between its words. */
export const splitJson = (json: string): readonly string[] =>
  json.match(/(?:"(?:[^"\\]|\\.)*"?|[^",])+,?|,/g) ?? [json];

/** A text in parts that are no wider, cut between words, else between graphemes. */
const splitToWidth = (text: string, width: number, measure: Measure): readonly string[] => {
  if (measure(text) <= width) return [text];
  const words = text.split(/(?<= )/);
  if (words.length > 1) return words.flatMap((word) => splitToWidth(word, width, measure));
  const parts: string[] = [''];
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const last = parts.at(-1) ?? '';
    if (last !== '' && measure(last + segment) > width) parts.push(segment);
    else parts[parts.length - 1] = last + segment;
  }
  return parts;
};

/** What a piece becomes where a line has so much room: itself, or parts that have no space between them. */
const splitPiece = (piece: TextPiece, room: number, measure: Measure): readonly TextPiece[] => {
  const { text, gap = 1, seams } = piece;
  if (seams === undefined || measure(text) <= room) return [piece];
  return seams(text)
    .flatMap((part) => splitToWidth(part, room, measure))
    .map((part, i) => ({ text: part, gap: i === 0 ? gap : 0 }));
};

interface OpenLine {
  readonly text: string;
  readonly columns: number;
  /** Columns without the spaces at its end. */
  readonly filled: number;
  readonly isBlank: boolean;
}

const appendText = (line: OpenLine, added: string, measure: Measure): OpenLine => {
  const words = added.trimEnd();
  return {
    text: line.text + added,
    columns: line.columns + measure(added),
    filled: words === '' ? line.filled : line.columns + measure(words),
    isBlank: line.isBlank && words === '',
  };
};

const startLine = (text: string, measure: Measure): OpenLine =>
  appendText({ text: '', columns: 0, filled: 0, isBlank: true }, text, measure);

/**
 * Pieces one after the other in lines of at most `width` columns.
 * @param first what stands at the beginning of the first line
 * @param indent of the others
 */
export const wrapPieces = (
  first: string,
  pieces: readonly TextPiece[],
  { width, indent, measure }: { readonly width: number; readonly indent: number; readonly measure: Measure },
): readonly string[] => {
  const margin = ' '.repeat(indent);
  const room = width - indent;
  const lines: string[] = [];
  // Only what is added is measured: a line that is never full would be measured again for each of its words.
  let line = startLine(first, measure);
  for (const { text, gap = 1 } of pieces.flatMap((piece) => splitPiece(piece, room, measure))) {
    const longer = appendText(line, line.isBlank ? text : ' '.repeat(gap) + text, measure);
    if (line.isBlank || longer.filled <= width) line = longer;
    else {
      lines.push(line.text);
      line = startLine(margin + text, measure);
    }
  }
  return [...lines, line.text].map((text) => text.trimEnd());
};

/** What is said on stderr, in lines of a terminal: it breaks between words, a command line stays whole. */

const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g');

/** Columns, but for characters that take two: a line with many of those is broken by the terminal. */
const getVisibleLength = (text: string): number => [...text.replace(COLOUR, '')].length;

/** `command    timesheets approve`: goes on below its text. */
const LABELLED = /\S/;

const wrapLine = (line: string, width: number): string => {
  if (getVisibleLength(line) <= width) return line;
  const [head = ''] = /^(\S+ {2,}| *)/.exec(line) ?? [];
  const indent = LABELLED.test(head) ? head.length : head.length + 2;
  return wrapPieces(head, splitWords(line.slice(head.length), 0), {
    width,
    indent,
    measure: getVisibleLength,
  }).join('\n');
};

/** Text that is sanitised, redacted and painted; what does not fit goes on two columns further in. */
export const wrapIndented = (text: string, width: number): string =>
  text
    .split('\n')
    .map((line) => wrapLine(line, width))
    .join('\n');
