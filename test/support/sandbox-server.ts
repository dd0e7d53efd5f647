import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { cleanHome, lineFrom, runBinary, startBinary } from './process.ts';
import { type Answer, type Recorded, startRecorder } from './service.ts';

/** A sandbox server in a process of its own, and a proxy before it that writes down what was exchanged. */

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
export const ROUTES: readonly string[] = readFileSync(new URL('../surface.txt', import.meta.url), 'utf8')
  .split('\n')
  .flatMap((line) => /^(\S+ \S+) →/.exec(line)?.slice(1, 2) ?? []);

const PATTERNS = ROUTES.map((route) => ({
  route,
  pattern: new RegExp(`^${route.replace(/\{\w+\}/g, '[^/]+')}$`),
}));

/** Literal paths win: `/leaves/policies` is no leave. */
const routeOf = (method: string, url: string): string | undefined => {
  const line = `${method} ${url.split('?')[0] ?? ''}`;
  return (PATTERNS.find(({ route }) => route === line) ?? PATTERNS.find(({ pattern }) => pattern.test(line)))
    ?.route;
};

const startProxy = async (origin: string) => {
  const exchanges: Exchange[] = [];
  const recorder = await startRecorder(async ({ line, headers, text }: Recorded): Promise<Answer> => {
    const [method = '', path = ''] = line.split(' ');
    const isApi = !path.startsWith('/oauth');
    const { host: _, connection: __, 'content-length': ___, ...others } = headers;
    const sent = await fetch(`${origin}${isApi ? '/api/v2' : ''}${path}`, {
      ...{ method, headers: others as Record<string, string>, redirect: 'manual' },
      ...(text !== '' && { body: text }),
    });
    const [status, body] = [sent.status, await sent.text()];
    const answer = { status, headers: Object.fromEntries(sent.headers), body };
    for (const name of ['content-length', 'transfer-encoding', 'connection', 'keep-alive'])
      delete answer.headers[name];
    if (isApi)
      exchanges.push({
        ...{ route: routeOf(method, path), sent: `${line} ${text}`.trimEnd(), headers, status, body },
      });
    return answer;
  });
  return { ...recorder, exchanges };
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
  /** Whether a proxy before it writes down what was exchanged. Default: yes. */
  readonly proxy?: boolean;
}

/** Starts `ttctl sandbox start --port 0` with more variables, and waits for its ready line. */
export const startSandboxServer = async (
  { seed = 'demo', flags = [], limits = false, proxy: isProxied = true }: SandboxServerOptions = {},
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
    if (!isProxied) return { env: JSON.parse(stdout), exchanges: [], close: stop };
    const proxy = await startProxy(`http://127.0.0.1:${port}`);
    const url = new URL(proxy.baseUrl).origin;
    const addresses = { TTCTL_BASE_URL: proxy.baseUrl, TTCTL_AUTH_URL: url, TTCTL_TOKEN_URL: url };
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
