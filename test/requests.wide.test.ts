import { expect, it } from 'vitest';
import { cases, measure, most, type Program } from '../scripts/bench-requests.mjs';
import { createSandbox } from '../src/sandbox/library.ts';
import { runInProcess } from './support/in-process.ts';

/** What a command costs at a service that counts requests: each line of `npm run bench:requests`. */

const program = (more: Readonly<Record<string, string>> = {}): Program => ({
  createSandbox,
  run: (args, { env, input }) =>
    runInProcess(args, { env: { ...env, ...more }, ...(input !== undefined && { stdin: input }) }),
});

const named = cases.map((one) => [one.name, one] as const);

it.each(named)('R13: %s takes the least that it needs', async (_, one) => {
  const { requests, least, routes } = await measure(program(), one);
  expect(requests, routes.join('\n')).toBeLessThanOrEqual(most(least));
});

it.each(
  named.filter(([name]) => /^(update|archive|plan apply of|undo of) .*\d{3}.*(mail|id|updates)$/.test(name)),
)('R14: %s is estimated with its look-ups', async (_, one) => {
  const { requests, stderr } = await measure(program({ TTCTL_RATE_LIMIT: '90/1,90/1' }), one);
  const estimate = Number(/(\d+) requests at a limit of 90 in 1 s take about/.exec(stderr)?.[1]);
  expect(Math.abs(estimate - requests), `${estimate}, ${requests}\n${stderr}`).toBeLessThanOrEqual(
    requests / 10,
  );
});
