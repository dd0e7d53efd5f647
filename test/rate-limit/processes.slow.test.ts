import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LoopbackServer, type Received, startServer } from '../support/loopback.ts';
import { cleanHome, finished, type Home, promptly, runBinary, startBinary } from '../support/process.ts';
import { envelope } from '../support/service.ts';
import { createStrictCounter } from './strict.ts';

/** Real processes of the built program against a service that keeps its limits to the letter. */

const RATE = { requests: 40, perSeconds: 4, writes: 10, writesPerSeconds: 1 };
const PAGES = 17;
const PROCESSES = 6;

const page = (line: string) => {
  const current_page = Number(/[?&]page=(\d+)/.exec(line)?.[1] ?? 1);
  const last_page = line.includes('email=single') ? 1 : PAGES;
  const pagination = { total: last_page, per_page: 1, current_page, last_page, from: 1, to: 1 };
  return envelope([{ id: current_page }], { pagination });
};

/** Nobody is answered before all have come: who comes late would be a single command among many. */
const strictService = () => {
  const counter = createStrictCounter(RATE);
  const arrivals: number[] = [];
  const come = new Set<string>();
  const gate: (() => void)[] = [];
  const state = { expected: 1 };
  const answer = ({ method, url }: Received, response: ServerResponse) => {
    const now = performance.now();
    arrivals.push(now);
    come.add(/email=(\w+)/.exec(url)?.[1] ?? 'submit');
    const wait = counter.arrive(now, method !== 'GET');
    const send = (status: number, body: unknown, headers = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
    };
    if (wait !== undefined) return send(429, {}, { 'retry-after': String(wait) });
    if (url.includes('email=victim')) gate.push(() => {});
    else gate.push(() => setTimeout(() => send(200, method === 'GET' ? page(url) : envelope(null)), 15));
    if (come.size < state.expected) return;
    for (const open of gate.splice(0)) open();
  };
  return { counter, arrivals, come, state, answer };
};

let home: Home;
let server: LoopbackServer;
let service: ReturnType<typeof strictService>;
let env: Readonly<Record<string, string>>;
beforeEach(async () => {
  service = strictService();
  server = await startServer(service.answer);
  home = cleanHome();
  env = {
    ...home.env,
    TTCTL_BASE_URL: `http://127.0.0.1:${server.port}/api/v2`,
    TTCTL_TOKEN: 'token-of-the-test',
    TTCTL_WORKSPACE: '7',
    TTCTL_RATE_LIMIT: '40/4,10/1',
    // A refusal is final: nothing is mended by trying again.
    TTCTL_MAX_WAIT: '0',
    TTCTL_STATE_DIR: join(home.folder, 'state'),
  };
});
afterEach(async () => {
  await server.close();
  home.remove();
});

const ids = Array.from({ length: PAGES }, (_, index) => String(index + 1));
const pages = (name: string): string[] => ['members', 'list', '--email', `${name}@example.com`, '-o', 'ids'];
const load = (index: number): string[] =>
  index === 0 ? ['timesheets', 'submit', ...ids, '--yes'] : pages(`p${index}`);

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('at full load no request is refused, no time is lost, one is killed, and a single command passes', async () => {
  service.state.expected = PROCESSES + 1;
  const running = Array.from({ length: PROCESSES }, (_, index) => runBinary(load(index), { env }));
  const victim = startBinary(pages('victim'), { env });
  const death = finished(victim);
  while (service.come.size < PROCESSES + 1) await sleep(10);
  const begun = performance.now();
  victim.kill('SIGKILL');
  expect((await death).exit).toBe(137);

  // In the middle of the wait for the next window.
  await sleep(2000);
  const single = await promptly(runBinary(pages('single'), { env }));
  expect(single).toEqual({ stdout: '1\n', stderr: '', exit: 0 });

  const ended = await Promise.all(running);
  expect(ended.map(({ exit, stderr }) => (exit === 0 ? '' : stderr))).toEqual(ended.map(() => ''));
  expect(service.counter.refused()).toBe(0);

  const count = service.arrivals.length;
  const span = (service.arrivals.at(-1) ?? 0) - begun;
  const least = Math.floor((count - 1) / RATE.requests) * RATE.perSeconds * 1000;
  const ratio = span / least;
  process.stdout.write(`${PROCESSES} processes, ${count} requests: ${ratio.toFixed(2)} × the least time\n`);
  expect(count).toBeGreaterThanOrEqual(PROCESSES * PAGES);
  // How little is lost is measured where the clock is turned (budgets.test.ts); here the machine counts too.
  expect(ratio).toBeLessThan(3);
});
