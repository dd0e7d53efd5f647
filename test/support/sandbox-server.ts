import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { closing, listening } from './loopback.ts';
import { cleanHome, lineFrom, runBinary, startBinary } from './process.ts';

/** A sandbox server in a process of its own, and a proxy before it that writes down what was exchanged, and fails on purpose. */

export interface Exchange {
  /** The operation: `PUT /timesheets/{timesheetId}/approve`; undefined for another path. */
  readonly route: string | undefined;
  /** `PUT /members/17?workspace_id=101 {"rate":1.50}`, to the letter. */
  readonly sent: string;
  readonly headers: IncomingMessage['headers'];
  readonly status: number;
  /** The answer as it came. */
  readonly body: string;
}

/** The routes of all operations, from the reviewed list of the surface. */
export const ROUTES: readonly string[] = readFileSync(
  fileURLToPath(new URL('../surface.txt', import.meta.url)),
  'utf8',
)
  .split('\n')
  .flatMap((line) => /^(\S+ \S+) →/.exec(line)?.slice(1, 2) ?? []);

const PATTERNS = ROUTES.map((route) => ({
  route,
  pattern: new RegExp(`^${route.replace(/\{\w+\}/g, '[^/]+')}$`),
}));

const BASE = '/api/v2';
const JSON_TYPE = { 'content-type': 'application/json' };

/** Literal paths win: `/leaves/policies` is no leave. */
const routeOf = (method: string, url: string): string | undefined => {
  const line = `${method} ${(url.split('?')[0] ?? '').replace(BASE, '')}`;
  return (PATTERNS.find(({ route }) => route === line) ?? PATTERNS.find(({ pattern }) => pattern.test(line)))
    ?.route;
};

const readAll = async (message: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
};

const forward = (message: IncomingMessage, body: Buffer, port: number) => {
  return new Promise<{ sent: Buffer; answer: IncomingMessage; body: Buffer }>((resolve, reject) => {
    const { method, url, headers } = message;
    const onward = request(
      { host: '127.0.0.1', port, method, path: url, headers, agent: false },
      (answer) => {
        readAll(answer).then((text) => resolve({ sent: body, answer, body: text }), reject);
      },
    );
    onward.on('error', reject).end(body);
  });
};

/** What the proxy does to what passes through it, as gateways and caches do. */
export interface ProxyFaults {
  /** Of the next write the answer is lost, and it is carried out after that. */
  lost?: '504' | 'reset' | undefined;
  /** Milliseconds after a write in which a read is answered as it was before. */
  staleMs?: number;
}

/** How long after its answer was lost a write is carried out. */
const LATE_MS = 300;

const startProxy = async (port: number, faults: ProxyFaults) => {
  const exchanges: Exchange[] = [];
  const cached = new Map<string, readonly [status: number, body: Buffer]>();
  let staleUntil = 0;
  const answer = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = message;
    const isRead = method === 'GET';
    const sent = await readAll(message);
    const old = isRead && Date.now() < staleUntil ? cached.get(url) : undefined;
    if (old !== undefined) return void response.writeHead(old[0], JSON_TYPE).end(old[1]);
    const { lost } = faults;
    if (!isRead) {
      staleUntil = Date.now() + (faults.staleMs ?? 0);
      faults.lost = undefined;
    }
    if (!isRead && lost !== undefined) {
      if (lost === 'reset') message.socket.resetAndDestroy();
      else response.writeHead(504).end('<h1>Gateway Time-out</h1>');
      await new Promise((resolve) => setTimeout(resolve, LATE_MS));
    }
    const { answer, body } = await forward(message, sent, port);
    const status = answer.statusCode ?? 0;
    if (isRead) cached.set(url, [status, body]);
    if (url.startsWith(BASE))
      exchanges.push({
        route: routeOf(method, url),
        sent: `${method} ${url.slice(BASE.length)} ${sent}`.trimEnd(),
        headers,
        status,
        body: body.toString('utf8'),
      });
    if (isRead || lost === undefined) response.writeHead(status, answer.headers).end(body);
  };
  const server = createServer((message, response) => {
    answer(message, response).catch(() => response.destroy());
  });
  const own = await listening(server);
  return { port: own, exchanges, close: () => closing(server, () => server.closeAllConnections()) };
};

export interface SandboxServer {
  /** What points a command at it, through the proxy. */
  readonly env: Readonly<Record<string, string>>;
  /** Every exchange of the API so far. */
  readonly exchanges: readonly Exchange[];
  close(): Promise<void>;
}

export interface SandboxServerOptions {
  readonly seed?: string;
  readonly flags?: readonly string[];
  /** It limits how many requests come, as the service does. */
  readonly limits?: boolean;
  /** What the proxy before it does; null: there is none. */
  readonly proxy?: ProxyFaults | null;
}

/** Starts `ttctl sandbox start --port 0` with more variables, and waits for its ready line. */
export const startSandboxServer = async (
  { seed = 'demo', flags = [], limits = false, proxy: faults = {} }: SandboxServerOptions = {},
  more: Readonly<Record<string, string>> = {},
): Promise<SandboxServer> => {
  const home = cleanHome(more);
  const own = ['--seed', seed, ...(limits ? [] : ['--no-limits']), ...flags];
  const child = startBinary(['sandbox', 'start', '--port', '0', '--json', ...own], { env: home.env });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    home.remove();
  };
  try {
    const [ready] = await lineFrom(child.stdout);
    const { port } = JSON.parse(ready);
    const { stdout, stderr } = await runBinary(['sandbox', 'env', '--json'], { env: home.env });
    if (stdout === '') throw new Error(stderr);
    if (faults === null) return { env: JSON.parse(stdout), exchanges: [], close: stop };
    const proxy = await startProxy(port, faults);
    const url = `http://127.0.0.1:${proxy.port}`;
    const addresses = { TTCTL_BASE_URL: `${url}${BASE}`, TTCTL_AUTH_URL: url, TTCTL_TOKEN_URL: url };
    return {
      env: { ...JSON.parse(stdout), ...addresses },
      exchanges: proxy.exchanges,
      close: () => proxy.close().then(stop),
    };
  } catch (error) {
    await stop();
    throw error;
  }
};
