import type { Context } from '../../context.ts';
import { loadInboxContext } from './inbox-context.ts';
import {
  describeEmptyInbox,
  describeUnread,
  type Inbox,
  type InboxFilter,
  loadInbox,
  requireWholeInbox,
} from './load-inbox.ts';
import { createInboxColumns, listPendingItems, type PendingItem, toInboxRow } from './rows.ts';

/** Reads the inbox, and puts it before a person or prints it. */

const cut = (inbox: Inbox, limit = inbox.items.length): Inbox => ({
  ...inbox,
  items: inbox.items.slice(0, limit),
});

const list = async (
  { output, names }: Context,
  waiting: readonly PendingItem[],
  { total }: Inbox,
  wish: InboxFilter,
): Promise<void> => {
  const rows = waiting.map((one) => toInboxRow(one, names));
  async function* pages() {
    yield { rows, total, ...(rows.length < total ? { shortened: true } : {}) };
  }
  await output.list(pages(), {
    noun: 'requests',
    emptyMessage: describeEmptyInbox(wish),
    columns: createInboxColumns(names),
  });
};

/** Whether the screen is of use: the person may decide at all. */
const mayDecide = async ({ reviews, output }: Context): Promise<boolean> => {
  const obstacle = await reviews.obstacle();
  if (obstacle !== undefined) output.note(`View only: ${obstacle}`);
  return obstacle === undefined;
};

/**
 * @param atScreen whether there is a terminal to decide at
 * @throws Failure (exit 8) at the end, when a part of it could not be read
 */
export const showInbox = async (context: Context, atScreen: boolean, wish: InboxFilter): Promise<void> => {
  const { watch, window, output, clock } = context;
  const read = async () => {
    const inbox = cut(await loadInbox(context, wish), window.limit);
    return { inbox, around: await loadInboxContext(context, inbox.items) };
  };
  const { inbox, around } = await watch.during(() => 'reading the inbox', read);
  for (const missing of inbox.missing) output.warn(describeUnread(missing));
  if (around.unseen.length > 0) output.note(`Not checked: ${around.unseen.join(', ')}`);
  const waiting = listPendingItems(inbox.items, around, clock.now());
  if (atScreen && (await mayDecide(context))) {
    const { reviewInbox } = await import('./review.ts');
    await reviewInbox(context, inbox, waiting, wish);
  } else await list(context, waiting, inbox, wish);
  requireWholeInbox(inbox);
};
