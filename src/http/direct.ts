import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { HttpResponse } from './transport.ts';
import { type Connections, type RequestProgress, readResponseBody, type WireRequest } from './wire.ts';

/**
 * A connection that idled longer is not used again. Servers close idle connections after 5 s and more (Node, nginx,
 * Apache), or name a shorter time in `keep-alive: timeout=`, which the agent keeps. A request written into a connection
 * that is just being closed would be reset, and a write would then be of unknown outcome.
 */
const IDLE_MS = 2000;

/**
 * Requests by `node:http` and `node:https`, each loaded when the first address needs it.
 * Idle connections are unreferenced by the agent, so that they do not keep the process alive.
 */
export function openDirect(maxBytes: number): Connections {
  const agents = new Map<string, Agent>();
  return {
    async exchange(wire, progress) {
      const { protocol } = wire.url;
      const http = protocol === 'https:' ? await import('node:https') : await import('node:http');
      const agent = agents.get(protocol) ?? new http.Agent({ keepAlive: true, timeout: IDLE_MS });
      agents.set(protocol, agent);
      progress.signal.throwIfAborted();
      const { method, headers } = wire;
      return sendRequest(http.request(wire.url, { method, headers, agent }), wire, progress, maxBytes);
    },
    close() {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
}

const sendRequest = (
  request: ClientRequest,
  wire: WireRequest,
  progress: RequestProgress,
  maxBytes: number,
): Promise<HttpResponse> =>
  new Promise((resolve, reject) => {
    request.once('socket', (socket) => markSent(socket, progress));
    // Stays for as long as the socket does: a late error must not end the process.
    request.on('error', reject);
    request.once('response', (response) => {
      progress.answered = true;
      readResponse(response, maxBytes).then(resolve, reject);
    });
    const abort = (): void => void request.destroy(progress.signal.reason);
    progress.signal.addEventListener('abort', abort, { once: true });
    request.once('close', () => progress.signal.removeEventListener('abort', abort));
    request.end(wire.payload);
  });

/** The bytes leave as soon as the connection stands: for TLS after the handshake, for a reused one at once. */
const markSent = (socket: Socket | TLSSocket, progress: RequestProgress): void => {
  const mark = () => {
    progress.sent = true;
  };
  const isHandshaking = Reflect.get(socket, 'secureConnecting') === true;
  if (isHandshaking) socket.once('secureConnect', mark);
  else if (socket.connecting) socket.once('connect', mark);
  else mark();
};

const readResponse = async (response: IncomingMessage, maxBytes: number): Promise<HttpResponse> => {
  const status = response.statusCode ?? 0;
  const { 'content-encoding': encoding, 'content-type': type } = response.headers;
  const body = await readResponseBody(response, { status, encoding, type }, maxBytes);
  const headers = Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')]);
  return { status, headers: Object.fromEntries(headers), ...body };
};
