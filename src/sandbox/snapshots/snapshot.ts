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

const FORMAT = 1;

/** What would be a device on Windows. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/;

/**
 * A name is a file's name on every system, and one that differs from another by more than case.
 * @throws UsageError
 */
export const checkSnapshotName = (name: string): string => {
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/.test(name) && !name.endsWith('.') && !DEVICE.test(name)) return name;
  throw new UsageError(`"${name}" cannot be the name of a snapshot`, {
    hint: 'Use up to 64 lower-case letters, digits, dots, dashes and underscores: before-approval',
  });
};

const size = (records: object): number => Object.keys(records).length;

const countsOf = (world: World): Record<string, number> => {
  const spaces = Object.values(world.spaces);
  const sum = (of: (space: (typeof spaces)[number]) => object): number =>
    spaces.reduce((total, space) => total + size(of(space)), 0);
  return {
    workspaces: spaces.length,
    members: sum((space) => space.members),
    projects: sum((space) => space.projects),
    contracts: sum((space) => space.contracts),
    tasks: sum((space) => space.tasks),
    timesheets: sum((space) => space.timesheets),
    leaves: sum((space) => space.leaves),
    time_requests: sum((space) => space.time_requests),
    expenses: sum((space) => space.expenses),
    webhooks: sum((space) => space.webhooks),
    tokens: size(world.tokens),
  };
};

/**
 * The state as it is at this moment of the machine's clock. Faults and what waits for webhooks are part of it; the limit
 * windows and who is sending a delivery are not.
 */
export const createSnapshot = (name: string, present: World, machine: number): StoredSnapshot => {
  const world = structuredClone({ ...present, windows: {} });
  for (const delivery of world.deliveries ?? []) delivery.claimed_ms = null;
  return {
    row: {
      name,
      saved_at: new Date(machine).toISOString(),
      now: new Date(toSandboxTime(present, machine)).toISOString(),
      seed: present.seed,
      counts: countsOf(present),
      problem: null,
    },
    world,
  };
};

/** The state as it goes on from the snapshot: its clock stands at the time of then, and runs on unless it stood still. */
export const resumeSnapshot = (
  { row, world }: { readonly row: Pick<SnapshotRow, 'now'>; readonly world: World },
  machine: number,
): World => {
  const then = Date.parse(row.now);
  const frozen = world.time.frozen_ms !== null;
  const time = frozen ? { offset_ms: 0, frozen_ms: then } : { offset_ms: then - machine, frozen_ms: null };
  return { ...structuredClone(world), time };
};

export const formatSnapshot = ({ row, world }: StoredSnapshot): string => {
  const { problem: _none, ...told } = row;
  return `${JSON.stringify({ snapshot: FORMAT, ...told })}\n${JSON.stringify(world)}\n`;
};

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

const DAMAGED = 'It is damaged.';
const OTHER = 'It was made by another version of ttctl.';

const broken = (name: string, problem: string): SnapshotRow => {
  const nothing = { saved_at: '', now: '', seed: '', counts: {} };
  return { name, ...nothing, problem };
};

/** What the first line says; one that cannot be read has its `problem`. */
export const parseSnapshotRow = (name: string, line: string): SnapshotRow => {
  const value = parsed(line);
  if (typeof value !== 'object' || value === null || !('snapshot' in value)) return broken(name, DAMAGED);
  const { snapshot, saved_at, now, seed, counts }: Record<string, unknown> = { ...value };
  if (snapshot !== FORMAT) return broken(name, OTHER);
  const whole = [saved_at, now, seed].every((text) => typeof text === 'string');
  if (!whole || Number.isNaN(Date.parse(String(now)))) return broken(name, DAMAGED);
  const numbers = Object.entries({ ...(counts as Record<string, number>) }).filter(([, count]) =>
    Number.isInteger(count),
  );
  return {
    name,
    saved_at: String(saved_at),
    now: String(now),
    seed: String(seed),
    counts: Object.fromEntries(numbers),
    problem: null,
  };
};

const unusable = (name: string, problem: string): Failure =>
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
  if (row.problem !== null) throw unusable(name, row.problem);
  const value = parsed(second);
  if (value === undefined) throw unusable(name, DAMAGED);
  if (!isWorld(value)) throw unusable(name, OTHER);
  return { row, world: value };
};
