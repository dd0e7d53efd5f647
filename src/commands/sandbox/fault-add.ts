import { defineCommand } from '../../cli/command.ts';
import { printLocalChange } from '../local-change.ts';
import { faultFlags, readFaultFlags } from './fault-flags.ts';
import { faultColumns } from './fault-list.ts';
import { faultFields } from './output-fields.ts';
import { formatInspect, urlFlag } from './target.ts';

export const faultAdd = defineCommand({
  path: 'sandbox fault add',
  about: 'make the next calls of an operation fail',
  examples: [
    'ttctl sandbox fault add timesheets approve --status 500 --after-commit',
    'ttctl sandbox fault add "PUT /timesheets/{timesheetId}/approve" --times 2 --status 429 --retry-after 3',
    'ttctl sandbox fault add members list --body html --latency 2s',
    'ttctl sandbox fault add "POST /oauth/token" --drop after',
  ],
  prints: { shape: 'record', fields: faultFields },
  exits: [7],
  positionals: [
    {
      name: 'operation',
      about: 'a command (timesheets approve) or a route (POST /oauth/token)',
      required: true,
      variadic: true,
    },
  ],
  flags: [urlFlag, ...faultFlags],
  run: async (context, { targets: words, options }) => {
    const control = (await context.sandbox()).control(options.url);
    const row = await control.addFault({ operation: words.join(' '), ...readFaultFlags(options) });
    await printLocalChange(context, {
      record: { ...row },
      columns: faultColumns,
      text: 'a fault was added',
      inspectLine: formatInspect('fault list', options),
    });
  },
});
