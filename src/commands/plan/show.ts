import type { Row } from '../../api/page.ts';
import type { PlanRow } from '../../changes/plan/plan-file.ts';
import {
  describePlanRow,
  formatMarkdownHead,
  formatPlanFacts,
  listPlanWarnings,
  PLAN_FIELDS,
  readPlan,
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
    const texts = new Map<unknown, string>();
    const columns: readonly Column[] = [
      { field: 'n', kind: 'number' },
      { field: 'label', title: 'record', show: ({ label, target }) => label ?? target, least: 20 },
      { field: 'operation', drop: 1 },
      { field: 'target', drop: 2 },
      {
        field: 'change',
        derived: true,
        load: async (rows: readonly Row[]) => {
          for (const row of rows)
            texts.set(row['n'], await describePlanRow(context, row as unknown as PlanRow));
        },
        show: ({ n }) => texts.get(n) ?? '',
        wrap: true,
      },
    ];
    async function* pages() {
      yield { rows: plan.rows.map(toPlanRecord), total: plan.rows.length };
    }
    await output.list(pages(), { noun: 'changes', columns, id: 'target' });
  },
});
