import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { lineFrom } from './process.ts';
import { type Answer, startRecorder } from './service.ts';
import type { SandboxCli } from './use-cli.ts';

/** A sandbox server in a process of its own, and a proxy before it that writes down what was exchanged. */

export interface Exchange {
  /** The operation: `PUT /timesheets/{timesheetId}/approve`; undefined for another path. */
  readonly route: string | undefined;
  /** `PUT /members/17?workspace_id=101 {"rate":1.50}`, to the letter. */
  readonly sent: string;
  readonly headers: IncomingHttpHeaders;
  readonly status: number;
  /** The answer as it came. */
  readonly body: string;
}

/** The routes of all operations, from the reviewed list of the surface. */
export const ROUTES: readonly string[] =
  readFileSync(new URL('../surface.txt', import.meta.url), 'utf8').match(/^\S+ \S+(?= →)/gm) ?? [];

/** Literal paths win: `/leaves/policies` is no leave. */
const routeOf = (line: string): string | undefined =>
  ROUTES.find((route) => route === line) ??
  ROUTES.find((route) => new RegExp(`^${route.replace(/\{\w+\}/g, '[^/]+')}$`).test(line));

const startProxy = async (origin: string) => {
  const exchanges: Exchange[] = [];
  const recorder = await startRecorder(async ({ line, headers, text }): Promise<Answer> => {
    const [method = '', path = ''] = line.split(' ');
    const isApi = !/^\/(oauth|_sandbox)\//.test(path);
    const { host: _, connection: __, 'content-length': ___, ...others } = headers;
    const sent = await fetch(`${origin}${isApi ? '/api/v2' : ''}${path}`, {
      ...{ method, headers: others as Record<string, string>, redirect: 'manual' },
      ...(text !== '' && { body: text }),
    });
    const [status, body] = [sent.status, await sent.text()];
    const answer = { status, headers: Object.fromEntries(sent.headers), body };
    for (const name of ['content-length', 'transfer-encoding', 'connection', 'keep-alive'])
      delete answer.headers[name];
    const route = routeOf(line.replace(/\?.*/, ''));
    if (isApi) exchanges.push({ route, sent: `${line} ${text}`.trimEnd(), headers, status, body });
    return answer;
  });
  return { ...recorder, exchanges };
};

export interface SandboxServerOptions {
  readonly seed?: string;
  readonly flags?: readonly string[];
  /** It limits how many requests come, as the service does. */
  readonly limits?: boolean;
  /** A proxy before it writes down what is exchanged: `exchanges`. */
  readonly recorded?: boolean;
}

/** Starts `ttctl sandbox start` in a place. @returns what points a command at it */
export const startSandboxServer = async (
  { start, process }: Pick<SandboxCli, 'start' | 'process'>,
  { seed = 'demo', flags = [], limits = false, recorded = false }: SandboxServerOptions,
) => {
  const own = ['--seed', seed, ...(limits ? [] : ['--no-limits']), ...flags];
  const child = start(['sandbox', 'start', '--port', '0', '--json', ...own]);
  const ended = once(child, 'close');
  const [ready] = await lineFrom(child.stdout);
  const env: Record<string, string> = JSON.parse((await process('sandbox env --json')).stdout);
  const proxy = recorded ? await startProxy(`http://127.0.0.1:${JSON.parse(ready).port}`) : undefined;
  if (proxy !== undefined) {
    const url = new URL(proxy.baseUrl).origin;
    Object.assign(env, { TTCTL_BASE_URL: proxy.baseUrl, TTCTL_AUTH_URL: url, TTCTL_TOKEN_URL: url });
  }
  return {
    env,
    exchanges: proxy?.exchanges ?? [],
    async close(): Promise<void> {
      await proxy?.close();
      child.kill('SIGTERM');
      await ended;
    },
  };
};
