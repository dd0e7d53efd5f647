import type { Door } from '../../run.ts';
import { localCommand } from '../command.ts';
import { snapshotDiff } from './snapshot-diff.ts';
import { snapshotRemove, snapshotSave } from './snapshot-keep.ts';
import { snapshotList } from './snapshot-list.ts';
import { snapshotRestore } from './snapshot-restore.ts';

/** `sandbox snapshot …` */
export const sandboxSnapshot = (door: Door) =>
  localCommand('snapshot', 'the whole state of the sandbox under a name, to come back to', { examples: [] })
    .addCommand(snapshotSave(door))
    .addCommand(snapshotRestore(door))
    .addCommand(snapshotList(door))
    .addCommand(snapshotDiff(door))
    .addCommand(snapshotRemove(door));
