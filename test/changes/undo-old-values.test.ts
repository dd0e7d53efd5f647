import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runInProcess } from '../support/in-process.ts';
import { cleanHome, type Home } from '../support/process.ts';

/** Old values that a record shows otherwise than they are sent are set back all the same (docs/changes.md, Undo). */

let home: Home;
const run = (...args: readonly string[]) =>
  runInProcess(['--profile', 'sandbox', ...args], {
    env: { ...home.env, TTCTL_STATE_DIR: join(home.folder, 'state'), TTCTL_RATE_LIMIT: 'off' },
  });

beforeEach(() => {
  home = cleanHome();
});
afterEach(() => home.remove());

const undoLast = async () => {
  const { stdout } = await run('history', 'list', '--limit', '1', '--output', 'ids');
  return run('undo', stdout.trim(), '--yes', '--json');
};

/** The fields of what `sandbox snapshot diff` shows that are not as they were. */
const listChanged = async (): Promise<readonly string[]> => {
  const { stdout } = await run('sandbox', 'snapshot', 'diff', 'before', '--json');
  const records = JSON.parse(stdout) as readonly { readonly fields: readonly { readonly field: string }[] }[];
  return records.flatMap(({ fields }) => fields.map(({ field }) => field)).filter((f) => f !== 'updated_at');
};

const EXPENSE = 'a1b8893d-a55d-4a09-87a8-565b5387080b';
const words = (text: string): readonly string[] => text.split(' ');

describe('undo sets back', () => {
  it.each([
    [
      'what is in a project',
      ['tasks', 'update', '132', '--project', '114', '--title', 'X', '--status', 'done'],
    ],
    ['a day of a task', ['tasks', 'update', '134', '--project', '114', '--end-date', '2099-12-24']],
    [
      'days in words, and categories and projects by their names',
      [
        ...[
          'expenses',
          'update',
          EXPENSE,
          ...words('--name N --date 2026-11-03 --amount 1.5 --category Meals'),
        ],
        ...['--project', 'Bakery rebrand'],
      ],
    ],
    ['an own rate', words('contracts update 121 --rate 99 --weekly-hours-limit 5')],
  ])('%s', async (_what, args) => {
    await run('sandbox', 'snapshot', 'save', 'before');
    expect(await run(...args)).toMatchObject({ exit: 0 });
    expect(await listChanged()).not.toEqual([]);
    expect(await undoLast()).toMatchObject({ exit: 0 });
    expect(await listChanged()).toEqual([]);
  });

  it('no rate that a contract had from its member: it would be the own one then', async () => {
    expect(
      await run('contracts', 'update', '120', '--rate', '99', '--weekly-hours-limit', '5'),
    ).toMatchObject({
      exit: 0,
    });
    const { exit, stdout } = await undoLast();
    expect(exit).toBe(8);
    expect(JSON.parse(stdout)).toMatchObject([{ status: 'failed', error: { code: 'not_undone' } }]);
    expect(JSON.parse((await run('contracts', 'get', '120', '--json')).stdout)).toMatchObject({
      weekly_hours_limit: 40,
      rate: 99,
    });
  });
});
