import { applyPlan } from '../../changes/plan/apply.ts';
import { defineCommand } from '../../cli/command.ts';
import { historyFlag, planFile, secretsFlag } from '../flags.ts';
import { SERVICE_EXITS } from '../outputs.ts';
import { maxChangesFlag } from '../target-flags.ts';

export const planApply = defineCommand({
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
    {
      title: 'Undo',
      text: 'ttctl undo <job> undoes what the API allows; plan show lists what cannot be undone.',
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
