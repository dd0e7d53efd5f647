import { rmSync } from 'node:fs';
import { Failure } from '../../errors.ts';
import { parseJournal } from '../../storage/journal.ts';
import { readPrivate } from '../../storage/own-files.ts';
import { countJobRows, countOpen, isJobHeader, type JobLines, replayJournal } from '../job/record.ts';
import { type JobStore, parseSingle, type SingleRun } from '../job/store.ts';

/** Everything that is in the history, read day by day: there may be very much of it. */

export interface StoredRun extends JobLines {
  readonly id: string;
}

export interface RunFilter {
  /** Days in UTC, inclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Whether a run with these lines may have what is wanted; others are passed over. Default: each. */
  readonly mayHave?: ((lines: string) => boolean) | undefined;
}

export function* listRuns(
  store: JobStore,
  { from, to, mayHave = () => true }: RunFilter = {},
): Generator<StoredRun> {
  const ids = new Map<string, string[]>(store.days().map((day) => [day, []]));
  for (const id of store.ids()) ids.set(dayOf(id), [...(ids.get(dayOf(id)) ?? []), id]);
  for (const day of [...ids.keys()].sort().reverse()) {
    if (to !== undefined && day > toFileDay(to)) continue;
    if (from !== undefined && day < toFileDay(from)) return;
    const runs = listRunsOfDay(store, day, ids.get(day) ?? []);
    for (const { id, single } of runs)
      yield* single === undefined ? readRun(store, id, mayHave) : readSingle(single, mayHave);
  }
}

/** Ids of the single writes that were on their way when their process ended, or whose outcome nobody could tell. */
export const listOpenSingles = (store: JobStore): readonly string[] =>
  store
    .days()
    .flatMap((day) => (tryReadDay(store, day) ?? []).filter(({ text }) => isOpen(text)).map(({ id }) => id));

/**
 * Runs that began before a day (UTC).
 * @returns how many would go, and the ids of those that stay, for they are not finished: the oldest first
 */
export const findPrunable = (
  store: JobStore,
  before: string,
): { readonly count: number; readonly kept: readonly string[] } => {
  const { ids, kept, days } = listOlder(store, before);
  return { count: days.reduce((sum, day) => sum + (tryReadDay(store, day)?.length ?? 0), ids.length), kept };
};

/** Removes them; a run that is not finished stays, and what cannot be read. @returns how many are gone */
export const pruneHistory = async (store: JobStore, before: string): Promise<number> => {
  const { ids, days } = listOlder(store, before);
  let count = 0;
  for (const id of ids) {
    const isRemoved = await store.remove(id).then(
      () => true,
      (error: unknown) => warnFailure(store, error),
    );
    if (isRemoved) count += 1;
  }
  for (const day of days) {
    const singleRuns = tryReadDay(store, day) ?? [];
    // What has no run in it is not ours, or damaged.
    if (singleRuns.length === 0) continue;
    count += singleRuns.length;
    rmSync(store.dayPath(day), { force: true });
  }
  return count;
};

const dayOf = (id: string): string => id.slice(0, 8);

const toFileDay = (day: string): string => day.replaceAll('-', '');

const STARTED = /"started_at":"([^"]+)"/;

/** `20261121-0900-kfm` began in the minute `2026-11-21T09:00`. */
const toMinute = (id: string): string => id.replace(/^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d).*/, '$1-$2-$3T$4:$5');

/** @param ids of the runs of that day with journals of their own */
const listRunsOfDay = (store: JobStore, day: string, ids: readonly string[]) => {
  const journals = ids.map((id) => {
    const head = store.readHead(id);
    return { id, startedAt: isJobHeader(head) ? head.started_at : toMinute(id), single: undefined };
  });
  const singles = (tryReadDay(store, day) ?? []).map((single) => {
    const { id, text } = single;
    return { id, startedAt: STARTED.exec(text)?.[1] ?? toMinute(id), single };
  });
  // A day's file has its runs in their order.
  return [...journals, ...singles.reverse()].sort((a, b) =>
    a.startedAt === b.startedAt ? 0 : a.startedAt < b.startedAt ? 1 : -1,
  );
};

/** Whether nothing of a run is lost; far less work than to read it. */
const isWhole = (text: string, rows: number): boolean =>
  text.match(ROW)?.length === rows && !parseJournal(text, '{').damaged;

const ROW = /^\w{8} \{"type":"row"/gm;

function* readSingle(single: SingleRun, mayHave: (lines: string) => boolean): Generator<StoredRun> {
  if (mayHave(single.text)) yield { id: single.id, ...parseSingle(single) };
}

/** Of one that cannot be read, or not all of it, nobody knows what it has. */
function* readRun(store: JobStore, id: string, mayHave: (lines: string) => boolean): Generator<StoredRun> {
  try {
    const text = readPrivate(store.journalPath(id), store.warn)?.text;
    // Removed meanwhile.
    if (text === undefined) return;
    const head = parseJournal(text.slice(0, text.indexOf('\n') + 1)).lines[0];
    if (!isJobHeader(head)) yield { id, ...parseJournal(text), damaged: true };
    else if (mayHave(text) || !isWhole(text, head.rows)) yield { id, ...parseJournal(text) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    yield { id, lines: [], damaged: true };
  }
}

const warnFailure = (store: JobStore, error: unknown): undefined => {
  if (!(error instanceof Failure)) throw error;
  store.warn([error.message, error.reason].filter(Boolean).join(': '));
};

/** Undefined where they cannot be read, which is told of. */
const tryReadDay = (store: JobStore, day: string): readonly SingleRun[] | undefined => {
  try {
    return store.readDay(day);
  } catch (error) {
    return warnFailure(store, error);
  }
};

const STATE = /"state":"(?:sending|unknown)"/y;

/** Whether its last step leaves open what became of it. */
const isOpen = (lines: string): boolean => {
  STATE.lastIndex = Math.max(0, lines.lastIndexOf('"state":"'));
  return STATE.test(lines);
};

/** One that is at work, or that could be resumed. Nobody can tell of one whose head is lost, or that cannot be read. */
const isUnfinished = (store: JobStore, id: string): boolean => {
  if (store.isRunning(id)) return true;
  try {
    const job = replayJournal(store.read(id));
    return job !== undefined && countOpen(countJobRows(job)) > 0;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
};

const listOlder = (store: JobStore, before: string) => {
  const isOld = (id: string): boolean => dayOf(id) < toFileDay(before);
  const old = store.ids().filter(isOld);
  const kept = new Set(old.filter((id) => isUnfinished(store, id)));
  const ids = old.filter((id) => !kept.has(id));
  return { ids, kept: [...kept], days: store.days().filter(isOld) };
};
