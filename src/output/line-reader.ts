import { createInterface } from 'node:readline';
import { UsageError } from '../errors.ts';
import { MAX_BYTES, MAX_SIZE } from '../parsing/text.ts';

/** The lines of an input that is no terminal, one after the other. */
export interface LineReader {
  /**
   * Without its end; `undefined` when there is no more, or when the signal is aborted first.
   * @throws UsageError where more has come than is read of any input
   */
  next(signal?: AbortSignal): Promise<string | undefined>;
  /** Lets the input go: it keeps the process no longer. */
  close(): void;
}

export const createLineReader = (input: NodeJS.ReadStream): LineReader => {
  const reader = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  const lines = reader[Symbol.asyncIterator]();
  let size = 0;
  const measure = (part: string | Uint8Array): void => {
    size += part.length;
    // A line that never ends.
    if (size <= MAX_BYTES) return;
    reader.close();
    input.destroy();
  };
  input.on('data', measure);
  return {
    async next(signal) {
      if (signal?.aborted === true) return undefined;
      const end = () => reader.close();
      signal?.addEventListener('abort', end, { once: true });
      const { value, done } = await lines.next();
      signal?.removeEventListener('abort', end);
      if (size > MAX_BYTES) throw new UsageError(`stdin is larger than ${MAX_SIZE}`);
      return done === true ? undefined : String(value);
    },
    close() {
      input.off('data', measure);
      reader.close();
      input.pause();
      // A pipe that nobody closes would hold the process.
      if ('unref' in input && typeof input.unref === 'function') input.unref();
    },
  };
};
