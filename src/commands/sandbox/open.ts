import { defineCommand } from '../../cli/command.ts';
import { printLocalChange } from '../local-change.ts';
import { formatInspect, urlFlag } from './target.ts';

export const sandboxOpen = defineCommand({
  path: 'sandbox open',
  about: 'open the page of the running server in a browser',
  examples: ['ttctl sandbox open', 'ttctl sandbox open --url http://127.0.0.1:4747'],
  prints: { shape: 'record', fields: ['page_url', 'opened'] },
  flags: [urlFlag],
  run: async (context, { options }) => {
    const plan = context.settings.dryRun.value;
    const { page_url, opened } = await (await context.sandbox()).openPage(options.url, plan);
    const [record, columns] = [{ page_url, opened }, [{ field: 'page_url', title: 'page' }]];
    if (opened || plan) {
      const text = 'the page was opened in a browser';
      return printLocalChange(context, {
        record,
        columns,
        text,
        inspectLine: formatInspect('status', options),
      });
    }
    await context.output.record(record, columns);
    context.output.note('Could not open a browser. Open the address yourself.');
  },
});
