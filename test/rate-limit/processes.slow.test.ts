import { expect, it } from 'vitest';
import { until } from '../support/clocks.ts';
import { finished, promptly } from '../support/process.ts';
import { envelope } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';
import { createStrictCounter } from './strict.ts';

// Refusals are final: nothing is mended by trying again.
const t = useCli({ env: { TTCTL_RATE_LIMIT: '40/4,10/1', TTCTL_MAX_WAIT: '0' } });

it('real processes at full load are not refused, lose no time, one is killed, and a single command passes', async () => {
  const [PROCESSES, PAGES] = [6, 17];
  const counter = createStrictCounter({ requests: 40, perSeconds: 4, writes: 10, writesPerSeconds: 1 });
  const arrivals: number[] = [];
  const come = new Set<string>();
  // Nobody is answered before all have come: who comes late would be a single command among many.
  const allAreHere = until(() => come.size > PROCESSES);
  t.answer = async ({ line }) => {
    const isRead = line.startsWith('GET');
    arrivals.push(performance.now());
    come.add(/email=(\w+)/.exec(line)?.[1] ?? 'submit');
    const wait = counter.arrive(performance.now(), !isRead);
    if (wait !== undefined) return { status: 429, body: {}, headers: { 'retry-after': String(wait) } };
    await allAreHere;
    if (line.includes('email=victim')) return { silent: true };
    const current_page = Number(/[?&]page=(\d+)/.exec(line)?.[1] ?? 1);
    const last_page = line.includes('email=single') ? 1 : PAGES;
    const pagination = { total: last_page, per_page: 1, current_page, last_page, from: 1, to: 1 };
    const body = isRead ? envelope([{ id: current_page }], { pagination }) : envelope(null);
    return { body, delayMs: 15 };
  };
  const list = (name: string) => `members list --email ${name}@example.com -o ids`;
  const ids = Array.from({ length: PAGES }, (_, n) => n + 1).join(' ');
  const load = [`timesheets submit ${ids} --yes`, ...[1, 2, 3, 4, 5].map((n) => list(`p${n}`))];
  const running = load.map((line) => t.process(line));
  const victim = t.start(list('victim'));
  const death = finished(victim);
  await allAreHere;
  const begun = performance.now();
  victim.kill('SIGKILL');
  expect((await death).exit).toBe(137);

  // In the middle of the wait for the next window.
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const single = await promptly(t.process(list('single')));
  expect(single).toEqual({ stdout: '1\n', stderr: '', exit: 0 });

  const ended = await Promise.all(running);
  expect(ended.map(({ exit, stderr }) => (exit === 0 ? '' : stderr))).toEqual(ended.map(() => ''));
  expect(counter.refused()).toBe(0);
  expect(arrivals.length).toBeGreaterThanOrEqual(PROCESSES * PAGES);
  const least = Math.floor((arrivals.length - 1) / 40) * 4000;
  // How little is lost is measured where the clock is turned (budgets.test.ts); here the machine counts too.
  expect(((arrivals.at(-1) ?? 0) - begun) / least).toBeLessThan(3);
});
