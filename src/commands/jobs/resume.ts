import { resumeJob } from '../../changes/job/resume.ts';
import { defineCommand } from '../../cli/command.ts';
import { secretsFlag } from '../flags.ts';
import { SERVICE_EXITS } from '../outputs.ts';

export const jobsResume = defineCommand({
  path: 'jobs resume',
  about: 'resume a run: check unknown rows, then send the rest',
  examples: ['ttctl jobs resume 20261121-0900-kfm', 'ttctl jobs resume 20261121-0900-kfm --dry-run'],
  more: [
    {
      title: 'Output',
      text: 'Prints only the rows that were left. For every row of the run: ttctl jobs show <job> --json',
    },
  ],
  writes: true,
  prints: { shape: 'results' },
  exits: [...SERVICE_EXITS, 8, 9],
  positionals: [{ name: 'job', about: 'id of the job', required: true }],
  flags: [secretsFlag],
  run: (context, { targets: [id = ''] }) => resumeJob(context, id),
});
