import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CloseLists, createCloseView, findCloseFindings } from '../../src/decide/close.ts';
import { commandLine } from '../../src/parsing/shell-word.ts';
import { openCli, type Row } from '../support/use-cli.ts';

/**
 * What keeps a period from being closed, written a second time: day by day, from what the help of `ttctl close check`
 * says, and slowly; beside the check itself, over the seeds of the sandbox and over random records.
 */

// biome-ignore lint/suspicious/noExplicitAny: records as they came
type Rec = any;
type ListName =
  | 'members'
  | 'contracts'
  | 'timesheets'
  | 'leaves'
  | 'timeRequests'
  | 'expenses'
  | 'balances'
  | 'policies';
type Records = Readonly<Record<ListName, readonly Rec[]>>;

interface Question {
  readonly first: string;
  readonly last: string;
  /** Day it is, in UTC as all else here. */
  readonly today: string;
}

const DAY = 86_400_000;
const dayOf = (time: unknown): string => new Date(Date.parse(String(time))).toISOString().slice(0, 10);
const everyDay = (first: string, last: string): string[] => {
  const days: string[] = [];
  for (let ms = Date.parse(`${first}T12:00Z`); dayOf(new Date(ms)) <= last; ms += DAY)
    days.push(dayOf(new Date(ms)));
  return days;
};
const weekday = (day: string): boolean => ![0, 6].includes(new Date(`${day}T12:00Z`).getUTCDay());
const isAway = ({ leaves }: Records, who: unknown, day: string): boolean =>
  leaves.some(
    (one) => one.user_id === who && one.status === 'approved' && day >= one.start_date && day <= one.end_date,
  );

/** What became of each day on which a member is expected. */
const fatesOf = (member: Rec, records: Records, { first, last, today }: Question) => {
  const fates = new Map<string, 'covered' | 'on_leave' | 'missing'>();
  const contract = records.contracts.find((one) => one.user_id === member.id && one.status === 'active');
  const worked = member.status === 'active' || member.deleted_at !== null;
  if (contract === undefined || !worked) return fates;
  for (const day of everyDay(first, last)) {
    if (!weekday(day) || day >= today) continue;
    if (day < dayOf(member.hired_at ?? member.created_at)) continue;
    if (member.deleted_at !== null && day > dayOf(member.deleted_at)) continue;
    const isIn = (one: Rec) => one.user_id === member.id && day >= one.date_from && day <= one.date_to;
    const isCovered = records.timesheets.some(isIn);
    fates.set(day, isCovered ? 'covered' : isAway(records, member.id, day) ? 'on_leave' : 'missing');
  }
  return fates;
};

/** What was found so far, and what is asked of the records. */
const openSearch = (records: Records, question: Question) => {
  const found: string[] = [];
  const { first, last } = question;
  const tell = (code: string, who: unknown, days: readonly string[]) =>
    void found.push(`${code} ${who} ${days[0]}..${days.at(-1)}`);
  const memberOf = (who: unknown): Rec => records.members.find(({ id }) => id === who);
  const tellOpen = (code: string, who: unknown, days: readonly string[]) =>
    tell(memberOf(who)?.deleted_at ? 'archived_with_open_items' : code, who, days);
  const inside = (from: string, to: string) =>
    everyDay(first, last).filter((day) => day >= from && day <= to);
  return { records, question, found, tell, tellOpen, memberOf, inside };
};
type Search = ReturnType<typeof openSearch>;

const searchMissing = ({ records, question, tell }: Search): void => {
  for (const member of records.members) {
    let gap: string[] = [];
    for (const [day, fate] of [...fatesOf(member, records, question), ['', 'end'] as const]) {
      if (fate === 'missing') gap.push(day);
      else if (gap.length > 0) {
        tell('no_timesheet', member.id, gap);
        gap = [];
      }
    }
  }
};

const stateOf = ({ records, question, memberOf }: Search, sheet: Rec, days: readonly string[]) => {
  const { status, user_id: who, total_hours } = sheet;
  if (status === 'submitted') return 'waiting';
  const work = days.filter(weekday);
  if (work.length > 0 && work.every((day) => isAway(records, who, day))) return undefined;
  if (status === 'rejected') return 'rejected';
  if (status !== 'open' || days.some((day) => day >= question.today)) return undefined;
  const member = memberOf(who);
  const expected = member === undefined ? [] : [...fatesOf(member, records, question).keys()];
  const isDue = work.some((day) => expected.includes(day) && !isAway(records, who, day));
  return isDue || total_hours > 0 ? 'not_submitted' : undefined;
};

const searchSheet = (search: Search, sheet: Rec, days: readonly string[]): void => {
  const { records, tell, tellOpen, memberOf } = search;
  const { user_id: who, total_hours: hours, status } = sheet;
  const state = stateOf(search, sheet, days);
  if (state !== undefined) tellOpen(state, who, days);
  if (status !== 'submitted' && status !== 'approved') return;
  const all = everyDay(sheet.date_from, sheet.date_to);
  const work = all.filter(weekday);
  const limit = memberOf(who)?.weekly_hours_limit;
  const most = limit > 0 && limit < 168 ? limit * Math.max(all.length / 7, work.length / 5) : Infinity;
  if (hours > most + 0.005) tell('over_limit', who, days);
  const free = work.filter((day) => !isAway(records, who, day));
  const possible = free.length === 0 ? 0 : (most * free.length) / work.length;
  if (free.length < work.length && hours > possible + 0.005) tell('sheet_on_leave', who, days);
};

const searchPending = ({ records, inside, tellOpen }: Search): void => {
  for (const { user_id: who, status, start_date: from, end_date: to } of records.leaves) {
    const days = inside(from, to);
    if (status === 'pending' && days.length > 0) tellOpen('leave_pending', who, days);
  }
  for (const { user_id: who, status, start, end } of records.timeRequests) {
    const lastMoment = Math.max(Date.parse(start), Date.parse(end) - 1);
    const days = inside(dayOf(start), dayOf(new Date(lastMoment)));
    if (status === 'pending' && days.length > 0) tellOpen('time_request_pending', who, days);
  }
};

const searchBalances = ({ records, question, tell }: Search): void => {
  for (const { user_id: who, leave_information: entries } of records.balances)
    for (const { leave_type: name, balance } of entries) {
      const mayBe = records.policies.some((one) => one.name === name && one.allow_negative_balance);
      if (balance.startsWith('-') && !mayBe) tell('negative_balance', who, [question.first, question.last]);
    }
};

const searchExpenses = ({ records, question, tell }: Search): void => {
  for (const one of records.expenses) {
    const day = dayOf(`${one.expense_date} 12:00 UTC`);
    if (one.project || day < question.first || day > question.last) continue;
    const isNamed = ({ firstname, lastname }: Rec) => `${firstname} ${lastname}`.trim() === one.member.trim();
    const named = records.members.filter(isNamed);
    tell('expense_without_project', named.length === 1 ? named[0].id : null, [day]);
  }
};

/** `code member first..last`, in alphabetical order. */
const bruteForce = (records: Records, question: Question): string[] => {
  const search = openSearch(records, question);
  searchMissing(search);
  for (const sheet of records.timesheets) {
    const days = search.inside(sheet.date_from, sheet.date_to);
    if (days.length > 0) searchSheet(search, sheet, days);
  }
  searchPending(search);
  searchBalances(search);
  searchExpenses(search);
  return search.found.sort();
};

const summarize = (rows: readonly Row[]): string[] =>
  rows.map(({ code, member, from, to }) => `${code} ${(member as Row)['id']} ${from}..${to}`).sort();

describe('the check of a seed', () => {
  const LISTS: Readonly<Record<ListName, string>> = {
    ...{ members: 'members list', contracts: 'contracts list', timesheets: 'timesheets list' },
    ...{ leaves: 'leaves list', timeRequests: 'time-requests list', expenses: 'expenses list' },
    balances: 'leaves balances --date-from 2026-01-01 --date-to 2026-12-31',
    policies: 'leaves policies',
  };
  const PERIODS = [
    ['2026-10', '2026-10-01', '2026-10-31'],
    ['2026-11', '2026-11-01', '2026-11-30'],
    ['2026-W43', '2026-10-19', '2026-10-25'],
    ['2026-10-29', '2026-10-29', '2026-10-29'],
    ['2026-Q3', '2026-07-01', '2026-09-30'],
  ] as const;
  const codes = new Set<string>();
  // A Tuesday of a month that has just begun.
  const now = Date.parse('2026-11-03T10:00:00Z');
  const clock = { now: () => now, random: Math.random, sleep: async () => {} };

  it.each(['month-end', 'agency', 'messy', 'demo'])(
    '%s is that of a calendar written apart',
    async (sandbox) => {
      const t = await openCli({ sandbox, clock });
      const reads = Object.entries(LISTS).map(async ([name, line]) => [name, await t.json(`${line} --json`)]);
      const records: Records = Object.fromEntries(await Promise.all(reads));
      for (const [period, first, last] of PERIODS) {
        const { stdout } = await t.run(`close check --period ${period} --timezone UTC --json`);
        const found = summarize(JSON.parse(stdout));
        expect([period, found]).toEqual([period, bruteForce(records, { first, last, today: '2026-11-03' })]);
        for (const line of found) codes.add(line.split(' ')[0] ?? '');
      }
    },
  );

  it('has found most of what there is to find', () => {
    expect(codes.size).toBeGreaterThan(7);
  });
});

const COUNT = 50;
const dayAt = (n: number): string => dayOf(new Date(Date.parse('2026-09-21T00:00:00Z') + n * DAY));
const span = fc
  .tuple(fc.nat(COUNT), fc.nat(16))
  .map(([from, length]) => ({ from: dayAt(from), to: dayAt(from + length) }));
const person = fc.integer({ min: 1, max: 3 });
const moment = fc.nat(COUNT).map((n) => `${dayAt(n)}T09:00:00Z`);

const world: fc.Arbitrary<Records> = fc.record({
  members: fc.tuple(
    ...[1, 2, 3].map((id) =>
      fc.record({
        ...{
          id: fc.constant(id),
          firstname: fc.constant('P'),
          lastname: fc.constantFrom('One', 'Two', 'Three'),
        },
        email: fc.constant(`p${id}@example.com`),
        status: fc.constantFrom('active', 'active', 'active', 'inactive', 'left'),
        weekly_hours_limit: fc.constantFrom(0, 20, 40, 168),
        ...{ hired_at: fc.option(moment), created_at: moment, deleted_at: fc.option(moment, { freq: 4 }) },
      }),
    ),
  ),
  contracts: fc.array(
    fc.record({ id: fc.nat(99), user_id: person, status: fc.constantFrom('active', 'paused') }),
    { maxLength: 5 },
  ),
  timesheets: fc.array(
    fc
      .record({
        ...{ id: fc.uuid(), user_id: fc.integer({ min: 1, max: 4 }), span },
        status: fc.constantFrom('open', 'submitted', 'rejected', 'approved'),
        total_hours: fc.constantFrom(0, 8, 30, 40, 90),
      })
      .map(({ span: days, ...row }) => ({ ...row, date_from: days.from, date_to: days.to })),
    { maxLength: 12 },
  ),
  leaves: fc.array(
    fc
      .record({
        ...{ id: fc.uuid(), user_id: person, span },
        status: fc.constantFrom('pending', 'approved', 'rejected'),
      })
      .map(({ span: days, ...row }) => ({ ...row, start_date: days.from, end_date: days.to })),
    { maxLength: 6 },
  ),
  timeRequests: fc.array(
    fc
      .record({
        ...{ id: fc.uuid(), user_id: person, start: moment, hours: fc.integer({ min: 1, max: 40 }) },
        status: fc.constantFrom('pending', 'approved'),
      })
      .map(({ hours, ...row }) => {
        return { ...row, end: new Date(Date.parse(row.start) + hours * 3_600_000).toISOString() };
      }),
    { maxLength: 3 },
  ),
  ...{ expenses: fc.constant([]), balances: fc.constant([]), policies: fc.constant([]) },
});

const question: fc.Arbitrary<Question> = fc
  .tuple(span, fc.nat(COUNT + 10))
  .map(([{ from, to }, today]) => ({ first: from, last: to, today: dayAt(today) }));

describe('the law', () => {
  const open = (records: Records, { first, last, today }: Question) => {
    const scope = { period: { from: first, to: last }, today, timeZone: 'UTC', members: undefined };
    return createCloseView(records as CloseLists, scope, commandLine);
  };

  it('every expected person and day is covered, on leave or missing, exactly one of them', () => {
    const law = fc.property(world, question, (records, asked) => {
      const found = [...open(records, asked).calendar].map(([id, days]) => [Number(id), [...days]]);
      const fates = records.members.map((member) => [member.id, [...fatesOf(member, records, asked)]]);
      expect(found).toEqual(fates);
    });
    fc.assert(law, { numRuns: 500 });
  });

  it('the findings of random records are those of a calendar written apart', () => {
    const law = fc.property(world, question, (all, asked) => {
      // The service sends those of the period.
      const leaves = all.leaves.filter((one) => one.start_date <= asked.last && one.end_date >= asked.first);
      const records = { ...all, leaves };
      const found = summarize(findCloseFindings(open(records, asked)) as unknown as readonly Row[]);
      expect(found).toEqual(bruteForce(records, asked));
    });
    fc.assert(law, { numRuns: 500 });
  });
});
