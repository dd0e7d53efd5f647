import { jobFacts } from '../../changes/job/listing.ts';
import { plural } from '../../changes/tally.ts';
import { defineCommand } from '../../cli/command.ts';
import { tellChange } from '../planned.ts';

export const jobsRemove = defineCommand({
  path: 'jobs remove',
  about: 'remove the journal of a run and its file of failed rows',
  examples: ['ttctl jobs remove 20261121-0900-kfm', 'ttctl jobs remove 20261121-0900-kfm --yes'],
  prints: { shape: 'record', fields: ['job', 'removed'] },
  exits: [9],
  positionals: [{ name: 'job', about: 'id of the job', required: true }],
  run: async (context, { targets: [id = ''] }) => {
    const { jobs, settings, output, confirm } = context;
    const desk = await jobs();
    const { open, facts } = await jobFacts(desk, id, output);
    const plan = settings.dryRun.value;
    if (open > 0 && !plan) {
      const question = `remove job ${id}, with ${plural(open, ['row that is', 'rows that are'])} not finished`;
      await confirm({ local: true, question, facts });
    }
    if (!plan) await desk.remove(id);
    const record = { job: id, removed: !plan };
    await tellChange(context, { record, text: `job ${id} was removed`, look: 'ttctl jobs list' });
  },
});
