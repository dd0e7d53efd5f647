import { STATUS_CODES } from 'node:http';
import type { SandboxRequest, SandboxResponse } from '../exchange.ts';
import { splitTarget } from '../host.ts';

/** `fetch` without a network: Web requests in, Web responses out. */

export interface WebOptions {
  readonly answer: (request: SandboxRequest) => SandboxResponse;
  /** Real waiting, for answers that are late on purpose. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Where an address without a host is. */
  readonly origin: string;
  /** The sandbox's time, ms. */
  readonly now: () => number;
}

const NO_BODY = new Set([101, 204, 205, 304]);

/** As Node's own `fetch` tells of a connection that was cut. */
const createSocketError = (): Error =>
  Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });

const toSandboxRequest = async (request: Request): Promise<SandboxRequest> => {
  const { pathname, search } = new URL(request.url);
  const { path, query } = splitTarget(`${pathname}${search}`);
  const headers = Object.fromEntries(request.headers);
  return { method: request.method, path, query, headers, body: await request.text() };
};

/** Half of the body, and then the end of the connection. */
const createBrokenStream = (body: string): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(body.slice(0, Math.floor(body.length / 2))));
    },
    pull(controller) {
      controller.error(new TypeError('terminated', { cause: createSocketError() }));
    },
  });

const buildBody = ({ status, body, wire }: SandboxResponse): string | ReadableStream<Uint8Array> | null => {
  if (NO_BODY.has(status)) return null;
  return wire?.cut === 'middle' ? createBrokenStream(body) : body;
};

/** @param now the sandbox's time, ms */
const createWebResponse = (
  response: SandboxResponse,
  { url, now }: { url: string; now: number },
): Response => {
  const { status } = response;
  const headers = { date: new Date(now).toUTCString(), ...response.headers };
  const answer = new Response(buildBody(response), {
    status,
    statusText: STATUS_CODES[status] ?? '',
    headers,
  });
  // A Response that was made by hand has none.
  return Object.defineProperty(answer, 'url', { value: url });
};

export const createFetch =
  ({ answer, sleep, origin, now }: WebOptions) =>
  async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const target = typeof input === 'string' ? new URL(input, origin) : input;
    const request = new Request(target, init);
    request.signal.throwIfAborted();
    const response = answer(await toSandboxRequest(request));
    const { wire } = response;
    if (wire !== undefined && wire.latency_ms > 0) await sleep(wire.latency_ms, request.signal);
    if (wire?.cut === 'unanswered') throw new TypeError('fetch failed', { cause: createSocketError() });
    return createWebResponse(response, { url: request.url, now: now() });
  };
