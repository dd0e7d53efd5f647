import { request } from 'node:http';
import { EXIT, Failure, NetworkError, parseFailureJson } from '../errors.ts';
import { isRecord, parseJson, parseJsonValue, stringifyJson } from '../json.ts';
import { CONTROL_PREFIX, getControlMethod, mapOperations, type SandboxControl } from '../sandbox/control.ts';

export interface ControlAdvice {
  /** Why it is this server that was asked. */
  readonly reason?: string;
  readonly hint: string;
}

/** Snapshots read and write whole states, and webhooks are sent to before the answer. */
const MAX_WAIT_S = 60;

/**
 * @param url root of the server: `http://127.0.0.1:4747`.
 * @param secret of its locator file; what only looks needs none.
 * @param maxWait seconds until a server that says nothing is given up
 */
export function createRemoteControl(
  url: string,
  secret: string,
  advice: ControlAdvice = { hint: 'Check whether it is running: ttctl sandbox status' },
  maxWait = MAX_WAIT_S,
): SandboxControl {
  const control = mapOperations(async (name, args) => {
    const method = getControlMethod(name) ?? '';
    const place = new URL(`${CONTROL_PREFIX}${name}`, url);
    const sent = Object.entries(args).filter(([, value]) => value !== undefined);
    if (method === 'GET') for (const [key, value] of sent) place.searchParams.set(key, String(value));
    const [status, text] = await new Promise<readonly [number, string]>((resolve, reject) => {
      const fail = (cause: Error): void => {
        const reason = [cause.message, advice.reason].filter(Boolean).join('. ');
        const facts = { code: 'network', reason, hint: advice.hint } as const;
        const message = `the sandbox at ${place.origin} is not responding`;
        reject(new NetworkError(message, method !== 'GET', facts));
      };
      const headers = { 'content-type': 'application/json', 'x-sandbox-secret': secret, connection: 'close' };
      const outgoing = request(place, { method, headers, timeout: maxWait * 1_000 }, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', fail);
        incoming.on('end', () => resolve([incoming.statusCode ?? 0, Buffer.concat(chunks).toString('utf8')]));
      });
      outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${maxWait} s`)));
      outgoing.on('error', fail).end(method === 'GET' ? '' : stringifyJson(args));
    });
    const parsed = parseJson(text);
    if (status === 200 && 'value' in parsed) return parsed.value;
    const message = `the sandbox answered with ${status}`;
    throw parseFailure(text, new Failure(message, { code: 'sandbox', exit: EXIT.fault }));
  });
  return {
    ...control,
    status: async () => ({ ...(await control.status()), url }),
    reset: async (args) => ({ ...(await control.reset(args)), url }),
  };
}

/** A failure that another process told as `{"error": …}`, as if it had happened here; `fallback` where it is none. */
export function parseFailure(text: string, fallback: Failure): Failure {
  const parsed = parseJsonValue(text);
  const error = isRecord(parsed) ? parsed['error'] : undefined;
  return isRecord(error) ? parseFailureJson(error, fallback) : fallback;
}
