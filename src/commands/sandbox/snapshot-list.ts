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
  { field: 'counts.members', title: 'members', kind: 'number', drop: 2 },
  { field: 'counts.timesheets', title: 'sheets', kind: 'number', drop: 2 },
  { field: 'counts.leaves', title: 'leaves', kind: 'number', drop: 3 },
  { field: 'counts.time_requests', title: 'time requests', kind: 'number', drop: 3 },
  { field: 'counts.expenses', title: 'expenses', kind: 'number', drop: 4 },
  { field: 'counts.tokens', title: 'tokens', kind: 'number', drop: 5 },
  { field: 'problem', sparse: true },
];

/** The members of a snapshot in JSON. */
export const snapshotFields = ['name', 'saved_at', 'now', 'seed', 'counts', 'problem'];

export const snapshotList = defineCommand({
  path: 'sandbox snapshot list',
  about: 'list the snapshots and their contents',
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
