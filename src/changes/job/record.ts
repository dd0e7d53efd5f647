import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { EXIT, Failure, parseFailureJson, UsageError } from '../../errors.ts';
import { isRecord } from '../../json.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import { classifyFailure, findRule } from '../outcomes.ts';

/**
 * What a job's journal says. First its head, then a line for each row, then one for each step of a row:
 * `planned → sending → done | unchanged | failed | unknown`, and back to `planned` where nothing has happened.
 */

export interface JobLines {
  /** In the order in which they were written. */
  readonly lines: readonly unknown[];
  readonly damaged: boolean;
}

export interface JobHeader {
  readonly type: 'job';
  readonly version: 1;
  readonly id: string;
  readonly started_at: string;
  readonly command: string;
  /** Imperative and past; one and many. */
  readonly verb: readonly [string, string];
  readonly noun: readonly [string, string];
  /** Who is signed in, where that is known without asking the service. */
  readonly account?: string | null;
  readonly profile: string;
  readonly origin: string;
  readonly workspace_id: number | null;
  /** What `jobs resume` needs beside the id, so that it means the same service: `--profile work`. */
  readonly flags: readonly string[];
  readonly input: { readonly file: string; readonly sha256: string } | null;
  /** Whether a record is made only where its like is not there. */
  readonly if_missing?: true;
  readonly plan?: string;
  readonly undoes?: string;
  readonly rows: number;
}

export interface JobRow {
  readonly type: 'row';
  readonly n: number;
  readonly target: string;
  readonly key: string;
  readonly operation: string;
  /** All values of the request; null: there is a secret in them, so they are not stored. */
  readonly values: Readonly<Record<string, unknown>> | null;
  readonly columns: Readonly<Record<string, string>>;
  readonly words?: string;
  /** What the record has to show still when it is sent. */
  readonly seen?: Row;
  readonly unset?: readonly string[];
}

/** What a write changes, as it was known just before it was sent. */
export interface JobEffect {
  readonly label?: string;
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
  readonly at: number;
  /** Of `sending`: what the proof needs from before the write. */
  readonly before?: unknown;
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

const isStep = (line: unknown): line is JobStep =>
  isRecord(line) && line['type'] === 'step' && typeof line['n'] === 'number' && STATES.has(line['state']);

/** A row while its steps are read: there may be very many, so it is changed in place. */
type RowInReplay = { -readonly [Name in keyof JobRowStatus]?: JobRowStatus[Name] | undefined };

const applyStep = (row: RowInReplay, step: JobStep): void => {
  const { state, at, before, effect, created, made, lost, message, error } = step;
  row.state = state;
  row.at = at;
  if (state === 'sending') row.sent = { at, before };
  if (state === 'planned') row.sent = undefined;
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
    if (isRow(line)) rows.set(line.n, { ...line, state: 'planned', at: undefined });
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

export const createDamagedJobError = (id: string, isPartial = false): UsageError =>
  new UsageError(`the journal of ${id} is damaged`, {
    code: 'damaged_job',
    reason: isPartial ? 'Some of what it sent is unknown.' : 'What it sent is unknown.',
    hint: isPartial
      ? `See what is known, and undo it entry by entry: ${commandLine`ttctl history list --run ${id}`}`
      : `Check the records themselves. The journal is ${id}.jsonl in the folder jobs of the state directory, which ttctl doctor names.`,
  });

/** What a job's journal says. @throws UsageError for lines that are no job's */
export const readJob = (id: string, lines: JobLines): Job => {
  const job = replayJournal(lines);
  if (job === undefined) throw createDamagedJobError(id);
  return job;
};

/** How many rows of a job came to what. */

export interface JobCounts {
  readonly done: number;
  readonly failed: number;
  /** Not sent, and not to be: the record was gone, or had changed. */
  readonly skipped: number;
  readonly moved: number;
  readonly unknown: number;
  readonly left: number;
  /** Of those that failed: what surely was not done, and is right as it is. Going on sends them again. */
  readonly repeatable: number;
}

type StepState = Pick<JobStep, 'state' | 'error'>;

const findFailedRule = ({ error = {} }: StepState) =>
  findRule(
    classifyFailure(parseFailureJson(error, FAILED)),
    error['created'] === undefined ? 'change' : 'creation',
  );

const FAILED = new Failure('failed', { code: 'failed', exit: EXIT.partial });

export const isRepeatable = (step: StepState): boolean =>
  step.state === 'failed' && findFailedRule(step).resume === 'send';

export const isFedBack = (step: StepState): boolean =>
  step.state === 'failed' && findFailedRule(step).fedBack;

const isMoved = ({ state, error }: StepState): boolean => state === 'skipped' && error !== undefined;

/** Whether something is wrong with a row: also where its record was found changed, so that it was not sent. */
export const hasFailed = (step: StepState): boolean => step.state === 'failed' || isMoved(step);

/**
 * @param head of a job of which rows may be lost: they are left
 * @param running whether the job is at work: then a row under way is only not done yet
 */
export const countJobRows = (
  { rows, head }: { readonly rows: readonly StepState[]; readonly head?: Pick<JobHeader, 'rows'> },
  running = false,
): JobCounts => {
  const count = (...states: readonly RowState[]) => rows.filter(({ state }) => states.includes(state)).length;
  const underWay = count('sending');
  const lost = Math.max(0, (head?.rows ?? 0) - rows.length);
  return {
    done: count('done', 'unchanged'),
    failed: count('failed'),
    skipped: count('skipped'),
    moved: rows.filter(isMoved).length,
    unknown: count('unknown') + (running ? 0 : underWay),
    left: count('planned') + lost + (running ? underWay : 0),
    repeatable: rows.filter(isRepeatable).length,
  };
};

export const JOB_STATES = ['running', 'interrupted', 'unknown', 'failed', 'done'] as const;
export type JobState = (typeof JOB_STATES)[number];
/** As `jobs list --state` has them: `unfinished` are all that `jobs resume` would do something for. */
export const JOB_FILTERS = [...JOB_STATES, 'unfinished'] as const;

export const countOpen = ({ left, unknown, repeatable }: JobCounts): number => left + unknown + repeatable;

/** `interrupted`: rows are left, or can be sent again as they are. `unknown`: of some it is not known what became of them. */
export const deriveJobState = (
  { left, repeatable, unknown, failed, moved }: JobCounts,
  running: boolean,
): JobState => {
  if (running) return 'running';
  if (left + repeatable > 0) return 'interrupted';
  if (unknown > 0) return 'unknown';
  return failed + moved > 0 ? 'failed' : 'done';
};
