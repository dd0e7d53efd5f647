import type { Context } from '../../context.ts';
import { EXIT, Failure, UsageError } from '../../errors.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import { readAccount } from '../account.ts';
import type { Change, SendResult } from '../change.ts';
import { checkAnswerable, checkCount, confirmChanges } from '../confirm.ts';
import { formatResumeCommand } from '../job/destination.ts';
import { countJobRows, countOpen, isJobHeader, type RowState, replayJournal } from '../job/record.ts';
import { createMovedResult, createUncheckedResult } from '../look.ts';
import { pluralize } from '../report.ts';
import { checkWritable, writeChanges } from '../write.ts';
import { type ComparedWrite, checkPlanDestination, comparePlan, describeMoved } from './check.ts';
import { type Plan, readPlan } from './plan-file.ts';
import { describePlanRow, formatOperationCounts, listPlanWarnings } from './show.ts';

/** `ttctl plan apply`: sends what was planned, to the byte, where nobody has changed the records since. */

const WORDS = { verb: ['apply', 'applied'], noun: ['change', 'changes'] } as const;

interface ApplyOptions {
  readonly again?: boolean | undefined;
  readonly allOrNothing?: boolean | undefined;
  readonly maxChanges?: string | undefined;
}

/** A row that was refused has changed nothing. */
const APPLIED: ReadonlySet<RowState> = new Set(['done', 'sending', 'unknown']);

/** By its content: a copy is the same plan. A run of it that changed nothing has not used it up. */
const checkUnapplied = async (context: Context, { head }: Plan): Promise<void> => {
  const store = await context.jobs();
  for (const job of store.heads()) {
    if (!isJobHeader(job) || job.plan !== head.sha256) continue;
    const found = replayJournal(store.read(job.id));
    if (found === undefined || !found.rows.some(({ state }) => APPLIED.has(state))) continue;
    const open = countOpen(countJobRows(found)) > 0;
    throw new UsageError('this plan was already applied on this machine', {
      code: 'already_applied',
      reason: `Job ${job.id} applied it on ${job.started_at.slice(0, 10)}.`,
      hint: open
        ? `Finish it with: ${formatResumeCommand(job)}`
        : `See the results: ${commandLine`ttctl jobs show ${job.id}`}. To apply it once more: --again`,
    });
  }
};

const noteOtherAccount = (context: Context, { head }: Plan, account: string | null): void => {
  if (head.account !== null && account !== null && account !== head.account)
    context.output.note(`This plan was made by ${head.account}; you are applying it as ${account}.`);
};

const requireUnmoved = async (context: Context, compared: readonly ComparedWrite[]): Promise<void> => {
  const moved = compared.flatMap(({ moved: one }) => one ?? []);
  if (moved.length === 0) return;
  const words = await Promise.all(
    moved.slice(0, 5).map(async (one) => `${one.row.target}: ${await describeMoved(context, one)}`),
  );
  const total = pluralize(compared.length, ['record', 'records']);
  throw new Failure(`nothing was sent: ${moved.length} of ${total} changed since the plan was made`, {
    code: 'moved',
    exit: EXIT.found,
    reason: [...words, ...(moved.length > 5 ? [`and ${moved.length - 5} more`] : [])].join('; '),
    hint: 'Make the plan again.',
  });
};

/** What becomes of a row without its request: its record has moved, or is as the row would make it. */
const findKnownResult = async (
  context: Context,
  { row, call, label, observation, moved }: ComparedWrite,
): Promise<SendResult | undefined> => {
  const change = { call, target: row.target };
  const withLabel = (sent: SendResult): SendResult => ({
    ...sent,
    result: { ...sent.result, ...(label === null ? {} : { label }) },
  });
  if (observation.unchanged === true)
    return withLabel({ result: { target: row.target, status: 'unchanged', operation: row.operation } });
  if (moved === undefined) return undefined;
  return moved.status === 'unread'
    ? createUncheckedResult(change, observation)
    : withLabel(createMovedResult(change, await describeMoved(context, moved)));
};

const applyRows = async (
  context: Context,
  plan: Plan,
  file: string,
  options: ApplyOptions,
): Promise<void> => {
  const { head, rows } = plan;
  if (options.again !== true) await checkUnapplied(context, plan);
  const write = { ...WORDS, needsConfirmation: true };
  checkCount(write, rows.length, { ...options });
  await checkAnswerable(context, write, rows.length);
  const compared = await comparePlan(context, plan);
  const knownResults = new Map<number, SendResult>();
  for (const [n, one] of compared.entries()) {
    const known = await findKnownResult(context, one);
    if (known !== undefined) knownResults.set(n, known);
  }
  const moved = [...knownResults.values()].filter(({ result }) => result.status !== 'unchanged').length;
  // What is said of a record from here on is what it says itself.
  const changes = compared.map(({ row, call, label }, n): Change => {
    const { target, seen, unset, operation } = row;
    const base = { n, target, key: String(n), columns: { operation, id: target }, after: call.values, call };
    return { ...base, label: label ?? undefined, seen: seen ?? undefined, unset };
  });
  const selection = {
    changes,
    knownResults,
    facts: [
      `plan       ${file}`,
      `made       ${head.created_at}${head.account === null ? '' : ` by ${head.account}`}`,
      `changes    ${formatOperationCounts(plan)}`,
      ...(moved === 0 ? [] : [`moved      ${moved} changed since the plan was made: not sent`]),
      ...listPlanWarnings(plan).map((text) => `!          ${text}`),
    ],
    noneMessage: 'The plan has no changes.',
    words: ({ n, target, label }: Change) => {
      const row = rows[n];
      return [label ?? '', row === undefined ? '' : describePlanRow(row), target];
    },
  };
  if (options.allOrNothing === true) await requireUnmoved(context, compared);
  const confirmed = await confirmChanges(context, write, selection, { ...options });
  if (changes.length === 0) context.output.note(selection.noneMessage);
  const account = changes.length === 0 ? null : await readAccount(context);
  noteOtherAccount(context, plan, account);
  await writeChanges(context, { ...WORDS, changes, knownResults, confirmed, account, plan: head.sha256 });
};

/**
 * Applies a plan as a job. All records are looked at when it begins, and those that are left again after a minute.
 * @throws UsageError (exit 2) for a plan that is damaged, for another place, applied already, or being applied;
 *   Failure (exit 10) where all or nothing was asked for and a record has moved; else as `writeChanges`
 */
export const applyPlan = async (context: Context, file: string, options: ApplyOptions): Promise<void> => {
  checkWritable(context);
  await context.output.checkNames();
  const plan = await readPlan(context, file, { own: true });
  await checkPlanDestination(context, plan.head);
  const apply = () => applyRows(context, plan, file, options);
  const jobs = await context.jobs();
  const isAlone = context.settings.dryRun.value || !jobs.wanted;
  await (isAlone ? apply() : jobs.alone(plan.head.sha256, apply));
};
