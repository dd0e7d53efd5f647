import type { Environment } from '../config/environment.ts';
import type { Candidate, Completion } from './plain.ts';

/** Reads a command line as bash does, up to the cursor: words and quotes. Nothing is expanded, nothing is run. */

/** The quote that is open where a text ends: none, `'`, `"` or `$'`. */
type Quote = '' | "'" | '"' | "$'";

interface Word {
  /** Without its quotes. */
  readonly text: string;
  readonly raw: string;
  /** Behind `<` or `>`: a file, and no word of the command. */
  readonly redirected: boolean;
}

interface Line {
  readonly words: readonly Word[];
  readonly last: Word;
}

interface Part {
  readonly text: string;
  readonly end: number;
  readonly quote: Quote;
}

const ESCAPABLE = /[$`"\\\n]/;

/** A word's raw text to what it means, and the quote that is open at its end. */
export function unquote(raw: string): { readonly text: string; readonly quote: Quote } {
  let [text, quote]: [string, Quote] = ['', ''];
  for (let at = 0; at < raw.length; ) {
    const part = readPart(raw, at);
    text += part.text;
    quote = part.quote;
    at = part.end;
  }
  return { text, quote };
}

function readPart(line: string, at: number): Part {
  const letter = line[at] ?? '';
  if (letter === '\\') return { text: line[at + 1] ?? '', end: at + 2, quote: '' };
  if (letter === "'") return readSingleQuoted(line, at + 1);
  if (letter === '"') return readEscaped(line, at + 1, '"', (next) => ESCAPABLE.test(next));
  if (letter === '$' && line[at + 1] === "'") return readEscaped(line, at + 2, "'", () => true);
  return { text: letter, end: at + 1, quote: '' };
}

function readSingleQuoted(line: string, from: number): Part {
  const end = line.indexOf("'", from);
  if (end < 0) return { text: line.slice(from), end: line.length, quote: "'" };
  return { text: line.slice(from, end), end: end + 1, quote: '' };
}

/** Text in which a backslash takes the meaning of what follows, up to `close`. */
function readEscaped(
  line: string,
  from: number,
  close: '"' | "'",
  isTaken: (letter: string) => boolean,
): Part {
  let text = '';
  for (let at = from; at < line.length; at += 1) {
    const letter = line[at] ?? '';
    if (letter === close) return { text, end: at + 1, quote: '' };
    const next = line[at + 1] ?? '';
    if (letter === '\\' && isTaken(next)) at += 1;
    text += letter === '\\' && isTaken(next) ? next : letter;
  }
  return { text, end: line.length, quote: close === '"' ? '"' : "$'" };
}

/** @param line the command line up to the cursor, the program's own name first */
export function readBashLine(line: string): Line {
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
}

function findWordEnd(line: string, from: number): number {
  let at = from;
  while (at < line.length && !/[\s<>]/.test(line[at] ?? '')) at = readPart(line, at).end;
  return Math.min(at, line.length);
}

/**
 * Bash hands over its line and takes whole replacements for a part of the word: what stands behind the last `:`, `=`
 * or `@`, or behind an open quote. They are quoted here, for that place.
 */

const SAFE = /[^\w@%+=:,./\u0080-\u{10ffff}-]/gu;

/** COMP_TYPE of a key that only lists, and puts nothing in: `?`. */
const LIST_KEY = '63';

/** @param args the line up to the cursor, the part of the word that is replaced, COMP_TYPE, COLUMNS */
export const readBashRequest: ReadShellRequest = ([
  line = '',
  part = '',
  type = '',
  columns = '',
]): ShellRequest => {
  const { words, last } = readBashLine(line);
  const beforePart = last.raw.endsWith(part) ? last.raw.slice(0, last.raw.length - part.length) : '';
  const before = unquote(beforePart);
  const print = (answer: Completion): string => {
    if (last.redirected) return 'files\n';
    const matches = filterByPrefix(answer, last.text);
    const formatInsertions = () =>
      matches.map(({ value }) => quoteFor((answer.kept + value).slice(before.text.length), before.quote));
    const isList = type === LIST_KEY && matches.length > 1;
    const lines = isList ? formatList(matches, answer.kept, (Number(columns) || 80) - 1) : formatInsertions();
    return [answer.files ?? '', ...lines, ''].join('\n');
  };
  return {
    words: words
      .filter(({ redirected }) => !redirected)
      .slice(1)
      .map(({ text }) => text),
    typed: last.text,
    print,
  };
};

/** Text as it can stand behind what is open. */
function quoteFor(text: string, quote: Quote): string {
  switch (quote) {
    case "'":
      return text.replaceAll("'", "'\\''");
    case '"':
      // `!` would bring back an old command even within double quotes.
      return text.replace(/["\\$`]/g, '\\$&').replaceAll('!', `"'!'"`);
    case "$'":
      return text.replace(/['\\]/g, '\\$&');
    default:
      return text.replace(SAFE, '\\$&');
  }
}

/** For a list that is only looked at: whole, unquoted, with words about each. */
function formatList(candidates: readonly Candidate[], kept: string, columns: number): readonly string[] {
  const names = candidates.map(({ value }) => truncate(kept + value, columns));
  // A few very long ones must not push the words of all others away.
  const widest = names.reduce(
    (most, { length }) => (length <= columns / 2 ? Math.max(most, length) : most),
    0,
  );
  return names.map((name, index) => {
    const about = candidates[index]?.about;
    return about === undefined ? name : truncate(`${name.padEnd(widest)}  (${about})`, columns);
  });
}

function truncate(text: string, width: number): string {
  const letters = [...text];
  return letters.length <= width ? text : `${letters.slice(0, Math.max(0, width - 1)).join('')}…`;
}

/**
 * PowerShell takes words that it puts in as they are, so they are quoted here. What is asked comes in the
 * environment and the answer is ASCII: Windows hands over arguments and pipes in code pages of its own.
 */

export const WORDS_VARIABLE = 'TTCTL_COMPLETE_WORDS';
/** Between the words. */
export const SEPARATOR = '\u001f';

const BARE = /^[\w./:+-][\w./:=+-]*$/;

/** PowerShell takes the curly quotes for straight ones. */
function quote(text: string): string {
  return BARE.test(text) ? text : `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`;
}

export const readPowershellRequest: ReadShellRequest = (_args, env): ShellRequest => {
  const words = (env[WORDS_VARIABLE] ?? '').split(SEPARATOR);
  const typed = words.at(-1) ?? '';
  return {
    words: words.slice(0, -1),
    typed,
    print(answer) {
      const { kept, files } = answer;
      const toCandidate = ({ value, about }: Candidate) => ({
        text: quote(kept + value),
        list: value,
        tip: about ?? value,
      });
      const candidates = filterByPrefix(answer, typed, (candidate, beginning) =>
        candidate.toLowerCase().startsWith(beginning.toLowerCase()),
      ).map(toCandidate);
      return `${toAscii(JSON.stringify({ files: files !== undefined, candidates }))}\n`;
    },
  };
};

function toAscii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** How a shell asks, and how it is answered. */

export interface ShellRequest {
  readonly words: readonly string[];
  /** The word that the cursor is in, up to the cursor, without quotes. */
  readonly typed: string;
  /** What the shell's script reads. */
  print(answer: Completion): string;
}

/** @param args what the script says behind `__complete <shell>` */
export type ReadShellRequest = (args: readonly string[], env: Environment) => ShellRequest;

/** The candidates of an answer that begin with what is typed. */
function filterByPrefix(
  { candidates, kept }: Completion,
  typed: string,
  matches: (candidate: string, typed: string) => boolean = (candidate, begun) => candidate.startsWith(begun),
) {
  return candidates.filter(({ value }) => matches(value, typed.slice(kept.length)));
}

/**
 * Fish quotes and chooses by itself. It takes whole words, a tab, and words about them.
 * @param args the words between the program and the cursor's, then that one as it is typed
 */
export const readFishRequest: ReadShellRequest = (args): ShellRequest => ({
  words: args.slice(0, -1),
  typed: unquote(args.at(-1) ?? '').text,
  print: ({ kept, candidates, files }) =>
    [
      files ?? '',
      kept,
      ...candidates.map(({ value, about }) => `${kept}${value}${about === undefined ? '' : `\t${about}`}`),
      '',
    ].join('\n'),
});

const TAGS: Readonly<Record<Completion['what'], string>> = {
  commands: 'commands',
  flags: 'options',
  values: 'values',
};

/**
 * Zsh quotes and chooses by itself, by the matching rules of its user. It takes `value:words` (`_describe`).
 * @param args the words between the program and the cursor's, then that one
 */
export const readZshRequest: ReadShellRequest = (args): ShellRequest => ({
  words: args.slice(0, -1),
  typed: args.at(-1) ?? '',
  print: ({ what, kept, candidates, files }) =>
    [TAGS[what], kept, files ?? '', ...candidates.map(formatLine), ''].join('\n'),
});

function formatLine({ value, about }: Candidate): string {
  return `${value.replace(/[\\:]/g, '\\$&')}${about === undefined ? '' : `:${about.replaceAll('\\', '\\\\')}`}`;
}
