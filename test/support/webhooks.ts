import type { ChildProcess } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { Cancelled, EXIT } from '../../src/errors.ts';
import { createTurnedClock, until } from './clocks.ts';
import { type Outcome, type RunOptions, runInProcess } from './in-process.ts';
import { type Answering, type LoopbackServer, type Received, startServer } from './loopback.ts';
import { type Finished, finished, lineFrom, startBinary } from './process.ts';

/** A receiver of webhooks on 127.0.0.1. */
export interface HookReceiver extends LoopbackServer {
  readonly url: string;
  /** The events received, in their order. */
  events(): string[];
  /** What it answers from now on: a status, or whatever the function does; `undefined`: never anything. */
  answer: number | Answering | undefined;
}

export const startReceiver = async (): Promise<HookReceiver> => {
  const server = await startServer((request, response) => {
    const { answer } = receiver;
    if (typeof answer === 'function') answer(request, response);
    else if (answer !== undefined) response.writeHead(answer).end(`answer ${answer}`);
  });
  const receiver: HookReceiver = {
    ...server,
    url: `http://127.0.0.1:${server.port}/hook?x=1`,
    events: () => server.received.map(({ body }) => JSON.parse(body).event),
    answer: 200,
  };
  return receiver;
};

/** The Standard Webhooks signature of what was received, computed anew from its bytes. */
export const expectedSignature = ({ headers, body }: Received, token: string): string => {
  const key = Buffer.from(token.replace(/^whsec_/, ''), 'base64');
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
};

/** Sends deliveries as the service is assumed to (docs/service.md, Deliveries): signed in the layout of Standard Webhooks. */

export interface Sent {
  readonly status: number;
  readonly text: string;
}

/** Posts bytes; rejects when there is no whole answer. */
export const post = (
  url: string,
  body: Uint8Array | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const bytes = Buffer.from(body);
    const all = { 'content-type': 'application/json', 'content-length': String(bytes.length), ...headers };
    const outgoing = request(url, { method: 'POST', headers: all, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('error', reject).on('end', () => {
        if (answer.complete) resolve({ status: answer.statusCode ?? 0, text: text.trim() });
        else reject(new Error('the answer was cut'));
      });
    });
    outgoing.on('error', reject).end(bytes);
  });

/** The headers of a signed delivery. @param key what the token stands for */
export const signedHeaders = (
  body: Uint8Array | string,
  { id, key, seconds }: { id: string; key: Uint8Array | string; seconds: number },
): Record<string, string> => {
  const content = Buffer.concat([Buffer.from(`${id}.${seconds}.`), Buffer.from(body)]);
  const signature = createHmac('sha256', key).update(content).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  };
};

export const eventBody = (event: string, data: object = {}): string =>
  JSON.stringify({ id: 'evt_1', event, workspace_id: 101, created_at: '2026-11-21T09:00:00Z', data });

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
