import { jobRows } from '../../bulk/job/listing.ts';
import type { Column } from '../../context.ts';
import { type Door, run } from '../../run.ts';
import { groupOptions, localCommand } from '../command.ts';

const columns: readonly Column[] = [
  { field: 'id' },
  { field: 'state', kind: 'state' },
  { field: 'done', kind: 'number', drop: 1 },
  { field: 'failed', kind: 'number', drop: 1 },
  { field: 'unknown', kind: 'number', drop: 2 },
  { field: 'left', kind: 'number', drop: 2 },
  { field: 'started_at', title: 'started', kind: 'age', drop: 3 },
  { field: 'command', drop: 4, least: 20 },
  { field: 'failed_file', title: 'failed rows', drop: 5, sparse: true },
];

export const jobsList = (door: Door) =>
  groupOptions(
    localCommand('list', 'list the runs over many records, the latest first', {
      examples: [
        'ttctl jobs list',
        'ttctl jobs list --output json --query "[?state != \'done\'].id"',
        'ttctl jobs list --limit 1 --output ids',
      ],
      prints: { shape: 'list', fields: columns.map(({ field }) => field) },
    }).option('--limit <n>', 'at most this many rows'),
  ).action(
    run(door, async ({ jobs, output, window }) => {
      const all = jobRows(await jobs());
      const rows = all.slice(0, window.limit);
      async function* pages() {
        yield { rows, total: all.length, shortened: rows.length < all.length };
      }
      await output.list(pages(), { noun: 'jobs', columns });
    }),
  );
