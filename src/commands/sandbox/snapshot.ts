import { defineGroup } from '../../cli/command.ts';
import { snapshotDiff } from './snapshot-diff.ts';
import { snapshotRemove, snapshotSave } from './snapshot-keep.ts';
import { snapshotList } from './snapshot-list.ts';
import { snapshotRestore } from './snapshot-restore.ts';

/** `sandbox snapshot …` */
export const sandboxSnapshot = defineGroup('sandbox snapshot', 'save and restore the state of the sandbox', [
  snapshotSave,
  snapshotRestore,
  snapshotList,
  snapshotDiff,
  snapshotRemove,
]);
