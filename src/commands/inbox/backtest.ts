import { takeTurn } from '../../clock.ts';
import type { Column, Context } from '../../context.ts';
import { EXIT } from '../../outcome.ts';
import { getToday, parsePeriod } from '../../parsing/calendar.ts';
import { toConditionRow } from '../../pending/condition-row.ts';
import { type InboxContext, loadInboxContext } from '../../pending/inbox-context.ts';
import { INBOX_KINDS, type InboxKind, toInboxItem } from '../../pending/item.ts';
import { type InboxFilter, listInState } from '../../pending/load-inbox.ts';
import { listPendingItems, type PendingItem } from '../../pending/pending-item.ts';
import { decideByRules, type Rule, type RuleDecision } from '../../pending/rules.ts';
import { decisions } from '../../resources/resource.ts';
import { createDecisionColumns, toDecisionRow } from './decision-rows.ts';
import { loadInboxJoins } from './rows.ts';

/** `--backtest`: rules over what people have decided already. Only reads. */

const AGREEMENTS = ['disagrees', 'agrees', 'held', 'not_replayed'] as const;
type Agreement = (typeof AGREEMENTS)[number];

interface Replayed {
  readonly pending: PendingItem;
  /** What people decided. */
  readonly decided: string;
  readonly decision: RuleDecision;
  readonly agreement: Agreement;
}

const NO_BALANCE = 'the balance of that day is not known';

/** What was known when the item began to wait: nothing of what else was waiting, or of the balance then. */
const toPast = (context: InboxContext, timeZone: string): InboxContext => ({
  ...context,
  findUnchecked(item) {
    const hasBalance = context.of(item).balance != null;
    return context.findUnchecked(item) ?? (hasBalance ? NO_BALANCE : undefined);
  },
  of(item) {
    const { today, ...known } = context.of(item);
    const then = item.since === null ? today : getToday(item.since, timeZone);
    return { ...known, today: then, waiting: [], balance: undefined };
  },
});

const judge = (decided: Replayed['decided'], { outcome, rule, why }: RuleDecision): Agreement => {
  if (outcome === 'hold') return rule !== undefined && why !== undefined ? 'not_replayed' : 'held';
  return (outcome === 'approve') === (decided === decisions.approve.to) ? 'agrees' : 'disagrees';
};

const readDecided = async (context: Context, kinds: readonly InboxKind[], filter: InboxFilter) => {
  const lists = await Promise.all(
    kinds.flatMap((kind) =>
      ([decisions.approve.to, decisions.reject.to] as const).map(async (decided) => {
        const rows = await context.lists.rows(listInState(context.api, kind, decided, filter));
        const meant = rows.filter(({ status }) => status === decided);
        return meant.map((row) => ({ item: toInboxItem(kind, row), decided }));
      }),
    ),
  );
  return lists.flat();
};

const summarize = (replayed: readonly Replayed[]): string => {
  const count = (agreement: Agreement) => replayed.filter((one) => one.agreement === agreement).length;
  return `Agree: ${count('agrees')}, disagree: ${count('disagrees')}, held: ${count('held')}, cannot be replayed: ${count('not_replayed')}.`;
};

const JUDGEMENT: readonly Column[] = [
  { field: 'agreement', kind: 'state' },
  { field: 'decided', kind: 'state' },
];

/** What people decided on some days, with what is known around it. */
const loadDecided = async (context: Context, filter: InboxFilter) => {
  const { kinds } = filter;
  const decided = await readDecided(context, kinds, filter);
  const items = decided.map(({ item }) => item);
  // Nothing that waits now did so then.
  const scope = { complete: INBOX_KINDS, waiting: [], thorough: true };
  const inboxContext = toPast(await loadInboxContext(context, items, scope), context.timeZone());
  const pending = listPendingItems(items, inboxContext, context.clock.now());
  return pending.map((one, i) => ({ pending: one, decided: decided[i]?.decided ?? '' }));
};

const printReplayed = async (context: Context, replayed: readonly Replayed[]): Promise<void> => {
  const { output } = context;
  const sorted = [...replayed].sort(
    (a, b) => AGREEMENTS.indexOf(a.agreement) - AGREEMENTS.indexOf(b.agreement),
  );
  const rows = sorted.map(({ agreement, decided, ...one }) => ({
    ...toDecisionRow(one, context),
    decided,
    agreement,
  }));
  async function* pages() {
    yield { rows, total: rows.length };
  }
  await output.list(pages(), {
    noun: 'decisions',
    emptyMessage: 'Nothing was decided in this period.',
    joins: () =>
      loadInboxJoins(
        context.names,
        replayed.map(({ pending }) => pending),
      ),
    columns: createDecisionColumns(context, JUDGEMENT),
  });
  output.note(summarize(replayed));
};

/**
 * Prints what the rules would have decided beside what people did; disagreements first.
 * @param period as `--period` has it
 */
export const backtestRules = async (
  context: Context,
  rules: readonly Rule[],
  { kinds, userIds }: InboxFilter,
  period: string,
): Promise<void> => {
  const { clock, names, watch } = context;
  const days = parsePeriod(period, () => getToday(clock.now(), context.timeZone()));
  const asked = kinds.filter((kind) => rules.some((rule) => rule.kind === kind));
  const decided = await watch.during(
    () => 'reading what was decided',
    () => loadDecided(context, { kinds: asked, userIds, ...days }),
  );
  const replayed: Replayed[] = [];
  for (const one of decided) {
    await takeTurn();
    const row = toConditionRow(one.pending, names);
    const decision = decideByRules(rules, one.pending.item.kind, row);
    replayed.push({ ...one, decision, agreement: judge(one.decided, decision) });
  }
  await printReplayed(context, replayed);
  if (replayed.some(({ agreement }) => agreement === 'disagrees')) context.exit(EXIT.found);
};
