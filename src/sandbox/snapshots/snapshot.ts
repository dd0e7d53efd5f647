import { isRecord } from '../../json/number.ts';
import { parseJsonValue, STORED_DEPTH } from '../../json/parse.ts';
import { EXIT, Failure, UsageError } from '../../outcome.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import { isWorld, toSandboxTime } from '../state.ts';
import type { World } from '../world.ts';

/**
 * A snapshot: the whole state of a sandbox under a name, as JSON.
 */

export interface SnapshotRow {
  readonly name: string;
  /** By the machine's clock, ISO 8601. */
  readonly saved_at: string;
  /** What time it was in the sandbox, ISO 8601. */
  readonly now: string;
  readonly seed: string;
  /** Why it cannot be restored; null: it can. */
  readonly problem: string | null;
}

export interface StoredSnapshot {
  readonly row: SnapshotRow;
  readonly world: World;
}

const FORMAT_VERSION = 2;

/** What would be a device on Windows. */
const DEVICE_NAME = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/;

/**
 * A name is a file's name on every system, and one that differs from another by more than case.
 * @throws UsageError
 */
export const checkSnapshotName = (name: string): string => {
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/.test(name) && !name.endsWith('.') && !DEVICE_NAME.test(name)) return name;
  throw new UsageError(`"${name}" cannot be the name of a snapshot`, {
    hint: 'Use up to 64 lower-case letters, digits, dots, dashes and underscores: before-approval',
  });
};

/**
 * The state as it is at this moment of the machine's clock. Faults and what waits for webhooks are part of it; the limit
 * windows and who is sending a delivery are not.
 */
export const createSnapshot = (name: string, current: World, machineMs: number): StoredSnapshot => {
  const world = structuredClone({ ...current, windows: {} });
  for (const delivery of world.deliveries ?? []) delivery.claimed_ms = null;
  return {
    row: {
      name,
      saved_at: new Date(machineMs).toISOString(),
      now: new Date(toSandboxTime(current, machineMs)).toISOString(),
      seed: current.seed,
      problem: null,
    },
    world,
  };
};

/** The state as it goes on from the snapshot: its clock stands at the time of then, and runs on unless it stood still. */
export const resumeSnapshot = (
  { row, world }: { readonly row: Pick<SnapshotRow, 'now'>; readonly world: World },
  machineMs: number,
): World => {
  const savedMs = Date.parse(row.now);
  const isFrozen = world.time.frozen_ms !== null;
  const time = isFrozen
    ? { offset_ms: 0, frozen_ms: savedMs }
    : { offset_ms: savedMs - machineMs, frozen_ms: null };
  return { ...structuredClone(world), time };
};

export const formatSnapshot = ({ row, world }: StoredSnapshot): string => {
  const { problem: _none, ...facts } = row;
  return `${JSON.stringify({ snapshot: FORMAT_VERSION, ...facts, world })}\n`;
};

/** The snapshot, or why it cannot be read. */
const readSnapshotText = (name: string, text: string): StoredSnapshot | string => {
  const value = parseJsonValue(text, STORED_DEPTH);
  if (!isRecord(value) || !('snapshot' in value)) return 'It is damaged.';
  const { snapshot, saved_at, now, seed, world } = value;
  if (snapshot !== FORMAT_VERSION || !isWorld(world)) return 'It was made by another version of ttctl.';
  if (Number.isNaN(Date.parse(String(now)))) return 'It is damaged.';
  const row = { name, saved_at: String(saved_at), now: String(now), seed: String(seed), problem: null };
  return { row, world };
};

/** What a list says of it; one that cannot be read has its `problem`. */
export const parseSnapshotRow = (name: string, text: string): SnapshotRow => {
  const read = readSnapshotText(name, text);
  return typeof read === 'string' ? { name, saved_at: '', now: '', seed: '', problem: read } : read.row;
};

/** @throws Failure (exit 2) for what is damaged or of another version */
export const parseSnapshot = (name: string, text: string): StoredSnapshot => {
  const read = readSnapshotText(name, text);
  if (typeof read !== 'string') return read;
  throw new Failure(`the snapshot ${name} cannot be read`, {
    code: 'snapshot_unusable',
    exit: EXIT.usage,
    reason: read,
    hint: `Save it again, or remove it: ${commandLine`ttctl sandbox snapshot remove ${name}`}`,
  });
};

/** Where snapshots are kept, by name. */
export interface SnapshotStore {
  /** In the order of the alphabet. */
  names(): readonly string[];
  read(name: string): string | undefined;
  /** Replaces what is there under this name. */
  write(name: string, text: string): void;
  remove(name: string): void;
}

/** For as long as the process lives. */
export const createMemorySnapshots = (): SnapshotStore => {
  const texts = new Map<string, string>();
  return {
    names: () => [...texts.keys()].sort(),
    read: (name) => texts.get(name),
    write: (name, text) => void texts.set(name, text),
    remove: (name) => void texts.delete(name),
  };
};
