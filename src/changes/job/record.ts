import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { isRecord } from '../../json/number.ts';

/**
 * What a job's journal says. First its head, then a line for each row, then one for each step of a row:
 * `planned → sending → done | unchanged | failed | unknown`, and back to `planned` where nothing has happened.
 */

export interface JobLines {
  /** In the order in which they were written. */
  readonly lines: readonly unknown[];
  /** Whether lines are lost that had been finished. */
  readonly damaged: boolean;
}

export interface JobHeader {
  readonly type: 'job';
  readonly version: 1;
  readonly id: string;
  /** ISO 8601. */
  readonly started_at: string;
  /** The command line. */
  readonly command: string;
  /** Imperative and past; one and many. */
  readonly verb: readonly [string, string];
  readonly noun: readonly [string, string];
  /** Who is signed in, where that is known without asking the service. */
  readonly account?: string | null;
  readonly profile: string;
  /** Origin of the service, or `embedded`. */
  readonly origin: string;
  readonly workspace_id: number | null;
  /** What `jobs resume` needs beside the id, so that it means the same service: `--profile work`. */
  readonly flags: readonly string[];
  readonly input: { readonly file: string; readonly sha256: string } | null;
  /** Whether a record is made only where its like is not there. */
  readonly if_missing?: true;
  /** The plan that it applies, by its checksum. */
  readonly plan?: string;
  /** The entry or the run that it takes back. */
  readonly undoes?: string;
  /** How many rows there are. */
  readonly rows: number;
}

export interface JobRow {
  readonly type: 'row';
  /** From 0. */
  readonly n: number;
  readonly target: string;
  readonly key: string;
  readonly operation: string;
  /** All values of the request; null: there is a secret in them, so they are not stored. */
  readonly values: Readonly<Record<string, unknown>> | null;
  readonly columns: Readonly<Record<string, string>>;
  /** The target in a few words, where they were known. */
  readonly words?: string;
  /** What the record has to show still when it is sent. */
  readonly seen?: Row;
  /** Fields that an undo cannot set back. */
  readonly unset?: readonly string[];
}

/** What a write changes, as it was known just before it was sent. */
export interface JobEffect {
  readonly label?: string;
  /** Id of the member whose record it is. */
  readonly member?: string;
  readonly before?: Row;
  /** Null: the record will be gone. */
  readonly after?: Row | null;
  /** The values that would set it back, by the names of the operation's parameters. */
  readonly old?: Values;
}

const ROW_STATES = ['planned', 'sending', 'done', 'unchanged', 'failed', 'unknown', 'skipped'] as const;
/** `skipped`: the same write stands in an earlier row, or its record has moved. */
export type RowState = (typeof ROW_STATES)[number];
const STATES: ReadonlySet<unknown> = new Set(ROW_STATES);

export interface JobStep {
  readonly type: 'step';
  readonly n: number;
  readonly state: RowState;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Of `sending`: what the proof needs from before the write. */
  readonly before?: unknown;
  /** Of `sending`: with ids that were not known when the run began. */
  readonly values?: Row;
  /** Of `sending`. */
  readonly effect?: JobEffect;
  /** Of `done`: the id of the record that it made. */
  readonly created?: string;
  /** Of `done`: fields of that record, as the service answered. */
  readonly made?: Row;
  /** Of `unknown`: when its answer was lost, in milliseconds since the epoch. */
  readonly lost?: number;
  readonly message?: string;
  readonly error?: Row;
}

/** A row with what has become of it. */
export interface JobRowStatus extends JobRow {
  readonly state: RowState;
  /** When its last step was; undefined before the first. */
  readonly at: number | undefined;
  /** When it was last sent, and what was known before. */
  readonly sent?: { readonly at: number; readonly before: unknown };
  readonly effect?: JobEffect;
  readonly created?: string;
  readonly made?: Row;
  readonly lost?: number;
  readonly message?: string;
  readonly error?: Row;
}

export interface Job {
  readonly head: JobHeader;
  readonly rows: readonly JobRowStatus[];
  /** Whether rows or steps are lost. */
  readonly damaged: boolean;
}

/** What a row of a run is called: its entry in the history, and its request at the service. */
export const formatEntryId = (run: string, n: number): string => `${run}-${n + 1}`;

/** The run and the row, from 0, behind an id of either; undefined for what can be none. */
export const parseEntryId = (id: string): { readonly run: string; readonly n?: number } | undefined => {
  const [, run, n] = /^(\d{8}-\d{4}-[a-z]{3,})(?:-(\d{1,9}))?$/.exec(id) ?? [];
  if (run === undefined) return undefined;
  return n === undefined ? { run } : { run, n: Number(n) - 1 };
};

export const isJobHeader = (line: unknown): line is JobHeader =>
  isRecord(line) && line['type'] === 'job' && line['version'] === 1 && typeof line['rows'] === 'number';

const isRow = (line: unknown): line is JobRow => isRecord(line) && line['type'] === 'row';

export const isStep = (line: unknown): line is JobStep =>
  isRecord(line) && line['type'] === 'step' && typeof line['n'] === 'number' && STATES.has(line['state']);

/** A row while its steps are read: there may be very many, so it is changed in place. */
type RowInReplay = { -readonly [Name in keyof JobRowStatus]: JobRowStatus[Name] | undefined };

const toRowInReplay = (row: JobRow): RowInReplay => ({
  ...row,
  state: 'planned',
  at: undefined,
  sent: undefined,
  effect: undefined,
  created: undefined,
  made: undefined,
  lost: undefined,
  message: undefined,
  error: undefined,
});

const applyStep = (row: RowInReplay, step: JobStep): void => {
  const { state, at, before, values, effect, created, made, lost, message, error } = step;
  row.state = state;
  row.at = at;
  if (state === 'sending') row.sent = { at, before };
  if (state === 'planned') row.sent = undefined;
  row.values = values ?? row.values;
  row.effect = effect ?? row.effect;
  row.created = created ?? row.created;
  row.made = made ?? row.made;
  row.lost = lost;
  row.message = message;
  row.error = error;
};

/** A row whose step may be lost could have been sent: it is looked up before it is sent again. */
const markAsSending = (row: JobRowStatus): JobRowStatus =>
  row.state === 'planned' ? { ...row, state: 'sending' } : row;

/**
 * A journal's lines to the state of its job; undefined when they are no job's. Pure. Any prefix of a journal gives
 * a state that can be gone on from.
 */
export const replayJournal = ({ lines, damaged }: JobLines): Job | undefined => {
  const head = lines.find(isJobHeader);
  if (head === undefined) return undefined;
  const rows = new Map<number, RowInReplay>();
  for (const line of lines) {
    if (isRow(line)) rows.set(line.n, toRowInReplay(line));
    if (!isStep(line)) continue;
    const row = rows.get(line.n);
    if (row !== undefined) applyStep(row, line);
  }
  const all = ([...rows.values()] as JobRowStatus[]).sort((a, b) => a.n - b.n);
  return {
    head,
    rows: damaged ? all.map(markAsSending) : all,
    damaged: damaged || all.length !== head.rows,
  };
};
