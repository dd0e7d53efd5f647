import type { ListPage } from '../../api/page.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Column } from '../../context.ts';
import { groupFlags } from '../flags.ts';
import { urlFlag } from './target.ts';

export const snapshotColumns: readonly Column[] = [
  { field: 'name' },
  { field: 'seed' },
  { field: 'saved_at', title: 'saved at', kind: 'age' },
  { field: 'now', title: "sandbox's time", kind: 'time', drop: 1 },
  { field: 'problem', sparse: true },
];

/** The members of a snapshot in JSON. */
export const snapshotFields = ['name', 'saved_at', 'now', 'seed', 'problem'];

export const snapshotList = defineCommand({
  path: 'sandbox snapshot list',
  about: 'list the snapshots',
  examples: ['ttctl sandbox snapshot list', 'ttctl sandbox snapshot list --output json'],
  prints: { shape: 'list', fields: snapshotFields },
  exits: [7],
  flags: [urlFlag, ...groupFlags],
  run: async ({ sandbox, output }, { options }) => {
    const control = (await sandbox()).control(options.url);
    const rows = (await control.snapshots()).map((row) => ({ ...row }));
    const pages = async function* (): AsyncGenerator<ListPage> {
      yield { rows, total: rows.length };
    };
    await output.list(pages(), { noun: 'snapshots', columns: snapshotColumns, id: 'name' });
  },
});
