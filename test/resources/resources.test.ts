import { expect, it } from 'vitest';
import { allOperations } from '../../src/api/operations.ts';
import { WHOLE_IDS } from '../../src/api/plan.ts';
import { commandLine } from '../../src/parsing/shell-word.ts';
import { formatCreation } from '../../src/resources/registry.ts';
import { RESOURCES } from '../../src/resources/resources.ts';

/** What records say, held against the operation table. */

const records = await Promise.all(Object.values(RESOURCES).map(async (load) => (await load()).record));
const recordOf = (noun = '') => records.find((one) => one.noun === noun);

it('records have a whole number as id where a path takes one', () => {
  const numbered = allOperations.flatMap(({ id, path }) => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const nounOf = (name: string) => (name === 'userId' ? 'members' : id.split('.')[0]);
    return names.filter((name) => recordOf(nounOf(name))?.fields.id?.type === 'integer');
  });
  expect([...new Set(numbered)].sort()).toEqual([...WHOLE_IDS].sort());
});

it('records have the states of a move, and what takes it back leads from its end to its begin', () => {
  for (const { id, moves, undo } of allOperations) {
    if (moves?.from === undefined) continue;
    expect(recordOf(id.split('.')[0])?.states, id).toEqual(expect.arrayContaining([moves.from, moves.to]));
    if (undo?.kind !== 'opposite') continue;
    const back = allOperations.find((one) => one.id === undo.by);
    expect([id, back?.moves?.from, back?.moves?.to]).toEqual([id, moves.to, moves.from]);
  }
});

it('the line that makes a deleted record again leaves a place for what it does not have', async () => {
  const gone = { expense_name: 'Parking', expense_date: 'Nov 24, 2026', amount: '7.50', type: 'billable' };
  expect(await formatCreation(commandLine, 'expenses', gone)).toBe(
    'ttctl expenses create --name Parking --date 2026-11-24 --amount 7.50 --category <category> --billable',
  );
});
