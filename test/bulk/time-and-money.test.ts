import { describe, expect, it } from 'vitest';
import { runInProcess } from '../support/in-process.ts';
import { type Answer, envelope, onePage, serviceEnv, startRecorder } from '../support/recorder.ts';
import { words } from '../support/words.ts';

/**
 * Writes on leaves, time requests, expenses, webhooks and the tracker whose answer is lost: what the service shows
 * afterwards decides, and nothing is sent twice.
 */

type Become = 'done' | 'failed' | 'unknown';

/** Path → what a read of it answers. */
type Shown = Readonly<Record<string, Answer>>;

interface Case {
  readonly command: string;
  /** Default: the same as after the write. */
  readonly before?: Shown;
  readonly after: Shown;
  readonly become: Become;
}

const list = (...rows: object[]): Answer => ({ body: onePage(rows) });
const one = (record: object | null): Answer => ({ body: envelope(record) });
const gone: Answer = { status: 404, body: { success: false, message: 'Not found.', meta: {} } };

const leaf = (status: string): Shown => ({
  '/leaves': list({ id: 'other', status: 'x' }, { id: 'l1', status }),
});
const asked = (status: string): Shown => ({ '/time-requests/t1': one({ id: 't1', status }) });

const request =
  'time-requests create --member 17 --contract 21 --start 2026-11-20T09:00+01:00 --end 2026-11-20T12:00+01:00';
const time = { id: 'a', contract_id: 21, start: '2026-11-20T08:00:00.000Z', end: '2026-11-20T11:00:00Z' };
const requests = (...rows: object[]): Shown => ({ '/time-requests': list(...rows) });

const expense = 'expenses create --name Train --date 2026-11-20 --amount 48.6 --category 4';
const train = { id: 'e1', expense_name: 'Train', amount: '48.60', expense_date: 'Nov 20, 2026' };
const expenses = (...rows: object[]): Shown => ({ '/expenses': list(...rows) });

const update = 'expenses update e1 --name Train --date 2026-11-20 --amount 48.6 --category 4';
const names: Shown = {
  '/expenses/categories': list({ id: 4, name: 'Travel' }),
  '/projects/9': one({ id: 9, name: 'Harbour' }),
};
const booked = { ...train, category: 'Travel', project: 'Harbour', type: 'billable', note: null };
const shown = (row: object): Shown => ({ ...names, ...expenses(row) });

const webhook = 'webhooks create --url https://h.example --event a,b';
const hook = { id: 'w1', url: 'https://h.example', events: ['b', 'a'] };
const hooks = (...rows: object[]): Shown => ({ '/webhooks': list(...rows) });
const hookUpdate = 'webhooks update w1 --url https://h.example --event a,b';

const CASES: readonly Case[] = [
  { command: 'leaves approve l1 --yes', after: leaf('approved'), become: 'done' },
  { command: 'leaves approve l1 --yes', after: leaf('pending'), become: 'failed' },
  { command: 'leaves approve l1 --yes', after: leaf('rejected'), become: 'failed' },
  // The document does not name the states that follow.
  { command: 'leaves approve l1 --yes', after: leaf('granted'), become: 'unknown' },
  { command: 'leaves approve l1 --yes', after: { '/leaves': list() }, become: 'unknown' },
  { command: 'leaves reject l1 --reason no --yes', after: leaf('rejected'), become: 'done' },
  { command: 'leaves reject l1 --reason no --yes', after: leaf('approved'), become: 'failed' },

  { command: 'time-requests approve t1 --yes', after: asked('approved'), become: 'done' },
  { command: 'time-requests approve t1 --yes', after: asked('pending'), become: 'failed' },
  { command: 'time-requests approve t1 --yes', after: { '/time-requests/t1': gone }, become: 'unknown' },
  { command: 'time-requests reject t1 --comment no --yes', after: asked('rejected'), become: 'done' },
  { command: request, before: requests(), after: requests(time), become: 'done' },
  { command: request, before: requests(time), after: requests(time), become: 'failed' },
  { command: request, before: requests(time), after: requests(time, { ...time, id: 'b' }), become: 'done' },
  { command: request, before: requests(), after: requests({ ...time, contract_id: 22 }), become: 'failed' },
  {
    command: request,
    before: requests(),
    after: requests({ ...time, end: '2026-11-20T11:01:00Z' }),
    become: 'failed',
  },
  { command: request, before: { '/time-requests': gone }, after: requests(time), become: 'unknown' },

  { command: expense, before: expenses(), after: expenses(train), become: 'done' },
  { command: expense, before: expenses(train), after: expenses(train), become: 'failed' },
  {
    command: expense,
    before: expenses(train),
    after: expenses(train, { ...train, id: 'e2' }),
    become: 'done',
  },
  { command: expense, before: expenses(), after: expenses({ ...train, amount: 48 }), become: 'failed' },
  { command: update, after: shown(booked), become: 'done' },
  { command: update, after: shown({ ...booked, expense_date: '2026-11-20' }), become: 'done' },
  { command: update, after: shown({ ...booked, expense_date: 'Nov 21, 2026' }), become: 'failed' },
  { command: update, after: shown({ ...booked, amount: 48.5 }), become: 'failed' },
  { command: update, after: shown({ ...booked, category: 'Meals' }), become: 'failed' },
  { command: update, after: shown({ ...booked, category: undefined }), become: 'unknown' },
  { command: update, after: { ...expenses(booked), '/expenses/categories': list() }, become: 'unknown' },
  {
    command: `${update} --project 9 --billable --note x`,
    after: shown({ ...booked, note: 'x' }),
    become: 'done',
  },
  { command: `${update} --project 9`, after: shown({ ...booked, project: null }), become: 'failed' },
  { command: `${update} --no-billable`, after: shown(booked), become: 'failed' },
  { command: update, after: expenses(), become: 'unknown' },
  { command: 'expenses delete e1 --yes', after: expenses(), become: 'done' },
  { command: 'expenses delete e1 --yes', after: expenses({ ...train, id: 'e2' }), become: 'done' },
  { command: 'expenses delete e1 --yes', after: expenses(train), become: 'failed' },

  { command: webhook, before: hooks(), after: hooks(hook), become: 'done' },
  { command: webhook, before: hooks(hook), after: hooks(hook), become: 'failed' },
  { command: webhook, before: hooks(), after: hooks({ ...hook, events: ['a'] }), become: 'failed' },
  { command: hookUpdate, after: { '/webhooks/w1': one(hook) }, become: 'done' },
  { command: hookUpdate, after: { '/webhooks/w1': one({ ...hook, url: 'https://old' }) }, become: 'failed' },
  { command: hookUpdate, after: { '/webhooks/w1': gone }, become: 'unknown' },
  { command: 'webhooks delete w1 --yes', after: { '/webhooks/w1': gone }, become: 'done' },
  { command: 'webhooks delete w1 --yes', after: { '/webhooks/w1': one(hook) }, become: 'failed' },

  { command: 'time-tracking stop', after: {}, become: 'unknown' },
];

/** What the run says of its one write. */
const saidBy = (stdout: string, exit: number): string => {
  const answer: unknown = stdout === '' ? undefined : JSON.parse(stdout);
  const result = (Array.isArray(answer) ? answer[0] : answer) as
    | { status?: string; operation?: string }
    | undefined;
  // A new record is the answer itself, and may have a status of its own.
  return (result?.operation && result.status) ?? (exit === 0 ? 'done' : 'failed');
};

const pathOf = (line: string): string => line.replace(/^GET ([^?]*).*$/, '$1');

describe('a write whose answer is lost', () => {
  it.each(CASES)('$command → $become', async ({ command, before, after, become }) => {
    let written = 0;
    const recorder = await startRecorder(({ line }) => {
      if (line.startsWith('GET')) return ((written === 0 && before) || after)[pathOf(line)] ?? gone;
      written += 1;
      return { cut: true };
    });
    const args = [...words(command), '--json', '--max-wait', '0'];
    const { stdout, exit } = await runInProcess(args, { env: serviceEnv(recorder) });
    await recorder.close();
    expect(saidBy(stdout, exit)).toBe(become);
    expect(exit).toBe(become === 'done' ? 0 : 7);
    expect(written).toBe(1);
  });
});
