import { jobRows } from '../../bulk/job/listing.ts';
import type { Column } from '../../context.ts';
import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';

const columns: readonly Column[] = [
  { field: 'id' },
  { field: 'command', drop: 2 },
  { field: 'state', kind: 'state' },
  { field: 'done', kind: 'number' },
  { field: 'failed', kind: 'number' },
  { field: 'unknown', kind: 'number' },
  { field: 'left', kind: 'number' },
  { field: 'started_at', title: 'started', kind: 'age', drop: 1 },
  { field: 'failed_file', title: 'failed rows', drop: 3, sparse: true },
];

export const jobsList = (door: Door) =>
  localCommand('list', 'list the runs over many records, the latest first', {
    examples: ['ttctl jobs list', 'ttctl jobs list --output json --query "[?state != \'done\'].id"'],
  }).action(
    run(door, async (context) => {
      const rows = jobRows(await context.jobs());
      async function* pages() {
        yield { rows, total: rows.length };
      }
      await context.output.list(pages(), { noun: 'jobs', columns });
    }),
  );
