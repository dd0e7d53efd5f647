import type { Environment } from '../../config/environment.ts';
import type { Candidate, Completion } from '../plain.ts';
import { unquote } from './bash-line.ts';

/** How a shell asks, and how it is answered. */

export interface ShellRequest {
  /** The words between the program and the cursor's, without quotes. */
  readonly words: readonly string[];
  /** The word that the cursor is in, up to the cursor, without quotes. */
  readonly typed: string;
  /** What the shell's script reads. */
  print(answer: Completion): string;
}

/** @param args what the script says behind `__complete <shell>` */
export type ReadShellRequest = (args: readonly string[], env: Environment) => ShellRequest;

/** The candidates of an answer that begin with what is typed. */
export const filterByPrefix = (
  { candidates, kept }: Completion,
  typed: string,
  matches: (candidate: string, typed: string) => boolean = (candidate, begun) => candidate.startsWith(begun),
) => candidates.filter(({ value }) => matches(value, typed.slice(kept.length)));

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

const formatLine = ({ value, about }: Candidate): string =>
  `${value.replace(/[\\:]/g, '\\$&')}${about === undefined ? '' : `:${about.replaceAll('\\', '\\\\')}`}`;

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
