import { defineCommand } from '../../cli/command.ts';
import { told } from '../planned.ts';
import { faultColumns } from './fault-list.ts';
import { wishOf } from './fault-wish.ts';
import { faultFields } from './shown.ts';
import { urlFlag, urlOf } from './target.ts';

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
  flags: [
    urlFlag,
    { name: 'times', value: 'n', about: 'how many calls (1)' },
    { name: 'status', value: 'code', about: 'answer with this status, 300 to 599, and do nothing' },
    { name: 'after-commit', about: 'do the work, then fail: what makes blind retries do it twice' },
    { name: 'retry-after', value: 'seconds', about: 'with --status 429 (60) or 503' },
    { name: 'drop', value: 'when', about: 'cut the connection before or after the work is done' },
    { name: 'body', value: 'kind', about: 'truncated, broken, html, empty, wrong-type, failure, deep' },
    { name: 'latency', value: 'duration', about: 'answer later: 500ms, 3s' },
  ],
  run: async ({ sandbox, output, settings }, { targets: words, options }) => {
    const plan = settings.dryRun.value;
    const control = (await sandbox()).control(urlOf(options));
    const row = await control.addFault({ operation: words.join(' '), ...wishOf(options) }, plan);
    await output.record(...told(plan, { ...row }, faultColumns));
  },
});
