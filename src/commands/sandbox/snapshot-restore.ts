import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { tellChange } from '../planned.ts';
import { KEEPS_NOTHING } from './shown.ts';
import { snapshotColumns, snapshotFields } from './snapshot-list.ts';
import { lookAt, urlOf, withUrl } from './target.ts';

export const snapshotRestore = (door: Door) =>
  withUrl(
    localCommand('restore', 'restore the whole state; what is there now is lost', {
      examples: ['ttctl sandbox snapshot restore before-approval'],
      prints: { shape: 'record', fields: [...snapshotFields, 'restored'] },
      exits: [5, 7],
      more: [KEEPS_NOTHING],
    }),
  )
    .argument('<name>', 'of the snapshot')
    .action(
      run(door, async (context, [name = ''], options) => {
        const control = (await context.sandbox()).control(urlOf(options));
        const plan = context.settings.dryRun.value;
        const row = await control.restoreSnapshot({ name, plan });
        const { ahead_seconds: ahead } = plan ? { ahead_seconds: 0 } : await control.clock();
        const clock = `The clock goes on from ${row.now}. To this machine's time: ${context.commandLine`ttctl sandbox clock reset`}`;
        await tellChange(context, {
          record: { ...row, restored: !plan },
          columns: [{ field: 'restored' }, ...snapshotColumns],
          next: () => ahead !== 0 && context.output.note(clock),
          text: `snapshot ${name} was restored`,
          look: lookAt('status', options),
        });
      }),
    );
