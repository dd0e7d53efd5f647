import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { tellChange } from '../planned.ts';
import { lookAt, urlOf, withUrl } from './target.ts';

export const sandboxOpen = (door: Door) =>
  withUrl(
    localCommand('open', 'open the page of the running server in a browser', {
      examples: ['ttctl sandbox open', 'ttctl sandbox open --url http://127.0.0.1:4747'],
      prints: { shape: 'record', fields: ['page_url', 'opened'] },
    }),
  ).action(
    run(door, async (context, _targets, options) => {
      const plan = context.settings.dryRun.value;
      const { page_url, opened } = await (await context.sandbox()).openPage(urlOf(options), plan);
      const [record, columns] = [{ page_url, opened }, [{ field: 'page_url', title: 'page' }]];
      if (opened || plan) {
        const text = 'the page was opened in a browser';
        return tellChange(context, { record, columns, text, look: lookAt('status', options) });
      }
      await context.output.record(record, columns);
      context.output.note('No browser could be started: open the address yourself.');
    }),
  );
