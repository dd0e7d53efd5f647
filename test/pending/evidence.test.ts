import { describe, expect, it } from 'vitest';
import type { Row } from '../../src/api/page.ts';
import { describeEvidence } from '../../src/pending/evidence.ts';
import type { EvidenceSources } from '../../src/pending/evidence-hours.ts';
import { type InboxItem, type InboxKind, toInboxItem } from '../../src/pending/item.ts';

const NAMES: Readonly<Record<string, string>> = { 18: 'Bo Ek', 19: 'Eva Novak' };

const around = (item: InboxItem, { context, ...more }: Partial<EvidenceSources> = {}): readonly string[] =>
  describeEvidence(item, {
    context: {
      today: '2026-11-20',
      waiting: [item],
      approved: [],
      weeklyLimit: undefined,
      member: undefined,
      policy: undefined,
      balance: undefined,
      ...context,
    },
    contracts: { rows: [] },
    balanceProblem: undefined,
    timesheets: { rows: [] },
    timeRequests: { rows: [] },
    away: { items: [] },
    waitingLeaves: [],
    formatMember: (id) => NAMES[String(id)] ?? '?',
    ...more,
  }).flatMap(({ label, lines, bars = [] }) => [
    ...bars.map((bar) => [label, bar.label, bar.text, bar.note].join(' | ')),
    ...lines.map((line) => `${label} | ${line}`),
  ]);

const context = (more: Partial<EvidenceSources['context']>) => more as EvidenceSources['context'];

const sheet = (from: string, to: string, hours: number, more: Row = {}): Row => ({
  id: from,
  user_id: 17,
  date_from: from,
  date_to: to,
  total_hours: hours,
  status: 'approved',
  ...more,
});
const SHEET = sheet('2026-11-09', '2026-11-15', 41.5, { id: 's', status: 'submitted' });
const own = (row: Row = SHEET, kind: InboxKind = 'timesheet') => toInboxItem(kind, row);
const time = (start: string, more: Row = {}) => ({
  id: 'r',
  user_id: 17,
  start: `${start}T09:00:00Z`,
  end: `${start}T11:00:00Z`,
  ...more,
});
const leave = (user: number, from: string, to: string, more: Row = {}) =>
  toInboxItem('leave', {
    id: `l${user}`,
    user_id: user,
    start_date: from,
    end_date: to,
    total: { days: 5, hours: 40 },
    ...more,
  });

describe('around a timesheet', () => {
  it('the limit, the contracts, the weeks before with the difference, the same days, the last decision', () => {
    const shown = around(own(), {
      context: context({
        weeklyLimit: 40,
        approved: [leave(17, '2026-11-13', '2026-11-13')],
        waiting: [own(), toInboxItem('time-request', time('2026-11-10'))],
      }),
      contracts: {
        rows: [
          { project_name: 'Harbour', weekly_hours_limit: 30, status: 'active' },
          { project_id: 5, status: 'paused' },
        ],
      },
      timesheets: {
        rows: [
          SHEET,
          sheet('2026-11-16', '2026-11-22', 10, { status: 'open' }),
          sheet('2026-11-02', '2026-11-08', 28.5, {
            status: 'rejected',
            reject_reason: 'Thursday is missing',
          }),
          sheet('2026-10-26', '2026-11-01', 38),
          sheet('2026-10-19', '2026-10-25', 40),
        ],
      },
      timeRequests: {
        rows: [
          time('2026-11-12', { status: 'approved' }),
          time('2026-11-03', { status: 'approved' }),
          time('2026-11-11', { status: 'rejected' }),
        ],
      },
    });
    expect(shown).toEqual([
      'weekly limit | 40:00',
      'contracts | Harbour (30:00)',
      'contracts | 5, paused',
      'last 6 weeks | Sep 28–Oct 4 | - | ',
      'last 6 weeks | Oct 5–11 | - | ',
      'last 6 weeks | Oct 12–18 | - | ',
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

  it('a rejected sheet that another replaced is not counted, and one that was sent back says so', () => {
    const shown = around(own(), {
      timesheets: {
        rows: [
          { ...SHEET, reject_reason: 'Twice' },
          sheet('2026-11-02', '2026-11-08', 90, { id: 'old', status: 'rejected' }),
          sheet('2026-11-02', '2026-11-08', 40, { status: 'submitted' }),
        ],
      },
    });
    expect(shown).toContain('last 6 weeks | Nov 2–8 | 40:00 | submitted');
    expect(shown).toContain('last 6 weeks | 1:30 above the average of 40:00');
    expect(shown).toContain('last decision | this one was rejected before: "Twice"');
  });

  it('of another length: the periods before, whatever they are', () => {
    const month = sheet('2026-10-01', '2026-10-31', 150, { status: 'submitted' });
    const shown = around(own(month), {
      timesheets: { rows: [month, sheet('2026-09-01', '2026-09-30', 160)] },
    });
    expect(shown).toContain('last 6 weeks | Sep 1–30 | 160:00 | ');
    expect(shown).toContain('last 6 weeks | 10:00 below the average of 160:00');
  });

  it('with nothing known', () => {
    expect(around(own()).filter((line) => !line.endsWith(' | - | '))).toEqual([
      'weekly limit | none',
      'contracts | none',
      'last 6 weeks | Nov 9–15 | 41:30 | this one',
      'last 6 weeks | no earlier timesheet',
      'on these days | no leave, no time request',
      'last decision | none in these weeks',
    ]);
  });

  it('says why what may not be read is missing', () => {
    const refused = { rows: [], problem: 'Not for you.' };
    expect(around(own(), { contracts: refused, timesheets: refused, timeRequests: refused })).toEqual([
      'weekly limit | none',
      'contracts | contracts could not be read: Not for you',
      'last 6 weeks | timesheets could not be read: Not for you',
      'on these days | time requests could not be read: Not for you',
    ]);
  });
});

describe('around a leave', () => {
  const item = leave(17, '2026-12-07', '2026-12-11');

  it('the balance before and after, who else is away, the terms of the policy', () => {
    const shown = around(item, {
      context: context({
        balance: { amount: 4, unit: 'days' },
        policy: {
          name: 'Annual leave',
          is_paid: true,
          time_unit: 'days',
          duration: 28,
          hours_per_day: 8,
          allow_negative_balance: false,
          reason_required: true,
        },
      }),
      away: {
        items: [
          leave(18, '2026-12-10', '2026-12-20'),
          leave(17, '2026-12-07', '2026-12-07'),
          leave(19, '2026-12-12', '2026-12-13'),
        ],
      },
      waitingLeaves: [item, leave(19, '2026-12-01', '2026-12-07')],
    });
    expect(shown).toEqual([
      'balance | 4 days now, -1 days after',
      'also away | Bo Ek Dec 10–20',
      'also away | Eva Novak Dec 1–7 (requested)',
      'policy terms | paid, allowance 28 days, 8 hours a day, may not go negative, needs a reason',
    ]);
  });

  it('names some of many who are away', () => {
    const items = Array.from({ length: 9 }, (_, n) => leave(20 + n, '2026-12-07', '2026-12-07'));
    const shown = around(item, { away: { items } }).filter((line) => line.startsWith('also'));
    expect(shown).toHaveLength(6);
    expect(shown.at(-1)).toBe('also away | and 4 more');
  });

  it('says why what may not be read is missing', () => {
    const away = { items: [], problem: 'Not for you.' };
    expect(around(item, { away, balanceProblem: 'too many to read' })).toEqual([
      'balance | balances could not be read: too many to read',
      'also away | leaves could not be read: Not for you',
      'policy terms | not known',
    ]);
  });
});

describe('around a time request', () => {
  it('the sheet that it falls into', () => {
    const timesheets = { rows: [{ ...SHEET, status: 'open' }, sheet('2026-11-02', '2026-11-08', 40)] };
    const shown = around(own(time('2026-11-12'), 'time-request'), { timesheets });
    expect(shown[0]).toBe('timesheet | Nov 9–15, open, 41:30, 43:30 with this');
    expect(around(own(time('2026-11-18'), 'time-request'), { timesheets })[0]).toBe(
      'timesheet | none for that day',
    );
  });
});
