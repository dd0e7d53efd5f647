import { readFileSync } from 'node:fs';
import { UsageError } from '../outcome.ts';
import { errnoOf } from './failure.ts';

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file.',
  EISDIR: 'It is a directory.',
  EACCES: 'It may not be read (permission denied).',
};

/** The text of a file that the command line names. @throws UsageError when it cannot be read */
export const readInput = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = errnoOf(error) ?? '';
    throw new UsageError(`cannot read ${file}`, { reason: WHY[code] ?? String(error), cause: error });
  }
};
