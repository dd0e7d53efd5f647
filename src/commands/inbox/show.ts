import type { Context } from '../../context.ts';
import { loadInboxContext } from '../../pending/inbox-context.ts';
import {
  describeEmptyInbox,
  describeUnread,
  type Inbox,
  type InboxFilter,
  loadInbox,
  requireWholeInbox,
} from '../../pending/load-inbox.ts';
import { listPendingItems, type PendingItem } from '../../pending/pending-item.ts';
import { createInboxColumns, toInboxRow } from './rows.ts';

/** Reads the inbox, and puts it before a person or prints it. */

const limitItems = (inbox: Inbox, limit = inbox.items.length): Inbox => ({
  ...inbox,
  items: inbox.items.slice(0, limit),
});

const printList = async (
  { output, names }: Context,
  waiting: readonly PendingItem[],
  { total }: Inbox,
  filter: InboxFilter,
): Promise<void> => {
  const rows = waiting.map((pending) => toInboxRow(pending, names));
  async function* pages() {
    yield { rows, total, ...(rows.length < total ? { shortened: true } : {}) };
  }
  await output.list(pages(), {
    noun: 'requests',
    emptyMessage: describeEmptyInbox(filter),
    columns: createInboxColumns(names),
  });
};

/** Whether the screen is of use: the person may decide at all. */
const canDecide = async ({ reviews, output }: Context): Promise<boolean> => {
  const obstacle = await reviews.obstacle();
  if (obstacle !== undefined) output.note(`View only: ${obstacle}`);
  return obstacle === undefined;
};

/**
 * @param isInteractive whether there is a terminal to decide at
 * @throws Failure (exit 8) at the end, when a part of it could not be read
 */
export const showInbox = async (
  context: Context,
  isInteractive: boolean,
  filter: InboxFilter,
): Promise<void> => {
  const { watch, window, output, clock } = context;
  const load = async () => {
    const inbox = limitItems(await loadInbox(context, filter), window.limit);
    return { inbox, inboxContext: await loadInboxContext(context, inbox.items) };
  };
  const { inbox, inboxContext } = await watch.during(() => 'reading the inbox', load);
  for (const missing of inbox.missing) output.warn(describeUnread(missing));
  if (inboxContext.unchecked.length > 0) output.note(`Not checked: ${inboxContext.unchecked.join(', ')}`);
  const waiting = listPendingItems(inbox.items, inboxContext, clock.now());
  if (isInteractive && (await canDecide(context))) {
    const { reviewInbox } = await import('./review.ts');
    await reviewInbox(context, inbox, waiting, filter);
  } else await printList(context, waiting, inbox, filter);
  requireWholeInbox(inbox);
};
