import { checkCount } from '../../changes/confirm.ts';
import { checkWritable, wantsExitCode, writeChanges } from '../../changes/write.ts';
import { takeTurn } from '../../clock.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../outcome.ts';
import { getToday } from '../../parsing/calendar.ts';
import { toConditionRow } from '../../pending/condition-row.ts';
import { loadInboxContext } from '../../pending/inbox-context.ts';
import { getItemKey } from '../../pending/item.ts';
import { describeUnread, loadInbox, requireWholeInbox } from '../../pending/load-inbox.ts';
import { listPendingItems, type PendingItem } from '../../pending/pending-item.ts';
import { decideByRules, type Rule } from '../../pending/rules.ts';
import type { ReviewDecision } from '../../review.ts';
import { createDecisionColumns, getReason, type RuledItem, toDecisionRow } from './decision-rows.ts';
import { readInboxFilter } from './fields.ts';
import { toReviewItem } from './present.ts';
import { loadInboxJoins } from './rows.ts';
import { readRules } from './rules-file.ts';
import { buildChanges } from './send-decisions.ts';

/** `inbox decide`: what rules decide is shown, planned, or sent. */

type Options = Readonly<Record<string, unknown>>;

const DECISIONS = { verb: ['decide', 'decided'], noun: ['request', 'requests'] } as const;

/** @throws UsageError for flags that contradict each other, or would send an unknown number of decisions */
const checkOptions = (context: Context, options: Options): void => {
  const { settings } = context;
  const { rules, explain, backtest, plan, maxChanges } = options;
  if (rules === undefined) {
    throw new UsageError('missing --rules', {
      code: 'missing_value',
      hint: 'For example: ttctl inbox decide --rules rules.json',
    });
  }
  const reading = explain === undefined ? (backtest === undefined ? undefined : '--backtest') : '--explain';
  const sends = settings.yes.value || plan !== undefined;
  if (explain !== undefined && backtest !== undefined)
    throw new UsageError('--explain cannot be used with --backtest');
  if (reading !== undefined && sends)
    throw new UsageError(`${reading} only reads: it cannot be used with --yes or --plan`);
  if (settings.yes.value && plan === undefined && maxChanges === undefined && !settings.dryRun.value) {
    throw new UsageError('--yes needs --max-changes', {
      hint: 'Say how many decisions there may be at most: --yes --max-changes 100',
    });
  }
  checkCount(DECISIONS, 0, options);
  wantsExitCode(context, options);
  if (settings.yes.value) checkWritable(context);
};

const ruleItems = async (
  { names }: Pick<Context, 'names'>,
  rules: readonly Rule[],
  pending: readonly PendingItem[],
): Promise<readonly RuledItem[]> => {
  const ruled: RuledItem[] = [];
  for (const one of pending) {
    await takeTurn();
    ruled.push({
      pending: one,
      decision: decideByRules(rules, one.item.kind, toConditionRow(one, names)),
    });
  }
  return ruled;
};

const listRuled = async (context: Context, ruled: readonly RuledItem[]): Promise<void> => {
  const rows = ruled.map((one) => toDecisionRow(one, context));
  async function* pages() {
    yield { rows, total: rows.length };
  }
  await context.output.list(pages(), {
    noun: 'requests',
    emptyMessage: 'Nothing is waiting for a decision.',
    joins: () =>
      loadInboxJoins(
        context.names,
        ruled.map(({ pending }) => pending),
      ),
    columns: createDecisionColumns(context),
  });
};

const countOutcomes = (ruled: readonly RuledItem[]): string => {
  const count = (outcome: string) => ruled.filter(({ decision }) => decision.outcome === outcome).length;
  return `${count('approve')} to approve, ${count('reject')} to reject, ${count('hold')} held`;
};

/** Plans or sends what is not held. @throws as `writeChanges` */
const sendRuled = async (context: Context, ruled: readonly RuledItem[], options: Options): Promise<void> => {
  const { output } = context;
  const choices = ruled.flatMap(({ pending: { item }, decision }): readonly ReviewDecision[] => {
    const { outcome } = decision;
    if (outcome === 'hold') return [];
    const key = getItemKey(item);
    return [
      outcome === 'approve'
        ? { key, verdict: outcome }
        : { key, verdict: outcome, reason: getReason(decision) ?? '' },
    ];
  });
  const timeZone = context.timeZone();
  const display = { names: context.names, timeZone, today: getToday(context.clock.now(), timeZone) };
  const changes = buildChanges(context, {
    items: ruled.map(({ pending }) => pending.item),
    choices,
    review: { items: ruled.map(({ pending }) => toReviewItem(pending, display)) },
  });
  checkCount(DECISIONS, changes.length, options);
  output.note(`${countOutcomes(ruled)}.`);
  await writeChanges(context, { ...DECISIONS, changes, exitCode: wantsExitCode(context, options) });
};

/**
 * @param values of the filters
 * @throws UsageError for rules and flags that are wrong, before anything is asked; Failure (exit 8) at the end, when a
 *   part of the inbox could not be read
 */
export const runRules = async (context: Context, values: Options, options: Options): Promise<void> => {
  const { settings, watch, output, clock } = context;
  checkOptions(context, options);
  const rules = await readRules(context, String(options.rules));
  if (options.backtest !== undefined) {
    const { backtestRules } = await import('./backtest.ts');
    return backtestRules(context, rules, readInboxFilter(values), String(options.backtest));
  }
  const filter = readInboxFilter(values);
  const load = async () => {
    const inbox = await loadInbox(context, filter);
    const { complete, items } = inbox;
    const inboxContext = await loadInboxContext(context, items, { complete, thorough: true });
    const pending = listPendingItems(items, inboxContext, clock.now());
    return { inbox, ruled: await ruleItems(context, rules, pending) };
  };
  const { inbox, ruled } = await watch.during(() => 'reading the inbox', load);
  for (const missing of inbox.missing) output.warn(describeUnread(missing));
  for (const text of inbox.oddStates) output.warn(text);
  if (options.explain !== undefined) {
    const { explainDecision } = await import('./explain.ts');
    await explainDecision(context, ruled, String(options.explain));
  } else if (options.plan !== undefined || settings.yes.value || settings.dryRun.value) {
    await sendRuled(context, ruled, options);
  } else {
    await listRuled(context, ruled);
    output.note(`${countOutcomes(ruled)}. Nothing was sent.`);
  }
  requireWholeInbox(inbox);
};
