import type { ListPage } from '../../api/page.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Column } from '../../context.ts';
import { groupFlags } from '../flags.ts';

const columns: readonly Column[] = [
  { field: 'route' },
  { field: 'documented', kind: 'number' },
  { field: 'found', kind: 'number' },
  { field: 'assumed', kind: 'number' },
  { field: 'assumptions', kind: 'list', drop: 1 },
];

export const sandboxCoverage = defineCommand({
  path: 'sandbox coverage',
  about: 'count documented, found and assumed rules per operation',
  examples: ['ttctl sandbox coverage', 'ttctl sandbox coverage --sort assumed:desc --output csv'],
  prints: { shape: 'list', fields: columns.map(({ field }) => field) },
  flags: [...groupFlags],
  run: async ({ sandbox, output }) => {
    const rows = await (await sandbox()).coverage();
    const pages = async function* (): AsyncGenerator<ListPage> {
      yield { rows, total: rows.length };
    };
    await output.list(pages(), { noun: 'operations', columns, id: 'route' });
    const sumField = (name: string) => rows.reduce((total, row) => total + Number(row[name]), 0);
    output.note(
      `${rows.length} operations: ${sumField('documented')} rules documented, ${sumField('found')} found elsewhere, ${sumField('assumed')} assumed`,
    );
  },
});
