import { createInterface } from 'node:readline';

/** The lines of an input that is no terminal, one after the other. */
export interface Lines {
  /** Without its end; `undefined` when there is no more, or when the signal is aborted first. */
  next(signal?: AbortSignal): Promise<string | undefined>;
  /** Lets the input go: it keeps the process no longer. */
  close(): void;
}

export const linesOf = (input: NodeJS.ReadStream): Lines => {
  const reader = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  const lines = reader[Symbol.asyncIterator]();
  return {
    async next(signal) {
      if (signal?.aborted === true) return undefined;
      const end = () => reader.close();
      signal?.addEventListener('abort', end, { once: true });
      const { value, done } = await lines.next();
      signal?.removeEventListener('abort', end);
      return done === true ? undefined : String(value);
    },
    close() {
      reader.close();
      input.pause();
      // A pipe that nobody closes would hold the process.
      if ('unref' in input && typeof input.unref === 'function') input.unref();
    },
  };
};
