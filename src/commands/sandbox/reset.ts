import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { tellChange } from '../planned.ts';
import { KEEPS_NOTHING } from './shown.ts';
import { lookAt, statusColumns, statusFields, urlOf, withUrl } from './target.ts';

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
      run(door, async (context, _targets, options) => {
        const control = (await context.sandbox()).control(urlOf(options));
        const record = {
          ...(await control.reset({ seed: String(options.seed), plan: context.settings.dryRun.value })),
        };
        const text = `the sandbox was reset to ${options.seed}`;
        await tellChange(context, { record, columns: statusColumns, text, look: lookAt('status', options) });
      }),
    );
