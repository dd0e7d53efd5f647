import type { ListPage } from '../../api/page.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Column } from '../../context.ts';
import { groupFlags } from '../flags.ts';
import { faultFields } from './output-fields.ts';
import { urlFlag } from './target.ts';

export const faultColumns: readonly Column[] = [
  { field: 'id' },
  { field: 'route', title: 'operation' },
  { field: 'fault' },
  { field: 'left', kind: 'number' },
  { field: 'times', title: 'of', kind: 'number' },
];

export const faultList = defineCommand({
  path: 'sandbox fault list',
  about: 'list the faults of the sandbox and their remaining calls',
  examples: ['ttctl sandbox fault list', 'ttctl sandbox fault list --output json'],
  prints: { shape: 'list', fields: faultFields },
  exits: [7],
  flags: [urlFlag, ...groupFlags],
  run: async ({ sandbox, output }, { options }) => {
    const rows = (await (await sandbox()).control(options.url).faults()).map((row) => ({ ...row }));
    const pages = async function* (): AsyncGenerator<ListPage> {
      yield { rows, total: rows.length };
    };
    await output.list(pages(), { noun: 'faults', columns: faultColumns });
  },
});
