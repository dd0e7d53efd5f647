import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { quickClock } from '../support/clocks.ts';
import { makeFolder } from '../support/folder.ts';
import { runInProcess } from '../support/in-process.ts';
import {
  type Answer,
  envelope,
  onePage,
  type Recorder,
  serviceEnv,
  startRecorder,
} from '../support/service.ts';

/** New records in bulk: what the proof costs, and rows that cannot be told apart. */

interface Expense {
  readonly id: string;
  readonly expense_name: string;
  readonly amount: number;
  readonly expense_date?: string;
}

let state: string;
let recorder: Recorder;
let expenses: Expense[];
/** What becomes of a new expense of this name; nothing: it is made. */
let fault: (name: string) => Answer | undefined;
let sent: string[];
/** Nothing can be read. */
let blind: boolean;

beforeEach(async () => {
  state = makeFolder();
  [expenses, sent, blind] = [[], [], false];
  fault = () => undefined;
  recorder = await startRecorder(({ line, body }) => {
    if (line.startsWith('GET')) return blind ? { cut: true } : { body: onePage(expenses) };
    const { expense_name: name, amount } = body as { expense_name: string; amount: number };
    sent.push(name);
    const answer = fault(name);
    if (answer !== undefined) return answer;
    expenses.push({ id: `e${expenses.length}`, expense_name: name, amount });
    return { body: envelope(expenses.at(-1)) };
  });
});
afterEach(() => recorder.close());

const run = (args: readonly string[], stdin?: string) =>
  runInProcess(args, {
    env: serviceEnv(recorder, { TTCTL_STATE_DIR: state, TTCTL_TIMEOUT: '50' }),
    machine: { clock: quickClock },
    ...(stdin === undefined ? {} : { stdin }),
  });

const create = (names: readonly string[]) => {
  const rows = names.map((name, n) => `${name},2026-11-${String(1 + (n % 28)).padStart(2, '0')},12,4\n`);
  const csv = `name,date,amount,category\n${rows.join('')}`;
  return run(['expenses', 'create', '--from-file', '-', '--yes', '--json'], csv);
};

const same = (names: readonly string[]) => {
  const csv = `name,date,amount,category\n${names.map((name) => `${name},2026-11-02,12,4\n`).join('')}`;
  return run(['expenses', 'create', '--from-file', '-', '--yes', '--json'], csv);
};

const reads = () => recorder.lines().filter((line) => line.startsWith('GET /expenses?'));
const statuses = ({ stdout }: { readonly stdout: string }): string[] =>
  (JSON.parse(stdout) as { status: string }[]).map(({ status }) => status);

it('what was there before is read once for all rows, over all their days', async () => {
  expect((await create(Array.from({ length: 60 }, (_, n) => `Item ${n}`))).exit).toBe(0);
  expect(sent).toHaveLength(60);
  expect(reads()).toHaveLength(1);
  expect(reads()[0]).toContain('date_from=2026-11-01&date_to=2026-11-28');
});

it('a twin that was there before is not taken for the new one', async () => {
  expenses.push({ id: 'old', expense_name: 'Item 1', amount: 12 });
  fault = (name) => (name === 'Item 1' ? { cut: true } : undefined);
  const ended = await create(['Item 0', 'Item 1', 'Item 2']);
  expect(statuses(ended)).toEqual(['done', 'unknown', 'done']);
});

it('equal rows go one after another, and each is made', async () => {
  let busy = false;
  const overlaps: boolean[] = [];
  fault = () => {
    overlaps.push(busy);
    busy = true;
    setTimeout(() => {
      busy = false;
    }, 5);
    return undefined;
  };
  expect((await same(['Lunch', 'Lunch', 'Lunch'])).exit).toBe(0);
  expect(expenses).toHaveLength(3);
  expect(overlaps.length).toBe(3);
  // The second and third had each to see what the one before them had made.
  expect(reads().length).toBe(3);
});

it('the answer of one of two equal rows is lost: which of them is there is known all the same', async () => {
  let count = 0;
  fault = () => {
    count += 1;
    return count === 2 ? { cut: true } : undefined;
  };
  const ended = await same(['Lunch', 'Lunch']);
  expect(statuses(ended)).toEqual(['done', 'unknown']);
  expect(expenses).toHaveLength(1);
});

it('those of other days tell nothing of one that was lost', async () => {
  const [lost, made] = [{ cut: true } as const, [1, 3, 5, 7, 9, 11]];
  let day = 0;
  fault = (name) => {
    day += 1;
    if (!made.includes(day)) return lost;
    expenses.push({ id: `d${day}`, expense_name: name, amount: 12, expense_date: `Nov ${day}, 2026` });
    return day < 6 ? lost : { body: envelope(expenses.at(-1)) };
  };
  const ended = await create(Array.from({ length: 12 }, () => 'Lunch'));
  const days = Array.from({ length: 12 }, (_, n) => n + 1);
  expect(statuses(ended)).toEqual(days.map((one) => (made.includes(one) ? 'done' : 'unknown')));
});

it('behind a row of unknown outcome its equals are not sent; they go on once it is known', async () => {
  let lost = true;
  fault = (name) => (lost && name === 'Lunch' ? { silent: true } : undefined);
  const ended = await same(['Lunch', 'Taxi', 'Lunch', 'Lunch']);
  expect(statuses(ended)).toEqual(['unknown', 'done', 'skipped', 'skipped']);
  expect(sent).toEqual(['Lunch', 'Taxi']);
  lost = false;
  const id = (await run(['jobs', 'list', '--output', 'ids'])).stdout.trim();
  const further = await run(['jobs', 'resume', id, '--json']);
  expect(statuses(further)).toEqual(['done', 'done', 'done']);
  expect(expenses.map((row) => row.expense_name).sort()).toEqual(['Lunch', 'Lunch', 'Lunch', 'Taxi']);
});

describe('on going on with a job', () => {
  const resume = async () => {
    const id = (await run(['jobs', 'list', '--output', 'ids'])).stdout.trim();
    return run(['jobs', 'resume', id, '--json']);
  };

  it('the equal of a row of which still nobody knows is not sent', async () => {
    fault = (name) => (name === 'Lunch' ? { silent: true } : undefined);
    expect(statuses(await same(['Lunch', 'Lunch', 'Taxi']))).toEqual(['unknown', 'skipped', 'done']);
    fault = () => undefined;
    [blind, sent] = [true, []];
    const further = await resume();
    expect([further.exit, statuses(further)]).toEqual([8, ['unknown', 'skipped']]);
    expect(sent).toEqual([]);
  });

  it('the equal of a row that was made all the same is sent', async () => {
    fault = (name) => {
      expenses.push({ id: 'late', expense_name: name, amount: 12 });
      // Nobody can read that it is there until the run has ended.
      blind = true;
      return { cut: true };
    };
    expect(statuses(await same(['Lunch', 'Lunch']))).toEqual(['unknown', 'skipped']);
    [blind, sent] = [false, []];
    fault = () => undefined;
    const further = await resume();
    expect([further.exit, statuses(further)]).toEqual([0, ['done', 'done']]);
    expect(sent).toEqual(['Lunch']);
  });
});
