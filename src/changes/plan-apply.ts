import { buildCall } from '../api/client.ts';
import type { Row } from '../api/page.ts';
import { EXIT, Failure, UsageError } from '../errors.ts';
import type { Run } from '../run.ts';
import { resultOf } from './accepted.ts';
import { readAccount } from './account.ts';
import type { Change, Observation, SendResult } from './change.ts';
import { checkAnswerable, checkCount, confirmChanges } from './confirm.ts';
import { describeEffect } from './describe-change.ts';
import { checkUnapplied } from './jobs.ts';
import type { RunHead } from './journal.ts';
import { readDestination, toChange } from './log.ts';
import { createLook, createMovedResult, createUncheckedResult, findMoved, NOT_FOUND } from './look.ts';
import { describeLabel, type Plan, type PlanRow, readPlan } from './plan.ts';
import { pluralize } from './report.ts';
import { countOperations, describePlanRow, listPlanWarnings } from './show.ts';
import { keepsHistory, openRuns } from './store.ts';
import { checkWritable, writeChanges } from './write.ts';

/** `ttctl plan check` and `apply`: sends what was planned, to the byte, where nobody has changed the records since. */

interface ApplyOptions {
  readonly again?: boolean | undefined;
  readonly allOrNothing?: boolean | undefined;
  readonly maxChanges?: string | undefined;
}

/**
 * Applies a plan as a job. All records are looked at when it begins, and those that are left again after a minute.
 * @throws UsageError (exit 2) for a plan that is damaged, for another place, applied already, or being applied;
 *   Failure (exit 10) where all or nothing was asked for and a record has moved; else as `writeChanges`
 */
export async function applyPlan(run: Run, file: string, options: ApplyOptions): Promise<void> {
  checkWritable(run);
  await run.output.checkNames();
  const plan = await readPlan(run, file, { own: true });
  await checkPlanDestination(run, plan.head);
  const apply = () => applyRows(run, plan, file, options);
  const isAlone = run.settings.dryRun.value || !keepsHistory(run);
  await (isAlone ? apply() : openRuns(run).alone(plan.head.sha256, apply));
}

/** @throws UsageError for a plan of another service or workspace */
export async function checkPlanDestination(run: Run, { base_url, workspace_id }: RunHead): Promise<void> {
  const current = await readDestination(run);
  const createMismatch = (what: string, was: unknown, is: unknown) =>
    new UsageError(`the plan is for another ${what}`, {
      code: 'other_place',
      reason: `It was made for ${what} ${was}; this is ${what} ${is ?? 'none'}.`,
      hint: 'Nothing was sent. Choose the profile and the workspace that it was made for: --profile, --workspace.',
    });
  if (current.base_url !== base_url) throw createMismatch('service', base_url, current.base_url);
  if (current.workspace_id !== workspace_id)
    throw createMismatch('workspace', workspace_id, current.workspace_id);
}

export interface MovedRow {
  readonly row: PlanRow;
  /** `unread`: nobody can tell. */
  readonly status: 'moved' | 'gone' | 'unread';
  /** The fields that moved, as they are now; `label` where nothing else did. */
  readonly now: Row;
  readonly message: string | null;
}

export interface ComparedWrite {
  readonly row: PlanRow;
  readonly call: Change['call'];
  /** The record in words, as it is now; null where it was not read, or has none. */
  readonly label: string | null;
  readonly observation: Observation;
  /** Undefined: the record is as it was seen, or there is nothing to compare. */
  readonly moved: MovedRow | undefined;
}

/** Whether the records of a plan are still as they were. All are read, by lists where that takes fewer requests. */
export async function comparePlan(run: Run, { head, rows }: Plan): Promise<readonly ComparedWrite[]> {
  const planned = rows.map((row) => ({
    row,
    call: buildCall(run.api, row.operation, row.values) as Change['call'],
  }));
  const isThere = ({ operation }: Change['call']): boolean => operation.path.includes('{');
  const look = await createLook(run, planned.map(({ call }) => call).filter(isThere));
  const compared: ComparedWrite[] = [];
  for (const { row, call } of planned) {
    const observation = (isThere(call) ? await look(call) : undefined) ?? {};
    const { record } = observation;
    const text = record && (await describeLabel(run, { call, target: row.target }, record, head));
    const label = text == null ? null : String(run.machine.redactor.json(text));
    compared.push({ row, call, label, observation, moved: findMove({ row, call, label, observation }) });
  }
  return compared;
}

/** What of its record is not as the row says; undefined where all is, or nothing was recorded. */
function findMove({ row, call, label, observation }: Omit<ComparedWrite, 'moved'>): MovedRow | undefined {
  if (row.seen === null && row.label === null) return undefined;
  if (observation.problem === NOT_FOUND) return { row, status: 'gone', now: {}, message: null };
  if (observation.record === undefined)
    return { row, status: 'unread', now: {}, message: observation.problem ?? null };
  const now = findMoved(call, row.seen ?? {}, observation);
  if (Object.keys(now).length > 0) return { row, status: 'moved', now, message: null };
  if (row.label === null || row.label === label) return undefined;
  return { row, status: 'moved', now: { label }, message: null };
}

export const MOVED_FIELDS = [
  ...(['n', 'operation', 'target', 'label', 'status', 'before', 'after', 'message'] as const),
];

/** As JSON has it: `before` as it was seen, `after` as it is now. */
export function toMovedRecord({ row, status, now, message }: MovedRow) {
  const { n, operation, target, label, seen } = row;
  const known: Row = { label, ...seen };
  const before = Object.fromEntries(Object.keys(now).map((name) => [name, known[name]]));
  return { n, operation, target, label, status, before, after: now, message };
}

/** `hours a week: 40 → 11`, `gone` */
async function describeMoved({ output }: Pick<Run, 'output'>, moved: MovedRow): Promise<string> {
  if (moved.status === 'moved') return describeEffect(output, toMovedRecord(moved));
  return moved.message ?? (moved.status === 'gone' ? 'it is gone' : 'it could not be read');
}

const WORDS = { verb: ['apply', 'applied'], noun: ['change', 'changes'] } as const;

async function applyRows(run: Run, plan: Plan, file: string, options: ApplyOptions): Promise<void> {
  const { head, rows } = plan;
  if (options.again !== true) checkUnapplied(openRuns(run), head.sha256);
  const write = { ...WORDS, needsConfirmation: true };
  checkCount(write, rows.length, { ...options });
  await checkAnswerable(run, write, rows.length);
  const compared = await comparePlan(run, plan);
  const knownResults = new Map<number, SendResult>();
  for (const [n, one] of compared.entries()) {
    const known = await findKnownResult(run, one);
    if (known !== undefined) knownResults.set(n, known);
  }
  const moved = [...knownResults.values()].filter(({ status }) => status !== 'unchanged').length;
  const selection = {
    changes: compared.map(toPlannedChange),
    knownResults,
    facts: [
      `plan       ${file}`,
      `made       ${head.created_at}${head.account === null ? '' : ` by ${head.account}`}`,
      `changes    ${countOperations(rows.map(({ operation }) => operation))}`,
      ...(moved === 0 ? [] : [`moved      ${moved} changed since the plan was made: not sent`]),
      ...listPlanWarnings(plan).map((text) => `!          ${text}`),
    ],
    noneMessage: 'The plan has no changes.',
    words: ({ n, target, label }: Change) => {
      const row = rows[n];
      return [label ?? '', row === undefined ? '' : describePlanRow(row), target];
    },
  };
  if (options.allOrNothing === true) await requireUnmoved(run, compared);
  const { changes } = selection;
  const confirmed = await confirmChanges(run, write, selection, { ...options });
  if (changes.length === 0) run.output.note(selection.noneMessage);
  const account = changes.length === 0 ? null : await readAccount(run);
  if (head.account !== null && account !== null && account !== head.account)
    run.output.note(`This plan was made by ${head.account}; you are applying it as ${account}.`);
  await writeChanges(run, {
    ...{ ...WORDS, changes, knownResults, confirmed, account, plan: head.sha256, again: options.again },
  });
}

/** What is said of a record from here on is what it says itself. */
function toPlannedChange({ row, call, label }: ComparedWrite): Change {
  const columns = { operation: row.operation, id: row.target };
  return { ...toChange({ ...row, key: String(row.n), columns }, call), label: label ?? undefined };
}

async function requireUnmoved(run: Run, compared: readonly ComparedWrite[]): Promise<void> {
  const moved = compared.flatMap(({ moved: one }) => one ?? []);
  if (moved.length === 0) return;
  const words = await Promise.all(
    moved.slice(0, 5).map(async (one) => `${one.row.target}: ${await describeMoved(run, one)}`),
  );
  const total = pluralize(compared.length, ['record', 'records']);
  throw new Failure(`nothing was sent: ${moved.length} of ${total} changed since the plan was made`, {
    code: 'moved',
    exit: EXIT.found,
    reason: [...words, ...(moved.length > 5 ? [`and ${moved.length - 5} more`] : [])].join('; '),
    hint: 'Make the plan again.',
  });
}

/** What becomes of a row without its request: its record has moved, or is as the row would make it. */
async function findKnownResult(
  run: Run,
  { row, call, label, observation, moved }: ComparedWrite,
): Promise<SendResult | undefined> {
  const change = { call, target: row.target };
  const known = label === null ? {} : { label };
  if (observation.unchanged === true) return { ...resultOf(change, 'unchanged'), ...known };
  if (moved === undefined) return undefined;
  return moved.status === 'unread'
    ? createUncheckedResult(change, observation)
    : { ...createMovedResult(change, await describeMoved(run, moved)), ...known };
}
