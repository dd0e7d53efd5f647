import { toPages } from '../../api/page.ts';
import { createChangeColumn } from '../../changes/describe-change.ts';
import { checkDestination } from '../../changes/jobs.ts';
import { readPlan } from '../../changes/plan.ts';
import { applyPlan, comparePlan, MOVED_FIELDS, toMovedRecord } from '../../changes/plan-apply.ts';
import { pluralize } from '../../changes/report.ts';
import { showPlan, WRITE_FIELDS } from '../../changes/show.ts';
import { defineCommand, type Group, type Noun } from '../../cli/command.ts';
import { EXIT } from '../../errors.ts';
import { historyFlag, maxChangesFlag, planFile, secretsFlag } from '../flags.ts';
import { SERVICE_EXITS } from '../outputs.ts';

export function plan(noun: Noun): Group {
  return { ...noun, commands: [planShow, planCheck, planApply] };
}

const planShow = defineCommand({
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
  prints: { shape: 'list', fields: WRITE_FIELDS },
  positionals: [planFile],
  run: async (context, { targets: [file = ''] }) => showPlan(context, await readPlan(context, file)),
});

const planCheck = defineCommand({
  path: 'plan check',
  about: 'check which records changed since a plan was made (exit 10 if any did)',
  examples: ['ttctl plan check plan.ndjson', 'ttctl plan check plan.ndjson --output json'],
  prints: { shape: 'list', fields: MOVED_FIELDS },
  exits: [...SERVICE_EXITS, 10],
  positionals: [planFile],
  run: async (context, { targets: [file = ''] }) => {
    const plan = await readPlan(context, file);
    await checkDestination(context, plan.head, 'the plan', ['plan', 'check', file]);
    const moved = (await comparePlan(context, plan)).filter((one) => one.moved !== undefined);
    const rows = moved.map(toMovedRecord);
    const unchecked = plan.rows.filter(({ seen, label }) => seen === null && label === null).length;
    const compared = plan.rows.length - unchecked;
    await context.output.list(toPages(rows), {
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

const planApply = defineCommand({
  path: 'plan apply',
  about: 'send the changes of a plan',
  examples: [
    'ttctl plan apply plan.ndjson',
    'ttctl plan apply plan.ndjson --all-or-nothing --max-changes 50',
  ],
  more: [
    {
      title: 'Changed since',
      text: 'All records are read when the run begins, and those not yet sent again after a minute. One that has changed since the plan was made is skipped (code moved), and the run ends with exit code 8; one that already is as planned is unchanged. Between the read and the write, somebody on another machine can still change it.',
    },
    {
      title: 'What is sent',
      text: 'Exactly the requests of the plan. A plan for another service or workspace, one that was edited, or one that says anything else than its requests, is refused. The checksum is not a signature: keep the file where only people you trust can write to it.',
    },
  ],
  writes: true,
  prints: { shape: 'results' },
  exits: [...SERVICE_EXITS, 8, 9, 10],
  positionals: [planFile],
  flags: [
    {
      name: 'all-or-nothing',
      about: 'check every record first, and send nothing if one has changed (exit 10)',
    },
    { name: 'again', about: 'apply a plan that was already applied', unsafe: true },
    maxChangesFlag,
    historyFlag,
    secretsFlag,
  ],
  run: (context, { targets: [file = ''], options }) => applyPlan(context, file, options),
});
