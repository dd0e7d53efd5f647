import { defineCommand } from '../../cli/command.ts';
import { told } from '../planned.ts';
import { urlFlag } from './target.ts';

export const sandboxStop = defineCommand({
  path: 'sandbox stop',
  about: 'stop the running sandbox server',
  examples: ['ttctl sandbox stop'],
  prints: { shape: 'record', fields: ['stopped', 'url'] },
  exits: [7],
  flags: [urlFlag],
  run: async ({ sandbox, output, settings }, { options }) => {
    const plan = settings.dryRun.value;
    const url = await (await sandbox()).stop(options.url, plan);
    const record = url === undefined ? { stopped: false } : { stopped: !plan, url };
    await output.record(...told(plan && url !== undefined, record));
    if (url === undefined) output.note('No sandbox server is running.');
  },
});
