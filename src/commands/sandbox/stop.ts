import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { urlOf, withUrl } from './target.ts';

export const sandboxStop = (door: Door) =>
  withUrl(
    localCommand('stop', 'stop the running sandbox server', {
      examples: ['ttctl sandbox stop'],
      prints: { shape: 'record', fields: ['stopped', 'url'] },
      exits: [7],
    }),
  ).action(
    run(door, async ({ sandbox, output }, _targets, options) => {
      const url = await (await sandbox()).stop(urlOf(options));
      await output.record(url === undefined ? { stopped: false } : { stopped: true, url });
      if (url === undefined) output.note('No sandbox server is running.');
    }),
  );
