import { expect, it } from 'vitest';
import { createRunFailure, createRunSummary } from '../../src/changes/run-summary.ts';
import type { Context } from '../../src/context.ts';
import { Cancelled, EXIT } from '../../src/outcome.ts';

it('an interruption after which nothing is left to do has no hint', () => {
  const interrupted = AbortSignal.abort(new Cancelled('interrupted', EXIT.interrupted));
  const words = { verb: ['approve', 'approved'], noun: ['timesheet', 'timesheets'] } as const;
  const summary = { ...createRunSummary(0), done: ['a1', 'a2'] };
  const end = createRunFailure(
    { interrupted } as Context,
    { summary, count: 2, words, job: { whole: '' } } as never,
  );
  expect(end).toMatchObject({ exit: 130, message: expect.stringContaining('2 approved') });
  expect(end?.hint).toBeUndefined();
});
