import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { afterEach, beforeEach } from 'vitest';
import { Cancelled, EXIT } from '../../src/errors.ts';
import { createTurnedClock, until } from './clocks.ts';
import { atThisFileEnd } from './folder.ts';
import type { RunOptions } from './in-process.ts';
import { type Answering, type Received, startServer } from './loopback.ts';
import { finished, lineFrom, startBinary } from './process.ts';
import { type Row, useCli } from './use-cli.ts';

/** Who receives webhooks, who sends them, and `ttctl webhooks listen` between them. */

export type HookReceiver = Awaited<ReturnType<typeof startReceiver>>;

/** A receiver of webhooks on 127.0.0.1. */
export const startReceiver = async () => {
  const server = await startServer((request, response) => {
    const { answer } = receiver;
    if (typeof answer === 'function') answer(request, response);
    else if (answer !== undefined) response.writeHead(answer).end(`answer ${answer}`);
  });
  const receiver = {
    ...server,
    url: `http://127.0.0.1:${server.port}/hook?x=1`,
    /** The events received, in their order. */
    events: (): string[] => server.received.map(({ body }) => JSON.parse(body).event),
    /** What it answers from now on: a status, or whatever the function does; `undefined`: never anything. */
    answer: 200 as number | Answering | undefined,
  };
  return receiver;
};

/** In the layout of Standard Webhooks (docs/service.md, Deliveries). @param key what the token stands for */
const sign = (id: unknown, seconds: unknown, body: Uint8Array | string, key: Uint8Array | string): string => {
  const hmac = createHmac('sha256', key).update(`${id}.${seconds}.`).update(body);
  return `v1,${hmac.digest('base64')}`;
};

/** The signature of what was received, computed anew from its bytes. */
export const expectedSignature = ({ headers, body }: Received, token: string): string => {
  const key = Buffer.from(token.replace(/^whsec_/, ''), 'base64');
  return sign(headers['webhook-id'], headers['webhook-timestamp'], body, key);
};

/** The headers of a signed delivery. */
export const signedHeaders = (
  body: Uint8Array | string,
  { id, key, seconds }: { id: string; key: Uint8Array | string; seconds: number },
): Record<string, string> => ({
  'webhook-id': id,
  'webhook-timestamp': String(seconds),
  'webhook-signature': sign(id, seconds, body, key),
});

export const eventBody = (event: string, data: object = {}): string =>
  JSON.stringify({ id: 'evt_1', event, workspace_id: 101, created_at: '2026-11-21T09:00:00Z', data });

/** Posts bytes on a connection of its own; rejects when there is no whole answer. */
export const post = async (
  url: string,
  body: Uint8Array | string,
  headers: Readonly<Record<string, string>> = {},
) => {
  const own = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const outgoing = request(url, { method: 'POST', headers: { ...own, ...headers }, agent: false });
  const answered: Promise<IncomingMessage[]> = once(outgoing.end(body), 'response');
  outgoing.on('error', () => {});
  const [answer] = await answered;
  if (answer === undefined) throw new Error('no answer');
  return { status: answer.statusCode ?? 0, text: (await readText(answer)).trim() };
};

const listenArgs = (args: readonly string[]): readonly string[] => [
  ...['webhooks', 'listen'],
  ...(args.includes('--port') ? [] : ['--port', '0']),
  ...(args.includes('--output') ? [] : ['--output', 'ndjson']),
  ...args,
];

/** `ttctl webhooks listen` as a process of its own. */
export type Listener = Awaited<ReturnType<typeof startListener>>;

/** Starts it on a free port with `--output ndjson`, and waits until it listens. It ends with the file at the latest. */
export const startListener = async (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  before: readonly string[] = [],
) => {
  const child = startBinary([...before, ...listenArgs(args)], { env });
  atThisFileEnd(() => child.kill('SIGKILL'));
  let [text, isOver] = ['', false];
  child.stdout?.on('data', (chunk) => {
    text += chunk;
  });
  child.once('close', () => {
    isOver = true;
  });
  const seen = () => text.split('\n').slice(0, -1);
  const ended = finished(child);
  const [, said = ''] = await lineFrom(child.stderr, /^\{"listening":(.*)\}$/);
  /** What its ready line says. */
  const ready: Row = JSON.parse(said);
  return {
    ...{ child, ready, ended, url: String(ready['url']) },
    /** Resolves once stdout has so many lines. */
    async lines(count: number): Promise<readonly string[]> {
      await until(() => isOver || seen().length >= count);
      if (seen().length < count) throw new Error(`only ${seen().length} of ${count} lines came`);
      return seen();
    },
  };
};

/** `ttctl webhooks listen` within this process. */
export type ListenerHere = Awaited<ReturnType<ReturnType<typeof useListeners>['listen']>>;

/**
 * For each test an empty state directory, a clock that it turns, and listeners on a free port, which are stopped after
 * it. They print `--output ndjson`.
 */
export const useListeners = () => {
  const t = useCli();
  let clock = createTurnedClock(0);
  const running: { stop(): Promise<unknown> }[] = [];
  beforeEach(() => {
    clock = createTurnedClock(Date.now());
  });
  afterEach(async () => {
    for (const listener of running.splice(0)) await listener.stop();
  });

  const listen = async (args: readonly string[], options: RunOptions = {}) => {
    const interrupt = new AbortController();
    const said = { out: '', err: '' };
    let isOver = false;
    const sinkOf = (name: 'out' | 'err') => ({
      isTTY: false,
      write: async (text: unknown) => {
        said[name] += text;
      },
    });
    const machine = { kill: process.kill.bind(process), stdout: sinkOf('out'), stderr: sinkOf('err') };
    const own = { PATH: process.env.PATH ?? '', ...options.env };
    const line = listenArgs(args);
    const ended = t
      .run(line, { ...options, env: own, clock, machine, interrupted: interrupt.signal })
      .then(({ exit }) => {
        isOver = true;
        return { stdout: said.out, stderr: said.err, exit };
      });
    await until(() => isOver || /Ctrl-C|"listening"/.test(said.err));
    /** What its ready line says. */
    const ready: Row = JSON.parse(/^\{"listening":(.*)\}$/m.exec(said.err)?.[1] ?? '{}');
    const rows = () => said.out.split('\n').slice(0, -1);
    const listener = {
      ...{ ready, ended, url: String(ready['url'] ?? /Listening on (\S+)/.exec(said.err)?.[1]) },
      /** Resolves once it has shown so many rows. */
      async shown(count: number): Promise<readonly Row[]> {
        await until(() => isOver || rows().length >= count);
        return rows().map((row) => JSON.parse(row));
      },
      /** As Ctrl-C does. */
      stop() {
        interrupt.abort(new Cancelled('interrupted', EXIT.interrupted));
        return ended;
      },
    };
    running.push(listener);
    return listener;
  };
  const ttctl = (...args: string[]) =>
    t.run(['webhooks', ...args], { env: { PATH: process.env.PATH ?? '' } });
  const received = () => t.rows('webhooks received');
  return {
    ...{ t, listen, ttctl, received },
    /** Below the state directory. */
    file: (name: string) => `${t.state}/${name}`,
    advance: (ms: number) => clock.advance(ms),
    /** Sends deliveries of these ids, one after the other; none is answered otherwise than with `kept`. */
    async send({ url }: { readonly url: string }, ...ids: string[]): Promise<void> {
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
