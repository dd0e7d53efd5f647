import type { Candidate, Completion } from '../plain.ts';
import { type Quote, readBashLine, unquote } from './bash-line.ts';
import { filterByPrefix, type ReadShellRequest, type ShellRequest } from './shell.ts';

/**
 * Bash hands over its line and takes whole replacements for a part of the word: what stands behind the last `:`, `=`
 * or `@`, or behind an open quote. They are quoted here, for that place.
 */

const SAFE = /[^\w@%+=:,./\u0080-\u{10ffff}-]/gu;

/** Text as it can stand behind what is open. */
const quoteFor = (text: string, quote: Quote): string => {
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
};

/** COMP_TYPE of a key that only lists, and puts nothing in: `?`. */
const LIST_KEY = '63';

const truncate = (text: string, width: number): string => {
  const letters = [...text];
  return letters.length <= width ? text : `${letters.slice(0, Math.max(0, width - 1)).join('')}…`;
};

/** For a list that is only looked at: whole, unquoted, with words about each. */
const formatList = (candidates: readonly Candidate[], kept: string, columns: number): readonly string[] => {
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
};

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
