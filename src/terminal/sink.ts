import { lazy } from '../lazy.ts';
import { EXIT, Failure, Unprinted } from '../outcome.ts';

/** A stream that text is written to. */
export interface Sink {
  /**
   * Resolves when the stream has taken the text; so a slow reader slows the writer.
   * Rejects with `OutputClosed` when the reader is gone, with a `Failure` (exit 1) when the text is lost.
   */
  write(text: string): Promise<void>;
  readonly isTTY: boolean;
}

/** The reader has gone (`| head -1`): nobody wants the rest. Exit 0, and nothing is said. */
export class OutputClosed extends Failure {
  constructor(cause: unknown) {
    super('the output was closed', { code: 'output_closed', exit: EXIT.done, cause });
  }
}

const GONE = new Set(['EPIPE', 'ECONNRESET', 'EOF']);

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const translated = (error: unknown): Failure => {
  const code = codeOf(error);
  if (GONE.has(code)) return new OutputClosed(error);
  return new Unprinted('the output could not be written', {
    code: 'output_failed',
    exit: EXIT.fault,
    reason: error instanceof Error ? error.message : String(error),
    hint: code === 'ENOSPC' ? 'Make room on the disk, then run the command again.' : undefined,
    cause: error,
  });
};

/**
 * Node writes a file with one `write` and ignores a short count, so that the end of a text is lost in silence
 * on a full disk. The last newline written by itself meets the full disk and says so.
 */
const inParts = (text: string, isTTY: boolean): readonly string[] =>
  !isTTY && text.length > 1 && text.endsWith('\n') ? [text.slice(0, -1), '\n'] : [text];

/** What a sink needs to know of a process stream. Node makes those when they are first touched, which costs. */
export interface StreamSource {
  readonly isTTY: boolean;
  open(): NodeJS.WritableStream;
}

/** The sink of a process stream. It stays usable after an error: each further write rejects with the first one. */
export const createSink = (source: StreamSource): Sink => {
  let failed: Failure | undefined;
  const fail = (error: unknown): Failure => {
    failed ??= translated(error);
    return failed;
  };
  const opened = lazy(() => {
    const stream = source.open();
    // Without a listener the stream's error event would end the process with a stack.
    stream.on('error', fail);
    return stream;
  });

  const put = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      if (failed !== undefined) return reject(failed);
      opened().write(text, (error) => (error ? reject(fail(error)) : resolve()));
    });

  const isTTY = lazy(() => source.isTTY);
  return {
    get isTTY() {
      return isTTY();
    },
    write: async (text) => {
      // All parts are handed over at once: between two awaited ones another text could slip in.
      await Promise.all((text === '' ? [] : inParts(text, isTTY())).map(put));
    },
  };
};
