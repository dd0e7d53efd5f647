import { describe, expect, it } from 'vitest';
import { allOperations } from '../../src/api/operations.ts';
import { WHOLE_IDS } from '../../src/api/plan.ts';
import { defineResource } from '../../src/resources/define.ts';
import { findReconciler } from '../../src/resources/registry.ts';
import { RESOURCES } from '../../src/resources/resources.ts';
import { timeTracking } from '../../src/resources/time-tracking.ts';
import { timesheets } from '../../src/resources/timesheets.ts';

/** What resources and their records say, held against the operation table. */

it('a write without a proof does not compile (npm run types)', () => {
  const { record, label } = timesheets;
  const { approve, reject, submit, unsubmit, list } = timesheets.verbs;
  // @ts-expect-error: one of its writes has no verb
  const lacking = defineResource('timesheets', { record, label, verbs: { approve, reject, submit, list } });
  expect(Object.keys(lacking.verbs)).toHaveLength(4);
  expect(unsubmit).toBeDefined();
  // @ts-expect-error: an ordinary command proves nothing
  defineResource('timeTracking', { record: timeTracking.record, label: [], verbs: { stop: list } });
});

it.each(allOperations.map((operation) => [operation.route, operation] as const))(
  '%s has a proof if it writes',
  async (_route, operation) => {
    const found = await findReconciler(operation);
    expect(found !== undefined).toBe(operation.method !== 'GET');
  },
);

describe('records', async () => {
  const records = await Promise.all(Object.values(RESOURCES).map(async (load) => (await load()).record));
  const recordOf = (noun = '') => records.find((one) => one.noun === noun);

  it('have a whole number as id where a path takes one', () => {
    const numbered = allOperations.flatMap(({ id, path }) => {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
      const nounOf = (name: string) => (name === 'userId' ? 'members' : id.split('.')[0]);
      return names.filter((name) => recordOf(nounOf(name))?.fields.id?.type === 'integer');
    });
    expect([...new Set(numbered)].sort()).toEqual([...WHOLE_IDS].sort());
  });

  it('have the states of a move, and what takes it back leads from its end to its begin', () => {
    for (const { id, moves, undo } of allOperations) {
      if (moves?.from === undefined) continue;
      expect(recordOf(id.split('.')[0])?.states, id).toEqual(expect.arrayContaining([moves.from, moves.to]));
      if (undo?.kind !== 'opposite') continue;
      const back = allOperations.find((one) => one.id === undo.by);
      expect([id, back?.moves?.from, back?.moves?.to]).toEqual([id, moves.to, moves.from]);
    }
  });
});
