import { findJobId, formatJobDetails, listTargetRows } from '../../changes/job/job-rows.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Column } from '../../context.ts';
import { groupFlags } from '../flags.ts';

const columns: readonly Column[] = [
  { field: 'target' },
  { field: 'status', kind: 'state' },
  { field: 'at', title: 'when', kind: 'time', drop: 1 },
  { field: 'message', sparse: true },
];

export const jobsShow = defineCommand({
  path: 'jobs show',
  about: 'show a run and the result of every row',
  examples: ['ttctl jobs show 20261121-0900-kfm', 'ttctl jobs show 20261121-0900-kfm --output csv'],
  prints: { shape: 'list', fields: ['target', 'status', 'operation', 'at', 'message', 'error'] },
  positionals: [{ name: 'job', about: 'id of the job', required: true }],
  flags: [...groupFlags],
  run: async (context, { targets: [text = ''] }) => {
    const { jobs, output } = context;
    const service = await jobs();
    const id = await findJobId(context, text);
    const rows = listTargetRows(service, id);
    for (const line of await formatJobDetails(service, id, output)) output.note(line);
    async function* pages() {
      yield { rows, total: rows.length };
    }
    await output.list(pages(), { noun: 'rows', columns, id: 'target' });
  },
});
