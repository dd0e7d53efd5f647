import type { ChildProcess } from 'node:child_process';
import { type Finished, finished, startBinary } from './binary.ts';

/** `ttctl webhooks listen` as a process of its own. */
export interface Listener {
  readonly child: ChildProcess;
  readonly url: string;
  /** What its ready line says. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** Resolves once stdout has so many lines. */
  lines(count: number): Promise<readonly string[]>;
  /** Once it has ended. */
  readonly ended: Promise<Finished>;
}

/** Resolves when the text is as wanted, looked at whenever more comes; rejects at its end. */
const until = <T>(stream: NodeJS.ReadableStream | null, look: (text: string) => T | undefined): Promise<T> =>
  new Promise((resolve, reject) => {
    let text = '';
    stream?.on('data', (chunk) => {
      text += chunk;
      const found = look(text);
      if (found !== undefined) resolve(found);
    });
    stream?.on('end', () => reject(new Error(`ended too early: ${text}`)));
  });

/** Starts it on a free port with `--output ndjson`, and waits until it listens. */
export const startListener = async (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  before: readonly string[] = [],
): Promise<Listener> => {
  const line = [
    ...before,
    'webhooks',
    'listen',
    ...(args.includes('--port') ? [] : ['--port', '0']),
    '--output',
    'ndjson',
    ...args,
  ];
  const child = startBinary(line, { env });
  const seen: string[] = [];
  let wake = (): void => {};
  let held = '';
  child.stdout?.on('data', (chunk) => {
    held += chunk;
    const parts = held.split('\n');
    held = parts.pop() ?? '';
    seen.push(...parts);
    wake();
  });
  const ended = finished(child);
  const ready = await until(child.stderr, (text) => /^\{"listening":(.*)\}\n/m.exec(text)?.[1]);
  const facts = JSON.parse(ready);
  return {
    child,
    url: facts.url,
    ready: facts,
    ended,
    lines: (count) =>
      new Promise((resolve, reject) => {
        wake = () => {
          if (seen.length >= count) resolve(seen);
        };
        child.once('close', () => reject(new Error(`only ${seen.length} of ${count} lines came`)));
        wake();
      }),
  };
};
