import type { Clock } from '../../clock.ts';
import { EXIT, Failure, UsageError } from '../../outcome.ts';
import type { World } from '../world.ts';
import { type Difference, differences } from './difference.ts';
import {
  checkName,
  resumed,
  rowFrom,
  type Snapshot,
  type SnapshotRow,
  snapshotFrom,
  snapshotOf,
  textOf,
} from './snapshot.ts';
import type { SnapshotStore } from './snapshot-store.ts';

/** What `ttctl sandbox snapshot …` can do, wherever the sandbox runs. `plan`: nothing is changed. */

export interface SnapshotControl {
  list(): Promise<readonly SnapshotRow[]>;
  /** @throws UsageError for a name that cannot be, or is taken and may not be replaced */
  save(name: string, how: { readonly replace: boolean; readonly plan: boolean }): Promise<SnapshotRow>;
  /**
   * Puts the whole state back: records, tokens, faults, what waits for webhooks; the clock goes on from the time of then.
   * @throws Failure (exit 5) where there is none, (exit 2) where it cannot be read
   */
  restore(name: string, plan: boolean): Promise<SnapshotRow>;
  /** From the snapshot to another, or to how things are. @throws as `restore` */
  diff(name: string, other?: string): Promise<readonly Difference[]>;
  /** @throws Failure (exit 5) */
  remove(name: string, plan: boolean): Promise<SnapshotRow>;
}

/** Access to the state that is saved and put back. */
export interface SnapshotDoor {
  readonly shelf: SnapshotStore;
  look<T>(work: (world: World) => T): Promise<T>;
  /** Puts another state in the place of the present one. */
  put(make: () => World): Promise<void>;
}

const noSnapshot = (name: string): Failure =>
  new Failure(`no snapshot ${name}`, {
    code: 'not_found',
    exit: EXIT.notFound,
    hint: 'See which there are: ttctl sandbox snapshot list',
  });

const taken = (name: string): UsageError =>
  new UsageError(`there is a snapshot ${name} already`, {
    code: 'snapshot_exists',
    hint: 'Take another name, or replace it with --replace.',
  });

/** @param clock the machine's */
export const createSnapshotControl = ({ shelf, look, put }: SnapshotDoor, clock: Clock): SnapshotControl => {
  const rowOf = (name: string): SnapshotRow => {
    const head = shelf.head(checkName(name));
    if (head === undefined) throw noSnapshot(name);
    return rowFrom(name, head);
  };
  const read = (name: string): Snapshot => {
    const text = shelf.read(checkName(name));
    if (text === undefined) throw noSnapshot(name);
    return snapshotFrom(name, text);
  };
  return {
    list: async () => shelf.names().map((name) => rowFrom(name, shelf.head(name) ?? '')),
    save: (name, { replace, plan }) =>
      look((world) => {
        if (shelf.head(checkName(name)) !== undefined && !replace) throw taken(name);
        const snapshot = snapshotOf(name, world, clock.now());
        if (!plan) shelf.write(name, textOf(snapshot));
        return snapshot.row;
      }),
    async restore(name, plan) {
      const snapshot = read(name);
      if (!plan) await put(() => resumed(snapshot, clock.now()));
      return snapshot.row;
    },
    async diff(name, other) {
      const { world } = read(name);
      if (other !== undefined) return differences(world, read(other).world);
      return look((present) => differences(world, present));
    },
    async remove(name, plan) {
      const row = rowOf(name);
      if (!plan) shelf.remove(name);
      return row;
    },
  };
};
