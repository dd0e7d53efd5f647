import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countJobRows,
  deriveJobState,
  type JobHeader,
  type JobRow,
  type JobStep,
  replayJournal,
} from '../../src/changes/job/record.ts';
import { formatLine, openJournal, parseJournal } from '../../src/storage/journal.ts';
import { makeFolder } from '../support/folder.ts';

/** A job's journal: any prefix of it, torn at any byte, gives a state that can be gone on from. */

const head = (rows: number): JobHeader => ({
  type: 'job',
  version: 1,
  id: '20261121-0900-kfm',
  started_at: '2026-11-21T09:00:00.000Z',
  command: 'timesheets approve --all',
  verb: ['approve', 'approved'],
  noun: ['timesheet', 'timesheets'],
  profile: 'default',
  origin: 'https://h.example',
  workspace_id: 7,
  flags: [],
  input: null,
  rows,
});

const row = (n: number, words: string): JobRow => ({
  type: 'row',
  n,
  target: words,
  key: `k${n}`,
  operation: 'timesheets.approve',
  values: { timesheetId: words },
  columns: { id: words },
});

/** What a row can go through, as a run writes it. */
const COURSES: readonly (readonly JobStep['state'][])[] = [
  [],
  ['sending'],
  ['sending', 'done'],
  ['sending', 'failed'],
  ['sending', 'unknown'],
  ['sending', 'planned'],
  ['sending', 'planned', 'sending', 'done'],
  ['sending', 'unknown', 'planned', 'sending'],
  ['skipped'],
];

interface Written {
  readonly lines: readonly object[];
  readonly steps: readonly JobStep[];
  readonly first: number;
}

/** A journal whose rows' steps are interleaved as chance will have it. */
const journals: fc.Arbitrary<Written> = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom(...COURSES), fc.string({ unit: 'binary' })), {
      minLength: 1,
      maxLength: 6,
    }),
    fc.infiniteStream(fc.nat()),
  )
  .map(([rows, chance]) => {
    const left = rows.map(([course], n) => ({ n, states: [...course] }));
    const steps: JobStep[] = [];
    for (let open = left; open.length > 0; open = left.filter(({ states }) => states.length > 0)) {
      const pick = open[chance.next().value % open.length];
      const state = pick?.states.shift();
      if (pick !== undefined && state !== undefined)
        steps.push({
          type: 'step',
          n: pick.n,
          state,
          at: steps.length,
          ...(state === 'sending' ? { before: ['1'] } : {}),
        });
    }
    const plan = [head(rows.length), ...rows.map(([, words], n) => row(n, words))];
    return { lines: [...plan, ...steps], steps, first: plan.length };
  });

const textOf = (lines: readonly object[]): string => lines.map(formatLine).join('');

/** The states after so many steps, told by the steps themselves. */
const statesAfter = (rows: number, steps: readonly JobStep[]): string[] =>
  Array.from({ length: rows }, (_, n) => steps.filter((step) => step.n === n).at(-1)?.state ?? 'planned');

describe('any prefix, torn at any byte,', () => {
  it('gives the state of its whole lines, and what was about to go out is never forgotten', () => {
    fc.assert(
      fc.property(journals, fc.nat(), ({ lines, steps, first }, at) => {
        const bytes = Buffer.from(textOf(lines));
        const cut = at % (bytes.length + 1);
        const prefix = bytes.subarray(0, cut).toString('utf8');
        const whole = prefix.split('\n').length - 1;
        const job = replayJournal(parseJournal(prefix));
        if (whole === 0) return void expect(job).toBeUndefined();
        expect(job?.damaged).toBe(whole < first);
        if (whole < first || job === undefined) return;
        const expected = statesAfter(job?.rows.length ?? 0, steps.slice(0, whole - first));
        expect(job?.rows.map(({ state }) => state)).toEqual(expected);
        for (const { state, sent } of job?.rows ?? [])
          if (state === 'sending') expect(sent?.before).toEqual(['1']);
      }),
      { numRuns: 400 },
    );
  });

  it('can be written on, and says then what it would have said', () => {
    const folder = makeFolder();
    const path = join(folder, 'j.jsonl');
    return fc.assert(
      fc.asyncProperty(journals, fc.nat(), async ({ lines, first }, at) => {
        const bytes = Buffer.from(textOf(lines));
        const least = Buffer.byteLength(textOf(lines.slice(0, first)));
        writeFileSync(path, bytes.subarray(0, least + (at % (bytes.length - least + 1))));
        const before = parseJournal(readFileSync(path, 'utf8')).lines;
        const journal = openJournal(path);
        const more = { type: 'step', n: 0, state: 'done', at: 99 };
        await Promise.all([journal.add(more), journal.note({ ...more, at: 100 })]);
        await journal.close();
        expect(parseJournal(readFileSync(path, 'utf8'))).toMatchObject({
          lines: [...before, more, { ...more, at: 100 }],
          damaged: false,
        });
      }),
      { numRuns: 60 },
    );
  });
});

describe('a job that was killed', () => {
  const killed = (...states: readonly JobStep['state'][]) => {
    const rows = states.map((_, n) => row(n, `t${n}`));
    const steps = states.map((state, n): JobStep => ({ type: 'step', n, state, at: n }));
    const job = replayJournal(parseJournal(textOf([head(rows.length), ...rows, ...steps])));
    if (job === undefined) throw new Error('no job');
    const ended = countJobRows(job);
    const running = countJobRows(job, true);
    return { ended, state: deriveJobState(ended, false), running, now: deriveJobState(running, true) };
  };

  it('has rows of unknown outcome where some were on their way; while it runs they are only not done yet', () => {
    expect(killed('done', 'sending', 'done')).toEqual({
      ended: { done: 2, failed: 0, skipped: 0, moved: 0, unknown: 1, left: 0, repeatable: 0 },
      state: 'unknown',
      running: { done: 2, failed: 0, skipped: 0, moved: 0, unknown: 0, left: 1, repeatable: 0 },
      now: 'running',
    });
  });

  it('counts every row once', () => {
    const { ended, running } = killed(
      ...(['done', 'sending', 'failed', 'unknown', 'planned', 'skipped', 'sending'] as const),
    );
    const settled = { done: 1, failed: 1, skipped: 1, moved: 0, repeatable: 0 };
    expect(ended).toEqual({ ...settled, unknown: 3, left: 1 });
    expect(running).toEqual({ ...settled, unknown: 1, left: 3 });
  });

  it('has failed where a record had changed, and not where one was gone', () => {
    const skipped = (error?: object) => {
      const rows = [{ state: 'skipped' as const, ...(error && { error: { ...error } }) }];
      return deriveJobState(countJobRows({ rows }), false);
    };
    expect([skipped({ code: 'moved' }), skipped()]).toEqual(['failed', 'done']);
  });
});

describe('damage in the middle', () => {
  it('makes every row that seems not to have been sent one that is looked up first', () => {
    fc.assert(
      fc.property(journals, fc.nat(), fc.integer({ min: 1, max: 255 }), ({ lines, first }, at, flip) => {
        const bytes = Buffer.from(textOf(lines));
        const from = Buffer.byteLength(textOf(lines.slice(0, first)));
        const to = Buffer.byteLength(textOf(lines.slice(0, -1)));
        fc.pre(to > from);
        const place = from + (at % (to - from));
        bytes[place] = (bytes[place] ?? 0) ^ flip;
        const job = replayJournal(parseJournal(bytes.toString('utf8')));
        expect(job?.rows.filter(({ state }) => state === 'planned')).toEqual([]);
        expect(job?.damaged).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
