import type { Row } from '../../api/page.ts';
import type { Column, Context } from '../../context.ts';
import { UsageError } from '../../outcome.ts';
import { findLocalId } from '../find-id.ts';
import { createDamagedJobError } from '../job/read-job.ts';
import { parseEntryId, replayJournal } from '../job/record.ts';
import type { JobStore } from '../job/store.ts';
import { type RunEntries, toEntryRecord, toRunEntries } from './entries.ts';
import { listRuns, type StoredRun } from './runs.ts';

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

/** `20261121` as a day. */
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
