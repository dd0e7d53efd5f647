import type { ChildProcess } from 'node:child_process';
import type { Clock } from '../../src/clock.ts';
import { Cancelled, EXIT } from '../../src/outcome.ts';
import { type Finished, finished, startBinary } from './binary.ts';
import { type Outcome, type RunOptions, runInProcess } from './in-process.ts';
import { lineFrom } from './reading.ts';
import { until } from './turned-clock.ts';

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

export type Rows = readonly Readonly<Record<string, unknown>>[];

/** The same within this process, whose time may be a clock of the test. */
export interface ListenerHere {
  readonly url: string;
  /** What its ready line says. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** Resolves once it has shown so many. */
  shown(count: number): Promise<Rows>;
  /** As Ctrl-C does. */
  stop(): Promise<Outcome>;
  readonly ended: Promise<Outcome>;
}

export const listenHere = async (
  args: readonly string[],
  { env, stdin, clock }: RunOptions & { readonly clock?: Clock },
): Promise<ListenerHere> => {
  const interrupt = new AbortController();
  const out: string[] = [];
  const err: string[] = [];
  const format = args.includes('--output') ? [] : ['--output', 'ndjson'];
  const ended = runInProcess(['webhooks', 'listen', '--port', '0', ...format, ...args], {
    ...{ ...(env && { env }), ...(stdin === undefined ? {} : { stdin }), interrupted: interrupt.signal },
    machine: {
      kill: process.kill.bind(process),
      ...(clock && { clock }),
      stdout: { isTTY: false, write: async (text) => void out.push(String(text)) },
      stderr: { isTTY: false, write: async (text) => void err.push(String(text)) },
    },
  }).then(({ exit }) => ({ stdout: out.join(''), stderr: err.join(''), exit }));
  const rows = (): Rows =>
    out
      .join('')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  await until(() => isOver || /Ctrl-C|"listening"/.test(err.join('')));
  const facts = JSON.parse(/^\{"listening":(.*)\}$/m.exec(err.join(''))?.[1] ?? '{}');
  const [, url = facts.url] = /Listening on (\S+)/.exec(err.join('')) ?? [];
  return {
    ...{ url, ready: facts, ended },
    async shown(count) {
      await until(() => isOver || rows().length >= count);
      return rows();
    },
    stop() {
      interrupt.abort(new Cancelled('interrupted', EXIT.interrupted));
      return ended;
    },
  };
};
