import { expect, test } from 'vitest';
import { finished, promptly } from '../support/process.ts';
import { type Answer, envelope } from '../support/service.ts';
import { type Answering, useCli } from '../support/use-cli.ts';
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

const counter = createStrictCounter(RATE);
const arrivals: number[] = [];
const come = new Set<string>();
let open = () => {};
/** Nobody is answered before all have come: who comes late would be a single command among many. */
const opened = new Promise<void>((resolve) => {
  open = resolve;
});
const answer: Answering = async ({ line }): Promise<Answer> => {
  const now = performance.now();
  const isRead = line.startsWith('GET');
  arrivals.push(now);
  come.add(/email=(\w+)/.exec(line)?.[1] ?? 'submit');
  const wait = counter.arrive(now, !isRead);
  if (wait !== undefined) return { status: 429, body: {}, headers: { 'retry-after': String(wait) } };
  if (come.size > PROCESSES) open();
  await opened;
  if (line.includes('email=victim')) return { silent: true };
  return { body: isRead ? page(line) : envelope(null), delayMs: 15 };
};
const t = useCli({
  service: answer,
  // A refusal is final: nothing is mended by trying again.
  env: { TTCTL_RATE_LIMIT: '40/4,10/1', TTCTL_MAX_WAIT: '0' },
});

const ids = Array.from({ length: PAGES }, (_, index) => String(index + 1));
const pages = (name: string): string[] => ['members', 'list', '--email', `${name}@example.com`, '-o', 'ids'];
const load = (index: number): string[] =>
  index === 0 ? ['timesheets', 'submit', ...ids, '--yes'] : pages(`p${index}`);

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('at full load no request is refused, no time is lost, one is killed, and a single command passes', async () => {
  const running = Array.from({ length: PROCESSES }, (_, index) => t.process(load(index)));
  const victim = t.start(pages('victim'));
  const death = finished(victim);
  while (come.size < PROCESSES + 1) await sleep(10);
  const begun = performance.now();
  victim.kill('SIGKILL');
  expect((await death).exit).toBe(137);

  // In the middle of the wait for the next window.
  await sleep(2000);
  const single = await promptly(t.process(pages('single')));
  expect(single).toEqual({ stdout: '1\n', stderr: '', exit: 0 });

  const ended = await Promise.all(running);
  expect(ended.map(({ exit, stderr }) => (exit === 0 ? '' : stderr))).toEqual(ended.map(() => ''));
  expect(counter.refused()).toBe(0);

  const count = arrivals.length;
  const span = (arrivals.at(-1) ?? 0) - begun;
  const least = Math.floor((count - 1) / RATE.requests) * RATE.perSeconds * 1000;
  const ratio = span / least;
  process.stdout.write(`${PROCESSES} processes, ${count} requests: ${ratio.toFixed(2)} × the least time\n`);
  expect(count).toBeGreaterThanOrEqual(PROCESSES * PAGES);
  // How little is lost is measured where the clock is turned (budgets.test.ts); here the machine counts too.
  expect(ratio).toBeLessThan(3);
});
