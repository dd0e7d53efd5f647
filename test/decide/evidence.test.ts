import { expect, it } from 'vitest';
import type { Api } from '../../src/api/client.ts';
import { Lists } from '../../src/api/lists.ts';
import { createEvidenceLoader } from '../../src/decide/evidence.ts';
import { INBOX_KINDS, type InboxItem, type InboxKind, toInboxItem } from '../../src/decide/item.ts';
import type { PendingItem } from '../../src/decide/load.ts';
import { EXIT, type ExitCode, Failure } from '../../src/errors.ts';
import * as records from '../support/records.ts';
import type { Lists as Records, Row } from '../support/use-cli.ts';

/** Reads the evidence of items before a service that counts. @param fails whether the nth list is refused */
const open = (
  items: readonly PendingItem[],
  rows: Records = {},
  fails = (_n: number) => false,
  exit: ExitCode = EXIT.tryLater,
  complete = INBOX_KINDS as readonly InboxKind[],
) => {
  const asked: string[] = [];
  const list = (noun: string) => (filter: Row) => ({
    ...{ operation: { id: noun }, values: filter },
    async *pages() {
      asked.push([noun, ...Object.values(filter)].join(' '));
      if (fails(asked.length)) throw new Failure('Not for you.', { code: 'failed', exit });
      yield { rows: rows[noun] ?? [], total: rows[noun]?.length ?? 0 };
    },
  });
  const [timesheets, timeRequests, leaves] = ['timesheets', 'time-requests', 'leaves'].map(list);
  const api = {
    timesheets: { list: timesheets },
    timeRequests: { list: timeRequests },
    leaves: { list: leaves },
  };
  const member = { load: async () => {}, of: (id: unknown) => (id === 19 ? 'Eva Novak' : 'Bo Ek') };
  const run = { api, lists: new Lists(api as unknown as Api, () => 0), names: { member } };
  return {
    asked,
    load: createEvidenceLoader(run as unknown as Parameters<typeof createEvidenceLoader>[0], items, {
      items: items.map(({ item }) => item),
      complete,
    }),
  };
};

const toPending = (item: InboxItem, around: Partial<PendingItem['around']> = {}): PendingItem => ({
  ...{ item, warnings: [], seconds: 0 },
  around: {
    ...{ today: '2026-11-20', waiting: [item], approved: [], weeklyLimit: undefined, member: undefined },
    ...{ policy: undefined, balance: undefined, contracts: { rows: [] }, ...around },
  },
});

/** What is told of an item: `label | line`. */
const around = async (
  item: InboxItem,
  context: Partial<PendingItem['around']> = {},
  rows: Records | 'refused' = {},
  others: readonly InboxItem[] = [],
): Promise<readonly string[]> => {
  const pending = toPending(item, context);
  const isRefused = rows === 'refused';
  const all = [pending, ...others.map((one) => toPending(one))];
  const { load } = open(all, isRefused ? {} : rows, () => isRefused);
  return (await load(pending)).flatMap(({ label, lines, bars = [] }) => [
    ...bars.map((bar) => [label, bar.label, bar.text, bar.note].join(' | ')),
    ...lines.map((line) => `${label} | ${line}`),
  ]);
};

const sheet = (date_from: string, date_to: string, hours: number, more: Row = {}): Row =>
  records.timesheet(date_from, 17, hours, { date_from, date_to, status: 'approved', ...more });
const SHEET = sheet('2026-11-09', '2026-11-15', 41.5, { id: 's', status: 'submitted' });
const own = (row: Row = SHEET, kind: InboxKind = 'timesheet') => toInboxItem(kind, row);
const time = (day: string, more: Row = {}): Row =>
  records.timeRequest('r', 17, { start: `${day}T09:00:00Z`, end: `${day}T11:00:00Z`, ...more });
const leaveRow = (user: number, start_date: string, end_date: string, more: Row = {}): Row =>
  records.leave(`l${user}`, user, 5, { start_date, end_date, status: 'approved', ...more });
const leave = (...args: Parameters<typeof leaveRow>) => toInboxItem('leave', leaveRow(...args));

it('around a timesheet: the limit, the contracts, the weeks before with the difference, the same days, the last decision', async () => {
  const harbour = { project_name: 'Harbour', weekly_hours_limit: 30, status: 'active' };
  const context = {
    weeklyLimit: 40,
    approved: [leave(17, '2026-11-13', '2026-11-13')],
    waiting: [own(), toInboxItem('time-request', time('2026-11-10'))],
    contracts: { rows: [harbour, { project_id: 5, status: 'paused' }] },
  };
  const shown = await around(own(), context, {
    timesheets: [
      SHEET,
      sheet('2026-11-16', '2026-11-22', 10, { status: 'open' }),
      sheet('2026-11-02', '2026-11-08', 28.5, { status: 'rejected', reject_reason: 'Thursday is missing' }),
      sheet('2026-10-26', '2026-11-01', 38),
      sheet('2026-10-19', '2026-10-25', 40),
    ],
    'time-requests': [
      time('2026-11-12', { status: 'approved' }),
      time('2026-11-03', { status: 'approved' }),
      time('2026-11-11', { status: 'rejected' }),
    ],
  });
  expect(shown).toEqual([
    'weekly limit | 40:00',
    'contracts | Harbour (30:00)',
    'contracts | 5, paused',
    'last 6 weeks | Oct 19–25 | 40:00 | ',
    'last 6 weeks | Oct 26–Nov 1 | 38:00 | ',
    'last 6 weeks | Nov 2–8 | 28:30 | rejected',
    'last 6 weeks | Nov 9–15 | 41:30 | this one',
    'last 6 weeks | 2:30 above the average of 39:00',
    'on these days | leave Nov 13 (approved)',
    'on these days | time request Nov 12, 2:00 (approved)',
    'on these days | time request Nov 10, 2:00 (waiting)',
    'last decision | Nov 2–8 rejected: "Thursday is missing"',
  ]);
});

it('around a timesheet: a rejected sheet is not counted', async () => {
  const rejected = sheet('2026-11-02', '2026-11-08', 90, { id: 'old', status: 'rejected' });
  const submitted = sheet('2026-11-02', '2026-11-08', 40, { status: 'submitted' });
  const shown = await around(own(), {}, { timesheets: [SHEET, rejected, submitted] });
  expect(shown).toContain('last 6 weeks | Nov 2–8 | 40:00 | submitted');
  expect(shown).toContain('last 6 weeks | 1:30 above the average of 40:00');
});

it('around a timesheet of another length: the periods before, whatever they are', async () => {
  const month = sheet('2026-10-01', '2026-10-31', 150, { status: 'submitted' });
  const earlier = sheet('2026-09-01', '2026-09-30', 160);
  const shown = await around(own(month), {}, { timesheets: [month, earlier] });
  expect(shown).toContain('last 6 weeks | Sep 1–30 | 160:00 | ');
  expect(shown).toContain('last 6 weeks | 10:00 below the average of 160:00');
});

it('around a timesheet: nothing known, and why what may not be read is missing', async () => {
  expect(await around(own())).toEqual([
    'weekly limit | none',
    'contracts | none',
    'last 6 weeks | Nov 9–15 | 41:30 | this one',
    'last 6 weeks | no earlier timesheet',
    'on these days | no leave, no time request',
    'last decision | none in these weeks',
  ]);
  expect(await around(own(), { contracts: { rows: [], problem: 'Not for you.' } }, 'refused')).toEqual([
    'weekly limit | none',
    'contracts | contracts could not be read: Not for you',
    'last 6 weeks | timesheets could not be read: Not for you',
    'on these days | time requests could not be read: Not for you',
    'last decision | not known',
  ]);
});

const item = leave(17, '2026-12-07', '2026-12-11');
const policy = {
  ...{ name: 'Annual leave', is_paid: true, time_unit: 'days', duration: 28, hours_per_day: 8 },
  ...{ allow_negative_balance: false, reason_required: true },
};

it('around a leave: the balance before and after, who else is away, the terms of the policy', async () => {
  const leaves = [
    leaveRow(18, '2026-12-10', '2026-12-20'),
    leaveRow(17, '2026-12-07', '2026-12-07'),
    leaveRow(19, '2026-12-12', '2026-12-13'),
    leaveRow(19, '2026-12-08', '2026-12-08', { status: 'rejected' }),
  ];
  const waiting = [leave(19, '2026-12-01', '2026-12-07', { status: 'pending' })];
  const shown = await around(item, { balance: { amount: 4, unit: 'days' }, policy }, { leaves }, waiting);
  expect(shown).toEqual([
    'balance | 4 days now, -1 days after',
    'also away | Bo Ek Dec 10–20',
    'also away | Eva Novak Dec 1–7 (requested)',
    'policy terms | paid, allowance 28 days, 8 hours a day, may not go negative, needs a reason',
  ]);
});

it('O23: the evidence does not depend on the filter that an item was found with', async () => {
  const rows = {
    'time-requests': [time('2026-11-10')],
    leaves: [leaveRow(19, '2026-12-01', '2026-12-07', { status: 'pending' })],
  };
  const tell = async (one: InboxItem) => {
    const pending = toPending(one);
    return JSON.stringify(await open([pending], rows, undefined, undefined, []).load(pending));
  };
  expect(await tell(own())).toContain('time request Nov 10, 2:00 (waiting)');
  expect(await tell(item)).toContain('Eva Novak Dec 1–7 (requested)');
});

it('around a leave: some of many who are away, and says why what may not be read is missing', async () => {
  const away = Array.from({ length: 9 }, (_, n) => leaveRow(20 + n, '2026-12-07', '2026-12-07'));
  const shown = (await around(item, {}, { leaves: away })).filter((line) => line.startsWith('also'));
  expect([shown.length, shown.at(-1)]).toEqual([6, 'also away | and 4 more']);
  expect(await around(item, { balance: null }, 'refused')).toEqual([
    'balance | not known',
    'also away | leaves could not be read: Not for you',
    'policy terms | not known',
  ]);
});

it('around a time request: the sheet that it falls into', async () => {
  const timesheets = [{ ...SHEET, status: 'open' }, sheet('2026-11-02', '2026-11-08', 40)];
  const first = async (day: string) => (await around(own(time(day), 'time-request'), {}, { timesheets }))[0];
  expect(await first('2026-11-12')).toBe('timesheet | Nov 9–15, open, 41:30, 43:30 with this');
  expect(await first('2026-11-18')).toBe('timesheet | none for that day');
});

const sheets = (from: string, to: string, count = 3) =>
  Array.from({ length: count }, (_, n) =>
    toPending(own(sheet(from, to, 38, { id: `${from}${n}`, user_id: n }))),
  );
it('the evidence of many timesheets of one month takes two lists, whoever they are of; of a time request one of them', async () => {
  const request = toPending(own(time('2026-11-12', { user_id: 1 }), 'time-request'));
  const [late, early] = [sheets('2026-11-09', '2026-11-15', 40), sheets('2026-11-02', '2026-11-08', 40)];
  const items = [...late, ...early, request];
  const { asked, load } = open(items);
  for (const item of items) await load(item);
  const first = 'timesheets 2026-09-01 2026-11-30';
  expect(asked).toEqual([first, 'time-requests 2026-11-01 2026-11-30']);
  const alone = open([request]);
  await alone.load(request);
  expect(alone.asked).toEqual([first]);
});

it('the evidence of what lies months apart is read only when it is looked at', async () => {
  const items = [...sheets('2026-01-05', '2026-01-11'), ...sheets('2026-11-09', '2026-11-15')];
  const { asked, load } = open(items);
  await Promise.all(items.slice(0, 3).map((item) => load(item)));
  expect(asked).toHaveLength(2);
  for (const item of items) await load(item);
  expect(asked).toHaveLength(4);
});

it('the evidence of leaves takes one list, that of the warnings', async () => {
  const [early, late] = [leave(1, '2026-12-07', '2026-12-11'), leave(2, '2026-12-23', '2026-12-30')];
  const items = [toPending(early), toPending(late)];
  const { asked, load } = open(items, { leaves: [leaveRow(9, '2026-12-08', '2026-12-08')] });
  const shown = (await Promise.all(items.map((item) => load(item)))).map((parts) => JSON.stringify(parts));
  expect(asked).toEqual(['leaves approved 2026-12-07 2026-12-30']);
  expect(shown).toEqual([expect.stringContaining('Bo Ek Dec 8'), expect.stringContaining('nobody')]);
});

it('the evidence says why it is missing, and the next item asks again, but not for what may not be read', async () => {
  const items = sheets('2026-11-09', '2026-11-15');
  const { asked, load } = open(items, {}, (n) => n <= 2);
  const [first, second, third] = items.map((item) => async () => JSON.stringify(await load(item)));
  const both = await Promise.all([first?.(), second?.()]);
  expect(both[0]).toContain('timesheets could not be read: Not for you');
  expect(asked).toHaveLength(2);
  expect(await third?.()).not.toContain('Not for you');
  expect(asked).toHaveLength(4);
  const refused = open(items, {}, () => true, EXIT.forbidden);
  for (const item of items) expect(JSON.stringify(await refused.load(item))).toContain('Not for you');
  expect(refused.asked).toHaveLength(2);
});
