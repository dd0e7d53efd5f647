import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { urlOf, withUrl } from './target.ts';

export const sandboxStop = (door: Door) =>
  withUrl(
    localCommand('stop', 'stop the running sandbox server', { examples: ['ttctl sandbox stop'] }),
  ).action(
    run(door, async ({ sandbox, output }, _targets, options) => {
      const desk = await sandbox();
      const place = desk.running();
      if (place === undefined && urlOf(options) === undefined) {
        await output.record({ stopped: false });
        output.note('No sandbox server is running.');
        return;
      }
      await desk.control(urlOf(options)).stop();
      await output.record({ stopped: true, url: urlOf(options) ?? place?.url });
    }),
  );
