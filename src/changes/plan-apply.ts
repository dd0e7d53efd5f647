import { type ApiCall, buildCall } from '../api/client.ts';
import type { Row } from '../api/page.ts';
import { EXIT, Failure } from '../errors.ts';
import type { Run } from '../run.ts';
import { resultOf } from './accepted.ts';
import { readAccount } from './account.ts';
import type { Change, Observation, SendResult } from './change.ts';
import { checkAnswerable, checkCount, confirmChanges } from './confirm.ts';
import { describeEffect } from './describe-change.ts';
import { checkDestination, checkUnapplied } from './jobs.ts';
import { toChange } from './log.ts';
import { createLook, createMovedResult, createUncheckedResult, findMoved, NOT_FOUND } from './look.ts';
import { describeLabel, type Plan, type PlanRow, readPlan } from './plan.ts';
import { pluralize } from './report.ts';
import { countOperations, describePlanRow, listPlanWarnings } from './show.ts';
import { keepsHistory, PLAN_BUSY, RunStore } from './store.ts';
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
  await checkDestination(run, plan.head, 'the plan', ['plan', 'apply', file]);
  const apply = () => applyRows(run, plan, file, options);
  const isAlone = run.settings.dryRun.value || !keepsHistory(run);
  await (isAlone ? apply() : new RunStore(run).inTurn(`plan-${plan.head.sha256}`, apply, PLAN_BUSY));
}

export interface ComparedRow {
  readonly row: PlanRow;
  readonly call: ApiCall;
  /** The record in words, as it is now; null where it was not read, or has none. */
  readonly label: string | null;
  readonly observation: Observation;
  /** `unread`: nobody can tell. Undefined: it is as it was seen, or there is nothing to compare. */
  readonly moved: 'moved' | 'gone' | 'unread' | undefined;
  /** The fields that moved, as they are now; `label` where nothing else did. */
  readonly now: Row;
}

/** Whether the records of a plan are still as they were. All are read, by lists where that takes fewer requests. */
export async function comparePlan(run: Run, { head, rows }: Plan): Promise<readonly ComparedRow[]> {
  const calls = rows.map(({ operation, values }) => buildCall(run.api, operation, values) as ApiCall);
  const isThere = ({ operation }: ApiCall): boolean => operation.path.includes('{');
  const look = await createLook(run, calls.filter(isThere));
  const compared: ComparedRow[] = [];
  for (const [i, call] of calls.entries()) {
    const row = rows[i] as PlanRow;
    const observation = (isThere(call) ? await look(call) : undefined) ?? {};
    const { record } = observation;
    const text = record && (await describeLabel(run, { call, target: row.target }, record, head));
    const label = text == null ? null : String(run.machine.redactor.json(text));
    compared.push({ row, call, label, observation, ...findMove(row, call, label, observation) });
  }
  return compared;
}

function findMove(row: PlanRow, call: ApiCall, label: string | null, observation: Observation) {
  const isLost = observation.record === undefined && (row.seen !== null || row.label !== null);
  if (isLost) return { moved: observation.problem === NOT_FOUND ? 'gone' : 'unread', now: {} } as const;
  let now = findMoved(call, row.seen ?? {}, observation);
  if (Object.keys(now).length === 0 && (row.label ?? label) !== label) now = { label };
  return { moved: Object.keys(now).length > 0 ? 'moved' : undefined, now } as const;
}

export const MOVED_FIELDS = [
  ...(['n', 'operation', 'target', 'label', 'status', 'before', 'after', 'message'] as const),
];

/** As JSON has it: `before` as it was seen, `after` as it is now. */
export function toMovedRecord({ row, moved, now, observation }: ComparedRow) {
  const { n, operation, target, label, seen } = row;
  const known: Row = { label, ...seen };
  const before = Object.fromEntries(Object.keys(now).map((name) => [name, known[name]]));
  const message = moved === 'unread' ? (observation.problem ?? null) : null;
  return { n, operation, target, label, status: moved, before, after: now, message };
}

const WORDS = { verb: ['apply', 'applied'], noun: ['change', 'changes'] } as const;

async function applyRows(run: Run, plan: Plan, file: string, options: ApplyOptions): Promise<void> {
  const { head, rows } = plan;
  if (options.again !== true) checkUnapplied(new RunStore(run), head.sha256);
  const write = { ...WORDS, needsConfirmation: true };
  checkCount(write, rows.length, { ...options });
  await checkAnswerable(run, write, rows.length);
  const compared = await comparePlan(run, plan);
  const knownResults = new Map<number, SendResult>();
  // What becomes of a row without its request: its record has moved, or is as the row would make it.
  for (const [n, one] of compared.entries()) {
    const { row, call, observation, moved } = one;
    const change = { call, target: row.target };
    const label = one.label ?? undefined;
    if (observation.unchanged === true) knownResults.set(n, { ...resultOf(change, 'unchanged'), label });
    else if (moved === 'unread') knownResults.set(n, createUncheckedResult(change, observation));
    else if (moved !== undefined) {
      const what = moved === 'gone' ? 'it is gone' : await describeEffect(run.output, toMovedRecord(one));
      knownResults.set(n, { ...createMovedResult(change, what), label });
    }
  }
  const moved = compared.filter((one) => one.moved !== undefined);
  if (options.allOrNothing === true && moved.length > 0) {
    const total = pluralize(compared.length, ['record', 'records']);
    throw new Failure(`nothing was sent: ${moved.length} of ${total} changed since the plan was made`, {
      code: 'moved',
      exit: EXIT.found,
      hint: `See which: ${run.commandLine`ttctl plan check ${file}`}`,
    });
  }
  const unsent = [...knownResults.values()].filter(({ status }) => status !== 'unchanged').length;
  const changes = compared.map(({ row, call, label }): Change => {
    const columns = { operation: row.operation, id: row.target };
    // What is said of a record from here on is what it says itself.
    return { ...toChange({ ...row, key: String(row.n), columns }, call), label: label ?? undefined };
  });
  const selection = {
    changes,
    knownResults,
    facts: [
      `plan       ${file}`,
      `made       ${head.created_at}${head.account === null ? '' : ` by ${head.account}`}`,
      `changes    ${countOperations(rows.map(({ operation }) => operation))}`,
      ...(unsent === 0 ? [] : [`moved      ${unsent} changed since the plan was made: not sent`]),
      ...listPlanWarnings(plan).map((text) => `!          ${text}`),
    ],
    noneMessage: 'The plan has no changes.',
    words: ({ n, target, label }: Change) => {
      const row = rows[n];
      return [label ?? '', row === undefined ? '' : describePlanRow(row), target];
    },
  };
  const confirmed = await confirmChanges(run, write, selection, { ...options });
  if (changes.length === 0) run.output.note(selection.noneMessage);
  const account = changes.length === 0 ? null : await readAccount(run);
  if (head.account !== null && account !== null && account !== head.account)
    run.output.note(`This plan was made by ${head.account}; you are applying it as ${account}.`);
  const { again } = options;
  await writeChanges(run, {
    ...{ ...WORDS, changes, knownResults, confirmed, account, plan: head.sha256, again },
  });
}
