/** Reads a command line as bash does, up to the cursor: words and quotes. Nothing is expanded, nothing is run. */

/** The quote that is open where a text ends: none, `'`, `"` or `$'`. */
export type Quote = '' | "'" | '"' | "$'";

interface Word {
  /** Without its quotes. */
  readonly text: string;
  readonly raw: string;
  /** Behind `<` or `>`: a file, and no word of the command. */
  readonly redirected: boolean;
}

interface Line {
  /** Whole words. */
  readonly words: readonly Word[];
  /** The one that the cursor is in; empty behind a space. */
  readonly last: Word;
}

interface Part {
  readonly text: string;
  readonly end: number;
  readonly quote: Quote;
}

const ESCAPABLE = /[$`"\\\n]/;

const readSingleQuoted = (line: string, from: number): Part => {
  const end = line.indexOf("'", from);
  if (end < 0) return { text: line.slice(from), end: line.length, quote: "'" };
  return { text: line.slice(from, end), end: end + 1, quote: '' };
};

/** Text in which a backslash takes the meaning of what follows, up to `close`. */
const readEscaped = (
  line: string,
  from: number,
  close: '"' | "'",
  isTaken: (letter: string) => boolean,
): Part => {
  let text = '';
  for (let at = from; at < line.length; at += 1) {
    const letter = line[at] ?? '';
    if (letter === close) return { text, end: at + 1, quote: '' };
    const next = line[at + 1] ?? '';
    if (letter === '\\' && isTaken(next)) at += 1;
    text += letter === '\\' && isTaken(next) ? next : letter;
  }
  return { text, end: line.length, quote: close === '"' ? '"' : "$'" };
};

/** One letter, or a quoted part, of a word. */
const readPart = (line: string, at: number): Part => {
  const letter = line[at] ?? '';
  if (letter === '\\') return { text: line[at + 1] ?? '', end: at + 2, quote: '' };
  if (letter === "'") return readSingleQuoted(line, at + 1);
  if (letter === '"') return readEscaped(line, at + 1, '"', (next) => ESCAPABLE.test(next));
  if (letter === '$' && line[at + 1] === "'") return readEscaped(line, at + 2, "'", () => true);
  return { text: letter, end: at + 1, quote: '' };
};

/** A word's raw text to what it means, and the quote that is open at its end. */
export const unquote = (raw: string): { readonly text: string; readonly quote: Quote } => {
  let [text, quote]: [string, Quote] = ['', ''];
  for (let at = 0; at < raw.length; ) {
    const part = readPart(raw, at);
    text += part.text;
    quote = part.quote;
    at = part.end;
  }
  return { text, quote };
};

/** Where the word that begins here ends. */
const findWordEnd = (line: string, from: number): number => {
  let at = from;
  while (at < line.length && !/[\s<>]/.test(line[at] ?? '')) at = readPart(line, at).end;
  return Math.min(at, line.length);
};

/** @param line the command line up to the cursor, the program's own name first */
export const readBashLine = (line: string): Line => {
  const words: Word[] = [];
  let redirected = false;
  let at = 0;
  for (;;) {
    const begin = /^(?:\d*&?[<>]+&?|\s)*/.exec(line.slice(at))?.[0] ?? '';
    redirected ||= /[<>]/.test(begin);
    const from = at + begin.length;
    const end = findWordEnd(line, from);
    const raw = line.slice(from, end);
    const word: Word = { text: unquote(raw).text, raw, redirected };
    if (end >= line.length) return { words, last: word };
    words.push(word);
    redirected = false;
    at = end;
  }
};
