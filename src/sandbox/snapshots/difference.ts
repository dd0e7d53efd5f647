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

const maskValue = (field: string, value: unknown): unknown =>
  SECRETS.has(field) && value !== null && value !== undefined ? SECRET : (value ?? null);

const maskSecrets = (record: SnapshotRecord['record']): SnapshotRecord['record'] =>
  Object.fromEntries(Object.entries(record).map(([field, value]) => [field, maskValue(field, value)]));

const NAME_FIELDS = ['name', 'title', 'email', 'expense_name', 'workspace_name', 'url'] as const;

const getName = (world: World, { record }: SnapshotRecord): string | null => {
  const ownName = NAME_FIELDS.map((field) => record[field]).find(
    (value) => typeof value === 'string' && value !== '',
  );
  const user = record['user_id'];
  if (ownName !== undefined && typeof record['title'] !== 'string') return String(ownName);
  const email = typeof user === 'number' ? findRecord(world.users, user)?.email : undefined;
  return email ?? (ownName === undefined ? null : String(ownName));
};

const getKey = ({ kind, workspace_id, id }: SnapshotRecord): string => `${kind} ${workspace_id} ${id}`;

const mapByKey = (world: World): Map<string, SnapshotRecord> =>
  new Map(listSnapshotRecords(world).map((record) => [getKey(record), record]));

const listChanges = (before: SnapshotRecord['record'], after: SnapshotRecord['record']): FieldChange[] => {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return fields
    .filter((field) => !isDeepStrictEqual(before[field] ?? null, after[field] ?? null))
    .map((field) => ({
      field,
      before: maskValue(field, before[field]),
      after: maskValue(field, after[field]),
    }));
};

/** From `before` to `after`: by kind, then as the records lie in the state. */
export const compareWorlds = (before: World, after: World): Difference[] => {
  const [recordsBefore, recordsAfter] = [mapByKey(before), mapByKey(after)];
  const kinds = [...new Set([...recordsAfter.values(), ...recordsBefore.values()].map(({ kind }) => kind))];
  const differences = [...new Set([...recordsBefore.keys(), ...recordsAfter.keys()])].flatMap(
    (key): Difference[] => {
      const [previous, current] = [recordsBefore.get(key), recordsAfter.get(key)];
      const one = current ?? previous;
      if (one === undefined) return [];
      const fields =
        previous !== undefined && current !== undefined ? listChanges(previous.record, current.record) : [];
      if (previous !== undefined && current !== undefined && fields.length === 0) return [];
      const change = previous === undefined ? 'added' : current === undefined ? 'removed' : 'changed';
      const { kind, id, workspace_id } = one;
      const name = getName(current === undefined ? before : after, one);
      const record = change === 'changed' ? null : maskSecrets(one.record);
      return [{ kind, id, change, name, workspace_id, fields, record }];
    },
  );
  return differences.sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
};
