import { defineCommand } from '../../cli/command.ts';
import { printLocalChange } from '../local-change.ts';
import { KEEPS_NOTHING } from './output-fields.ts';
import { formatInspect, sandboxStatusColumns, sandboxStatusFields, urlFlag } from './target.ts';

export const sandboxReset = defineCommand({
  path: 'sandbox reset',
  about: 'reset the sandbox to a seed; all its tokens expire',
  examples: ['ttctl sandbox reset', 'ttctl sandbox reset --seed month-end'],
  prints: { shape: 'record', fields: sandboxStatusFields },
  exits: [7],
  more: [
    KEEPS_NOTHING,
    {
      title: 'The clock',
      text: 'The clock keeps its offset, and the dates of the seed follow it. To reset it: ttctl sandbox clock reset',
    },
  ],
  flags: [
    urlFlag,
    {
      name: 'seed',
      value: 'name',
      about: 'demo, agency, month-end, messy, big, empty, or a seed file',
      default: 'demo',
    },
    { name: 'limits', about: 'apply the rate limits of the service' },
  ],
  run: async (context, { options }) => {
    const control = (await context.sandbox()).control(options.url);
    const record = { ...(await control.reset({ seed: options.seed, limits: options.limits === true })) };
    const text = `the sandbox was reset to ${options.seed}`;
    await printLocalChange(context, {
      record,
      columns: sandboxStatusColumns,
      text,
      inspectLine: formatInspect('status', options),
    });
  },
});
