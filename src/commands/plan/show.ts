import { readPlan } from '../../changes/plan/plan-file.ts';
import {
  describePlanRow,
  formatMarkdownHead,
  formatPlanFacts,
  listPlanWarnings,
  PLAN_FIELDS,
  toPlanRecord,
} from '../../changes/plan/show.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Column } from '../../context.ts';
import { planFile } from '../flags.ts';

export const planShow = defineCommand({
  path: 'plan show',
  about: 'show what a plan would change, without asking the service',
  examples: [
    'ttctl plan show plan.ndjson',
    'ttctl plan show plan.ndjson --output markdown',
    'ttctl plan show plan.ndjson --output json --query "[].label"',
  ],
  more: [
    {
      title: 'What is shown',
      text: 'The operation, the id of the record and the new values are read from the requests of the plan. Names of records and old values are as recorded when the plan was made: plan check compares them with the service.',
    },
  ],
  prints: { shape: 'list', fields: PLAN_FIELDS },
  positionals: [planFile],
  run: async (context, { targets: [file = ''] }) => {
    const { output, settings } = context;
    const plan = await readPlan(context, file);
    const format = settings.output.value;
    const isDocument = format.forPeople && format.shape === 'cells';
    if (!isDocument) for (const text of listPlanWarnings(plan)) output.warn(text);
    const head = isDocument ? formatMarkdownHead(plan) : format.shape === 'screen' && formatPlanFacts(plan);
    for (const text of head ? [head, ''] : []) await output.text(text);
    const texts = plan.rows.map(describePlanRow);
    // Of what does not fit, the recorded name goes first: who is meant is what the request names.
    const columns: readonly Column[] = [
      { field: 'n', kind: 'number' },
      { field: 'label', title: 'record', show: ({ label, target }) => label ?? target, least: 20, drop: 1 },
      { field: 'operation' },
      { field: 'target' },
      {
        field: 'change',
        derived: true,
        show: ({ n }) => texts[Number(n) - 1] ?? '',
        kind: 'text',
        wrap: true,
      },
    ];
    async function* pages() {
      yield { rows: plan.rows.map(toPlanRecord), total: plan.rows.length };
    }
    await output.list(pages(), { noun: 'changes', columns, id: 'target' });
  },
});
