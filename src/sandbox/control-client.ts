import { request } from 'node:http';
import { isRecord } from '../json/number.ts';
import { parseJson, parseJsonValue } from '../json/parse.ts';
import { stringifyJson } from '../json/stringify.ts';
import { EXIT, Failure, NetworkError, parseFailureJson } from '../outcome.ts';
import { CONTROL_OPERATIONS, createControl, type SandboxControl, type SendControl } from './control.ts';
import { pickTexts } from './control-operation.ts';
import type { SandboxStatus } from './status.ts';

/** Sends requests of the control to a server's `/_sandbox/…` (an adapter). */

interface Reply {
  readonly status: number;
  readonly body: string;
}

/** What is said where nothing answers. */
export interface ControlAdvice {
  /** Why it is this server that was asked. */
  readonly reason?: string;
  readonly hint: string;
}

interface ClientOptions {
  /** Seconds until a server that says nothing is given up. */
  readonly maxWait?: number;
  readonly advice?: ControlAdvice;
}

const MAX_WAIT_S = 10;
/** These send to webhooks first, or read and write whole states. */
const SLOW_PATHS = /^(snapshots|webhooks)\b/;
const MAX_SLOW_WAIT_S = 60;

const ADVICE: ControlAdvice = { hint: 'Check whether it is running: ttctl sandbox status' };

interface ExchangeOptions {
  readonly method: string;
  readonly secret: string;
  readonly body: string;
  readonly maxWait: number;
  readonly advice: ControlAdvice;
}

const exchange = (url: URL, { method, secret, body, maxWait, advice }: ExchangeOptions): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const fail = (cause: Error): void =>
      reject(
        new NetworkError(`the sandbox at ${url.origin} is not responding`, method !== 'GET', {
          code: 'network',
          reason: [cause.message, advice.reason].filter(Boolean).join('. '),
          hint: advice.hint,
        }),
      );
    const headers = { 'content-type': 'application/json', 'x-sandbox-secret': secret, connection: 'close' };
    const outgoing = request(url, { method, headers, timeout: maxWait * 1_000 }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', fail);
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${maxWait} s`)));
    outgoing.on('error', fail);
    outgoing.end(body);
  });

/** A failure that another process told as `{"error": …}`, as if it had happened here; `fallback` where it is none. */
export const parseFailure = (text: string, fallback: Failure): Failure => {
  const parsed = parseJsonValue(text);
  const error = isRecord(parsed) ? parsed['error'] : undefined;
  if (!isRecord(error)) return fallback;
  const texts = pickTexts(error, 'message', 'code', 'reason', 'hint');
  return parseFailureJson({ ...texts, exit: Number(error['exit']) }, fallback);
};

/** Arguments as a query. */
const formatQuery = (args: object): string => {
  const entries = Object.entries(args).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(entries.map(([name, value]): [string, string] => [name, String(value)]));
  return query.size === 0 ? '' : `?${query}`;
};

/**
 * @param url root of the server: `http://127.0.0.1:4747`.
 * @param secret of its locator file; what only looks needs none.
 */
export const createRemoteControl = (
  url: string,
  secret: string,
  { maxWait, advice = ADVICE }: ClientOptions = {},
): SandboxControl => {
  const send: SendControl = async ({ name, args }) => {
    const [method = '', path = ''] = CONTROL_OPERATIONS[name].route.split(' ');
    const isRead = method === 'GET';
    const reply = await exchange(new URL(`/_sandbox/${path}${isRead ? formatQuery(args) : ''}`, url), {
      method,
      secret,
      body: isRead ? '' : stringifyJson(args),
      maxWait: maxWait ?? (SLOW_PATHS.test(path) ? MAX_SLOW_WAIT_S : MAX_WAIT_S),
      advice,
    });
    const parsed = parseJson(reply.body);
    if (reply.status === 200 && 'value' in parsed) return parsed.value;
    const message = `the sandbox answered with ${reply.status}`;
    throw parseFailure(reply.body, new Failure(message, { code: 'sandbox', exit: EXIT.fault }));
  };
  const control = createControl(send);
  const addAddresses = async (status: Promise<SandboxStatus>): Promise<SandboxStatus> => ({
    ...(await status),
    url,
  });
  return {
    ...control,
    status: () => addAddresses(control.status()),
    reset: (args) => addAddresses(control.reset(args)),
  };
};
