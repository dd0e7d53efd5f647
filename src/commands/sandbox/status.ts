import { commandLine } from '../../notation/shell-word.ts';
import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { statusColumns, statusFields, urlOf, withUrl } from './target.ts';

export const sandboxStatus = (door: Door) =>
  withUrl(
    localCommand('status', 'show which sandbox is meant, and what it holds', {
      examples: ['ttctl sandbox status', 'ttctl sandbox status --output json'],
      prints: { shape: 'record', fields: statusFields },
      exits: [7],
    }),
  ).action(
    run(door, async ({ sandbox, output }, _targets, options) => {
      const service = await sandbox();
      const status = await (await service.living(urlOf(options))).status();
      const { secret: _secret, ...place } = service.running() ?? { secret: '', url: undefined };
      await output.record(
        { ...status, ...(status.kind === 'server' && place.url === status.url ? place : {}) },
        statusColumns,
      );
      if (status.kind === 'embedded' && place.url !== undefined)
        output.note(`A server runs too: ${commandLine`ttctl sandbox status --url ${place.url}`}`);
    }),
  );
