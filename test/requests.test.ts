import { expect, it } from 'vitest';
import { cases, measure, most } from '../scripts/bench-requests.mjs';
import { createSandbox } from '../src/sandbox/library/sandbox.ts';
import { runInProcess } from './support/in-process.ts';

/** What a command costs at a service that counts requests: each line of `npm run bench:requests`. */

const program = {
  createSandbox,
  run: (args: readonly string[], { env, input }: { env: Readonly<Record<string, string>>; input?: string }) =>
    runInProcess(args, { env, ...(input !== undefined && { stdin: input }) }),
};

it.each(cases.map((one) => [one.name, one] as const))(
  'R13: %s takes the least that it needs',
  async (_, one) => {
    const { requests, least, routes } = await measure(program, one);
    expect(requests, routes.join('\n')).toBeLessThanOrEqual(most(least));
  },
);
