import { unquoted } from './bash-line.ts';
import type { Asked, Shell } from './shell.ts';

/** Fish quotes and chooses by itself. It takes whole words, a tab, and words about them. */

/** @param args the words between the program and the cursor's, then that one as it is typed */
export const fish: Shell = (args): Asked => ({
  words: args.slice(0, -1),
  typed: unquoted(args.at(-1) ?? '').text,
  print: ({ kept, candidates, files }) =>
    [
      files ?? '',
      kept,
      ...candidates.map(({ value, about }) => `${kept}${value}${about === undefined ? '' : `\t${about}`}`),
      '',
    ].join('\n'),
});
