import type { Readable } from 'node:stream';

/** What a process says, in whole lines. */

/** A longer line is broken: there may be no end to it. */
const MAX_LINE = 65_536;

/** @param onText is given one line or several, with their newlines; the last line of all may have none */
const readLines = (stream: Readable, onText: (text: string) => void): void => {
  let pending = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const all = pending + text;
    const end = all.lastIndexOf('\n') + 1;
    pending = all.slice(end);
    if (end > 0) onText(all.slice(0, end));
    if (pending.length <= MAX_LINE) return;
    onText(`${pending}\n`);
    pending = '';
  });
  stream.on('end', () => {
    if (pending !== '') onText(pending);
  });
};

/** From now on nothing waits for it. */
const unref = (stream: Readable): void => {
  if ('unref' in stream && typeof stream.unref === 'function') stream.unref();
};

/**
 * Hands on what comes out of the streams of a process.
 * @returns to be called after its end: resolves once all is read, or after `maxWait`: what the process left running
 *   in the background may hold its streams open
 */
export const forwardOutput = (
  streams: readonly Readable[],
  onText: (text: string) => void,
  maxWait: (signal: AbortSignal) => Promise<void>,
): (() => Promise<void>) => {
  const read = Promise.all(
    streams.map((stream) => {
      readLines(stream, onText);
      return new Promise((resolve) => stream.once('close', resolve));
    }),
  );
  return async () => {
    const over = new AbortController();
    await Promise.race([read, maxWait(over.signal).catch(() => undefined)]);
    over.abort();
    for (const stream of streams) unref(stream);
  };
};
