import type { Clock } from '../clock.ts';
import { toText as idText } from '../json/stringify.ts';
import { findKindOfOperation, type RecordKind } from '../resources/kinds.ts';
import { ARCHIVE, RESTORE } from '../resources/resource.ts';
import { findTransition } from '../resources/transitions.ts';
import {
  type CacheScope,
  formatEntries,
  getCacheFile,
  getCacheFolder,
  MAX_CACHE_BYTES,
  MAX_ENTRIES,
  parseEntries,
  readBounded,
} from './cache.ts';
import { type RecordEntry, toRecordEntry } from './entry.ts';
import type { ObservedRecords } from './observed.ts';

/** Brings what a run saw into the cache. A cache is a comfort: nothing here fails, and nothing is waited for. */

/** Operations whose answer is a record of their noun, or a list of them. */
const TELLING: ReadonlySet<string> = new Set(['list', 'get', 'create', 'invite', 'policies', 'categories']);

/** What becomes of a record by an operation on it. `null`: there is no such record any more. */
const becomesOf = (id: string): string | null | undefined => {
  const [, verb = ''] = id.split('.');
  return findTransition(id)?.transition.to ?? BECOMES[verb];
};

const BECOMES: Readonly<Record<string, string | null>> = {
  [ARCHIVE[0]]: ARCHIVE[1],
  [RESTORE[0]]: RESTORE[1],
  delete: null,
};

/** What narrows no list. */
const UNFILTERED: ReadonlySet<string> = new Set(['workspace_id', 'page', 'per_page']);

interface Crop {
  readonly scope: CacheScope;
  readonly kind: RecordKind;
  readonly fresh: Map<string, RecordEntry>;
  /** States of records by id; `null` for those that are gone. */
  readonly moved: Map<string, string | null>;
  /** Ids of the unfiltered list so far, and how many there are in all. */
  readonly listed: Set<string>;
  total: number | undefined;
}

const verbOf = ({ operation: { id } }: ObservedRecords): string => id.split('.')[1] ?? '';

const reap = (crop: Crop, sighting: ObservedRecords): void => {
  const { operation, sent, rows, total } = sighting;
  const verb = verbOf(sighting);
  const becomes = becomesOf(operation.id);
  if (becomes !== undefined) {
    const [, name = ''] = /\{(\w+)\}/.exec(operation.path) ?? [];
    return void crop.moved.set(idText(sent[name]), becomes);
  }
  if (!TELLING.has(verb)) return;
  const entries = rows.flatMap((row) => toRecordEntry(crop.kind, row) ?? []);
  for (const entry of entries) {
    crop.fresh.set(entry.id, entry);
    crop.moved.delete(entry.id);
  }
  const unfiltered = operation.answer === 'list' && Object.keys(sent).every((name) => UNFILTERED.has(name));
  if (!unfiltered) return;
  for (const { id } of entries) crop.listed.add(id);
  crop.total = total ?? (operation.paging === 'none' ? rows.length : undefined);
};

const cropsOf = (profile: string, observed: readonly ObservedRecords[]): Iterable<Crop> => {
  const crops = new Map<string, Crop>();
  for (const sighting of observed) {
    const kind = findKindOfOperation(sighting.operation.id);
    const { base, sent, operation } = sighting;
    const own = operation.workspace === 'none';
    const workspace = own ? undefined : idText(sent['workspace_id'] ?? '');
    if (kind === undefined || workspace === '') continue;
    const key = `${base}\n${workspace}\n${kind}`;
    const scope = { profile, base, workspace };
    const crop = crops.get(key) ?? {
      scope,
      kind,
      fresh: new Map(),
      moved: new Map(),
      listed: new Set(),
      total: undefined,
    };
    crops.set(key, crop);
    reap(crop, sighting);
  }
  return crops.values();
};

/** A whole list takes the place of what was known; others are added to it, the latest first. */
const merged = (
  before: () => readonly RecordEntry[],
  { fresh, moved, listed, total }: Crop,
): readonly RecordEntry[] => {
  const whole = total !== undefined && listed.size >= total;
  const old = whole ? [] : before().filter(({ id }) => !fresh.has(id));
  return [...fresh.values(), ...old].slice(0, MAX_ENTRIES).flatMap((entry) => {
    const state = moved.get(entry.id);
    if (state === null) return [];
    return state === undefined ? entry : { ...entry, state };
  });
};

const textOf = (file: string): string => {
  try {
    return readBounded(file, MAX_CACHE_BYTES);
  } catch {
    return '';
  }
};

const store = async (cache: string, crop: Crop, clock: Clock): Promise<void> => {
  const folder = getCacheFolder(cache, crop.scope);
  if (folder === undefined || (crop.fresh.size === 0 && crop.moved.size === 0 && crop.total === undefined))
    return;
  const file = getCacheFile(folder, crop.kind, crop.scope.workspace);
  const before = textOf(file);
  const entries = merged(() => parseEntries(before, crop.scope), crop);
  const after = formatEntries(crop.scope, entries);
  if (after === before || (before === '' && entries.length === 0)) return;
  const { writeCacheFile } = await import('./cache-file.ts');
  writeCacheFile(file, after, before === '', clock.now());
};

/** `cache`: the cache directory. Never throws. */
export const cacheObserved = async (
  cache: string,
  profile: string,
  observed: readonly ObservedRecords[],
  clock: Clock,
): Promise<void> => {
  try {
    for (const crop of cropsOf(profile, observed)) await store(cache, crop, clock);
  } catch {
    // No room, no right to write: the shell offers less, and that is all.
  }
};
