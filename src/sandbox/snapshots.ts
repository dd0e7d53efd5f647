import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { EXIT, Failure, UsageError } from '../errors.ts';
import { isRecord, parseJsonValue, STORED_DEPTH } from '../json.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { createNotFound, isWorld, toSandboxTime } from './state.ts';
import type { World } from './world.ts';

/** A snapshot: the whole state of a sandbox under a name, as JSON. */

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

/** Where snapshots are kept, by name. */
export interface SnapshotStore {
  /** In the order of the alphabet. */
  names(): readonly string[];
  read(name: string): string | undefined;
  /** Replaces what is there under this name. */
  write(name: string, text: string): void;
  remove(name: string): void;
}

/** How files are read and replaced whole (storage/). */
interface SnapshotDisk {
  read(path: string): Buffer | undefined;
  write(path: string, data: string, options: { readonly mode: number }): void;
}

/** For as long as the process lives. */
export function createMemorySnapshots(): SnapshotStore {
  const texts = new Map<string, string>();
  return {
    names: () => [...texts.keys()].sort(),
    read: (name) => texts.get(name),
    write: (name, text) => void texts.set(name, text),
    remove: (name) => void texts.delete(name),
  };
}

const EXTENSION = '.snapshot';

/** As files within the state directory: `sandbox-snapshots/<name>.snapshot`. */
export function createFileSnapshots(stateDirectory: string, { read, write }: SnapshotDisk): SnapshotStore {
  const directory = join(stateDirectory, 'sandbox-snapshots');
  const getPath = (name: string): string => join(directory, `${name}${EXTENSION}`);
  return {
    names: () =>
      listFiles(directory)
        .filter((file) => file.endsWith(EXTENSION))
        .map((file) => file.slice(0, -EXTENSION.length))
        .sort(),
    read: (name) => read(getPath(name))?.toString('utf8'),
    write(name, text) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      write(getPath(name), text, { mode: 0o600 });
    },
    remove: (name) => rmSync(getPath(name), { force: true }),
  };
}

function listFiles(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

const FORMAT_VERSION = 2;

/** What would be a device on Windows. */
const DEVICE_NAME = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/;

/**
 * A name is a file's name on every system, and one that differs from another by more than case.
 * @throws UsageError
 */
export function checkSnapshotName(name: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/.test(name) && !name.endsWith('.') && !DEVICE_NAME.test(name)) return name;
  throw new UsageError(`"${name}" cannot be the name of a snapshot`, {
    hint: 'Use up to 64 lower-case letters, digits, dots, dashes and underscores: before-approval',
  });
}

/**
 * The state as it is at this moment of the machine's clock. Faults and what waits for webhooks are part of it; the limit
 * windows and who is sending a delivery are not.
 */
export function createSnapshot(name: string, current: World, machineMs: number): StoredSnapshot {
  const world = structuredClone({ ...current, windows: {} });
  for (const delivery of world.deliveries ?? []) delivery.claimed_ms = null;
  const saved_at = new Date(machineMs).toISOString();
  const now = new Date(toSandboxTime(current, machineMs)).toISOString();
  return { row: { name, saved_at, now, seed: current.seed, problem: null }, world };
}

/** The state as it goes on from the snapshot: its clock stands at the time of then, and runs on unless it stood still. */
export function resumeSnapshot({ row, world }: StoredSnapshot, machineMs: number): World {
  const savedMs = Date.parse(row.now);
  const isFrozen = world.time.frozen_ms !== null;
  const time = isFrozen
    ? { offset_ms: 0, frozen_ms: savedMs }
    : { offset_ms: savedMs - machineMs, frozen_ms: null };
  return { ...structuredClone(world), time };
}

export function formatSnapshot({ row: { problem: _none, ...facts }, world }: StoredSnapshot): string {
  return `${JSON.stringify({ snapshot: FORMAT_VERSION, ...facts, world })}\n`;
}

/** What a list says of it; one that cannot be read has its `problem`. */
export function parseSnapshotRow(name: string, text: string): SnapshotRow {
  const parsed = parseSnapshot(name, text);
  return typeof parsed === 'string' ? { name, saved_at: '', now: '', seed: '', problem: parsed } : parsed.row;
}

/** @throws UsageError for a name that cannot be, Failure (exit 5) where there is none */
export function requireSnapshotText(snapshots: SnapshotStore, name: string): string {
  const text = snapshots.read(checkSnapshotName(name));
  if (text !== undefined) return text;
  throw createNotFound(`no snapshot ${name}`, 'List them: ttctl sandbox snapshot list');
}

/** @throws as `requireSnapshotText`; Failure (exit 2) for what is damaged or of another version */
export function readSnapshot(snapshots: SnapshotStore, name: string): StoredSnapshot {
  const parsed = parseSnapshot(name, requireSnapshotText(snapshots, name));
  if (typeof parsed !== 'string') return parsed;
  throw new Failure(`the snapshot ${name} cannot be read`, {
    code: 'snapshot_unusable',
    exit: EXIT.usage,
    reason: parsed,
    hint: `Save it again, or remove it: ${commandLine`ttctl sandbox snapshot remove ${name}`}`,
  });
}

/** The snapshot, or why it cannot be read. */
function parseSnapshot(name: string, text: string): StoredSnapshot | string {
  const value = parseJsonValue(text, STORED_DEPTH);
  if (!isRecord(value) || !('snapshot' in value)) return 'It is damaged.';
  const { snapshot, saved_at, now, seed, world } = value;
  if (snapshot !== FORMAT_VERSION || !isWorld(world)) return 'It was made by another version of ttctl.';
  if (Number.isNaN(Date.parse(String(now)))) return 'It is damaged.';
  const row = { name, saved_at: String(saved_at), now: String(now), seed: String(seed), problem: null };
  return { row, world };
}

/** What two states of a sandbox differ in, record by record. */

export interface Difference {
  /** The collection: `timesheets`, `members`, `tokens` … */
  readonly kind: string;
  readonly id: string;
  readonly workspace_id: number | null;
  readonly change: 'added' | 'changed' | 'removed';
  /** With null for what was not, or is no more, there; secrets are masked. */
  readonly fields: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[];
}

type Fields = Readonly<Record<string, unknown>>;

interface Entry extends Pick<Difference, 'kind' | 'id' | 'workspace_id'> {
  readonly fields: Fields;
}

const SECRETS = new Set(['token', 'client_secret', 'access_token', 'challenge']);

/** From `before` to `after`, in the order of the state. */
export function compareWorlds(before: World, after: World): Difference[] {
  const [previous, current] = [listEntries(before), listEntries(after)];
  return [...new Set([...previous.keys(), ...current.keys()])].flatMap((key): Difference[] => {
    const [old, now] = [previous.get(key), current.get(key)];
    const { kind, id, workspace_id } = (now ?? old) as Entry;
    const change = old === undefined ? 'added' : now === undefined ? 'removed' : 'changed';
    const fields = compareFields(old?.fields ?? {}, now?.fields ?? {});
    return change === 'changed' && fields.length === 0 ? [] : [{ kind, id, workspace_id, change, fields }];
  });
}

function compareFields(before: Fields, after: Fields): Difference['fields'] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const show = (name: string, value: unknown) => (SECRETS.has(name) && value ? '(secret)' : (value ?? null));
  return names
    .filter((name) => !isDeepStrictEqual(before[name] ?? null, after[name] ?? null))
    .map((field) => ({ field, before: show(field, before[field]), after: show(field, after[field]) }));
}

/** All that somebody could have changed, by kind and id. A clock that runs differs always, and is left out. */
function listEntries({ spaces, users, trackers, tokens, oauth, deliveries = [], time }: World) {
  const entries = new Map<string, Entry>();
  const add = (kind: string, records: object, workspace_id: number | null = null): void => {
    for (const [key, value] of Object.entries(records)) {
      const fields: Fields = { ...(value as object) };
      // The key of some is a secret.
      const id = String(
        fields['id'] ?? (kind.endsWith('tokens') || kind === 'codes' ? `…${key.slice(-4)}` : key),
      );
      entries.set(`${kind} ${workspace_id} ${id}`, { kind, id, workspace_id, fields });
    }
  };
  for (const { id, ...space } of Object.values(spaces)) {
    const collections = Object.entries(space).filter(
      ([, value]) => typeof value === 'object' && value !== null,
    );
    const own = Object.entries(space).filter(([, value]) => typeof value !== 'object');
    add('workspaces', { [id]: Object.fromEntries(own) });
    for (const [kind, records] of collections) add(kind, records as object, id);
  }
  add('users', users);
  add('trackers', trackers);
  // The embedded sandbox makes one for itself, with whatever command comes first.
  add(
    'tokens',
    Object.values(tokens).filter(({ name }) => name !== 'embedded'),
  );
  add('apps', oauth?.apps ?? {});
  add('codes', oauth?.codes ?? {});
  add('refresh_tokens', oauth?.refresh_tokens ?? {});
  add('deliveries', deliveries);
  add('clock', { clock: { stands_still_at: time.frozen_ms && new Date(time.frozen_ms).toISOString() } });
  return entries;
}
