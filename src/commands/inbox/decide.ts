import { defineCommand } from '../../cli/command.ts';
import { exitCodeFlag, historyFlag, periodFlag, planFlag, zoneFlag } from '../flags.ts';
import { SERVICE_EXITS } from '../outputs.ts';
import { maxChangesFlag } from '../target-flags.ts';
import { inboxFields, inboxFilters, readInboxFilter } from './rows.ts';

/** Members of a row: what would become of a request, and why; of an explanation. */
const DECISION_FIELDS = [
  ...inboxFields,
  ...['outcome', 'rule', 'reason', 'why', 'decided', 'agreement', 'result', 'decision', 'because'],
];

export const inboxDecide = defineCommand({
  path: 'inbox decide',
  about: 'decide by rules; without --yes or --plan, show what they would decide',
  examples: [
    'ttctl inbox decide --rules rules.json',
    'ttctl inbox decide --rules rules.json --plan decisions.ndjson',
    'ttctl inbox decide --rules rules.json --yes --max-changes 100',
    'ttctl inbox decide --rules rules.json --explain samir@example.com',
    'ttctl inbox decide --rules rules.json --backtest last-month',
  ],
  more: [
    {
      title: 'Rules',
      text: 'A JSON array of { "name", "kind", "when", "then", "reason" }. Kinds: timesheet, leave, time-request. "then" is approve, reject (needs a "reason") or hold. "when" is a JMESPath condition on the record and on member, policy, project and warnings, as for --where. The first rule of that kind whose condition is true decides. A request is held if no rule matches, or if a condition is undecided because data is missing.',
    },
    {
      title: 'Backtest',
      text: 'The rules see the records as they are today. What else was waiting on that day, and how much leave was left, is not known: rules that use warnings cannot be replayed on leave from a policy with a balance.',
    },
    {
      title: 'Undo',
      text: 'A decision that was sent cannot be undone: the API cannot reverse it. With --plan somebody else can look first.',
    },
  ],
  writes: true,
  prints: { shape: 'list', fields: DECISION_FIELDS },
  exits: [...SERVICE_EXITS, 8, 9, 10],
  flags: [
    { name: 'rules', value: 'file', about: 'the rules, a JSON file (- for stdin); required', needed: {} },
    ...inboxFilters,
    { name: 'explain', value: 'id', about: 'show how the rules decide on one request (id, or its member)' },
    {
      name: 'backtest',
      value: 'period',
      about: `compare the rules with what people decided in a ${periodFlag.value} (exit 10 if they disagree)`,
    },
    planFlag,
    maxChangesFlag,
    exitCodeFlag,
    historyFlag,
    zoneFlag,
  ],
  run: async (context, { values, options }) => {
    const { runRules } = await import('./rules.ts');
    await runRules(context, readInboxFilter(values), options);
  },
});
