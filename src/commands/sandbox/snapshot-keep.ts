import { Option } from 'commander';
import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { unsafe } from '../unsafe.ts';
import { fateColumns, snapshotFields } from './snapshot-list.ts';
import { urlOf, withUrl } from './target.ts';

/** What became of a snapshot, beside the snapshot itself; `planned` with --dry-run. */
export const fate = (name: 'saved' | 'restored' | 'removed', plan: boolean) =>
  plan ? { [name]: false, planned: true } : { [name]: true };

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
      run(door, async ({ sandbox, output, settings }, [name = ''], options) => {
        const { snapshots } = (await sandbox()).control(urlOf(options));
        const plan = settings.dryRun.value;
        const row = await snapshots.save(name, { replace: options.replace === true, plan });
        await output.record({ ...row, ...fate('saved', plan) }, [{ field: 'saved' }, ...fateColumns]);
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
      run(door, async ({ sandbox, output, settings }, [name = ''], options) => {
        const { snapshots } = (await sandbox()).control(urlOf(options));
        const plan = settings.dryRun.value;
        const { name: removed } = await snapshots.remove(name, plan);
        await output.record({ name: removed, ...fate('removed', plan) });
      }),
    );
