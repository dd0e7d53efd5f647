import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ARCHIVED, formatPersonName, isArchived } from '../api/fields.ts';
import type { Operation } from '../api/operation.ts';
import { findOperation } from '../api/operations.ts';
import type { Row } from '../api/page.ts';
import { findKindOfOperation, getListId, KINDS, type RecordKind } from '../api/records.ts';
import type { ApiReply } from '../api/reply.ts';
import type { HttpRequest } from '../http/transport.ts';
import { isRecord, toText } from '../json.ts';
import type { Machine } from '../platform/machine.ts';
import { readSmall } from '../storage/own-files.ts';
import { makePrivateDirectory, writeDurably } from '../storage/write.ts';

/**
 * What the completion knows of records: a file for each kind, below `completion/` of the cache directory, which
 * ordinary commands fill. All of it may be deleted at any time. Each file says what it is about, since names in paths
 * may fall together.
 */

/** What is kept of a record: what a person types for it, and a few words to know it by. Never a secret. */
export interface RecordEntry {
  readonly id: string;
  /** What people write in place of the id: an e-mail address, a name. */
  readonly word?: string | undefined;
  readonly about?: string | undefined;
  readonly state?: string | undefined;
  /** Ids of the project and of the person that it belongs to. */
  readonly project?: string | undefined;
  readonly member?: string | undefined;
}

interface CacheScope {
  readonly profile: string;
  /** `https://host/api/v2` */
  readonly base: string;
  /** Id; empty for what belongs to no workspace: the workspaces themselves. */
  readonly workspace: string;
}

/** Records of a kind that are held, and kept: of a list of 50,000 the others are let go as it is written. */
const MAX_ENTRIES = 2000;
/** A file of ours has not a quarter of it. */
const MAX_BYTES = 4 * 1024 * 1024;

function getFolder(cache: string, { profile, base }: Omit<CacheScope, 'workspace'>): string {
  return join(cache, 'completion', profile, encodeURIComponent(base));
}

function getFile(cache: string, kind: RecordKind, scope: CacheScope): string {
  return join(getFolder(cache, scope), `${encodeURIComponent(scope.workspace)}.${kind}.json`);
}

/** Nothing for a file that is damaged, or about something else. @throws Failure what the disk says */
export function readEntries(cache: string, kind: RecordKind, scope: CacheScope): readonly RecordEntry[] {
  return parseEntries(readSmall(getFile(cache, kind, scope), MAX_BYTES) ?? '', scope);
}

function parseEntries(text: string, scope: CacheScope): readonly RecordEntry[] {
  try {
    const { version, profile, base, workspace, entries } = JSON.parse(text);
    const isSame = profile === scope.profile && base === scope.base && workspace === scope.workspace;
    return version === 1 && isSame ? entries.filter(({ id }: RecordEntry) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}

/** The id of a workspace of which something is kept. @throws Error where nothing is */
export function findWorkspace(cache: string, scope: Omit<CacheScope, 'workspace'>): string | undefined {
  const ids = readdirSync(getFolder(cache, scope)).flatMap((name) => /^(\d+)\./.exec(name)?.[1] ?? []);
  return ids[0];
}

/** Forgets what was kept for a profile: it is signed out, or gone. */
export function forgetProfile(cache: string, profile: string): void {
  try {
    rmSync(join(cache, 'completion', profile), { recursive: true, force: true });
  } catch {
    // What stays there is offered to nobody but this user.
  }
}

interface Seen {
  readonly scope: CacheScope;
  readonly kind: RecordKind;
  readonly fresh: Map<string, RecordEntry>;
  /** Ids of the unfiltered list so far, and how many there are in all. */
  readonly listed: Set<string>;
  total: number | undefined;
}

const UNFILTERED = new Set(['workspace_id', 'page', 'per_page']);

/**
 * Remembers the records that a run receives, for the completion of the next command line. Nothing is kept by a run that
 * nobody watches where nobody has worked yet: a pipeline leaves no names behind.
 */
export class NameMemory {
  readonly #cache: string | undefined;
  readonly #profile: string;
  readonly #seen = new Map<string, Seen>();

  constructor(cache: string | undefined, profile: string, { stderr }: Machine) {
    const isKept = cache !== undefined && (stderr.isTTY || existsSync(join(cache, 'completion')));
    this.#cache = isKept ? cache : undefined;
    this.#profile = profile;
  }

  /** @param values by the API's names, of path, query and body */
  add(operation: Operation, values: Row, { base, query, body }: HttpRequest, reply: ApiReply): void {
    if (this.#cache === undefined) return;
    const kind = findKindOfOperation(operation.id);
    const sent: Row = { ...values, ...(isRecord(body) ? body : {}), ...Object.fromEntries(query) };
    const workspace = operation.workspace === 'none' ? '' : toText(sent.workspace_id ?? '');
    const isPlaced = workspace !== '' || operation.workspace === 'none';
    if (kind === undefined || !isPlaced || reply.planned !== undefined) return;
    const key = `${workspace} ${kind}`;
    const seen: Seen = this.#seen.get(key) ?? {
      ...{ scope: { profile: this.#profile, base, workspace }, kind, total: undefined },
      ...{ fresh: new Map(), listed: new Set() },
    };
    this.#seen.set(key, seen);
    if (seen.fresh.size >= MAX_ENTRIES) return;
    // Whether its answer is a record of this kind, or a list of them: balances are another one.
    if (findOperation(getListId(kind))?.record !== operation.record) return;
    const rows = [reply.data].flat().filter(isRecord);
    const isFiltered = Object.keys(sent).some((name) => sent[name] !== undefined && !UNFILTERED.has(name));
    const isWhole = operation.returns === 'list' && !isFiltered;
    for (const entry of rows.flatMap((row) => toRecordEntry(kind, row) ?? [])) {
      seen.fresh.set(entry.id, entry);
      if (isWhole) seen.listed.add(entry.id);
    }
    if (isWhole)
      seen.total = reply.pagination?.total ?? (operation.paging === 'none' ? rows.length : undefined);
  }

  /**
   * At the end of the run. A whole list takes the place of what was known; others are added to it, the latest first. No
   * room, no right to write: the shell offers less, and that is all.
   */
  save(): void {
    try {
      for (const { scope, kind, fresh, listed, total } of this.#seen.values()) {
        if (fresh.size === 0 && total === undefined) continue;
        const file = getFile(this.#cache ?? '', kind, scope);
        const before = readSmall(file, MAX_BYTES) ?? '';
        const isComplete = total !== undefined && listed.size >= total;
        const old = isComplete ? [] : parseEntries(before, scope).filter(({ id }) => !fresh.has(id));
        const entries = [...fresh.values(), ...old].slice(0, MAX_ENTRIES);
        const after = `${JSON.stringify({ version: 1, ...scope, entries })}\n`;
        if (after === before || (before === '' && entries.length === 0)) continue;
        makePrivateDirectory(join(file, '..'));
        // Not for ever: it is not worth waiting for the disk.
        writeDurably(file, after, { flush: false });
      }
    } catch {}
  }
}

const ABOUT: Partial<Readonly<Record<RecordKind, readonly [glue: string, ...fields: string[]]>>> = {
  member: [' ', 'firstname', 'lastname'],
  viewer: [' ', 'firstname', 'lastname'],
  workspace: ['', 'role'],
  task: ['', 'title'],
  timesheet: [' to ', 'date_from', 'date_to'],
  leave: [' to ', 'start_date', 'end_date'],
  'time-request': [' to ', 'start', 'end'],
  expense: [', ', 'expense_name', 'expense_date'],
  contract: [', ', 'person', 'project_name'],
  webhook: ['', 'address'],
};

const MAX_LENGTH = 80;

function toRecordEntry(kind: RecordKind, row: Row): RecordEntry | undefined {
  const read = (value: unknown): string | undefined =>
    typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  // What a person gives for the record stays whole, or is none.
  const toWord = (value: unknown) => {
    const word = read(value) ?? '';
    return word === '' || word.length > MAX_LENGTH ? undefined : word;
  };
  const id = toWord(row.id);
  if (id === undefined) return undefined;
  const name = KINDS[kind].namedBy;
  const url = read(row.url) ?? '';
  // Without what may be a secret: user, password, query.
  const address = URL.canParse(url) ? new URL(url).origin + new URL(url).pathname : '';
  const shown: Row = { ...row, person: formatPersonName(row, 'user_'), address };
  const [glue = '', ...fields] = ABOUT[kind] ?? [];
  const about = fields.map((field) => read(shown[field])?.slice(0, MAX_LENGTH)).filter(Boolean);
  return {
    id,
    word: name && toWord(row[name]),
    about: about.length === 0 ? undefined : about.join(glue),
    state: isArchived(row) ? ARCHIVED : read(row.status),
    project: read(row.project_id),
    member: read(row.user_id),
  };
}
