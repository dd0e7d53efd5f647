import { Option } from 'commander';
import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { tellChange } from '../planned.ts';
import { unsafe } from '../unsafe.ts';
import { snapshotColumns, snapshotFields } from './snapshot-list.ts';
import { lookAt, urlOf, withUrl } from './target.ts';

export const snapshotSave = (door: Door) =>
  withUrl(
    localCommand('save', 'save the whole state: records, tokens, faults, webhooks that wait, the clock', {
      examples: [
        'ttctl sandbox snapshot save before-approval',
        'ttctl sandbox snapshot save before-approval --replace',
      ],
      prints: { shape: 'record', fields: [...snapshotFields, 'saved'] },
      exits: [7],
    }),
  )
    .argument('<name>', 'lower-case letters, digits, dots, dashes, underscores')
    .addOption(unsafe(new Option('--replace', 'in place of the one of this name')))
    .action(
      run(door, async (context, [name = ''], options) => {
        const control = (await context.sandbox()).control(urlOf(options));
        const plan = context.settings.dryRun.value;
        const row = await control.saveSnapshot({ name, replace: options.replace === true, plan });
        await tellChange(context, {
          record: { ...row, saved: !plan },
          columns: [{ field: 'saved' }, ...snapshotColumns],
          text: `snapshot ${name} was saved`,
          look: lookAt('snapshot list', options),
        });
      }),
    );

export const snapshotRemove = (door: Door) =>
  withUrl(
    localCommand('remove', 'forget a snapshot', {
      examples: ['ttctl sandbox snapshot remove before-approval'],
      prints: { shape: 'record', fields: ['name', 'removed'] },
      exits: [5, 7],
    }),
  )
    .argument('<name>', 'of the snapshot')
    .action(
      run(door, async (context, [name = ''], options) => {
        const control = (await context.sandbox()).control(urlOf(options));
        const plan = context.settings.dryRun.value;
        const { name: removed } = await control.removeSnapshot({ name, plan });
        await tellChange(context, {
          record: { name: removed, removed: !plan },
          text: `snapshot ${name} was removed`,
          look: lookAt('snapshot list', options),
        });
      }),
    );
