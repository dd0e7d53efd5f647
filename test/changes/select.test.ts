import { expect, it } from 'vitest';
import type { Row } from '../../src/api/page.ts';
import type { WriteMany } from '../../src/changes/change.ts';
import { selectTargets } from '../../src/changes/select.ts';
import { createDesk, done, listOf, work } from './desk.ts';

/** The value of a write is whole before anything is sent. */

const columns = [{ field: 'who' }, { field: 'id' }];
const record = (id: string): Row => ({ id, who: 'Ana', status: 'submitted' });

const selected = async (more: Partial<WriteMany>, targets: readonly string[], all = false) => {
  const service = createDesk({ watched: true });
  const values = { reason: 'Too late' };
  const selection = await selectTargets(
    service.context,
    work(service, targets, async () => done, { values, ...more }),
    all,
  );
  expect(service.sent).toEqual([]);
  return selection.changes.map(({ n, target, label, before, after, call }) => ({
    ...{ n, target, label, before, after },
    operation: call.operation.id,
  }));
};

it('of targets that were named: as written, with what was read of them and what they are set to', async () => {
  const shown = { columns, row: async (id: string) => (id === '2' ? undefined : record(id)) };
  const resolve = async (target: string) => (target === 'a@b' ? '1' : target);
  const after = { reason: 'Too late' };
  const operation = 'things.approve';
  expect(await selected({ shown, resolve }, ['a@b', '2'])).toEqual([
    { n: 0, target: 'a@b', label: 'Ana', before: record('1'), after, operation },
    { n: 1, target: '2', label: undefined, before: undefined, after, operation },
  ]);
});

it('of all that a list finds: with the records that the list shows', async () => {
  const all = {
    columns,
    ready: ({ status }: Row) => status === 'submitted',
    list: () =>
      listOf(async function* () {
        yield { rows: [record('1'), { ...record('2'), status: 'open' }, record('3')], total: 3 };
      }),
  };
  expect(await selected({ all }, [], true)).toMatchObject([
    { n: 0, target: '1', label: 'Ana', before: record('1') },
    { n: 1, target: '3', label: 'Ana', before: record('3') },
  ]);
});
