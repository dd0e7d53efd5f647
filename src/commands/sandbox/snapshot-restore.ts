import { defineCommand } from '../../cli/command.ts';
import { printLocalChange } from '../local-change.ts';
import { KEEPS_NOTHING } from './output-fields.ts';
import { snapshotColumns, snapshotFields } from './snapshot-list.ts';
import { formatInspect, urlFlag } from './target.ts';

export const snapshotRestore = defineCommand({
  path: 'sandbox snapshot restore',
  about: 'restore the whole state; the current state is lost',
  examples: ['ttctl sandbox snapshot restore before-approval'],
  prints: { shape: 'record', fields: [...snapshotFields, 'restored'] },
  exits: [5, 7],
  more: [KEEPS_NOTHING],
  positionals: [{ name: 'name', about: 'name of the snapshot', required: true }],
  flags: [urlFlag],
  run: async (context, { targets: [name = ''], options }) => {
    const control = (await context.sandbox()).control(options.url);
    const row = await control.restoreSnapshot({ name });
    const { ahead_seconds: ahead } = await control.clock();
    const clock = `The clock continues from ${row.now}. To use the time of this machine: ${context.commandLine`ttctl sandbox clock reset`}`;
    await printLocalChange(context, {
      record: { ...row, restored: true },
      columns: [{ field: 'restored' }, ...snapshotColumns],
      next: () => ahead !== 0 && context.output.note(clock),
      text: `snapshot ${name} was restored`,
      inspectLine: formatInspect('status', options),
    });
  },
});
