import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanHome, type Home } from '../support/binary.ts';
import { runInProcess } from '../support/in-process.ts';

/** What people are told of a plan (docs/changes.md, Plans). */

let home: Home;
let plan: string;
const run = (...args: readonly string[]) =>
  runInProcess(['--profile', 'sandbox', ...args], {
    env: { ...home.env, TTCTL_STATE_DIR: join(home.folder, 'state'), TTCTL_RATE_LIMIT: 'off' },
  });

beforeEach(() => {
  home = cleanHome();
  plan = join(home.folder, 'plan.ndjson');
});
afterEach(() => home.remove());

const planDeletions = async (count: number) => {
  const { stdout } = await run('expenses', 'list', '--output', 'ids', '--limit', String(count));
  await run('expenses', 'delete', ...stdout.trim().split('\n'), '--plan', plan);
};

describe('a plan', () => {
  it.each([
    [1, '1 change permanently deletes a record.'],
    [2, '2 changes permanently delete records.'],
  ])('warns of %i deletion(s)', async (count, text) => {
    await planDeletions(count);
    expect((await run('plan', 'show', plan)).stderr).toContain(text);
  });

  it('that was cut off names the command line that leads back to its service', async () => {
    await planDeletions(2);
    await run('sandbox', 'fault', 'add', 'expenses', 'delete', '--status', '401');
    expect((await run('plan', 'apply', plan, '--yes')).exit).toBe(8);
    const { exit, stderr } = await run('plan', 'apply', plan, '--yes');
    expect(exit).toBe(2);
    expect(stderr).toMatch(/Finish it with: ttctl jobs resume \S+ --profile sandbox$/m);
  });
});
