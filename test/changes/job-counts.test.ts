import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  countJobRows,
  countJobSteps,
  type JobStep,
  type RowState,
  replayJournal,
} from '../../src/changes/job/record.ts';

/** Jobs are listed by their steps alone: the counts are those of a whole replay. */

const STATES: readonly RowState[] = [
  'planned',
  'sending',
  'done',
  'unchanged',
  'failed',
  'unknown',
  'skipped',
];

const journals = fc.integer({ min: 1, max: 8 }).chain((rows) =>
  fc.record({
    rows: fc.constant(rows),
    steps: fc.array(
      fc.record({
        n: fc.nat(rows - 1),
        state: fc.constantFrom(...STATES),
        error: fc.option(fc.constant({ code: 'moved' }), { nil: undefined }),
      }),
    ),
    damaged: fc.boolean(),
    running: fc.boolean(),
  }),
);

it('counts what a replay counts, at work or not, damaged or not', () => {
  fc.assert(
    fc.property(journals, ({ rows, steps, damaged, running }) => {
      const head = { type: 'job', version: 1, rows };
      const rowLines = Array.from({ length: rows }, (_, n) => ({ type: 'row', n, target: `${n}` }));
      const stepLines = steps.map(
        ({ error, ...step }, at): JobStep => ({ type: 'step', at, ...step, ...(error && { error }) }),
      );
      const whole = replayJournal({ lines: [head, ...rowLines, ...stepLines], damaged });
      expect(countJobSteps({ lines: [head, ...stepLines], damaged }, running)?.counts).toEqual(
        whole && countJobRows(whole, running),
      );
    }),
  );
});

it('is of no job where the head is missing', () => {
  expect(
    countJobSteps({ lines: [{ type: 'step', n: 0, state: 'done', at: 0 }], damaged: false }, false),
  ).toBe(undefined);
});
