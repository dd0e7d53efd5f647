import { EXIT, Failure, UsageError } from '../../outcome.ts';
import { type ControlledSandbox, type Fields, operation, pickTexts } from '../control-operation.ts';
import { differences } from './difference.ts';
import { checkName, resumed, rowFrom, type Snapshot, snapshotFrom, snapshotOf, textOf } from './snapshot.ts';

/** The control's operations on snapshots. */

const noSnapshot = (name: string): Failure =>
  new Failure(`no snapshot ${name}`, {
    code: 'not_found',
    exit: EXIT.notFound,
    hint: 'List them: ttctl sandbox snapshot list',
  });

const taken = (name: string): UsageError =>
  new UsageError(`there is already a snapshot ${name} already`, {
    code: 'snapshot_exists',
    hint: 'Choose another name, or use --replace.',
  });

const nameOf = ({ name }: Fields) => ({ name: String(name ?? '') });

/** @throws UsageError for a name that cannot be, Failure (exit 5) where there is none */
const found = (name: string, text: string | undefined): string => {
  if (text === undefined) throw noSnapshot(name);
  return text;
};

/** @throws as `found`; UsageError where it cannot be read */
const read = ({ snapshots }: ControlledSandbox, name: string): Snapshot =>
  snapshotFrom(name, found(name, snapshots.read(checkName(name))));

export const SNAPSHOT_OPERATIONS = {
  snapshots: operation(
    'GET snapshots',
    () => ({}),
    ({ snapshots }) => snapshots.names().map((name) => rowFrom(name, snapshots.head(name) ?? '')),
  ),
  saveSnapshot: operation(
    'POST snapshots/save',
    (fields): { readonly name: string; readonly replace?: boolean } => ({
      ...nameOf(fields),
      replace: fields['replace'] === true,
    }),
    ({ state, snapshots, clock }, { name, replace }, plan) =>
      state.use((world) => {
        if (snapshots.head(checkName(name)) !== undefined && replace !== true) throw taken(name);
        const snapshot = snapshotOf(name, world, clock.now());
        if (!plan) snapshots.write(name, textOf(snapshot));
        return snapshot.row;
      }),
  ),
  /**
   * Puts the whole state back: records, tokens, faults, what waits for webhooks; the clock goes on from the time of then.
   */
  restoreSnapshot: operation('POST snapshots/restore', nameOf, async (sandbox, { name }, plan) => {
    const snapshot = read(sandbox, name);
    if (!plan) await sandbox.state.replace(async () => resumed(snapshot, sandbox.clock.now()));
    return snapshot.row;
  }),
  /** From the snapshot to another, or to how things are. */
  diffSnapshot: operation(
    'GET snapshots/diff',
    (fields) => ({ ...nameOf(fields), ...pickTexts(fields, 'other') }),
    async (sandbox, { name, other }) => {
      const { world } = read(sandbox, name);
      if (other !== undefined) return differences(world, read(sandbox, other).world);
      return sandbox.state.use((present) => differences(world, present));
    },
  ),
  removeSnapshot: operation('POST snapshots/remove', nameOf, ({ snapshots }, { name }, plan) => {
    const row = rowFrom(name, found(name, snapshots.head(checkName(name))));
    if (!plan) snapshots.remove(name);
    return row;
  }),
};
