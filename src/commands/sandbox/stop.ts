import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { told } from '../planned.ts';
import { urlOf, withUrl } from './target.ts';

export const sandboxStop = (door: Door) =>
  withUrl(
    localCommand('stop', 'stop the running sandbox server', {
      examples: ['ttctl sandbox stop'],
      prints: { shape: 'record', fields: ['stopped', 'url'] },
      exits: [7],
    }),
  ).action(
    run(door, async ({ sandbox, output, settings }, _targets, options) => {
      const plan = settings.dryRun.value;
      const url = await (await sandbox()).stop(urlOf(options), plan);
      const record = url === undefined ? { stopped: false } : { stopped: !plan, url };
      await output.record(...told(plan && url !== undefined, record));
      if (url === undefined) output.note('No sandbox server is running.');
    }),
  );
