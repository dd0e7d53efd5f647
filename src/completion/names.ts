import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  ARCHIVED,
  findKindOfOperation,
  getListOperation,
  getNameField,
  isArchived,
  type RecordKind,
} from '../api/fields.ts';
import type { Operation } from '../api/operation.ts';
import { findOperation } from '../api/operations.ts';
import type { Row } from '../api/page.ts';
import type { ApiReply } from '../api/reply.ts';
import type { Directories } from '../config/environment.ts';
import type { Settings } from '../config/settings.ts';
import type { HttpRequest } from '../http/transport.ts';
import { isNumber, isRecord, toText } from '../json.ts';
import type { Machine } from '../platform/machine.ts';
import { readSmall } from '../storage/own-files.ts';
import { makePrivateDirectory, sweepTemporaries, writeDurably } from '../storage/write.ts';

/**
 * What the completion knows of records: a file for each kind, below `completion/` of the cache directory, which
 * ordinary commands fill. All of it may be deleted at any time. Each file says what it is about, since names in paths
 * may fall together. Nothing here fails.
 */

/** What is kept of a record: what a person types for it, and a few words to know it by. Never a secret. */
export interface RecordEntry {
  readonly id: string;
  /** What people write in place of the id: an e-mail address, a name. */
  readonly word?: string | undefined;
  readonly about?: string | undefined;
  /** Absent: not known. */
  readonly state?: string | undefined;
  /** Ids of the project and of the person that it belongs to. */
  readonly project?: string | undefined;
  readonly member?: string | undefined;
}

export interface CacheScope {
  readonly profile: string;
  /** `https://host/api/v2` */
  readonly base: string;
  /** Id; `undefined` for what belongs to no workspace: the workspaces themselves. */
  readonly workspace: string | undefined;
}

/** Rows and answers of one operation that are held, and kept of one kind: a list of 50,000 is let go as it is written. */
const MAX_ENTRIES = 2000;
/** A file of ours has not a quarter of it. */
const MAX_BYTES = 4 * 1024 * 1024;

export function readEntries(cache: string, kind: RecordKind, scope: CacheScope): readonly RecordEntry[] {
  const file = getCacheFile(cache, kind, scope);
  return file === undefined ? [] : parseEntries(readSmall(file, MAX_BYTES) ?? '', scope);
}

/** Forgets what was kept for a profile: it is signed out, or gone. */
export function forgetProfile(cache: string, profile: string): void {
  try {
    rmSync(join(cache, 'completion', profile), { recursive: true, force: true });
  } catch {
    // What stays there is offered to nobody but this user.
  }
}

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

/**
 * Remembers the records that a run receives, for the completion of the next command line. Nothing is kept by a run that
 * nobody watches where nobody has worked yet: a pipeline leaves no names behind. Nor is anything of the sandbox: its
 * own file says what there is.
 */
export class NameMemory {
  readonly #machine: Machine;
  readonly #profile: string;
  /** Undefined: nothing is kept. */
  readonly #cache: string | undefined;
  readonly #observed: ObservedRecords[] = [];
  readonly #rowCounts = new Map<string, number>();

  constructor(machine: Machine, { embedded, profile }: Settings, { cache }: Directories) {
    this.#machine = machine;
    this.#profile = profile.value;
    this.#cache = embedded ? undefined : cache;
  }

  /** @param values by the API's names, of path, query and body */
  add(operation: Operation, values: Row, { base, query, body }: HttpRequest, reply: ApiReply): void {
    const count = this.#rowCounts.get(operation.id) ?? 0;
    if (this.#cache === undefined || count >= MAX_ENTRIES || reply.planned !== undefined) return;
    const { data, pagination } = reply;
    const rows = (Array.isArray(data) ? data : [data]).filter(isRecord);
    this.#rowCounts.set(operation.id, count + Math.max(1, rows.length));
    const present = Object.entries(values).filter(([, value]) => value !== undefined);
    const sent = {
      ...Object.fromEntries(present),
      ...(isRecord(body) ? body : {}),
      ...Object.fromEntries(query),
    };
    this.#observed.push({ operation, base, sent, rows, total: pagination?.total });
  }

  /** At the end of the run. */
  save(): void {
    const { stderr, clock } = this.#machine;
    if (this.#cache === undefined || this.#observed.length === 0) return;
    if (!stderr.isTTY && !existsSync(join(this.#cache, 'completion'))) return;
    try {
      for (const batch of groupByScope(this.#profile, this.#observed)) store(this.#cache, batch, clock.now());
    } catch {
      // No room, no right to write: the shell offers less, and that is all.
    }
  }
}

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

function groupByScope(profile: string, observed: readonly ObservedRecords[]): Iterable<ObservedBatch> {
  const batches = new Map<string, ObservedBatch>();
  for (const record of observed) {
    const { base, sent, operation } = record;
    const kind = findKindOfOperation(operation.id);
    const workspace = operation.workspace === 'none' ? undefined : toText(sent['workspace_id'] ?? '');
    if (kind === undefined || workspace === '') continue;
    const key = `${base}\n${workspace}\n${kind}`;
    const batch = batches.get(key) ?? {
      ...{ scope: { profile, base, workspace }, kind, fresh: new Map(), moved: new Map(), listed: new Set() },
      total: undefined,
    };
    batches.set(key, batch);
    collect(batch, record);
  }
  return batches.values();
}

/** What narrows no list. */
const UNFILTERED = new Set(['workspace_id', 'page', 'per_page']);

function collect(batch: ObservedBatch, { operation, sent, rows, total }: ObservedRecords): void {
  const becomes = operation.moves?.to;
  if (becomes !== undefined) {
    const [, name = ''] = /\{(\w+)\}/.exec(operation.path) ?? [];
    batch.moved.set(toText(sent[name]), becomes);
    return;
  }
  // Whether its answer is a record of this kind, or a list of them: balances are another one.
  if (findOperation(getListOperation(batch.kind))?.record !== operation.record) return;
  const isWhole = operation.returns === 'list' && Object.keys(sent).every((name) => UNFILTERED.has(name));
  for (const entry of rows.flatMap((row) => toRecordEntry(batch.kind, row) ?? [])) {
    batch.fresh.set(entry.id, entry);
    batch.moved.delete(entry.id);
    if (isWhole) batch.listed.add(entry.id);
  }
  if (isWhole) batch.total = total ?? (operation.paging === 'none' ? rows.length : undefined);
}

function store(cache: string, batch: ObservedBatch, now: number): void {
  const { scope, kind, fresh, moved, total } = batch;
  const file = getCacheFile(cache, kind, scope);
  if (file === undefined || (fresh.size === 0 && moved.size === 0 && total === undefined)) return;
  const before = readSmall(file, MAX_BYTES) ?? '';
  const entries = mergeEntries(() => parseEntries(before, scope), batch);
  const { profile, base, workspace = null } = scope;
  const after = `${JSON.stringify({ version: 1, profile, base, workspace, entries })}\n`;
  if (after === before || (before === '' && entries.length === 0)) return;
  makePrivateDirectory(join(file, '..'));
  sweepTemporaries(file, now);
  // Not for ever: it is not worth waiting for the disk.
  writeDurably(file, after, { calls: { flush: () => {} } });
}

/** A whole list takes the place of what was known; others are added to it, the latest first. */
function mergeEntries(
  before: () => readonly RecordEntry[],
  { fresh, moved, listed, total }: ObservedBatch,
): readonly RecordEntry[] {
  const isComplete = total !== undefined && listed.size >= total;
  const old = isComplete ? [] : before().filter(({ id }) => !fresh.has(id));
  return [...fresh.values(), ...old].slice(0, MAX_ENTRIES).flatMap((entry) => {
    const state = moved.get(entry.id);
    if (state === null) return [];
    return state === undefined ? entry : { ...entry, state };
  });
}

const MAX_NAME = 150;

/** `undefined`: it has no place. */
function getCacheFile(
  cache: string,
  kind: RecordKind,
  { profile, base, workspace }: CacheScope,
): string | undefined {
  const name = encodeURIComponent(base).replaceAll('*', '%2A');
  const prefix = workspace === undefined ? '' : `${encodeURIComponent(workspace)}.`;
  return name.length > MAX_NAME
    ? undefined
    : join(cache, 'completion', profile, name, `${prefix}${kind}.json`);
}

/** What a file's text holds of the scope; nothing for one that is damaged, or about something else. */
function parseEntries(text: string, scope: CacheScope): readonly RecordEntry[] {
  try {
    const { version, profile, base, workspace, entries } = JSON.parse(text);
    const same = profile === scope.profile && base === scope.base && workspace === (scope.workspace ?? null);
    return version === 1 && same && Array.isArray(entries) ? entries.filter(isEntry) : [];
  } catch {
    return [];
  }
}

function isEntry(value: unknown): value is RecordEntry {
  return (
    isRecord(value) &&
    typeof value['id'] === 'string' &&
    Object.values(value).every((member) => typeof member === 'string')
  );
}

/** `undefined` for what has no id. */
export function toRecordEntry(kind: RecordKind, row: Row): RecordEntry | undefined {
  const id = toWord(toShortText(row['id']));
  if (id === undefined) return undefined;
  const name = getNameField(kind);
  return { id, ...(name === undefined ? {} : { word: toWord(row[name]) }), ...describe(kind, row) };
}

function describe(kind: RecordKind, row: Row): Omit<RecordEntry, 'id' | 'word'> {
  const state = isArchived(row) || row['archived_at'] != null ? ARCHIVED : undefined;
  const ownState = state ?? toShortText(row['status']);
  const project = toShortText(row['project_id']);
  const owned = { member: toShortText(row['user_id']), project, state: ownState };
  switch (kind) {
    case 'member':
    case 'viewer':
      return { about: joinTexts(row['firstname'], row['lastname'], ' '), state: ownState };
    case 'project':
    case 'policy':
    case 'category':
      return { state };
    case 'workspace':
      return { about: toShortText(row['role']) };
    case 'contract': {
      const name = joinTexts(row['user_firstname'], row['user_lastname'], ' ');
      return { ...owned, about: joinTexts(name ?? row['user_email'], row['project_name'], ', ') };
    }
    case 'task':
      return { project, state, about: toShortText(row['title']) };
    case 'timesheet':
      return { ...owned, about: joinTexts(row['date_from'], row['date_to'], ' to ') };
    case 'leave':
      return { ...owned, about: joinTexts(row['start_date'], row['end_date'], ' to ') };
    case 'time-request':
      return { ...owned, about: joinTexts(row['start'], row['end'], ' to ') };
    case 'expense':
      return { about: joinTexts(row['expense_name'], row['expense_date'] ?? row['date'], ', ') };
    case 'webhook':
      return { about: removeSecrets(row['url']) };
  }
}

const MAX_LENGTH = 80;

/** The text of a value, cut; `undefined` for none. */
function toShortText(value: unknown): string | undefined {
  if (typeof value !== 'string' && !isNumber(value)) return undefined;
  const letters = [...String(value)];
  return letters.length > MAX_LENGTH ? `${letters.slice(0, MAX_LENGTH - 1).join('')}…` : String(value);
}

/** What would be cut is no name that can be given. */
function toWord(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= MAX_LENGTH * 2 && value !== '' ? value : undefined;
}

function joinTexts(one: unknown, other: unknown, glue: string): string | undefined {
  const [before, after] = [toShortText(one), toShortText(other)];
  return before && after ? before + glue + after : before || after || undefined;
}

/** The address without what may be a secret: user, password, query. */
function removeSecrets(value: unknown): string | undefined {
  try {
    const { origin, pathname } = new URL(toText(value));
    return origin + pathname;
  } catch {
    return undefined;
  }
}
