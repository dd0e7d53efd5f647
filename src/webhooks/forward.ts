import type { IncomingMessage } from 'node:http';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../errors.ts';
import type { Delivery, ReceivedRequest } from './delivery.ts';
import { type Again, type ExecResult, type ForwardingOptions, runForDelivery } from './exec.ts';

/** What is done with a delivery that is kept: it is posted on, then given to a command. */

/** `ms`: how long it took. */
type ForwardResult = { readonly url: string; readonly ms: number } & (
  | { readonly status: number }
  | { readonly error: string }
);

/** Absent: there is none such. */
export interface ForwardingOutcome {
  readonly forward?: ForwardResult;
  readonly exec?: ExecResult;
}

/** Posts it on, then gives it to the command. Never rejects. */
export async function forwardDelivery(
  { machine, settings }: Pick<Context, 'machine' | 'settings'>,
  delivery: Delivery,
  to: ForwardingOptions,
  again: Again,
): Promise<ForwardingOutcome> {
  const { clock, interrupted } = machine;
  const headers = again.replay ? [...delivery.headers, ['ttctl-replay', 'true'] as const] : delivery.headers;
  const limits = { timeoutMs: settings.timeoutSeconds.value * 1000, clock, interrupted };
  const { forward: url } = to;
  const forward = url === undefined ? {} : { forward: await post({ ...delivery, headers }, url, limits) };
  if (to.exec === undefined) return forward;
  if (interrupted.aborted) return { ...forward, exec: { error: 'interrupted' } };
  return { ...forward, exec: await runForDelivery(machine, delivery, to, again) };
}

/** What became of one in words, and the first failure of it. */
export function describeOutcome({ forward, exec }: ForwardingOutcome): {
  readonly words: string;
  readonly failure?: Failure;
} {
  const words: string[] = [];
  const failures: Failure[] = [];
  if (forward !== undefined) {
    const status = 'status' in forward ? forward.status : undefined;
    const text = 'status' in forward ? `${status} in ${forward.ms} ms` : forward.error;
    words.push(text);
    const [code, exit] = ['not_forwarded', (status ?? 500) < 500 ? EXIT.refused : EXIT.tryLater] as const;
    if (status === undefined || status < 200 || status > 299)
      failures.push(new Failure(`${forward.url} did not accept it: ${text}`, { code, exit }));
  }
  if (exec !== undefined) {
    const text = 'exit' in exec ? `exit ${exec.exit}` : exec.error;
    words.push(text);
    if (text !== 'exit 0')
      failures.push(
        new Failure(`the command did not accept it: ${text}`, { code: 'command_failed', exit: EXIT.refused }),
      );
  }
  const [failure] = failures;
  return { words: words.join(', '), ...(failure === undefined ? {} : { failure }) };
}

/** Posts the body to the byte, and the headers as they came. Once; follows no redirect. Never rejects. */
export async function post(
  { headers, body }: Pick<ReceivedRequest, 'headers' | 'body'>,
  url: string,
  limits: Pick<Context, 'clock' | 'interrupted'> & { readonly timeoutMs: number },
): Promise<ForwardResult> {
  const { timeoutMs, clock, interrupted } = limits;
  const startedAt = clock.now();
  const [timeout, done] = [new AbortController(), new AbortController()];
  clock.sleep(timeoutMs, done.signal).then(
    () => timeout.abort(),
    () => {},
  );
  const { protocol, host } = new URL(url);
  const connection = [
    ['Host', host],
    ['Content-Length', String(body.length)],
  ];
  const { request } = protocol === 'https:' ? await import('node:https') : await import('node:http');
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const signal = AbortSignal.any([timeout.signal, interrupted]);
      const all = [...connection, ...selectEndToEndHeaders(headers)].flat();
      const outgoing = request(url, { method: 'POST', headers: all, agent: false, signal }, resolve);
      outgoing.on('error', reject).end(body);
    });
    // What it says beside its status is of no use here.
    response.on('error', () => {}).resume();
    return { url, status: response.statusCode ?? 0, ms: clock.now() - startedAt };
  } catch (error) {
    const ms = clock.now() - startedAt;
    if (timeout.signal.aborted) return { url, error: `no response in ${timeoutMs / 1000} s`, ms };
    const message = error instanceof Error ? error.message : String(error);
    const why = message.includes('ECONNREFUSED') ? 'connection refused' : message;
    return { url, error: interrupted.aborted ? 'interrupted' : why, ms };
  } finally {
    done.abort();
  }
}

/** RFC 9110, 7.6.1, and what the new connection has its own of. */
const HOP_BY_HOP = [
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'expect', 'host', 'content-length'],
];

function selectEndToEndHeaders(headers: ReceivedRequest['headers']): ReceivedRequest['headers'] {
  const named = headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((name) => name.trim().toLowerCase()));
  const dropped = new Set([...HOP_BY_HOP, ...named]);
  return headers.filter(([name]) => !dropped.has(name.toLowerCase()));
}
