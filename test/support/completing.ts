import { completeLine } from '../../src/completion/engine.ts';
import { buildCompletionTable } from '../../src/completion/table.ts';

/** Asks the completion as a shell's script does, with the whole tree of commands. */

type Env = Readonly<Record<string, string>>;
const table = await buildCompletionTable();

/** The lines of an answer. @param args the shell first, then what its script passes */
export const answerLines = (args: readonly string[], env: Env = {}): readonly string[] =>
  completeLine(args, () => table, { env, platform: 'linux', home: undefined }).split('\n');

const unescaped = (text: string): string => text.replace(/\\(.)/g, '$1');

/** What zsh is offered for the words behind `ttctl`, the last of which is being typed: `value:words`, with `\:` and `\\`. */
export const offers = (words: readonly string[], env: Env = {}) =>
  answerLines(['zsh', ...words], env)
    .slice(3)
    .filter(Boolean)
    .map((line) => {
      const [, value = '', about] = /^((?:\\.|[^\\:])*)(?::(.*))?$/.exec(line) ?? [];
      return { value: unescaped(value), ...(about === undefined ? {} : { about: unescaped(about) }) };
    });

export const values = (words: readonly string[], env: Env = {}): readonly string[] =>
  offers(words, env).map(({ value }) => value);
