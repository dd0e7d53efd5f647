import { createReadStream, readFileSync } from 'node:fs';
import { UsageError } from '../outcome.ts';
import { errnoOf } from './failure.ts';

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file.',
  EISDIR: 'It is a directory.',
  EACCES: 'It may not be read (permission denied).',
};

const unreadable = (file: string, error: unknown): UsageError => {
  const code = errnoOf(error) ?? '';
  const reason = WHY[code] ?? String(error);
  return new UsageError(`cannot read ${file}`, { code: 'unreadable', reason, cause: error });
};

/** The text of a file that the command line names. @throws UsageError when it cannot be read */
export const readInput = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw unreadable(file, error);
  }
};

/** The same as it is read, as bytes. */
export async function* streamInput(file: string): AsyncGenerator<Uint8Array> {
  const stream = createReadStream(file);
  try {
    yield* stream as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw errnoOf(error) === undefined ? error : unreadable(file, error);
  }
}
