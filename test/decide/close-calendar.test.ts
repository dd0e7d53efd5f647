import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CloseLists, createCloseView, findCloseFindings } from '../../src/decide/close.ts';
import { commandLine } from '../../src/parsing/shell-word.ts';
import { makeFolder } from '../support/folder.ts';
import { runInProcess, words } from '../support/in-process.ts';
import { bruteForce, fatesOf, type Question, type Records } from './brute-force.ts';

/** The calendar of a period beside one that was written apart, over the seeds of the sandbox and over random ones. */

const folder = makeFolder();

type Row = Readonly<Record<string, unknown>>;

/** On a Tuesday of a month that has just begun. */
const NOW = '2026-11-03T10:00:00Z';

const openSeed = async (seed: string) => {
  const run = (line: string) =>
    runInProcess(words(line), {
      env: {
        TTCTL_STATE_DIR: join(folder, seed.replace(/\W/g, '-')),
        TTCTL_CONFIG_DIR: join(folder, 'config'),
        TTCTL_PROFILE: 'sandbox',
        TTCTL_RATE_LIMIT: 'off',
      },
      machine: { clock: { now: () => Date.parse(NOW), random: Math.random, sleep: async () => {} } },
    });
  const rows = async (line: string): Promise<readonly Row[]> =>
    JSON.parse((await run(`${line} --timezone UTC --json`)).stdout);
  const plain = async (line: string): Promise<readonly Row[]> =>
    JSON.parse((await run(`${line} --json`)).stdout);
  expect((await run(`sandbox reset --seed ${seed} --yes`)).exit).toBe(0);
  const records: Records = {
    members: await plain('members list'),
    contracts: await plain('contracts list'),
    timesheets: await plain('timesheets list'),
    leaves: await plain('leaves list'),
    timeRequests: await plain('time-requests list'),
    expenses: await plain('expenses list'),
    balances: await plain('leaves balances --date-from 2026-01-01 --date-to 2026-12-31'),
    policies: await plain('leaves policies'),
  };
  return { rows, records };
};

const PERIODS: readonly (readonly [period: string, first: string, last: string])[] = [
  ['2026-10', '2026-10-01', '2026-10-31'],
  ['2026-11', '2026-11-01', '2026-11-30'],
  ['2026-W43', '2026-10-19', '2026-10-25'],
  ['2026-10-29', '2026-10-29', '2026-10-29'],
  ['2026-Q3', '2026-07-01', '2026-09-30'],
];

const summarize = (rows: readonly Row[]): string[] =>
  rows.map(({ code, member, from, to }) => `${code} ${(member as Row)['id']} ${from}..${to}`).sort();

describe('the check of a seed', () => {
  const codes = new Set<string>();

  it.each(['month-end', 'agency', 'messy', 'demo'])(
    '%s is that of a calendar written apart',
    async (seed) => {
      const { rows, records } = await openSeed(seed);
      for (const [period, first, last] of PERIODS) {
        const found = summarize(await rows(`close check --period ${period}`));
        expect([period, found]).toEqual([
          period,
          bruteForce(records, { first, last, today: NOW.slice(0, 10) }),
        ]);
        for (const line of found) codes.add(line.split(' ')[0] ?? '');
      }
    },
  );

  it('has found most of what there is to find', () => {
    expect(codes.size).toBeGreaterThan(7);
  });
});

const DAYS = { first: '2026-09-21', count: 50 };
const dayAt = (n: number): string =>
  new Date(Date.parse(`${DAYS.first}T00:00:00Z`) + n * 86_400_000).toISOString().slice(0, 10);

const span = fc
  .tuple(fc.nat(DAYS.count), fc.nat(16))
  .map(([from, length]) => ({ from: dayAt(from), to: dayAt(from + length) }));
const person = fc.integer({ min: 1, max: 3 });
const limit = fc.constantFrom(0, 20, 40, 168);
const moment = fc.nat(DAYS.count).map((n) => `${dayAt(n)}T09:00:00Z`);

const world: fc.Arbitrary<Records> = fc.record({
  members: fc
    .tuple(
      ...[1, 2, 3].map((id) =>
        fc.record({
          id: fc.constant(id),
          firstname: fc.constant('P'),
          lastname: fc.constantFrom('One', 'Two', 'Three'),
          email: fc.constant(`p${id}@example.com`),
          status: fc.constantFrom('active', 'active', 'active', 'inactive', 'left'),
          weekly_hours_limit: limit,
          hired_at: fc.option(moment),
          created_at: moment,
          deleted_at: fc.option(moment, { freq: 4 }),
        }),
      ),
    )
    .map((all) => all),
  contracts: fc.array(
    fc.record({ id: fc.nat(99), user_id: person, status: fc.constantFrom('active', 'paused') }),
    { maxLength: 5 },
  ),
  timesheets: fc.array(
    fc
      .record({
        id: fc.uuid(),
        user_id: fc.integer({ min: 1, max: 4 }),
        status: fc.constantFrom('open', 'submitted', 'rejected', 'approved'),
        total_hours: fc.constantFrom(0, 8, 30, 40, 90),
        span,
      })
      .map(({ span: days, ...row }) => ({ ...row, date_from: days.from, date_to: days.to })),
    { maxLength: 12 },
  ),
  leaves: fc.array(
    fc
      .record({
        id: fc.uuid(),
        user_id: person,
        status: fc.constantFrom('pending', 'approved', 'rejected'),
        span,
      })
      .map(({ span: days, ...row }) => ({ ...row, start_date: days.from, end_date: days.to })),
    { maxLength: 6 },
  ),
  timeRequests: fc.array(
    fc
      .record({
        id: fc.uuid(),
        user_id: person,
        status: fc.constantFrom('pending', 'approved'),
        start: moment,
        hours: fc.integer({ min: 1, max: 40 }),
      })
      .map(({ hours, ...row }) => ({
        ...row,
        end: new Date(Date.parse(row.start) + hours * 3_600_000).toISOString(),
      })),
    { maxLength: 3 },
  ),
  expenses: fc.constant([]),
  balances: fc.constant([]),
  policies: fc.constant([]),
});

const question: fc.Arbitrary<Question> = fc
  .tuple(span, fc.nat(DAYS.count + 10))
  .map(([{ from, to }, today]) => ({ first: from, last: to, today: dayAt(today) }));

const toScope = ({ first, last, today }: Question) => ({
  period: { from: first, to: last },
  today,
  timeZone: 'UTC',
  members: undefined,
});

describe('the law', () => {
  it('every expected person and day is covered, on leave or missing, exactly one of them', () => {
    const states = { sheet: 'covered', leave: 'on_leave', nothing: 'missing' } as const;
    fc.assert(
      fc.property(world, question, (records, asked) => {
        const { calendar } = createCloseView(records as CloseLists, toScope(asked), commandLine);
        const found = [...calendar].map(([id, days]) => [Number(id), [...days]]);
        const expected = records.members.map((member) => [
          member.id,
          [...fatesOf(member, records, asked)].map(([day, fate]) => [day, states[fate]]),
        ]);
        expect(found).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('the findings of random records are those of a calendar written apart', () => {
    fc.assert(
      fc.property(world, question, (all, asked) => {
        // The service sends those of the period.
        const leaves = all.leaves.filter(
          (one) => one.start_date <= asked.last && one.end_date >= asked.first,
        );
        const records = { ...all, leaves };
        const view = createCloseView(records as unknown as CloseLists, toScope(asked), commandLine);
        const found = summarize(findCloseFindings(view) as unknown as readonly Row[]);
        expect(found).toEqual(bruteForce(records, asked));
      }),
      { numRuns: 500 },
    );
  });
});
