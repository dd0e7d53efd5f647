import type { Candidate } from '../plain.ts';
import { filterByPrefix, type ReadShellRequest, type ShellRequest } from './shell.ts';

/**
 * PowerShell takes words that it puts in as they are, so they are quoted here. What is asked comes in the
 * environment and the answer is ASCII: Windows hands over arguments and pipes in code pages of its own.
 */

export const WORDS_VARIABLE = 'TTCTL_COMPLETE_WORDS';
/** Between the words. */
export const SEPARATOR = '\u001f';

const BARE = /^[\w./:+-][\w./:=+-]*$/;

/** PowerShell takes the curly quotes for straight ones. */
const quote = (text: string): string =>
  BARE.test(text) ? text : `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`;

const toAscii = (json: string): string =>
  json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const startsWithTyped = (candidate: string, typed: string): boolean =>
  candidate.toLowerCase().startsWith(typed.toLowerCase());

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
      const candidates = filterByPrefix(answer, typed, startsWithTyped).map(toCandidate);
      return `${toAscii(JSON.stringify({ files: files !== undefined, candidates }))}\n`;
    },
  };
};
