import { findJobId, readJobDetails } from '../../changes/job/job-rows.ts';
import { pluralize } from '../../changes/run-summary.ts';
import { defineCommand } from '../../cli/command.ts';
import { printLocalChange } from '../local-change.ts';

export const jobsRemove = defineCommand({
  path: 'jobs remove',
  about: 'remove the journal of a run and its file of failed rows',
  examples: ['ttctl jobs remove 20261121-0900-kfm', 'ttctl jobs remove 20261121-0900-kfm --yes'],
  prints: { shape: 'record', fields: ['job', 'removed'] },
  exits: [9],
  positionals: [{ name: 'job', about: 'id of the job', required: true }],
  run: async (context, { targets: [text = ''] }) => {
    const { jobs, settings, output, confirm } = context;
    const service = await jobs();
    const id = await findJobId(context, text);
    const { open, facts } = await readJobDetails(service, id, output);
    const plan = settings.dryRun.value;
    if (open > 0 && !plan) {
      const question = `remove job ${id}, with ${pluralize(open, ['row that is', 'rows that are'])} not finished`;
      await confirm({ local: true, question, facts });
    }
    if (!plan) await service.remove(id);
    const record = { job: id, removed: !plan };
    await printLocalChange(context, {
      record,
      text: `job ${id} was removed`,
      inspectLine: 'ttctl jobs list',
    });
  },
});
