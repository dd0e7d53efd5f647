import { UsageError } from '../../outcome.ts';
import { quoteShellWord } from '../../parsing/shell-word.ts';

/** Words as a shell reads them. */

/** Without `%`, which cmd replaces, and `,` and `@`, which PowerShell reads. */
const PLAIN_WINDOWS = /^[\w+=:./-]+$/;
/** Means the same in double quotes in cmd and in PowerShell. */
const SAFE_IN_QUOTES = /^[^"$`%!^\\\u201c-\u201e]*$/;

const quotePowerShell = (word: string): string => `'${word.replace(/['\u2018-\u201b]/g, '$&$&')}'`;

/** The quotes are for the program, the carets keep cmd from seeing them. */
const quoteCmd = (word: string): string => {
  const forProgram = `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;
  return forProgram.replace(/[()%!^"<>&|]/g, '^$&');
};

const quoteWindows = (word: string, env: Readonly<Record<string, string | undefined>>): string => {
  if (PLAIN_WINDOWS.test(word)) return word;
  if (SAFE_IN_QUOTES.test(word)) return `"${word}"`;
  return env.PROMPT === undefined ? quotePowerShell(word) : quoteCmd(word);
};

/** A command line to copy: for `sh` and its kin, on Windows for cmd (which sets `PROMPT`) or PowerShell. */
export const formatShellLine = (
  words: readonly string[],
  platform: string,
  env: Readonly<Record<string, string | undefined>>,
): string =>
  words.map((word) => (platform === 'win32' ? quoteWindows(word, env) : quoteShellWord(word))).join(' ');

const PIECE = /\s+|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)/gs;

/** A command line as its words: spaces part them, quotes and backslashes keep them together. @throws UsageError */
export const splitShellWords = (line: string): readonly string[] => {
  const words: string[] = [];
  let open = false;
  let end = 0;
  for (const match of line.matchAll(PIECE)) {
    if (match.index !== end) break;
    end += match[0].length;
    const [text, single, double, escaped, bare] = match;
    if (/^\s/.test(text)) {
      open = false;
      continue;
    }
    const part = single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? bare ?? '';
    if (open) words[words.length - 1] += part;
    else words.push(part);
    open = true;
  }
  if (end !== line.length) throw new UsageError('unclosed quote');
  return words;
};
