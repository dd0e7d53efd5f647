import { expect, it } from 'vitest';
import type { RecordFacts } from '../../src/api/fields.ts';
import { allOperations } from '../../src/api/operations.ts';
import { WHOLE_IDS } from '../../src/api/plan.ts';
import {
  contract,
  expense,
  expenseCategory,
  leave,
  leavePolicy,
  member,
  project,
  task,
  timeRequest,
  timesheet,
  viewer,
  webhook,
  workspace,
} from '../../src/api/records.ts';

/** What the records of resources say, held against the operation table. */

/** Of those with one noun the one that its commands are about comes first. */
const RESOURCES: readonly RecordFacts[] = [
  contract,
  expense,
  expenseCategory,
  leave,
  leavePolicy,
  member,
  project,
  task,
  timeRequest,
  timesheet,
  viewer,
  webhook,
  workspace,
];

it('an id in a path is a whole number where the record has one', () => {
  const numbered = allOperations.flatMap(({ id, path }) => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const noun = (name: string) => (name === 'userId' ? member.noun : id.split('.')[0]);
    return names.filter(
      (name) => RESOURCES.find((one) => one.noun === noun(name))?.fields.id?.type === 'integer',
    );
  });
  expect([...new Set(numbered)].sort()).toEqual([...WHOLE_IDS].sort());
});

it('a move is between states that its record has', () => {
  for (const { id, moves } of allOperations) {
    if (moves?.from === undefined) continue;
    const { states } = RESOURCES.find(({ noun }) => noun === id.split('.')[0]) ?? {};
    expect(states, id).toEqual(expect.arrayContaining([moves.from, moves.to]));
  }
});

it('what takes a move back leads from its end to its begin', () => {
  const all = allOperations;
  for (const { id, moves, undo } of all) {
    if (moves?.from === undefined || undo?.kind !== 'opposite') continue;
    const back = all.find((one) => one.id === undo.by);
    expect([id, back?.moves?.from, back?.moves?.to]).toEqual([id, moves.to, moves.from]);
  }
});
