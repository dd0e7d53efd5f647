import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createNotFound, isJsonObject, Problem, readJson } from './basics.ts';
import { isWorld, toSandboxTime } from './state.ts';
import type { World } from './world.ts';

export interface SnapshotRow {
  readonly name: string;
  readonly saved_at: string;
  readonly now: string;
  readonly seed: string;
  readonly problem: string | null;
}

/** The texts of snapshots by name; in memory a `Map`. */
export interface SnapshotStore {
  keys(): Iterable<string>;
  get(name: string): string | undefined;
  set(name: string, text: string): unknown;
  delete(name: string): unknown;
}

const EXTENSION = '.snapshot';

/** As files within the state directory: `sandbox-snapshots/<name>.snapshot`. @param disk how files are read and replaced whole */
export function createFileSnapshots(
  stateDirectory: string,
  disk: {
    read(path: string): Buffer | undefined;
    write(path: string, data: string, options: { readonly mode: number }): void;
  },
): SnapshotStore {
  const directory = join(stateDirectory, 'sandbox-snapshots');
  const getPath = (name: string): string => join(directory, `${name}${EXTENSION}`);
  return {
    keys() {
      const files = existsSync(directory) ? readdirSync(directory) : [];
      const own = files.filter((file) => file.endsWith(EXTENSION));
      return own.map((file) => file.slice(0, -EXTENSION.length));
    },
    get: (name) => disk.read(getPath(name))?.toString('utf8'),
    set(name, text) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      disk.write(getPath(name), text, { mode: 0o600 });
    },
    delete: (name) => rmSync(getPath(name), { force: true }),
  };
}

export function listSnapshots(snapshots: SnapshotStore): readonly SnapshotRow[] {
  return [...snapshots.keys()].sort().map((name) => parseSnapshot(name, snapshots.get(name) ?? '').row);
}

const FORMAT_VERSION = 2;

/**
 * Keeps the state as it is at this moment of the machine's clock, but for the limit windows. Faults and what waits for
 * webhooks are part of it.
 * @throws Problem for a name that cannot be, or that is taken
 */
export function saveSnapshot(
  snapshots: SnapshotStore,
  name: string,
  world: World,
  machineMs: number,
  replace: boolean,
): SnapshotRow {
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(name)) {
    const hint = 'Use up to 64 lower-case letters, digits, dots, dashes and underscores: before-approval';
    throw new Problem(`"${name}" cannot be the name of a snapshot`, { hint });
  }
  if (snapshots.get(name) !== undefined && !replace) {
    const hint = 'Choose another name, or use --replace.';
    throw new Problem(`there is already a snapshot ${name}`, { code: 'snapshot_exists', hint });
  }
  const saved_at = new Date(machineMs).toISOString();
  const now = new Date(toSandboxTime(world, machineMs)).toISOString();
  const facts = { name, saved_at, now, seed: world.seed };
  const kept = { snapshot: FORMAT_VERSION, ...facts, world: { ...world, windows: {} } };
  snapshots.set(name, `${JSON.stringify(kept)}\n`);
  return { ...facts, problem: null };
}

/** The state as it goes on from the snapshot: its clock stands at the time of then, and runs on unless it stood still. */
export function resumeSnapshot({ row, world }: ReturnType<typeof readSnapshot>, machineMs: number): World {
  const savedMs = Date.parse(row.now);
  if (world.time.frozen_ms !== null) return { ...world, time: { offset_ms: 0, frozen_ms: savedMs } };
  return { ...world, time: { offset_ms: savedMs - machineMs, frozen_ms: null } };
}

/** @throws Problem (exit 5) where there is none, (exit 2) for what cannot be restored */
export function readSnapshot(snapshots: SnapshotStore, name: string) {
  const { row, world } = requireSnapshot(snapshots, name);
  if (world !== undefined) return { row, world };
  throw new Problem(`the snapshot ${name} cannot be read`, {
    ...{ code: 'snapshot_unusable', reason: row.problem ?? '' },
    hint: `Save it again, or remove it: ttctl sandbox snapshot remove ${name}`,
  });
}

export function requireSnapshot(snapshots: SnapshotStore, name: string) {
  // By its name among those that there are: it is also a file's.
  const text = [...snapshots.keys()].includes(name) ? snapshots.get(name) : undefined;
  if (text !== undefined) return parseSnapshot(name, text);
  throw createNotFound(`no snapshot ${name}`, 'List them: ttctl sandbox snapshot list');
}

function parseSnapshot(name: string, text: string): { readonly row: SnapshotRow; readonly world?: World } {
  const value = readJson(text);
  const { snapshot, saved_at = '', now = '', seed = '', world } = isJsonObject(value) ? value : {};
  const facts = { name, saved_at: String(saved_at), now: String(now), seed: String(seed) };
  if (snapshot === FORMAT_VERSION && isWorld(world)) return { row: { ...facts, problem: null }, world };
  return { row: { ...facts, problem: 'It is damaged, or was made by another version of ttctl.' } };
}

export interface Difference {
  /** The collection: `timesheets`, `members`, `tokens` … */
  readonly kind: string;
  readonly id: string;
  readonly workspace_id: number | null;
  readonly change: 'added' | 'changed' | 'removed';
  /** With null for what was not, or is no more, there; secrets are masked. */
  readonly fields: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[];
}

type Entry = Pick<Difference, 'kind' | 'id' | 'workspace_id'> & { readonly values: Record<string, unknown> };

const SECRETS = new Set(['token', 'client_secret', 'access_token', 'challenge']);

export function compareWorlds(before: World, after: World): Difference[] {
  const [previous, current] = [listEntries(before), listEntries(after)];
  return [...new Set([...previous.keys(), ...current.keys()])].flatMap((key): Difference[] => {
    const [old, now] = [previous.get(key), current.get(key)];
    const { values: _values, ...entry } = (now ?? old) as Entry;
    const show = (name: string, value: unknown) =>
      SECRETS.has(name) && value ? '(secret)' : (value ?? null);
    const fields = Object.keys({ ...old?.values, ...now?.values })
      .filter((name) => !isDeepStrictEqual(old?.values[name] ?? null, now?.values[name] ?? null))
      .map((name) => ({
        ...{ field: name, before: show(name, old?.values[name]), after: show(name, now?.values[name]) },
      }));
    if (old === undefined) return [{ ...entry, change: 'added', fields }];
    if (now === undefined) return [{ ...entry, change: 'removed', fields }];
    return fields.length === 0 ? [] : [{ ...entry, change: 'changed', fields }];
  });
}

/** All that somebody could have changed, by kind and id. A clock that runs differs always, and is left out. */
function listEntries({ spaces, users, trackers, tokens, oauth, deliveries = [], time }: World) {
  const entries = new Map<string, Entry>();
  const add = (kind: string, records: object, workspace_id: number | null = null): void => {
    for (const [key, record] of Object.entries(records)) {
      const values = { ...(record as Record<string, unknown>) };
      // The key of some is a secret.
      const isSecret = kind.endsWith('tokens') || kind === 'codes';
      const id = String(values.id ?? (isSecret ? `…${key.slice(-4)}` : key));
      entries.set(`${kind} ${workspace_id} ${id}`, { kind, id, workspace_id, values });
    }
  };
  for (const { id, ...space } of Object.values(spaces)) {
    const own: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(space)) {
      if (typeof value === 'object' && value !== null) add(name, value, id);
      else own[name] = value;
    }
    add('workspaces', { [id]: own });
  }
  // The embedded sandbox makes one for itself, with whatever command comes first.
  const named = Object.values(tokens).filter(({ name }) => name !== 'embedded');
  for (const [kind, records] of Object.entries({ users, trackers, tokens: named, ...oauth, deliveries }))
    add(kind, records);
  add('clock', { clock: { stands_still_at: time.frozen_ms && new Date(time.frozen_ms).toISOString() } });
  return entries;
}
