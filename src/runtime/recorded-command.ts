import { quoteShellWord } from '../parsing/shell-word.ts';
import type { Machine } from '../platform/machine.ts';

/** Variables whose values may stand in a command line, and have no place in a file. */
const SECRETS = ['TTCTL_TOKEN', 'TTCTL_CLIENT_SECRET', 'TTCTL_WEBHOOK_TOKEN', 'TTCTL_SANDBOX_SECRET'];

/** `-H "Cookie: x"`, also within the command of `--exec`. */
const SECRET_HEADER = /((?:token|secret|password|authorization|cookie|api[_-]?key):)(?!=)[^'"]*/gi;

/** Words of a command line that are kept; a thousand ids tell nobody more. */
const MAX_WORDS = 24;

/** A command line as files keep it, its secrets masked: shell words, the first of very many. */
export const formatRecordedCommand = (
  args: readonly string[],
  { redactor, env }: Pick<Machine, 'redactor' | 'env'>,
): string => {
  for (const name of SECRETS) redactor.register(env[name] ?? '');
  // `--field token:=x` is no JSON and no query that the redactor knows.
  const words = args.slice(0, MAX_WORDS).map((word) => {
    const name = /^([\w.[\]-]+):=/.exec(word)?.[1];
    const value = name && redactor.json({ [name]: '' });
    return value && Object.values(value)[0] !== ''
      ? `${name}:=***`
      : redactor.text(word).replaceAll(SECRET_HEADER, '$1 ***');
  });
  const more = args.length > MAX_WORDS ? ` … (${args.length - MAX_WORDS} more)` : '';
  return `${words.map(quoteShellWord).join(' ')}${more}`;
};
