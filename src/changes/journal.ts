import { createHash } from 'node:crypto';
import type { Row } from '../api/page.ts';
import type { Values } from '../api/plan.ts';
import { EXIT, Failure, parseFailureJson } from '../errors.ts';
import type { PlannedRequest } from '../http/transport.ts';
import { isRecord, parseJson, STORED_DEPTH, stringifyJson, toText } from '../json.ts';
import { isDay } from '../parsing/calendar.ts';
import { MAX_ROWS } from '../parsing/text.ts';
import { parseLine } from '../storage/journal.ts';
import type { Holder } from '../storage/lock.ts';
import { type Answer, classifyFailure } from './accepted.ts';

/**
 * The one form of a file of writes, JSON lines: its head, its writes, its steps. A plan has no steps yet; a run has the
 * steps of its writes, and the history is all runs. The checksum in the head is of all other bytes of head and writes;
 * it shows damage and edits, and is no signature. Each step has its own. See docs/changes.md.
 */

export interface RunHead {
  readonly ttctl_plan: 1;
  readonly id?: string;
  readonly created_at: string;
  /** Of a plan: the zone of the times in its labels. To find it takes longer than all else of a write. */
  readonly timezone?: string | undefined;
  /** Of a plan: the first day, in its zone, on which it can be applied: `2027-01-01`. */
  readonly at?: string | undefined;
  readonly ttctl: string;
  /** Origin of the service; `embedded`: the sandbox of this machine. */
  readonly base_url: string;
  readonly workspace_id: number | null;
  readonly account: string | null;
  readonly command: string;
  /** Who began it; files of before do not say. */
  readonly caller?: 'person' | 'script' | 'ci';
  /** Of a CI run: its address. */
  readonly caller_url?: string | undefined;
  readonly run?: RunSettings | undefined;
  readonly rows: number;
  readonly sha256: string;
}

export interface RunSettings {
  readonly profile: string;
  /** What `jobs resume` needs beside the id, so that it means the same service: `--profile work`. */
  readonly flags: readonly string[];
  readonly verb: readonly [string, string];
  readonly noun: readonly [string, string];
  readonly input?: { readonly file: string; readonly sha256: string } | undefined;
  readonly if_missing?: boolean | undefined;
  /** Checksum of the plan that it applies, and whether once more. */
  readonly plan?: string | undefined;
  readonly again?: boolean | undefined;
  readonly undoes?: string | undefined;
}

export interface PlannedWrite {
  readonly n: number;
  readonly operation: string;
  /** The id of the record, in a run as the person wrote it; what a new one is called. */
  readonly target: string;
  readonly label: string | null;
  /** Of `seen`, what the request changes. */
  readonly before: Row | null;
  /** What the request sets. Null: the record will be gone, or it is not known. */
  readonly after: Row | null;
  /** Null: there is a secret in it, or it is none of the table, so it cannot be sent again. */
  readonly request: PlannedRequest | null;
  /** What the record has to show still when it is sent; null: it is not checked. */
  readonly seen: Row | null;
  readonly unset?: readonly string[] | undefined;
  /** Of a run: writes with the same one are the same write. Default: the target. */
  readonly key?: string | undefined;
  /** The key of the write without which this one is not sent; in a plan its number. */
  readonly needs?: string | undefined;
  /** Of a run: the row as `--from-file` would read it. Default: the target as `id`. */
  readonly columns?: Readonly<Record<string, string>> | undefined;
  readonly member?: MemberOfWrite | undefined;
}

/** Whose record a write is about; name and address where a list was read. */
export interface MemberOfWrite {
  readonly id: string;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
}

const STEPS = ['planned', 'sending', 'done', 'unchanged', 'failed', 'unknown', 'skipped'] as const;
/** `skipped`: the same write stands in an earlier row, or its record has moved. */
export type StepName = (typeof STEPS)[number];

export interface Step {
  readonly n: number;
  readonly step: StepName;
  readonly time: string;
  readonly status?: number | undefined;
  /** Of `sending` of a single write, which has no lock: who is at work on it. */
  readonly process?: Holder;
  /** Of `sending`: what the proof needs from before the write. */
  readonly evidence?: unknown;
  /** Of `sending`: the record as it is known just before. `old`: the values that would set it back. `label`: of `done` too. */
  readonly label?: string | undefined;
  readonly member?: MemberOfWrite | undefined;
  readonly before?: Row | undefined;
  readonly after?: Row | null | undefined;
  readonly old?: Values | undefined;
  /** Of `done`: the id of the record that it made, and its fields as the service answered. */
  readonly created?: string | undefined;
  readonly made?: Row | undefined;
  /** Of `unknown`: when its answer was lost. */
  readonly lost?: string | undefined;
  readonly message?: string | undefined;
  readonly error?: Row | undefined;
}

export interface StoredWrite
  extends PlannedWrite,
    Pick<Step, 'step' | 'old' | 'created' | 'made' | 'lost' | 'message' | 'error'> {
  readonly time: string | undefined;
  readonly sent: Step | undefined;
}

export interface RunFile {
  readonly head: RunHead | undefined;
  /** Of a foreign file, as its lines have them; else empty, for there may be very many. */
  readonly writes: readonly PlannedWrite[];
  readonly rows: readonly StoredWrite[];
  /** Whether steps are lost: what may have been sent is `sending`. */
  readonly damaged: boolean;
  /** Why head and writes cannot be used: then there are no rows. */
  readonly problem?: { readonly line?: number; readonly message: string };
}

export function formatRun(head: Omit<RunHead, 'sha256'>, writes: Iterable<PlannedWrite>): string {
  let body = '';
  for (const write of writes) body += `${stringifyJson(write)}\n`;
  const { rows, ...others } = head;
  const line = stringifyJson({ ...others, rows });
  const sha256 = createHash('sha256').update(`${line}\n${body}`).digest('hex');
  return `${line.slice(0, -1)},"sha256":"${sha256}"}\n${body}`;
}

/**
 * Pure: what a file says. Any prefix of a run's file that has its writes gives a state that can be gone on from; what
 * stands behind the last newline is a step that was never finished.
 * @param isForeign whether it is a plan, which has no steps, and somebody else may have written it: then a name that an
 *   object has twice is a problem too
 */
export function parseRun(text: string, isForeign = false): RunFile {
  const end = text.indexOf('\n');
  const line = end < 0 ? text : text.slice(0, end);
  const head = parseHead(line, isForeign);
  if (typeof head === 'string') return toProblem(undefined, head, 1);
  if (isForeign && head.rows > MAX_ROWS) return toProblem(head, `more than ${MAX_ROWS} rows`);
  const lengthProblem = 'the plan is incomplete or has extra lines';
  const [writes, rows]: [PlannedWrite[], RowInReplay[]] = [[], []];
  let at = line.length + 1;
  for (let n = 1; n <= head.rows; n += 1) {
    const next = text.indexOf('\n', at);
    if (next < 0) return toProblem(head, lengthProblem);
    const write = parseText(text.slice(at, next), isForeign);
    if (!isWrite(write, n)) return toProblem(head, 'not a row of a plan', n + 1);
    if (isForeign) writes.push(write);
    rows.push({ member: undefined, ...write, step: 'planned', time: undefined, sent: undefined });
    at = next + 1;
  }
  const sum = createHash('sha256').update(`${line.replace(CHECKSUM, '}')}\n`);
  if (sum.update(text.slice(line.length + 1, at)).digest('hex') !== CHECKSUM.exec(line)?.[1])
    return toProblem(head, 'the plan was changed after it was made: its checksum does not match');
  const { steps, damaged } = applySteps(rows, text, at);
  if (isForeign && steps > 0) return toProblem(head, lengthProblem);
  return { head, writes, rows, damaged };
}

const CHECKSUM = /,"sha256":"([0-9a-f]{64})"\}$/;

function toProblem(head: RunHead | undefined, message: string, line?: number): RunFile {
  return { head, writes: [], rows: [], damaged: true, problem: { message, ...(line && { line }) } };
}

function parseText(line: string, strict: boolean): unknown {
  const parsed = parseJson(line, { strict, depth: STORED_DEPTH });
  return 'value' in parsed ? parsed.value : undefined;
}

export function parseHead(line: string, isForeign = false): RunHead | string {
  const head = parseText(line, isForeign);
  if (!isRecord(head) || head['ttctl_plan'] === undefined)
    return 'not a plan: its first line is not a valid header';
  if (head['ttctl_plan'] !== 1)
    return `a plan of version ${toText(head['ttctl_plan'])}: this ttctl reads version 1`;
  const { account, workspace_id, run, rows, at } = head;
  const texts = ['created_at', 'ttctl', 'base_url', 'command'];
  if (isForeign || !isRecord(run)) texts.push('timezone');
  const isWhole =
    texts.every((name) => isText(head[name])) &&
    (account === null || isText(account)) &&
    (workspace_id === null || typeof workspace_id === 'number') &&
    (at === undefined || (isText(at) && isDay(at))) &&
    typeof rows === 'number';
  return isWhole ? (head as unknown as RunHead) : 'the header of the plan is incomplete';
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isWrite(value: unknown, n: number): value is PlannedWrite {
  if (!isRecord(value) || value['n'] !== n) return false;
  const { operation, target, label, before, after, request, seen, unset, needs } = value;
  if (!isText(operation) || !isText(target) || !(label === null || isText(label))) return false;
  if (needs !== undefined && !isText(needs)) return false;
  if (![before, after, seen, request].every((one) => one === null || isRecord(one))) return false;
  if (unset !== undefined && !(Array.isArray(unset) && unset.length > 0 && unset.every(isText))) return false;
  if (!isRecord(request)) return true;
  return isText(request['method']) && isText(request['path']) && isRecord(request['query']);
}

/** A row while its steps are read: there may be very many, so all have one shape and are changed in place. */
type RowInReplay = { -readonly [Name in keyof StoredWrite]: StoredWrite[Name] };

function applySteps(rows: readonly RowInReplay[], text: string, from: number) {
  let [steps, damaged] = [0, false];
  for (let at = from, end = text.indexOf('\n', at); end >= 0; at = end + 1, end = text.indexOf('\n', at)) {
    steps += 1;
    const { label = null, ...step } = (parseLine(text.slice(at, end)) ?? {}) as Step;
    const row = rows[step.n - 1];
    if (row === undefined || !STEPS.includes(step.step)) {
      damaged = true;
      continue;
    }
    // Of the step before, what is known of the record stays.
    Object.assign(row, { lost: undefined, message: undefined, error: undefined }, step);
    if (step.step === 'sending') row.sent = step;
    if (step.step === 'planned') row.sent = undefined;
    row.label = label ?? row.label;
  }
  // What stands behind the last newline counts where nothing may: in a plan.
  if (!text.endsWith('\n')) steps += 1;
  // A row whose step may be lost could have been sent: it is looked up before it is sent again.
  if (damaged) for (const row of rows) if (row.step === 'planned' || isRepeatable(row)) row.step = 'sending';
  return { damaged, steps };
}

/** What a write of a run is called: its entry in the history, and its request at the service. @param n from 0 */
export function formatEntryId(run: string, n: number): string {
  return `${run}-${n + 1}`;
}

/** The run and the write, from 1, behind an id of either; undefined for what can be none. */
export function parseEntryId(id: string): { readonly run: string; readonly n?: number } | undefined {
  const [, run, n] = /^(\d{8}-\d{4}-[a-z]{3,})(?:-(\d{1,9}))?$/.exec(id) ?? [];
  if (run === undefined) return undefined;
  return n === undefined ? { run } : { run, n: Number(n) };
}

type RowStep = Pick<StoredWrite, 'step' | 'error'>;

export type RunCounts = ReturnType<typeof countRows>;

/** @param running whether the run is at work: then a row under way is only not done yet */
export function countRows(rows: readonly RowStep[], running = false) {
  const count = (...steps: readonly StepName[]) => rows.filter(({ step }) => steps.includes(step)).length;
  const underWay = count('sending');
  return {
    done: count('done', 'unchanged'),
    failed: count('failed'),
    /** Not sent, and not to be: the record was gone, or had changed (`moved`). */
    skipped: count('skipped'),
    moved: rows.filter(isMoved).length,
    unknown: count('unknown') + (running ? 0 : underWay),
    left: count('planned') + (running ? underWay : 0),
    repeatable: rows.filter(isRepeatable).length,
  };
}

export function countOpen({ left, unknown, repeatable }: RunCounts): number {
  return left + unknown + repeatable;
}

export const RUN_STATES = ['running', 'interrupted', 'unknown', 'failed', 'done'] as const;

/** `interrupted`: rows are left, or can be sent again as they are. `unknown`: of some it is not known what became of them. */
export function deriveRunState(
  { left, repeatable, unknown, failed, moved }: RunCounts,
  running: boolean,
): (typeof RUN_STATES)[number] {
  if (running) return 'running';
  if (left + repeatable > 0) return 'interrupted';
  if (unknown > 0) return 'unknown';
  return failed + moved > 0 ? 'failed' : 'done';
}

/** Surely not done, and right as it is: going on sends it again. */
export function isRepeatable(row: RowStep): boolean {
  return row.step === 'failed' && classifyRow(row) === 'later';
}

/** To be corrected and sent anew; a record that was made all the same is not to be made twice. */
export function isFedBack(row: RowStep): boolean {
  return row.step === 'failed' && classifyRow(row) === 'refused' && row.error?.['created'] === undefined;
}

/** Whether something is wrong with a row: also where its record was found changed, so that it was not sent. */
export function hasFailed(row: RowStep): boolean {
  return row.step === 'failed' || isMoved(row);
}

function isMoved({ step, error }: RowStep): boolean {
  return step === 'skipped' && error !== undefined;
}

function classifyRow({ error = {} }: RowStep): Answer {
  return classifyFailure(parseFailureJson(error, FAILED));
}

export const FAILED = new Failure('failed', { code: 'failed', exit: EXIT.partial });
