import { StringDecoder } from 'node:string_decoder';

/**
 * What a process has said, once it has said it in whole: a pipe passes on what is written in pieces of any size, and the
 * first of them may end in the middle of an address, or of a letter.
 */

/** Resolves with the first line that fits; rejects when the stream ends without one. */
export const lineFrom = (
  stream: NodeJS.ReadableStream | null,
  pattern: RegExp = /^.*/,
): Promise<RegExpExecArray> =>
  new Promise((resolve, reject) => {
    const decoder = new StringDecoder('utf8');
    let [seen, rest] = ['', ''];
    const look = (chunk: Buffer | string): void => {
      const lines = (rest + (typeof chunk === 'string' ? chunk : decoder.write(chunk))).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const found = pattern.exec(line);
        seen += `${line}\n`;
        if (found === null) continue;
        stream?.removeListener('data', look);
        resolve(found);
        return;
      }
    };
    stream?.on('data', look);
    stream?.on('end', () => reject(new Error(`ended without ${pattern}: ${seen}${rest}`)));
  });
