import type { Readable, Transform } from 'node:stream';

/** Why an answer that was coming in is given up. `network-failure.ts` turns the code into a `NetworkError`. */
type AnswerFault = 'ANSWER_TOO_LARGE' | 'ANSWER_UNREADABLE';

const fault = (code: AnswerFault, message: string, cause?: unknown): Error =>
  Object.assign(new Error(message, { cause }), { code });

/**
 * Reads a body whole, unpacks it and decodes it as UTF-8 (a BOM is dropped).
 * The limit is on the unpacked bytes, so that a small packed answer cannot fill the memory.
 */
export const readResponseBody = async (
  body: Readable,
  answer: { readonly status: number; readonly encoding: string | undefined },
  maxBytes: number,
): Promise<string> => {
  const empty = answer.status === 204 || answer.status === 304;
  const unpack = empty ? undefined : await unpacker(answer.encoding);
  if (unpack === undefined) return collect(body, maxBytes);
  const { pipeline } = await import('node:stream');
  // The outcome is read from the end of the pipe; the callback only keeps an error from going unhandled.
  return collect(
    pipeline(body, unpack, () => {}),
    maxBytes,
  );
};

const collect = async (body: Readable, maxBytes: number): Promise<string> => {
  const text = await textOf(body, maxBytes);
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
};

/**
 * By events: an iterator over the stream would cost a short command more than the answer itself. Decoded as it comes,
 * so that a long answer is not held as bytes and as text at once.
 */
const textOf = (body: Readable, maxBytes: number): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    let size = 0;
    body.setEncoding('utf8');
    const fail = (error: Error): void => {
      reject(
        unpackingFailed(error)
          ? fault('ANSWER_UNREADABLE', 'the response cannot be decompressed', error)
          : error,
      );
    };
    body.on('error', fail);
    body.on('data', (chunk: string) => {
      size += Buffer.byteLength(chunk);
      if (size > maxBytes)
        body.destroy(fault('ANSWER_TOO_LARGE', `the response is larger than ${maxBytes} bytes`));
      else text += chunk;
    });
    body.on('end', () => resolve(text));
    // After an error or the end this says nothing new.
    body.on('close', () => fail(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })));
  });

const unpackingFailed = (error: unknown): boolean =>
  error instanceof Error && /^(Z_(?!BUF_ERROR)|ERR__)/.test(String(Reflect.get(error, 'code')));

const unpacker = async (encoding: string | undefined): Promise<Transform | undefined> => {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return undefined;
  const zlib = await import('node:zlib');
  if (name === 'gzip' || name === 'x-gzip') return zlib.createGunzip();
  if (name === 'br') return zlib.createBrotliDecompress();
  if (name === 'deflate') return zlib.createInflate();
  throw fault('ANSWER_UNREADABLE', `the response has an unknown encoding (${name})`);
};
