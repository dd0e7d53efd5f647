import { EXIT, Failure, UsageError } from '../../outcome.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import { isWorld, toSandboxTime } from '../state.ts';
import type { World } from '../world.ts';

/**
 * A snapshot: the whole state of a sandbox under a name. Its text is two lines of JSON, what is told of it in a list and
 * the state, so that a list need not read states.
 */

export interface SnapshotRow {
  readonly name: string;
  /** By the machine's clock, ISO 8601. */
  readonly saved_at: string;
  /** What time it was in the sandbox, ISO 8601. */
  readonly now: string;
  readonly seed: string;
  readonly counts: Readonly<Record<string, number>>;
  /** Why it cannot be restored; null: it can. */
  readonly problem: string | null;
}

export interface StoredSnapshot {
  readonly row: SnapshotRow;
  readonly world: World;
}

const FORMAT_VERSION = 1;

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

const countRecords = (records: object): number => Object.keys(records).length;

const countAll = (world: World): Record<string, number> => {
  const workspaces = Object.values(world.spaces);
  const sumRecords = (getRecords: (workspace: (typeof workspaces)[number]) => object): number =>
    workspaces.reduce((total, workspace) => total + countRecords(getRecords(workspace)), 0);
  return {
    workspaces: workspaces.length,
    members: sumRecords((workspace) => workspace.members),
    projects: sumRecords((workspace) => workspace.projects),
    contracts: sumRecords((workspace) => workspace.contracts),
    tasks: sumRecords((workspace) => workspace.tasks),
    timesheets: sumRecords((workspace) => workspace.timesheets),
    leaves: sumRecords((workspace) => workspace.leaves),
    time_requests: sumRecords((workspace) => workspace.time_requests),
    expenses: sumRecords((workspace) => workspace.expenses),
    webhooks: sumRecords((workspace) => workspace.webhooks),
    tokens: countRecords(world.tokens),
  };
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
      counts: countAll(current),
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
  return `${JSON.stringify({ snapshot: FORMAT_VERSION, ...facts })}\n${JSON.stringify(world)}\n`;
};

const parseLine = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

const DAMAGED = 'It is damaged.';
const OTHER_VERSION = 'It was made by another version of ttctl.';

const createBrokenRow = (name: string, problem: string): SnapshotRow => {
  const empty = { saved_at: '', now: '', seed: '', counts: {} };
  return { name, ...empty, problem };
};

/** What the first line says; one that cannot be read has its `problem`. */
export const parseSnapshotRow = (name: string, line: string): SnapshotRow => {
  const value = parseLine(line);
  if (typeof value !== 'object' || value === null || !('snapshot' in value))
    return createBrokenRow(name, DAMAGED);
  const { snapshot, saved_at, now, seed, counts }: Record<string, unknown> = { ...value };
  if (snapshot !== FORMAT_VERSION) return createBrokenRow(name, OTHER_VERSION);
  const isComplete = [saved_at, now, seed].every((text) => typeof text === 'string');
  if (!isComplete || Number.isNaN(Date.parse(String(now)))) return createBrokenRow(name, DAMAGED);
  const validCounts = Object.entries({ ...(counts as Record<string, number>) }).filter(([, count]) =>
    Number.isInteger(count),
  );
  return {
    name,
    saved_at: String(saved_at),
    now: String(now),
    seed: String(seed),
    counts: Object.fromEntries(validCounts),
    problem: null,
  };
};

const createUnusableError = (name: string, problem: string): Failure =>
  new Failure(`the snapshot ${name} cannot be read`, {
    code: 'snapshot_unusable',
    exit: EXIT.usage,
    reason: problem,
    hint: `Save it again, or remove it: ${commandLine`ttctl sandbox snapshot remove ${name}`}`,
  });

/** @throws Failure (exit 2) for what is damaged or of another version */
export const parseSnapshot = (name: string, text: string): StoredSnapshot => {
  const [first = '', second = ''] = text.split('\n', 2);
  const row = parseSnapshotRow(name, first);
  if (row.problem !== null) throw createUnusableError(name, row.problem);
  const value = parseLine(second);
  if (value === undefined) throw createUnusableError(name, DAMAGED);
  if (!isWorld(value)) throw createUnusableError(name, OTHER_VERSION);
  return { row, world: value };
};
