import type { Answer, Candidate } from '../plain.ts';
import type { Asked, Shell } from './shell.ts';

/** Zsh quotes and chooses by itself, by the matching rules of its user. It takes `value:words` (`_describe`). */

const TAGS: Readonly<Record<Answer['what'], string>> = {
  commands: 'commands',
  flags: 'options',
  values: 'values',
};

const lineOf = ({ value, about }: Candidate): string =>
  `${value.replace(/[\\:]/g, '\\$&')}${about === undefined ? '' : `:${about.replaceAll('\\', '\\\\')}`}`;

/** @param args the words between the program and the cursor's, then that one */
export const zsh: Shell = (args): Asked => ({
  words: args.slice(0, -1),
  typed: args.at(-1) ?? '',
  print: ({ what, kept, candidates, files }) =>
    [TAGS[what], kept, files ?? '', ...candidates.map(lineOf), ''].join('\n'),
});
