import { resumeJob } from '../../changes/job/resume.ts';
import { defineCommand } from '../../cli/command.ts';
import { SERVICE_EXITS } from '../answers.ts';

export const jobsResume = defineCommand({
  path: 'jobs resume',
  about: 'go on with a run: look up what is not known, send what is left',
  examples: ['ttctl jobs resume 20261121-0900-kfm', 'ttctl jobs resume 20261121-0900-kfm --dry-run'],
  more: [
    {
      title: 'The whole run',
      text: 'Prints only the rows that were left to do. What became of every row of the run: ttctl jobs show <job> --json',
    },
  ],
  writes: true,
  prints: { shape: 'results' },
  exits: [...SERVICE_EXITS, 8, 9],
  positionals: [{ name: 'job', about: 'id of the job', required: true }],
  run: (context, { targets: [id = ''] }) => resumeJob(context, id),
});
