import { resumeJob } from '../../bulk/job/resume.ts';
import { type Door, run } from '../../run.ts';
import { localCommand, SERVICE_EXITS } from '../command.ts';

export const jobsResume = (door: Door) =>
  localCommand('resume', 'go on with a run: look up what is not known, send what is left', {
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
  })
    .argument('<job>', 'id of the job')
    .action(run(door, (context, [id = '']) => resumeJob(context, id)));
