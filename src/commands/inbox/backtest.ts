import type { Column, Context } from '../../context.ts';
import { EXIT } from '../../outcome.ts';
import { getToday, parsePeriod } from '../../parsing/calendar.ts';
import { toConditionRow } from '../../pending/condition-row.ts';
import { type InboxContext, loadInboxContext } from '../../pending/inbox-context.ts';
import { type InboxItem, type InboxKind, toInboxItem } from '../../pending/item.ts';
import { type InboxFilter, listInState } from '../../pending/load-inbox.ts';
import { listPendingItems, type PendingItem } from '../../pending/pending-item.ts';
import { decideByRules, type Rule, type RuleDecision } from '../../pending/rules.ts';
import { decisions } from '../../resources/resource.ts';
import { createDecisionColumns, toDecisionRow } from './decision-rows.ts';

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
    const hasBalance = context.of(item).balance !== undefined;
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
        const items: InboxItem[] = [];
        for await (const { rows } of listInState(context.api, kind, decided, filter))
          items.push(...rows.filter(({ status }) => status === decided).map((row) => toInboxItem(kind, row)));
        return items.map((item) => ({ item, decided }));
      }),
    ),
  );
  return lists.flat();
};

const summarize = (replayed: readonly Replayed[]): string => {
  const count = (agreement: Agreement) => replayed.filter((one) => one.agreement === agreement).length;
  return `${count('agrees')} agree, ${count('disagrees')} disagree, ${count('held')} held, ${count('not_replayed')} cannot be replayed.`;
};

const createColumns = (context: Context): readonly Column[] => [
  { field: 'agreement', kind: 'state' },
  { field: 'decided', kind: 'state' },
  ...createDecisionColumns(context),
];

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
  const { clock, names, output, watch } = context;
  const timeZone = context.timeZone();
  const days = parsePeriod(period, () => getToday(clock.now(), timeZone));
  const asked = kinds.filter((kind) => rules.some((rule) => rule.kind === kind));
  const load = async () => {
    const decided = await readDecided(context, asked, { kinds: asked, userIds, ...days });
    const items = decided.map(({ item }) => item);
    // Nothing that waits now did so then.
    const inboxContext = await loadInboxContext(context, items, {
      complete: kinds,
      waiting: [],
      thorough: true,
    });
    return { decided, inboxContext: toPast(inboxContext, timeZone) };
  };
  const { decided, inboxContext } = await watch.during(() => 'reading what was decided', load);
  const pending = listPendingItems(
    decided.map(({ item }) => item),
    inboxContext,
    clock.now(),
  );
  const replayed = decided.map(({ item, decided: how }, i): Replayed => {
    const one = pending[i] ?? { item, warnings: [], member: undefined, seconds: null };
    const decision = decideByRules(rules, item.kind, toConditionRow(one, { names, inboxContext }));
    return { pending: one, decided: how, decision, agreement: judge(how, decision) };
  });
  const sorted = [...replayed].sort(
    (a, b) => AGREEMENTS.indexOf(a.agreement) - AGREEMENTS.indexOf(b.agreement),
  );
  const rows = sorted.map(({ agreement, decided: how, ...one }) => ({
    ...toDecisionRow(one, context),
    decided: how,
    agreement,
  }));
  async function* pages() {
    yield { rows, total: rows.length };
  }
  await output.list(pages(), {
    noun: 'decisions',
    emptyMessage: 'Nothing was decided in this period.',
    columns: createColumns(context),
  });
  output.note(summarize(replayed));
  if (replayed.some(({ agreement }) => agreement === 'disagrees')) context.exit(EXIT.found);
};
