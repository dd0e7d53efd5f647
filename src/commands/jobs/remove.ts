import { jobFacts } from '../../bulk/job/listing.ts';
import { plural } from '../../bulk/tally.ts';
import { defineCommand } from '../../cli/command.ts';

export const jobsRemove = defineCommand({
  path: 'jobs remove',
  about: 'forget a run: its record, and its file of failed rows',
  examples: ['ttctl jobs remove 20261121-0900-kfm', 'ttctl jobs remove 20261121-0900-kfm --yes'],
  prints: { shape: 'record', fields: ['job', 'removed'] },
  exits: [9],
  positionals: [{ name: 'job', about: 'id of the job', required: true }],
  run: async ({ jobs, settings, output, confirm }, { targets: [id = ''] }) => {
    const desk = await jobs();
    const { open, facts } = await jobFacts(desk, id, output);
    if (settings.dryRun.value) return output.record({ job: id, removed: false, planned: true });
    if (open > 0) {
      const question = `remove job ${id}, with ${plural(open, ['row that is', 'rows that are'])} not settled`;
      await confirm({ local: true, question, facts });
    }
    await desk.remove(id);
    await output.record({ job: id, removed: true });
  },
});
