import { toPages } from '../../api/page.ts';
import { findJobId, listJobRows } from '../../changes/jobs.ts';
import { RUN_STATES } from '../../changes/journal.ts';
import { resumeJob } from '../../changes/resume.ts';
import { showRun, WRITE_FIELDS } from '../../changes/show.ts';
import { RunStore } from '../../changes/store.ts';
import { defineCommand, type Group, type Noun } from '../../cli/command.ts';
import type { Column } from '../../output/list-view.ts';
import { groupFlags, secretsFlag } from '../flags.ts';
import { SERVICE_EXITS } from '../outputs.ts';

export function jobs(noun: Noun): Group {
  return { ...noun, commands: [jobsList, jobsShow, jobsResume] };
}

const columns: readonly Column[] = [
  { field: 'state', kind: 'state' },
  { field: 'started_at', title: 'started', kind: 'age', drop: 2 },
  { field: 'command', least: 34 },
  { field: 'done', kind: 'number', drop: 3 },
  { field: 'failed', kind: 'number', drop: 1 },
  { field: 'skipped', kind: 'number', drop: 4, sparse: true, show: ({ skipped }) => skipped || null },
  { field: 'unknown', kind: 'number', drop: 4 },
  { field: 'left', kind: 'number', drop: 4 },
  { field: 'failed_file', title: 'failed rows', drop: 6, sparse: true },
  { field: 'id', short: true },
];

const jobsList = defineCommand({
  path: 'jobs list',
  about: 'list runs of several writes and those with an unknown outcome, newest first',
  examples: [
    'ttctl jobs list',
    'ttctl jobs list --output json --query "[?state != \'done\'].id"',
    'ttctl jobs list --state unfinished',
    'ttctl jobs list --limit 1 --output ids',
  ],
  prints: { shape: 'list', fields: columns.map(({ field }) => field) },
  flags: [
    {
      name: 'state',
      value: 'state',
      about: 'only with this state; unfinished: all that jobs resume would do something for',
      choices: [...RUN_STATES, 'unfinished'],
    },
    { name: 'limit', value: 'n', about: 'at most <n> rows' },
    ...groupFlags,
  ],
  run: async (context, { options: { state } }) => {
    const { output, window, settings } = context;
    const profile = settings.profile.from === 'flag' ? settings.profile.value : undefined;
    const rows = listJobRows(new RunStore(context), { state, profile });
    await output.list(toPages(rows, window.limit), { noun: 'jobs', columns });
  },
});

const jobsShow = defineCommand({
  path: 'jobs show',
  about: 'show a run, its writes and the result of each',
  examples: ['ttctl jobs show 20261121-0900-kfm', 'ttctl jobs show 20261121-0900-kfm --output csv'],
  prints: { shape: 'list', fields: WRITE_FIELDS },
  positionals: [{ name: 'job', about: 'id of the job', required: true }],
  flags: [...groupFlags],
  run: async (context, { targets: [text = ''] }) => showRun(context, await findJobId(context, text)),
});

const jobsResume = defineCommand({
  path: 'jobs resume',
  about: 'resume a run: check unknown rows, then send the rest',
  examples: ['ttctl jobs resume 20261121-0900-kfm', 'ttctl jobs resume 20261121-0900-kfm --dry-run'],
  more: [
    {
      title: 'What is printed',
      text: 'Only the rows that were left. For every row of the run: ttctl jobs show <job> --json',
    },
  ],
  writes: true,
  prints: { shape: 'results' },
  exits: [...SERVICE_EXITS, 8, 9],
  positionals: [{ name: 'job', about: 'id of the job', required: true }],
  flags: [secretsFlag],
  run: (context, { targets: [id = ''] }) => resumeJob(context, id),
});
