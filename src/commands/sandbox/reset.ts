import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { told } from '../planned.ts';
import { KEEPS_NOTHING } from './shown.ts';
import { statusColumns, statusFields, urlOf, withUrl } from './target.ts';

export const sandboxReset = (door: Door) =>
  withUrl(
    localCommand('reset', 'begin again from a seed; every token of the sandbox ends', {
      examples: ['ttctl sandbox reset', 'ttctl sandbox reset --seed month-end'],
      prints: { shape: 'record', fields: statusFields },
      exits: [7],
      more: [
        KEEPS_NOTHING,
        {
          title: 'The clock',
          text: 'A clock that was moved stays moved, and the days of the seed go by it. To take it back: ttctl sandbox clock reset',
        },
      ],
    }),
  )
    .option(
      '--seed <name>',
      'demo, agency, month-end, messy, big, empty, simulate:4w, or a seed file',
      'demo',
    )
    .action(
      run(door, async ({ sandbox, output, settings }, _targets, options) => {
        const plan = settings.dryRun.value;
        const status = await (await sandbox()).control(urlOf(options)).reset(String(options.seed), plan);
        await output.record(...told(plan, { ...status }, statusColumns));
      }),
    );
