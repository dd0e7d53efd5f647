import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { tellChange } from '../planned.ts';
import { urlOf, withUrl } from './target.ts';

export const sandboxStop = (door: Door) =>
  withUrl(
    localCommand('stop', 'stop the running sandbox server', {
      examples: ['ttctl sandbox stop'],
      prints: { shape: 'record', fields: ['stopped', 'url'] },
      exits: [7],
    }),
  ).action(
    run(door, async (context, _targets, options) => {
      const plan = context.settings.dryRun.value;
      const url = await (await context.sandbox()).stop(urlOf(options), plan);
      if (url !== undefined) {
        const text = `the sandbox server at ${url} was stopped`;
        return tellChange(context, { record: { stopped: !plan, url }, text, look: 'ttctl sandbox status' });
      }
      await context.output.record({ stopped: false });
      context.output.note('No sandbox server is running.');
    }),
  );
