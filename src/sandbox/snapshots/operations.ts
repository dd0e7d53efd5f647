import { EXIT, Failure, UsageError } from '../../outcome.ts';
import {
  type ControlFields,
  type ControlledSandbox,
  defineControlOperation,
  pickTexts,
} from '../control-operation.ts';
import { compareWorlds } from './difference.ts';
import {
  checkSnapshotName,
  createSnapshot,
  formatSnapshot,
  parseSnapshot,
  parseSnapshotRow,
  resumeSnapshot,
  type StoredSnapshot,
} from './snapshot.ts';

/** The control's operations on snapshots. */

const createNoSnapshotError = (name: string): Failure =>
  new Failure(`no snapshot ${name}`, {
    code: 'not_found',
    exit: EXIT.notFound,
    hint: 'List them: ttctl sandbox snapshot list',
  });

const createExistsError = (name: string): UsageError =>
  new UsageError(`there is already a snapshot ${name}`, {
    code: 'snapshot_exists',
    hint: 'Choose another name, or use --replace.',
  });

const readName = ({ name }: ControlFields) => ({ name: String(name ?? '') });

/** @throws UsageError for a name that cannot be, Failure (exit 5) where there is none */
const requireText = (name: string, text: string | undefined): string => {
  if (text === undefined) throw createNoSnapshotError(name);
  return text;
};

/** @throws as `requireText`; UsageError where it cannot be read */
const readSnapshot = ({ snapshots }: ControlledSandbox, name: string): StoredSnapshot =>
  parseSnapshot(name, requireText(name, snapshots.read(checkSnapshotName(name))));

export const SNAPSHOT_OPERATIONS = {
  snapshots: defineControlOperation(
    'GET snapshots',
    () => ({}),
    ({ snapshots }) => snapshots.names().map((name) => parseSnapshotRow(name, snapshots.read(name) ?? '')),
  ),
  saveSnapshot: defineControlOperation(
    'POST snapshots/save',
    (fields): { readonly name: string; readonly replace?: boolean } => ({
      ...readName(fields),
      replace: fields['replace'] === true,
    }),
    ({ state, snapshots, clock }, { name, replace }) =>
      state.use((world) => {
        if (snapshots.read(checkSnapshotName(name)) !== undefined && replace !== true)
          throw createExistsError(name);
        const snapshot = createSnapshot(name, world, clock.now());
        snapshots.write(name, formatSnapshot(snapshot));
        return snapshot.row;
      }),
  ),
  /**
   * Puts the whole state back: records, tokens, faults, what waits for webhooks; the clock goes on from the time of then.
   */
  restoreSnapshot: defineControlOperation('POST snapshots/restore', readName, async (sandbox, { name }) => {
    const snapshot = readSnapshot(sandbox, name);
    await sandbox.state.replace(async () => resumeSnapshot(snapshot, sandbox.clock.now()));
    return snapshot.row;
  }),
  /** From the snapshot to another, or to how things are. */
  diffSnapshot: defineControlOperation(
    'GET snapshots/diff',
    (fields) => ({ ...readName(fields), ...pickTexts(fields, 'other') }),
    async (sandbox, { name, other }) => {
      const { world } = readSnapshot(sandbox, name);
      if (other !== undefined) return compareWorlds(world, readSnapshot(sandbox, other).world);
      return sandbox.state.use((current) => compareWorlds(world, current));
    },
  ),
  removeSnapshot: defineControlOperation('POST snapshots/remove', readName, ({ snapshots }, { name }) => {
    const row = parseSnapshotRow(name, requireText(name, snapshots.read(checkSnapshotName(name))));
    snapshots.remove(name);
    return row;
  }),
};
