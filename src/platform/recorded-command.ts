import { isSecretKey } from '../http/redact.ts';
import { quoteShellWord } from '../parsing/shell-word.ts';
import type { Machine } from '../platform/machine.ts';

/** `-H "Cookie: x"`, also within the command of `--exec`. */
const SECRET_HEADER = /((?:token|secret|password|authorization|cookie|api[_-]?key):)(?!=)[^'"]*/gi;

/** Words of a command line that are kept; a thousand ids tell nobody more. */
const MAX_WORDS = 24;

/** A command line as files keep it, its secrets masked: shell words, the first of very many. */
export const formatRecordedCommand = (
  args: readonly string[],
  { redactor }: Pick<Machine, 'redactor'>,
): string => {
  const words = args.slice(0, MAX_WORDS).map((word) => {
    // `-f token=two words`: all of the word is the value.
    const [start, name = ''] = /^(?:--?[\w-]+=)?([\w.[\]-]+):?=/.exec(word) ?? [];
    return start !== undefined && isSecretKey(name)
      ? `${start}***`
      : redactor.text(word).replaceAll(SECRET_HEADER, '$1 ***');
  });
  const more = args.length > MAX_WORDS ? ` … (${args.length - MAX_WORDS} more)` : '';
  return `${words.map(quoteShellWord).join(' ')}${more}`;
};
