import type { ChildProcess } from 'node:child_process';
import { type Finished, finished, startBinary } from './binary.ts';
import { lineFrom } from './reading.ts';

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
  const [, ready] = await lineFrom(child.stderr, /^\{"listening":(.*)\}$/);
  const facts = JSON.parse(ready ?? '');
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
