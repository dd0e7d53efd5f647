import { defineCommand } from '../../cli/command.ts';
import { told } from '../planned.ts';
import { urlFlag } from './target.ts';

export const sandboxOpen = defineCommand({
  path: 'sandbox open',
  about: 'open the page of the running server in a browser',
  examples: ['ttctl sandbox open', 'ttctl sandbox open --url http://127.0.0.1:4747'],
  prints: { shape: 'record', fields: ['page_url', 'opened'] },
  flags: [urlFlag],
  run: async ({ sandbox, output, settings }, { options }) => {
    const plan = settings.dryRun.value;
    const { page_url, opened } = await (await sandbox()).openPage(options.url, plan);
    await output.record(...told(plan, { page_url, opened }, [{ field: 'page_url', title: 'page' }]));
    if (!opened && !plan) output.note('No browser could be started: open the address yourself.');
  },
});
