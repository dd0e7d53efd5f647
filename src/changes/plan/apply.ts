import type { ApiCall } from '../../api/client.ts';
import type { Context } from '../../context.ts';
import { EXIT, Failure, UsageError } from '../../outcome.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import { readAccount } from '../account.ts';
import type { ChangeOfRun } from '../change.ts';
import { confirmChanges, SAMPLE_SIZE } from '../confirm.ts';
import { countJobRows } from '../job/counts.ts';
import { formatResumeCommand } from '../job/destination.ts';
import { isJobHeader, type RowState, replayJournal } from '../job/record.ts';
import { describeMove } from '../moved.ts';
import { pluralize } from '../run-summary.ts';
import { writeChanges } from '../write.ts';
import { checkPlanDestination, findMovedRows, type MovedRow, toPlannedCalls } from './check.ts';
import type { Plan } from './plan-file.ts';
import { describePlanRow, formatOperationCounts, listPlanWarnings, readPlan } from './show.ts';

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
  const service = await context.jobs();
  for (const job of service.heads()) {
    if (!isJobHeader(job) || job.plan !== head.sha256) continue;
    const found = replayJournal(service.read(job.id));
    if (found === undefined || !found.rows.some(({ state }) => APPLIED.has(state))) continue;
    const { left, unknown } = countJobRows(found);
    const open = left + unknown > 0;
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

/** @throws Failure (exit 10) where records have changed since */
const requireUnmoved = async (context: Context, moved: readonly MovedRow[], total: number): Promise<void> => {
  if (moved.length === 0) return;
  const words = await Promise.all(
    moved.slice(0, 5).map(async ({ row, now, status, message }) => {
      const { target, seen, operation } = row;
      const call = { operation: { id: operation } } as ChangeOfRun['call'];
      const what =
        status === 'moved' ? await describeMove(context, { call, target }, seen ?? {}, now) : status;
      return `${target}: ${message ?? what}`;
    }),
  );
  throw new Failure(
    `nothing was sent: ${moved.length} of ${pluralize(total, ['record', 'records'])} changed since the plan was made`,
    {
      code: 'moved',
      exit: EXIT.found,
      reason: [...words, ...(moved.length > 5 ? [`and ${moved.length - 5} more`] : [])].join('; '),
      hint: 'Make the plan again.',
    },
  );
};

const applyRows = async (
  context: Context,
  { plan, file, calls }: { readonly plan: Plan; readonly file: string; readonly calls: readonly ApiCall[] },
  options: ApplyOptions,
): Promise<void> => {
  const { head, rows } = plan;
  if (options.again !== true) await checkUnapplied(context, plan);
  const changes = rows.map(({ target, label, seen, unset }, n): ChangeOfRun => {
    const call = calls[n] as ChangeOfRun['call'];
    const columns = { operation: call.operation.id, id: target };
    const more = { label: label ?? undefined, seen: seen ?? undefined, unset };
    return { n, target, key: String(n), columns, after: call.values, call, ...more };
  });
  const texts = await Promise.all(rows.slice(0, SAMPLE_SIZE).map((row) => describePlanRow(context, row)));
  const selection = {
    changes,
    facts: [
      `plan       ${file}`,
      `made       ${head.created_at}${head.account === null ? '' : ` by ${head.account}`}`,
      `changes    ${formatOperationCounts(plan)}`,
      ...listPlanWarnings(plan).map((text) => `!          ${text}`),
    ],
    noneMessage: 'The plan has no changes.',
    words: ({ n, target, label }: ChangeOfRun) => [label ?? '', texts[n] ?? '', target],
  };
  const confirmed = await confirmChanges(context, { ...WORDS, needsConfirmation: true }, selection, {
    ...options,
  });
  if (changes.length === 0) context.output.note(selection.noneMessage);
  const account = changes.length === 0 ? null : await readAccount(context);
  noteOtherAccount(context, plan, account);
  if (options.allOrNothing === true)
    await requireUnmoved(context, await findMovedRows(context, plan, calls), rows.length);
  await writeChanges(context, { ...WORDS, changes, confirmed, account, plan: head.sha256 });
};

/**
 * Applies a plan as a job. Each record is looked at again just before its write.
 * @throws UsageError (exit 2) for a plan that is damaged, for another place, applied already, or being applied;
 *   Failure (exit 10) where all or nothing was asked for and a record has moved; else as `writeChanges`
 */
export const applyPlan = async (context: Context, file: string, options: ApplyOptions): Promise<void> => {
  await context.output.checkNames();
  const plan = await readPlan(context, file);
  await checkPlanDestination(context, plan.head);
  const calls = toPlannedCalls(context, plan, file);
  const apply = () => applyRows(context, { plan, file, calls }, options);
  const jobs = await context.jobs();
  const isAlone = context.settings.dryRun.value || !jobs.wanted;
  await (isAlone ? apply() : jobs.alone(plan.head.sha256, apply));
};
