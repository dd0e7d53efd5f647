import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findCloseFindings } from '../../src/decide/close.ts';
import { createCloseView } from '../../src/decide/close-calendar.ts';
import { commandLine } from '../../src/parsing/shell-word.ts';

/**
 * What keeps a period from being closed, written a second time: day by day, from what the help of `ttctl close check`
 * says, and slowly; beside the check itself, over random records.
 */

const dayOf = (time: string | number): string => new Date(time).toISOString().slice(0, 10);
const DAYS = Array.from({ length: 60 }, (_, n) => dayOf(Date.UTC(2026, 8, 21 + n)));
const isWorkday = (day: string): boolean => ![0, 6].includes(new Date(day).getUTCDay());

const day = fc.constantFrom(...DAYS.slice(0, 25));
const moment = day.map((one) => `${one}T09:00:00Z`);
const span = fc
  .tuple(day, fc.nat(16))
  .map(([from, more]) => ({ from, to: DAYS[DAYS.indexOf(from) + more] ?? '' }));
const member = fc.record({
  status: fc.constantFrom('active', 'active', 'active', 'inactive', 'left'),
  weekly_hours_limit: fc.constantFrom(0, 20, 40, 168),
  ...{ hired_at: fc.option(moment), created_at: moment, deleted_at: fc.option(moment, { freq: 4 }) },
});
const user_id = fc.integer({ min: 1, max: 3 });
const contract = fc.record({ user_id, status: fc.constantFrom('active', 'paused') });
const timesheet = fc.record({
  ...{
    id: fc.uuid(),
    user_id: fc.oneof(user_id, fc.constant(4)),
    span,
    total_hours: fc.integer({ min: 0, max: 90 }),
  },
  status: fc.constantFrom('open', 'submitted', 'rejected', 'approved'),
});
const leave = fc.record({
  ...{ id: fc.uuid(), user_id, span },
  status: fc.constantFrom('pending', 'approved', 'rejected'),
});
const timeRequest = fc.record({
  ...{ id: fc.uuid(), user_id, start: moment, hours: fc.integer({ min: 1, max: 40 }) },
  status: fc.constantFrom('pending', 'approved'),
});
const world = fc
  .record({
    ...{ period: span, today: fc.constantFrom(...DAYS.slice(0, 45)) },
    members: fc.tuple(member, member, member),
    contracts: fc.array(contract, { size: 'max', maxLength: 5 }),
    timesheets: fc.array(timesheet, { size: 'max', maxLength: 12 }),
    leaves: fc.array(leave, { size: 'max', maxLength: 6 }),
    timeRequests: fc.array(timeRequest, { size: 'max', maxLength: 3 }),
  })
  .map(({ members, contracts, timesheets, leaves, timeRequests, ...when }) => ({
    ...when,
    members: members.map((one, n) => ({ ...one, id: n + 1, firstname: 'P', lastname: `${n}` })),
    contracts: contracts.map((one, n) => ({ ...one, id: n })),
    timesheets: timesheets.map(({ span: { from, to }, ...one }) => ({
      ...one,
      date_from: from,
      date_to: to,
    })),
    leaves: leaves.map(({ span: { from, to }, ...one }) => ({ ...one, start_date: from, end_date: to })),
    timeRequests: timeRequests.map(({ hours, ...one }) => {
      const end = new Date(Date.parse(one.start) + hours * 3_600_000).toISOString();
      return { ...one, end };
    }),
  }));
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;
type Sheet = World['timesheets'][number];

const inPeriod = ({ period }: World, from: string, to: string): readonly string[] =>
  DAYS.filter((one) => one >= from && one <= to && one >= period.from && one <= period.to);

const isAway = ({ leaves }: World, who: number, on: string): boolean =>
  leaves.some(
    (one) => one.user_id === who && one.status === 'approved' && on >= one.start_date && on <= one.end_date,
  );

/** Past workdays on which a member with a contract was employed. */
const listExpected = (all: World, who: number): readonly string[] => {
  const one = all.members.find(({ id }) => id === who);
  const hasContract = all.contracts.some(({ user_id, status }) => user_id === who && status === 'active');
  if (one === undefined || !hasContract || (one.status !== 'active' && one.deleted_at === null)) return [];
  const [first, last] = [one.hired_at ?? one.created_at, one.deleted_at ?? '2099-01-01'].map(dayOf);
  return inPeriod(all, first ?? '', last ?? '').filter((on) => isWorkday(on) && on < all.today);
};

type Tell = (code: string, who: number, days: readonly string[]) => void;

/** Holds the findings with such words against those of a law. */
const check = (words: RegExp, law: (all: World, tell: Tell, tellOpen: Tell) => void): void => {
  const property = fc.property(world, (all) => {
    const { period, today, ...lists } = all;
    const records = { ...lists, expenses: [], balances: [], policies: [] };
    const scope = { period, today, timeZone: 'UTC', members: undefined };
    const found = findCloseFindings(createCloseView(records, scope, commandLine))
      .filter(({ message }) => words.test(message))
      .map((one) => `${one.code} ${one.member.id} ${one.from}..${one.to}`);
    const expected: string[] = [];
    const tell: Tell = (code, who, days) => {
      if (days.length > 0) expected.push(`${code} ${who} ${days[0]}..${days.at(-1)}`);
    };
    law(all, tell, (code, who, days) => {
      const isArchived = Boolean(all.members.find(({ id }) => id === who)?.deleted_at);
      tell(isArchived ? 'archived_with_open_items' : code, who, days);
    });
    expect(found.sort()).toEqual(expected.sort());
  });
  fc.assert(property, { numRuns: 400 });
};

it('expected days in no timesheet and on no leave are a finding, one for those one after the other', () => {
  check(/^No timesheet/, (all, tell) => {
    for (const { id } of all.members) {
      let gap: string[] = [];
      for (const on of listExpected(all, id)) {
        const isIn = (one: World['timesheets'][number]) =>
          one.user_id === id && on >= one.date_from && on <= one.date_to;
        if (!all.timesheets.some(isIn) && !isAway(all, id, on)) gap.push(on);
        else {
          tell('no_timesheet', id, gap);
          gap = [];
        }
      }
      tell('no_timesheet', id, gap);
    }
  });
});

interface Item {
  readonly id: string;
  readonly user_id: number;
  readonly status: string;
  readonly days: readonly string[];
  readonly times?: readonly number[];
}

/** Of two for the same time the one that waits, else the later one. */
const clashes = ({ period }: World, items: readonly Item[], one: Item): boolean => {
  const rank = ({ status, days, times = [], id }: Item) =>
    [status === 'approved' ? 0 : 1, days[0], times[0], id].join(' ');
  const [start = 0, end = 1] = one.times ?? [];
  return items.some(({ times: [from = 0, to = 1] = [], ...other }) => {
    const shared = other.days.filter((on) => one.days.includes(on) && on >= period.from && on <= period.to);
    const isCounted = [one, other].every(({ status }) =>
      ['approved', 'submitted', 'pending'].includes(status),
    );
    const isSame = other.user_id === one.user_id && shared.length > 0 && start < to && from < end;
    return isCounted && isSame && rank({ ...other, times: one.times && [from, to] } as Item) < rank(one);
  });
};

const between = (from: string, to: string) => DAYS.filter((on) => on >= from && on <= to);

const findOpen = (all: World, { user_id: who, status, total_hours: hours, ...sheet }: Sheet) => {
  const inside = inPeriod(all, sheet.date_from, sheet.date_to);
  const work = inside.filter(isWorkday);
  if (status === 'submitted') return 'waiting';
  if (work.length > 0 && work.every((on) => isAway(all, who, on))) return undefined;
  const expected = listExpected(all, who).filter((on) => work.includes(on) && !isAway(all, who, on));
  const isDue = inside.every((on) => on < all.today) && (expected.length > 0 || hours > 0);
  return { open: isDue ? 'not_submitted' : undefined, rejected: 'rejected', approved: undefined }[status];
};

const findWrongHours = (all: World, { user_id: who, status, total_hours: hours, ...sheet }: Sheet) => {
  if (!['submitted', 'approved'].includes(status)) return undefined;
  const days = between(sheet.date_from, sheet.date_to);
  const work = days.filter(isWorkday);
  const { weekly_hours_limit: limit = 0 } = all.members.find(({ id }) => id === who) ?? {};
  const weeks = Math.max(days.length / 7, work.length / 5);
  const most = limit > 0 && limit < 168 ? limit * weeks : Number.POSITIVE_INFINITY;
  const free = work.filter((on) => !isAway(all, who, on));
  const possible = free.length === 0 ? 0 : (most * free.length) / work.length;
  if (free.length < work.length && hours > possible + 0.005) return 'sheet_on_leave';
  return hours > most + 0.005 ? 'over_limit' : undefined;
};

it('O11: a timesheet has one finding: double, on leave, over the limit, or still open', () => {
  check(/^Timesheet /, (all, tell, tellOpen) => {
    const items = all.timesheets.map((one) => ({ ...one, days: between(one.date_from, one.date_to) }));
    for (const item of items) {
      const open = findOpen(all, item);
      const code = clashes(all, items, item) ? 'overlap' : (findWrongHours(all, item) ?? open);
      const told = inPeriod(all, item.date_from, item.date_to);
      if (code !== undefined) (open === undefined ? tell : tellOpen)(code, item.user_id, told);
    }
  });
});

it('all other findings are leaves and time requests that are pending, or there twice', () => {
  check(/^(?!No timesheet|Timesheet )/, (all, tell, tellOpen) => {
    const leaves = all.leaves.map((one) => ({ ...one, days: between(one.start_date, one.end_date) }));
    const requests = all.timeRequests.map((one) => {
      const times = [one.start, one.end].map((time) => Date.parse(time));
      const [start = 0, end = 0] = times;
      // An end at midnight is of the day before.
      return { ...one, times, days: between(dayOf(start), dayOf(Math.max(start, end - 1))) };
    });
    for (const [code, items] of [
      ['leave_pending', leaves],
      ['time_request_pending', requests],
    ] as const)
      for (const item of items) {
        const told = inPeriod(all, item.days[0] ?? '', item.days.at(-1) ?? '');
        const isDouble = clashes(all, items, item);
        if (item.status === 'pending') tellOpen(isDouble ? 'overlap' : code, item.user_id, told);
        else if (isDouble) tell('overlap', item.user_id, told);
      }
  });
});
