import { splitWords, wrapPieces } from './wrap-pieces.ts';

/** What is said on stderr, in lines of a terminal: it breaks between words, a command line stays whole. */

const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g');

/** Columns, but for characters that take two: a line with many of those is broken by the terminal. */
const seen = (text: string): number => [...text.replace(COLOUR, '')].length;

/** `command    timesheets approve`: goes on below its text. */
const LABELLED = /\S/;

const foldedLine = (line: string, width: number): string => {
  if (seen(line) <= width) return line;
  const [head = ''] = /^(\S+ {2,}| *)/.exec(line) ?? [];
  const indent = LABELLED.test(head) ? head.length : head.length + 2;
  return wrapPieces(head, splitWords(line.slice(head.length), 0), { width, indent, measure: seen }).join(
    '\n',
  );
};

/** Text that is sanitised, redacted and painted; what does not fit goes on two columns further in. */
export const wrapIndented = (text: string, width: number): string =>
  text
    .split('\n')
    .map((line) => foldedLine(line, width))
    .join('\n');
