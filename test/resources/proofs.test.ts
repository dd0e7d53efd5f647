import { describe, expect, it } from 'vitest';
import { allOperations } from '../../src/api/operations.ts';
import { defineResource } from '../../src/resources/define.ts';
import { findReconciler } from '../../src/resources/registry.ts';
import { timeTracking } from '../../src/resources/time-tracking.ts';
import { timesheets } from '../../src/resources/timesheets.ts';

/** Every write says how the service's records show what became of it. The compiler holds it: `npm run types`. */

describe('a write without a proof', () => {
  it('does not compile', () => {
    const { record, label } = timesheets;
    const { approve, reject, submit, unsubmit, list } = timesheets.verbs;
    // @ts-expect-error: one of its writes has no verb
    const lacking = defineResource('timesheets', { record, label, verbs: { approve, reject, submit, list } });
    expect(Object.keys(lacking.verbs)).toHaveLength(4);
    expect(unsubmit).toBeDefined();
    // @ts-expect-error: an ordinary command proves nothing
    defineResource('timeTracking', { record: timeTracking.record, label: [], verbs: { stop: list } });
  });
});

it.each(allOperations.map((operation) => [operation.route, operation] as const))(
  '%s has one if it writes',
  async (_route, operation) => {
    const found = await findReconciler(operation);
    expect(found !== undefined).toBe(operation.method !== 'GET');
  },
);
