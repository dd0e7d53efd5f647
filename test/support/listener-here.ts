import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { Cancelled, EXIT } from '../../src/errors.ts';
import { type Outcome, type RunOptions, runInProcess } from './in-process.ts';
import { createTurnedClock, until } from './turned-clock.ts';
import { eventBody, post } from './webhook-sender.ts';

export type Rows = readonly Readonly<Record<string, unknown>>[];

/** `ttctl webhooks listen` within this process. */
export interface ListenerHere {
  readonly url: string;
  /** What its ready line says. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** Resolves once it has shown so many rows. */
  shown(count: number): Promise<Rows>;
  /** As Ctrl-C does. */
  stop(): Promise<Outcome>;
  readonly ended: Promise<Outcome>;
}

/**
 * For each test an empty state directory, a clock that it turns, and listeners on a free port, which are stopped after
 * it. They print `--output ndjson`.
 */
export const useListeners = () => {
  let folder = '';
  let clock = createTurnedClock(0);
  const running: ListenerHere[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ttctl-listeners-'));
    clock = createTurnedClock(Date.now());
  });
  afterEach(async () => {
    for (const listener of running.splice(0)) await listener.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const env = () => ({ TTCTL_STATE_DIR: folder, PATH: process.env.PATH ?? '' });
  const ttctl = (...args: string[]) => runInProcess(['webhooks', ...args], { env: env() });
  const received = async (): Promise<Rows> => JSON.parse((await ttctl('received', '--json')).stdout);
  return {
    ...{ ttctl, received },
    file: (name: string) => join(folder, name),
    advance: (ms: number) => clock.advance(ms),
    async listen(args: readonly string[], options: RunOptions = {}): Promise<ListenerHere> {
      const own = { ...env(), ...options.env };
      const listener = await startHere(args, { ...options, env: own, machine: { clock } });
      running.push(listener);
      return listener;
    },
    /** Sends deliveries of these ids, one after the other; none is answered otherwise than with `kept`. */
    async send({ url }: ListenerHere, ...ids: string[]): Promise<void> {
      for (const id of ids) {
        clock.advance(1);
        const { status, text } = await post(url, eventBody('a'), { 'webhook-id': id });
        if (status !== 200 || text !== 'kept') throw new Error(`${id}: ${status} ${text}`);
      }
    },
    /** How far each is forwarded, by its id. */
    states: async () => Object.fromEntries((await received()).map(({ id, state }) => [id, state])),
  };
};

const startHere = async (args: readonly string[], options: RunOptions): Promise<ListenerHere> => {
  const interrupt = new AbortController();
  const out: string[] = [];
  const err: string[] = [];
  const format = args.includes('--output') ? [] : ['--output', 'ndjson'];
  let isOver = false;
  const ended = runInProcess(['webhooks', 'listen', '--port', '0', ...format, ...args], {
    ...options,
    interrupted: interrupt.signal,
    machine: {
      kill: process.kill.bind(process),
      stdout: { isTTY: false, write: async (text) => void out.push(String(text)) },
      stderr: { isTTY: false, write: async (text) => void err.push(String(text)) },
      ...options.machine,
    },
  }).then(({ exit }) => {
    isOver = true;
    return { stdout: out.join(''), stderr: err.join(''), exit };
  });
  await until(() => isOver || /Ctrl-C|"listening"/.test(err.join('')));
  const said = err.join('');
  const ready = JSON.parse(/^\{"listening":(.*)\}$/m.exec(said)?.[1] ?? '{}');
  const rows = (): readonly string[] => out.join('').split('\n').slice(0, -1);
  return {
    ...{ ready, url: ready.url ?? /Listening on (\S+)/.exec(said)?.[1], ended },
    async shown(count) {
      await until(() => isOver || rows().length >= count);
      return rows().map((row) => JSON.parse(row));
    },
    stop() {
      interrupt.abort(new Cancelled('interrupted', EXIT.interrupted));
      return ended;
    },
  };
};
