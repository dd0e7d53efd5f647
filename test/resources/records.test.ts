import { expect, it } from 'vitest';
import { defineRecord, type RecordFacts } from '../../src/api/fields.ts';
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
  const numbered = allOperations().flatMap(({ id, path }) => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const noun = (name: string) => (name === 'userId' ? member.noun : id.split('.')[0]);
    return names.filter(
      (name) => RESOURCES.find((one) => one.noun === noun(name))?.fields.id?.type === 'integer',
    );
  });
  expect([...new Set(numbered)].sort()).toEqual([...WHOLE_IDS].sort());
});

it('a transition to a state that the resource does not have does not compile', () => {
  const known = { noun: 'lamps', words: ['lamp', 'lamps'], fields: {}, states: ['off', 'on'] } as const;
  const light = { verb: ['light', 'lit'], from: 'off', asks: false } as const;
  expect(defineRecord({ ...known, transitions: { light: { ...light, to: 'on' } } })).toMatchObject(known);
  // @ts-expect-error: no state of a lamp
  defineRecord({ ...known, transitions: { light: { ...light, to: 'bright' } } });
});

it('a transition leads from one state of its resource to another', () => {
  for (const { noun, states = [], transitions = {} } of RESOURCES) {
    for (const [verb, { from, to, verb: words, back }] of Object.entries(transitions)) {
      expect([noun, words[0], states.includes(from), states.includes(to)]).toEqual([noun, verb, true, true]);
      if (back !== undefined) expect(transitions[back]).toMatchObject({ from: to, to: from, back: verb });
    }
  }
});
