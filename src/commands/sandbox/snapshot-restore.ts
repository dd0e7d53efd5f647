import { defineCommand } from '../../cli/command.ts';
import { KEEPS_NOTHING } from './shown.ts';
import { fate } from './snapshot-keep.ts';
import { fateColumns, snapshotFields } from './snapshot-list.ts';
import { urlFlag } from './target.ts';

export const snapshotRestore = defineCommand({
  path: 'sandbox snapshot restore',
  about: 'restore the whole state; what is there now is lost',
  examples: ['ttctl sandbox snapshot restore before-approval'],
  prints: { shape: 'record', fields: [...snapshotFields, 'restored'] },
  exits: [5, 7],
  more: [KEEPS_NOTHING],
  positionals: [{ name: 'name', about: 'of the snapshot', required: true }],
  flags: [urlFlag],
  run: async ({ sandbox, output, settings }, { targets: [name = ''], options }) => {
    const control = (await sandbox()).control(options.url);
    const plan = settings.dryRun.value;
    const row = await control.snapshots.restore(name, plan);
    await output.record({ ...row, ...fate('restored', plan) }, [{ field: 'restored' }, ...fateColumns]);
    if (plan) return;
    const { ahead_seconds } = await control.clock();
    if (ahead_seconds === 0) return;
    output.note(`The clock goes on from ${row.now}. To this machine's time: ttctl sandbox clock reset`);
  },
});
