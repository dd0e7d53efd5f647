import { completeLine } from '../../src/completion/engine.ts';
import type { PlainCommand } from '../../src/completion/shells.ts';
import { buildCompletionTable } from '../../src/completion/table.ts';

/** Asks the completion as a shell's script does, with the whole tree of commands. */

export const table: PlainCommand = await buildCompletionTable();

export type Env = Readonly<Record<string, string>>;

const ask = (args: readonly string[], env: Env): string =>
  completeLine(args, () => table, { env, platform: 'linux', home: undefined });

export interface Offer {
  readonly value: string;
  readonly about?: string;
}

const unescaped = (text: string): string => text.replace(/\\(.)/g, '$1');

/** `value:words` with `\:` and `\\` in it. */
const readZsh = (line: string): Offer => {
  const [, value = '', about] = /^((?:\\.|[^\\:])*)(?::(.*))?$/.exec(line) ?? [];
  return { value: unescaped(value), ...(about === undefined ? {} : { about: unescaped(about) }) };
};

/** What zsh is offered for the words behind `ttctl`, the last of which is being typed. */
export const offers = (words: readonly string[], env: Env = {}): readonly Offer[] =>
  ask(['zsh', ...words], env)
    .split('\n')
    .slice(3)
    .filter(Boolean)
    .map(readZsh);

export const values = (words: readonly string[], env: Env = {}): readonly string[] =>
  offers(words, env).map(({ value }) => value);

/** The three lines before zsh's candidates: their kind, what stays of the word, files. */
export const heading = (words: readonly string[], env: Env = {}): readonly string[] =>
  ask(['zsh', ...words], env)
    .split('\n')
    .slice(0, 3);

/** What bash puts in for a line up to the cursor; `part` is what it replaces. */
export const bashReplies = (line: string, part: string, env: Env = {}): readonly string[] =>
  ask(['bash', line, part, '9', '80'], env).split('\n').slice(1).filter(Boolean);

export const fishLines = (words: readonly string[], env: Env = {}): readonly string[] =>
  ask(['fish', ...words], env)
    .split('\n')
    .slice(2)
    .filter(Boolean);

/** As its script asks: the words in the environment. */
export const powershellReply = (words: readonly string[], env: Env = {}): string =>
  ask(['powershell'], { ...env, TTCTL_COMPLETE_WORDS: words.join('\u001f') });
