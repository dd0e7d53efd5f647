import type { Row } from '../../api/page.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import type { Column } from '../../output/list-view.ts';
import { addDays, getToday } from '../../parsing/calendar.ts';
import {
  createDamagedJobError,
  formatEntryId,
  type Job,
  type JobRowStatus,
  parseEntryId,
  replayJournal,
} from '../job/record.ts';
import type { JobStore } from '../job/store.ts';
import { findLocalId } from '../select.ts';
import { listRuns, type RunFilter, type StoredRun } from './runs.ts';

/** Every write that was sent, as people and scripts see it: single writes, and the rows of runs. */

export const ENTRY_STATUSES = ['done', 'failed', 'unknown'] as const;
export type EntryStatus = (typeof ENTRY_STATUSES)[number];

export interface Entry {
  readonly run: string;
  readonly head: Job['head'];
  readonly row: JobRowStatus;
}

/** A write on its way when its process ended is one whose outcome nobody knows. */
export const getEntryStatus = ({ row: { state } }: Entry): EntryStatus =>
  state === 'done' || state === 'failed' ? state : 'unknown';

const wasSent = ({ sent, state }: JobRowStatus): boolean =>
  sent !== undefined && ['sending', 'done', 'failed', 'unknown'].includes(state);

export interface RunEntries {
  readonly run: string;
  readonly head: Job['head'] | undefined;
  readonly entries: readonly Entry[];
  readonly isPartial: boolean;
}

export const toRunEntries = ({ id: run, damaged, lines }: StoredRun): RunEntries => {
  const job = replayJournal({ lines, damaged });
  if (job === undefined) return { run, head: undefined, entries: [], isPartial: damaged };
  const { head } = job;
  const entries = job.rows.filter(wasSent).map((row) => ({ run, head, row }));
  return { run, head, entries, isPartial: job.damaged };
};

export const getEntryId = ({ run, row }: Entry): string => formatEntryId(run, row.n);

export const toEntryRecord = (entry: Entry): Row => {
  const { run, head, row } = entry;
  const id = getEntryId(entry);
  const { before, after, label } = row.effect ?? {};
  return {
    id,
    time: new Date(row.sent?.at ?? 0).toISOString(),
    run,
    account: head.account ?? null,
    workspace_id: head.workspace_id,
    command: head.command,
    operation: row.operation,
    target: row.target,
    label: row.words ?? label ?? null,
    before: before ?? null,
    after: after ?? null,
    status: getEntryStatus(entry),
    request_id: id,
  };
};

export const ENTRY_FIELDS = [
  'id',
  'time',
  'run',
  'account',
  'workspace_id',
  'command',
  'operation',
  'target',
  'label',
  'before',
  'after',
  'status',
  'request_id',
] as const;

/** `20261121-0900-kfm` began in the minute `2026-11-21T09:00Z`. */
const parseStart = (id: string): number =>
  Date.parse(id.replace(/^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d).*/, '$1-$2-$3T$4:$5Z'));

/** A run that may have sent more than its entries tell, as `jobs list` has it. */
const toUnreadableRecord = ({ run, head }: RunEntries): Row => ({
  ...Object.fromEntries(ENTRY_FIELDS.map((field) => [field, null])),
  id: run,
  time: new Date(parseStart(run)).toISOString(),
  run,
  account: head?.account ?? null,
  workspace_id: head?.workspace_id ?? null,
  command: head?.command ?? null,
  status: 'unreadable',
});

export interface EntryFilter {
  readonly target?: string | undefined;
  readonly operation?: string | undefined;
  /** Id of a member, or a part of what is known of the target: a name, an address. */
  readonly member?: string | undefined;
  readonly status?: string | undefined;
  /** Days in the zone, inclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly timeZone: string;
}

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

const inJson = (text: string): string => escapePattern(JSON.stringify(text));

/** Steps that stand whole, in the order of the file. */
const STEP = /"type":"step","n":(\d+),"state":"(\w+)".*\}$/gm;

/** Whether the last step of one of its rows leaves open what became of it. */
const mayBeOpen = (lines: string): boolean => {
  const last = new Map<string, string>();
  for (const [, n = '', state = ''] of lines.matchAll(STEP)) last.set(n, state);
  return [...last.values()].some((state) => state === 'sending' || state === 'unknown');
};

/** What the lines of a run have in which an entry may fit: most runs need not be read as JSON then. */
const createTextFilter = ({ target, operation, member, status }: EntryFilter): RunFilter['mayHave'] => {
  const has = (pattern: RegExp) => (lines: string) => pattern.test(lines);
  // The lines of a run do not tell whether others are lost.
  if (status === 'unreadable') return undefined;
  if (target !== undefined) return has(new RegExp(`"target":${inJson(target)}`));
  if (member !== undefined) return has(new RegExp(inJson(member).slice(1, -1), 'i'));
  if (status === 'unknown') return mayBeOpen;
  if (status !== undefined) return has(new RegExp(`"state":"${status}"`));
  return operation === undefined ? undefined : has(new RegExp(`"operation":${inJson(operation)}`));
};

/** A day more on each side: the days of files are in UTC. */
const toRunFilter = (filter: EntryFilter): RunFilter => ({
  from: filter.from === undefined ? undefined : addDays(filter.from, -1),
  to: filter.to === undefined ? undefined : addDays(filter.to, 1),
  mayHave: createTextFilter(filter),
});

const isOfMember = ({ row }: Entry, member: string): boolean => {
  if (row.effect?.member === member) return true;
  if (/^\d+$/.test(member)) return row.operation.startsWith('members.') && row.target === member;
  const known = [row.target, row.words, row.effect?.label].join(' ').toLowerCase();
  return known.includes(member.toLowerCase());
};

const isOfDays = (time: number, { from, to, timeZone }: EntryFilter): boolean => {
  if (from === undefined && to === undefined) return true;
  const day = getToday(time, timeZone);
  return (from === undefined || day >= from) && (to === undefined || day <= to);
};

const fits = (entry: Entry, filter: EntryFilter): boolean => {
  const { row } = entry;
  const { target, operation, member, status } = filter;
  if (target !== undefined && row.target !== target) return false;
  if (operation !== undefined && row.operation !== operation) return false;
  if (status !== undefined && getEntryStatus(entry) !== status) return false;
  if (member !== undefined && !isOfMember(entry, member)) return false;
  return isOfDays(row.sent?.at ?? 0, filter);
};

const byTime = (a: Entry, b: Entry): number =>
  (b.row.sent?.at ?? 0) - (a.row.sent?.at ?? 0) || b.row.n - a.row.n;

/** What cannot be read of a run may be what is wanted, whatever its target is. */
function* listRunRecords(run: RunEntries, filter: EntryFilter): Generator<Row> {
  const wanted = run.entries.filter((entry) => fits(entry, filter));
  yield* wanted.sort(byTime).map(toEntryRecord);
  if (
    run.isPartial &&
    [undefined, 'unreadable'].includes(filter.status) &&
    isOfDays(parseStart(run.run), filter)
  )
    yield toUnreadableRecord(run);
}

/**
 * The latest first, as JSON has them; read only as far as they are asked for.
 * @param known the run that is filtered; default: all of the history
 */
export function* listEntries(store: JobStore, filter: EntryFilter, known?: RunEntries): Generator<Row> {
  if (known !== undefined) return yield* listRunRecords(known, filter);
  for (const run of listRuns(store, toRunFilter(filter))) yield* listRunRecords(toRunEntries(run), filter);
}

/** The entries that somebody names. */

/**
 * The entries that an id means: one, or all of a run.
 * @throws UsageError for an id of nothing, and for a run of which nothing can be read
 */
export const findEntries = (store: JobStore, id: string): RunEntries => {
  const parsed = parseEntryId(id);
  const none = (reason?: string) =>
    new UsageError(`there is no entry "${id}" in the history`, {
      code: 'no_entry',
      reason,
      hint: 'List them: ttctl history list',
    });
  if (parsed === undefined) throw none();
  const { run, n } = parsed;
  const lines = (() => {
    try {
      return store.read(run);
    } catch (error) {
      throw error instanceof UsageError && error.code === 'no_job' ? none() : error;
    }
  })();
  const all = toRunEntries({ id: run, ...lines });
  const entries = all.entries.filter(({ row }) => n === undefined || row.n === n);
  if (entries.length > 0) return { ...all, entries, isPartial: all.isPartial && n === undefined };
  if (all.isPartial || all.head === undefined) throw createDamagedJobError(run);
  throw none(n === undefined ? 'The run has sent nothing.' : undefined);
};

const WORDS: readonly Column[] = [
  { field: 'operation' },
  { field: 'label', show: ({ label, target }) => label ?? target },
  { field: 'time', kind: 'time' },
];

const toDay = (text: string): string | undefined =>
  /^\d{8}/.test(text) ? text.replace(/^(\d{4})(\d\d)(\d\d).*/, '$1-$2-$3') : undefined;

const RUN_WORDS: readonly Column[] = [{ field: 'command' }, { field: 'started_at', kind: 'time' }];

/**
 * The entries of a run by its id, at a terminal also by its beginning; or the one that an id means.
 * @throws UsageError for an id of nothing
 */
export const findRunEntries = async (context: Context, text: string): Promise<RunEntries> => {
  const store = await context.jobs();
  const day = toDay(text);
  const toRow = ({ id, ...lines }: StoredRun): Row => ({ ...replayJournal(lines)?.head, id });
  const list = () =>
    parseEntryId(text)?.n === undefined ? [...listRuns(store, { from: day, to: day })].map(toRow) : [];
  return findEntries(store, await findLocalId(context, text, list, RUN_WORDS));
};

/** The id of an entry or of a run, or at a terminal the beginning of an entry's. */
export const findEntryId = async (context: Context, text: string): Promise<string> => {
  const store = await context.jobs();
  const list = (): readonly Row[] => {
    const day = toDay(text);
    const runs = [...listRuns(store, { from: day, to: day })];
    // A run is all of its writes.
    return runs.some(({ id }) => id === text)
      ? []
      : runs.flatMap((run) => toRunEntries(run).entries.map(toEntryRecord));
  };
  return findLocalId(context, text, list, WORDS);
};
