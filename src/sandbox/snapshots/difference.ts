import { isDeepStrictEqual } from 'node:util';
import { findRecord } from '../state.ts';
import type { World } from '../world.ts';
import { listSnapshotRecords, type SnapshotRecord } from './kinds.ts';

/** What two states of a sandbox differ in. */

interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface Difference {
  /** `timesheet`, `member`, `token` … */
  readonly kind: string;
  readonly id: string;
  readonly change: 'added' | 'changed' | 'removed';
  /** What the record is called, or whose it is; null: nothing is known. */
  readonly name: string | null;
  readonly workspace_id: number | null;
  /** Of a changed record. */
  readonly fields: readonly FieldChange[];
  /** An added or removed record whole; null for a changed one. Secrets are left out. */
  readonly record: Readonly<Record<string, unknown>> | null;
}

const SECRET = '(secret)';
const SECRETS = new Set(['token', 'client_secret', 'access_token', 'challenge']);

const shown = (field: string, value: unknown): unknown =>
  SECRETS.has(field) && value !== null && value !== undefined ? SECRET : (value ?? null);

const withoutSecrets = (record: SnapshotRecord['record']): SnapshotRecord['record'] =>
  Object.fromEntries(Object.entries(record).map(([field, value]) => [field, shown(field, value)]));

const NAMES = ['name', 'title', 'email', 'expense_name', 'workspace_name', 'url'] as const;

const nameOf = (world: World, { record }: SnapshotRecord): string | null => {
  const own = NAMES.map((field) => record[field]).find((value) => typeof value === 'string' && value !== '');
  const user = record['user_id'];
  if (own !== undefined && typeof record['title'] !== 'string') return String(own);
  const email = typeof user === 'number' ? findRecord(world.users, user)?.email : undefined;
  return email ?? (own === undefined ? null : String(own));
};

const keyOf = ({ kind, workspace_id, id }: SnapshotRecord): string => `${kind} ${workspace_id} ${id}`;

const byKey = (world: World): Map<string, SnapshotRecord> =>
  new Map(listSnapshotRecords(world).map((record) => [keyOf(record), record]));

const changesOf = (before: SnapshotRecord['record'], after: SnapshotRecord['record']): FieldChange[] => {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return fields
    .filter((field) => !isDeepStrictEqual(before[field] ?? null, after[field] ?? null))
    .map((field) => ({
      field,
      before: shown(field, before[field]),
      after: shown(field, after[field]),
    }));
};

/** From `before` to `after`: by kind, then as the records lie in the state. */
export const compareWorlds = (before: World, after: World): Difference[] => {
  const [then, now] = [byKey(before), byKey(after)];
  const kinds = [...new Set([...now.values(), ...then.values()].map(({ kind }) => kind))];
  const found = [...new Set([...then.keys(), ...now.keys()])].flatMap((key): Difference[] => {
    const [old, fresh] = [then.get(key), now.get(key)];
    const one = fresh ?? old;
    if (one === undefined) return [];
    const fields = old !== undefined && fresh !== undefined ? changesOf(old.record, fresh.record) : [];
    if (old !== undefined && fresh !== undefined && fields.length === 0) return [];
    const change = old === undefined ? 'added' : fresh === undefined ? 'removed' : 'changed';
    const { kind, id, workspace_id } = one;
    const name = nameOf(fresh === undefined ? before : after, one);
    const record = change === 'changed' ? null : withoutSecrets(one.record);
    return [{ kind, id, change, name, workspace_id, fields, record }];
  });
  return found.sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
};
