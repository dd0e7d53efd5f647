import { defineCommand } from '../../cli/command.ts';
import { exitCodeFlag, historyFlag, periodFlag, planFlag, zoneFlag } from '../flags.ts';
import { SERVICE_EXITS } from '../outputs.ts';
import { maxChangesFlag } from '../target-flags.ts';
import { inboxFilters } from './fields.ts';
import { RULES_HELP } from './rules-help.ts';

/** Members of a row: what would become of a request, and why. */
const DECISION_FIELDS = [
  ...['kind', 'id', 'member', 'email', 'date_from', 'date_to', 'hours', 'days', 'warnings'],
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
  more: RULES_HELP,
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
    const { runRules } = await import('./run-rules.ts');
    await runRules(context, values, options);
  },
});
