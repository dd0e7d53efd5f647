import { checkPlanDestination, comparePlan, MOVED_FIELDS, toMovedRecord } from '../../changes/plan/check.ts';
import { readPlan } from '../../changes/plan/plan-file.ts';
import { pluralize } from '../../changes/run-summary.ts';
import { defineCommand } from '../../cli/command.ts';
import { EXIT } from '../../outcome.ts';
import { createChangeColumn } from '../change-column.ts';
import { planFile } from '../flags.ts';
import { SERVICE_EXITS } from '../outputs.ts';

export const planCheck = defineCommand({
  path: 'plan check',
  about: 'check which records changed since a plan was made (exit 10 if any did)',
  examples: ['ttctl plan check plan.ndjson', 'ttctl plan check plan.ndjson --output json'],
  prints: { shape: 'list', fields: MOVED_FIELDS },
  exits: [...SERVICE_EXITS, 10],
  positionals: [planFile],
  run: async (context, { targets: [file = ''] }) => {
    const plan = await readPlan(context, file);
    await checkPlanDestination(context, plan.head);
    const moved = (await comparePlan(context, plan)).flatMap((one) => one.moved ?? []);
    const rows = moved.map(toMovedRecord);
    async function* pages() {
      yield { rows, total: rows.length };
    }
    const unchecked = plan.rows.filter(({ seen, label }) => seen === null && label === null).length;
    const compared = plan.rows.length - unchecked;
    await context.output.list(pages(), {
      noun: 'changed records',
      id: 'target',
      emptyMessage:
        compared === 0
          ? 'The plan has no records to compare.'
          : `${pluralize(compared, ['record is', 'records are'])} unchanged since the plan was made.`,
      columns: [
        { field: 'target' },
        { field: 'label', sparse: true },
        { field: 'status', kind: 'state' },
        createChangeColumn(context),
        { field: 'message', sparse: true },
      ],
    });
    if (unchecked > 0) context.output.note(`${unchecked} not checked: the plan has nothing to compare with.`);
    if (rows.length > 0) context.exit(EXIT.found);
  },
});
