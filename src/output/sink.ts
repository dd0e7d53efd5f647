import { inParts } from '../clock.ts';
import { EXIT, type Failure, getMessage, OutputClosed, OutputError } from '../errors.ts';

export interface Sink {
  /**
   * Resolves when the stream has taken the text; so a slow reader slows the writer.
   * Rejects with `OutputClosed` when the reader is gone, with a `Failure` (exit 1) when the text is lost.
   */
  write(text: string | Uint8Array): Promise<void>;
  readonly isTTY: boolean;
}

export type TextSink = Pick<Sink, 'write'>;

/** What a sink needs to know of a process stream. Node makes those when they are first touched, which costs. */
export interface StreamSource {
  readonly isTTY: boolean;
  /**
   * Of a file: writes all of it. Node's own stream ignores that a disk took only a part, so that the end of a text
   * would be lost in silence.
   */
  readonly writeWhole?: ((text: string | Uint8Array) => void) | undefined;
  open(): NodeJS.WritableStream;
}

/** The sink of a process stream. It stays usable after an error: each further write rejects with the first one. */
export function createSink(source: StreamSource): Sink {
  let failed: Failure | undefined;
  let stream: NodeJS.WritableStream | undefined;
  let last: Promise<void> = Promise.resolve();
  return {
    get isTTY() {
      return source.isTTY;
    },
    write(text) {
      if (text.length === 0) return Promise.resolve();
      // One after the other: Node joins what waits into one write, which a pipe may take in parts.
      const written = last.then(async () => {
        if (failed !== undefined) throw failed;
        try {
          if (source.writeWhole !== undefined) return source.writeWhole(text);
          // Without a listener the stream's error event would end the process with a stack.
          stream ??= source.open().on('error', (error) => {
            failed ??= toFailure(error);
          });
          const opened = stream;
          await new Promise<void>((resolve, reject) => {
            opened.write(text, (error) => (error ? reject(error) : resolve()));
          });
        } catch (error) {
          failed ??= toFailure(error);
          throw failed;
        }
      });
      last = written.catch(() => undefined);
      return written;
    },
  };
}

function toFailure(error: unknown): Failure {
  const code = error instanceof Error ? String(Reflect.get(error, 'code')) : '';
  if (['EPIPE', 'ECONNRESET', 'EOF'].includes(code)) return new OutputClosed(error);
  return new OutputError('the output could not be written', {
    code: 'output_failed',
    exit: EXIT.fault,
    reason: getMessage(error),
    hint: code === 'ENOSPC' ? 'Free some space on the disk.' : undefined,
    cause: error,
  });
}

/** What a pipe takes whole, in bytes (`PIPE_BUF` of Linux): more may be mixed with what other processes write. */
const PIPE_BUF = 4096;

/**
 * Writes lines, as many together as a pipe takes whole: so those of processes that share a pipe (`xargs -P`) are not
 * mixed.
 * @param formatLine gives a line with its newline
 */
export async function writeLines<T>(
  items: readonly T[],
  formatLine: (item: T) => string,
  sink: TextSink,
): Promise<void> {
  let batch = '';
  for await (const part of inParts(items)) {
    for (const line of part.map(formatLine)) {
      if (Buffer.byteLength(batch) + Buffer.byteLength(line) > PIPE_BUF) {
        await sink.write(batch);
        batch = '';
      }
      batch += line;
    }
  }
  await sink.write(batch);
}
