import { request } from 'node:http';
import { parseJson } from '../json/parse.ts';
import { stringifyJson } from '../json/stringify.ts';
import { EXIT, type ExitCode, Failure, NetworkError } from '../outcome.ts';
import type { SandboxControl, SandboxStatus } from './control.ts';
import { remoteWebhooks } from './deliveries/controls.ts';
import { pageUrl } from './page/board/gate.ts';
import { remoteSnapshots } from './snapshots/controls.ts';

/** Control of a sandbox server through its `/_sandbox/…` (an adapter). */

interface Reply {
  readonly status: number;
  readonly body: string;
}

const PATIENCE_S = 10;
/** The server first tries what it is asked to send (deliveries/), lets time pass, or writes a large state. */
const PATIENCE_OF_LONG_S = 60;

/** What is said where nothing answers. */
export interface Advice {
  /** Why it is this server that was asked. */
  readonly reason?: string;
  readonly hint: string;
}

export interface How {
  /** Seconds until a server that says nothing is given up. */
  readonly patience?: number;
  readonly advice?: Advice;
}

const ADVICE: Advice = { hint: 'See whether it runs: ttctl sandbox status' };

interface Asked {
  readonly advice: Advice;
  readonly method: string;
  readonly secret: string;
  readonly body: string;
  readonly patience: number;
}

const exchange = (url: URL, { method, secret, body, patience, advice }: Asked): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const failed = (cause: Error): void =>
      reject(
        new NetworkError(`the sandbox at ${url.origin} does not answer`, method !== 'GET', {
          code: 'network',
          reason: [cause.message, advice.reason].filter(Boolean).join('. '),
          hint: advice.hint,
        }),
      );
    const headers = { 'content-type': 'application/json', 'x-sandbox-secret': secret, connection: 'close' };
    const outgoing = request(url, { method, headers, timeout: patience * 1_000 }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', failed);
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${patience} s`)));
    outgoing.on('error', failed);
    outgoing.end(body);
  });

const isExit = (value: unknown): value is ExitCode => Object.values(EXIT).some((code) => code === value);

/** The failure that the server reported, as if it had happened here. */
const failureOf = (reply: Reply): Failure => {
  let error: Record<string, unknown> = {};
  try {
    const value: unknown = JSON.parse(reply.body);
    if (typeof value === 'object' && value !== null && 'error' in value) error = { ...(value.error ?? {}) };
  } catch {
    error = {};
  }
  const text = (name: string): string | undefined =>
    typeof error[name] === 'string' ? error[name] : undefined;
  const [reason, hint] = [text('reason'), text('hint')];
  return new Failure(text('message') ?? `the sandbox answered with ${reply.status}`, {
    code: text('code') ?? 'sandbox',
    exit: isExit(error['exit']) ? error['exit'] : EXIT.fault,
    ...(reason === undefined ? {} : { reason }),
    ...(hint === undefined ? {} : { hint }),
  });
};

/**
 * @param url root of the server: `http://127.0.0.1:4747`.
 * @param secret of its locator file; what only looks needs none.
 */
export const remoteControl = (
  url: string,
  secret: string,
  { patience: usual = PATIENCE_S, advice = ADVICE }: How = {},
): SandboxControl => {
  const call = async (method: string, name: string, body: unknown, patience = usual): Promise<unknown> => {
    const text = body === undefined ? '' : stringifyJson(body);
    const reply = await exchange(new URL(`/_sandbox/${name}`, url), {
      method,
      secret,
      body: text,
      patience,
      advice,
    });
    if (reply.status !== 200) throw failureOf(reply);
    const parsed = parseJson(reply.body);
    if ('problem' in parsed) throw failureOf(reply);
    return parsed.value;
  };
  const place = { url, page_url: pageUrl(url, secret) };
  // The answers are those of this program's own server (controls.ts).
  const typed = async <T>(answer: Promise<unknown>): Promise<T> => (await answer) as T;
  return {
    status: async () => ({ ...(await typed<SandboxStatus>(call('GET', 'status', undefined))), ...place }),
    reset: async (seed, plan) => ({
      ...(await typed<SandboxStatus>(call('POST', 'reset', { seed, plan }))),
      ...place,
    }),
    createToken: (wish, plan) => typed(call('POST', 'tokens', { ...wish, plan })),
    createApp: (wish, plan) => typed(call('POST', 'apps', { ...wish, plan })),
    apps: () => typed(call('GET', 'apps', undefined)),
    clock: () => typed(call('GET', 'clock', undefined)),
    moveClock: (move, plan) => typed(call('POST', 'clock', { ...move, plan })),
    faults: () => typed(call('GET', 'faults', undefined)),
    addFault: (wish, plan) => typed(call('POST', 'faults', { ...wish, plan })),
    clearFaults: (ids, plan) => typed(call('POST', 'faults/clear', { ids, plan })),
    log: (after) =>
      typed(call('GET', after === undefined ? 'log' : `log?after=${encodeURIComponent(after)}`, undefined)),
    clearLog: async () => {
      await call('POST', 'log/clear', {});
    },
    simulate: (by_ms, plan) => typed(call('POST', 'simulate', { by_ms, plan }, PATIENCE_OF_LONG_S)),
    snapshots: remoteSnapshots((method, name, body) => call(method, name, body, PATIENCE_OF_LONG_S)),
    webhooks: remoteWebhooks((method, name, body) => call(method, name, body, PATIENCE_OF_LONG_S)),
    stop: async () => {
      await call('POST', 'stop', {});
    },
    close: async () => {},
  };
};
