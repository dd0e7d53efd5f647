import { describe, expect, it } from 'vitest';
import { allOperations, type WriteId } from '../../src/api/operations.ts';
import { findReconciler } from '../../src/resources/reconcile/of-operation.ts';
import type { Reconciler, Reconcilers } from '../../src/resources/reconcile/reconciler.ts';
import { timesheetReconcilers } from '../../src/resources/timesheet/reconcilers.ts';

/** Every write says how the service's records show what became of it. The compiler holds it: `npm run types`. */

const reconciler: Reconciler = { after: async () => 'unknown' };

describe('a write without a reconciler', () => {
  it('does not compile', () => {
    const { 'timesheets.unsubmit': _left, ...others } = timesheetReconcilers;
    // @ts-expect-error: a write of the resource has none
    const lacking: Reconcilers<'timesheets'> = others;
    // @ts-expect-error: a whole resource has none
    const none: Reconcilers<'time-tracking'> = {};
    expect([Object.keys(lacking), none]).toEqual([
      ['timesheets.approve', 'timesheets.reject', 'timesheets.submit'],
      {},
    ]);
  });

  it('does not compile in the table of all either', () => {
    // @ts-expect-error: the writes of the other resources have none
    const lacking: { readonly [Id in WriteId]: Reconciler } = timesheetReconcilers;
    expect(lacking).toBe(timesheetReconcilers);
  });
});

it('a read has no reconciler, and needs none', () => {
  const more: Reconcilers<'time-tracking'> = {
    'time-tracking.stop': reconciler,
    // @ts-expect-error: it is a read
    'workspaces.list': reconciler,
  };
  expect(Object.keys(more)).toHaveLength(2);
});

it.each(allOperations().map((operation) => [operation.route, operation] as const))(
  '%s has one if it writes',
  async (_route, operation) => {
    const found = await findReconciler(operation);
    expect(found !== undefined).toBe(operation.method !== 'GET');
  },
);
