import { filterInParts } from '../../clock.ts';
import type { Context } from '../../context.ts';
import { getToday } from '../../parsing/calendar.ts';
import { describeUnchecked, type InboxContext, loadInboxContext } from '../../pending/inbox-context.ts';
import {
  describeEmptyInbox,
  describeUnread,
  type Inbox,
  type InboxFilter,
  loadInbox,
  requireWholeInbox,
} from '../../pending/load-inbox.ts';
import { listPendingItems, type PendingItem } from '../../pending/pending-item.ts';
import { formatCount } from '../../pending/text.ts';
import { describeUndecided } from '../../query/verdicts.ts';
import { inboxRowFields } from './fields.ts';
import { createInboxColumns, loadInboxJoins, toInboxRow } from './rows.ts';

/** Reads the inbox, and puts it before a person or prints it. */

/** What is known of all that waits. */
interface LoadedInbox {
  readonly inbox: Inbox;
  readonly inboxContext: InboxContext;
  /** Those that are meant. */
  readonly waiting: readonly PendingItem[];
}

/** The items for which the condition is true. @throws UsageError for one that cannot be used */
const createItemFilter = async ({ names, output }: Context, where: string | undefined) => {
  if (where === undefined) return undefined;
  const [{ compileCondition, Undecided }, { getInboxFields, toConditionRow }] = await Promise.all([
    import('../../query/condition.ts'),
    import('../../pending/condition-row.ts'),
  ]);
  const fields = getInboxFields(inboxRowFields);
  const condition = await compileCondition(where, { where: '--where', fields, closed: true });
  return async (items: readonly PendingItem[]): Promise<readonly PendingItem[]> => {
    const undecided = new Map<string, number>();
    const chosen = await filterInParts(items, (pending) => {
      const verdict = condition.test(toConditionRow(pending, names, toInboxRow(pending, names)));
      if (verdict instanceof Undecided)
        undecided.set(verdict.message, (undecided.get(verdict.message) ?? 0) + 1);
      return verdict === true;
    });
    const count = [...undecided.values()].reduce((sum, one) => sum + one, 0);
    if (count > 0) output.warn(describeUndecided('--where', count, [...undecided.keys()]));
    return chosen;
  };
};

/** Loads the screen while the answers to the requests that were just sent are on their way. */
const prepareScreen = async ({ reviews, clock, timeZone }: Context): Promise<void> => {
  await clock.sleep(0);
  // Node takes a while to find the zone, and to format a time in it for the first time.
  getToday(clock.now(), timeZone());
  await Promise.all([import('./review.ts'), reviews.prepare()]);
};

const load = async (
  context: Context,
  filter: InboxFilter,
  where: string | undefined,
  isInteractive: boolean,
): Promise<LoadedInbox> => {
  const { window, clock } = context;
  const choose = await createItemFilter(context, where);
  const inbox = await loadInbox(context, filter);
  const { complete, items: waiting } = inbox;
  const items = choose === undefined ? waiting.slice(0, window.limit) : waiting;
  const thorough = choose !== undefined;
  const [inboxContext] = await Promise.all([
    loadInboxContext(context, items, { complete, waiting, thorough }),
    isInteractive && items.length > 0 ? prepareScreen(context) : undefined,
  ]);
  const pending = listPendingItems(items, inboxContext, clock.now());
  const chosen = ((await choose?.(pending)) ?? pending).slice(0, window.limit);
  const total = choose === undefined ? inbox.total : chosen.length;
  return { inbox: { ...inbox, items: chosen.map(({ item }) => item), total }, inboxContext, waiting: chosen };
};

const printList = async (
  { output, names }: Context,
  { waiting, inbox: { total } }: LoadedInbox,
  filter: InboxFilter,
): Promise<void> => {
  const rows = waiting.map((pending) => toInboxRow(pending, names));
  async function* pages() {
    yield { rows, total, ...(rows.length < total ? { shortened: true } : {}) };
  }
  await output.list(pages(), {
    noun: 'requests',
    chosen: true,
    joins: () => loadInboxJoins(names, waiting),
    emptyMessage: describeEmptyInbox(filter),
    columns: createInboxColumns(names),
  });
};

export const discardDraft = async ({ reviews, output }: Context): Promise<void> => {
  const count = await reviews.discardDraft();
  output.note(count === 0 ? 'There was no draft.' : `Draft of ${formatCount(count, 'decision')} discarded.`);
};

/** Whether the screen is of use: the person may decide at all. */
const canDecide = async ({ reviews, output }: Context): Promise<boolean> => {
  const obstacle = await reviews.obstacle();
  if (obstacle !== undefined) output.note(`View only: ${obstacle}`);
  return obstacle === undefined;
};

/**
 * @param isInteractive whether there is a terminal to decide at
 * @param where a condition that keeps the items for which it is true
 * @throws Failure (exit 8) at the end, when a part of it could not be read
 */
export const showInbox = async (
  context: Context,
  isInteractive: boolean,
  filter: InboxFilter,
  where?: string,
): Promise<void> => {
  const { watch, output } = context;
  const loaded = await watch.during(
    () => 'reading the inbox',
    () => load(context, filter, where, isInteractive),
  );
  const { inbox, inboxContext, waiting } = loaded;
  for (const missing of inbox.missing) output.warn(describeUnread(missing));
  for (const text of inbox.oddStates) output.warn(text);
  for (const remark of describeUnchecked(inboxContext)) output.note(remark);
  if (isInteractive && (await canDecide(context))) {
    const { reviewInbox } = await import('./review.ts');
    await reviewInbox(context, inbox, waiting, inboxContext, filter);
  } else await printList(context, loaded, filter);
  requireWholeInbox(inbox);
};
