import { findKindOfOperation, getListOperation, type RecordKind } from '../api/kinds.ts';
import type { Operation } from '../api/operation.ts';
import { findOperation } from '../api/operations.ts';
import type { Row } from '../api/page.ts';
import type { ApiReply } from '../api/reply.ts';
import type { Clock } from '../clock.ts';
import type { HttpRequest } from '../http/transport.ts';
import { toText as idText, isRecord } from '../json.ts';
import { readSmall } from '../storage/own-files.ts';
import { makePrivateDirectory, sweepTemporaries, writeDurably } from '../storage/write.ts';
import {
  type CacheScope,
  formatEntries,
  getCacheFile,
  getCacheFolder,
  MAX_CACHE_BYTES,
  MAX_ENTRIES,
  parseEntries,
} from './cache.ts';
import { type RecordEntry, toRecordEntry } from './entry.ts';

/** What a run saw of the service's records, until there is time to keep it (cache-observed.ts). */

interface ObservedRecords {
  readonly operation: Operation;
  /** Root of the service that answered. */
  readonly base: string;
  /** By the API's names: what the request carried, workspace and path among them. */
  readonly sent: Readonly<Record<string, unknown>>;
  readonly rows: readonly Row[];
  /** Rows of the whole list, where the service tells. */
  readonly total: number | undefined;
}

interface ObservedLists {
  add(operation: Operation, values: Row, request: HttpRequest, reply: ApiReply): void;
  readonly all: readonly ObservedRecords[];
}

/** So many rows and answers of one operation are held; a list of 50,000 is let go as it is written. */
const MAX_ROWS = 2000;

const listRows = ({ data }: ApiReply): readonly Row[] =>
  (Array.isArray(data) ? data : [data]).filter(isRecord);

export const createObservedLists = (): ObservedLists => {
  const all: ObservedRecords[] = [];
  const rowCounts = new Map<string, number>();
  return {
    all,
    add(operation, values, { base, query, body }, reply) {
      const count = rowCounts.get(operation.id) ?? 0;
      if (count >= MAX_ROWS || reply.planned !== undefined) return;
      const rows = listRows(reply);
      rowCounts.set(operation.id, count + Math.max(1, rows.length));
      const present = Object.entries(values).filter(([, value]) => value !== undefined);
      const sent = {
        ...Object.fromEntries(present),
        ...(isRecord(body) ? body : {}),
        ...Object.fromEntries(query),
      };
      all.push({ operation, base, sent, rows, total: reply.pagination?.total });
    },
  };
};

/** Brings what a run saw into the cache. A cache is a comfort: nothing here fails, and nothing is waited for. */

/** What narrows no list. */
const UNFILTERED: ReadonlySet<string> = new Set(['workspace_id', 'page', 'per_page']);

interface ObservedBatch {
  readonly scope: CacheScope;
  readonly kind: RecordKind;
  readonly fresh: Map<string, RecordEntry>;
  /** States of records by id; `null` for those that are gone. */
  readonly moved: Map<string, string | null>;
  /** Ids of the unfiltered list so far, and how many there are in all. */
  readonly listed: Set<string>;
  total: number | undefined;
}

/** Whether its answer is a record of this kind, or a list of them: balances are another one. */
const isOfKind = ({ record }: Operation, kind: RecordKind): boolean =>
  findOperation(getListOperation(kind))?.record === record;

const collect = (batch: ObservedBatch, record: ObservedRecords): void => {
  const { operation, sent, rows, total } = record;
  const becomes = operation.moves?.to;
  if (becomes !== undefined) {
    const [, name = ''] = /\{(\w+)\}/.exec(operation.path) ?? [];
    return void batch.moved.set(idText(sent[name]), becomes);
  }
  if (!isOfKind(operation, batch.kind)) return;
  const entries = rows.flatMap((row) => toRecordEntry(batch.kind, row) ?? []);
  for (const entry of entries) {
    batch.fresh.set(entry.id, entry);
    batch.moved.delete(entry.id);
  }
  const unfiltered = operation.returns === 'list' && Object.keys(sent).every((name) => UNFILTERED.has(name));
  if (!unfiltered) return;
  for (const { id } of entries) batch.listed.add(id);
  batch.total = total ?? (operation.paging === 'none' ? rows.length : undefined);
};

const groupByScope = (profile: string, observed: readonly ObservedRecords[]): Iterable<ObservedBatch> => {
  const batches = new Map<string, ObservedBatch>();
  for (const record of observed) {
    const kind = findKindOfOperation(record.operation.id);
    const { base, sent, operation } = record;
    const own = operation.workspace === 'none';
    const workspace = own ? undefined : idText(sent['workspace_id'] ?? '');
    if (kind === undefined || workspace === '') continue;
    const key = `${base}\n${workspace}\n${kind}`;
    const scope = { profile, base, workspace };
    const batch = batches.get(key) ?? {
      scope,
      kind,
      fresh: new Map(),
      moved: new Map(),
      listed: new Set(),
      total: undefined,
    };
    batches.set(key, batch);
    collect(batch, record);
  }
  return batches.values();
};

/** A whole list takes the place of what was known; others are added to it, the latest first. */
const mergeEntries = (
  before: () => readonly RecordEntry[],
  { fresh, moved, listed, total }: ObservedBatch,
): readonly RecordEntry[] => {
  const isComplete = total !== undefined && listed.size >= total;
  const old = isComplete ? [] : before().filter(({ id }) => !fresh.has(id));
  return [...fresh.values(), ...old].slice(0, MAX_ENTRIES).flatMap((entry) => {
    const state = moved.get(entry.id);
    if (state === null) return [];
    return state === undefined ? entry : { ...entry, state };
  });
};

const store = async (cache: string, batch: ObservedBatch, clock: Clock): Promise<void> => {
  const folder = getCacheFolder(cache, batch.scope);
  if (folder === undefined || (batch.fresh.size === 0 && batch.moved.size === 0 && batch.total === undefined))
    return;
  const file = getCacheFile(folder, batch.kind, batch.scope.workspace);
  const before = readSmall(file, MAX_CACHE_BYTES) ?? '';
  const entries = mergeEntries(() => parseEntries(before, batch.scope), batch);
  const after = formatEntries(batch.scope, entries);
  if (after === before || (before === '' && entries.length === 0)) return;
  makePrivateDirectory(folder);
  sweepTemporaries(file, clock.now());
  // Not for ever: it is not worth waiting for the disk.
  writeDurably(file, after, { calls: { flush: () => {} } });
};

/** `cache`: the cache directory. Never throws. */
export const cacheObserved = async (
  cache: string,
  profile: string,
  observed: readonly ObservedRecords[],
  clock: Clock,
): Promise<void> => {
  try {
    for (const batch of groupByScope(profile, observed)) await store(cache, batch, clock);
  } catch {
    // No room, no right to write: the shell offers less, and that is all.
  }
};
