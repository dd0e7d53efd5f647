import type { Context } from '../../context.ts';
import { getToday } from '../../parsing/calendar.ts';
import {
  describeEmptyInbox,
  describeUnread,
  type Inbox,
  type InboxFilter,
  isUnfiltered,
} from '../../pending/load-inbox.ts';
import type { PendingItem } from '../../pending/pending-item.ts';
import type { Review } from '../../review.ts';
import { toReviewItem } from './present.ts';
import { buildQuestion, sendDecisions } from './send-decisions.ts';

/** The inbox at a terminal: a screen to choose on, then one question, then one run. */
export const reviewInbox = async (
  context: Context,
  { items, missing, total }: Inbox,
  waiting: readonly PendingItem[],
  filter: InboxFilter,
): Promise<void> => {
  const { names, reviews, clock, output } = context;
  if (items.length === 0) return output.note(describeEmptyInbox(filter));
  const timeZone = context.timeZone();
  const display = { names, timeZone, today: getToday(clock.now(), timeZone) };
  const review: Review = {
    title: 'inbox',
    items: waiting.map((pending) => toReviewItem(pending, display)),
    warnings: missing.map(describeUnread),
  };
  const chosen = { items, total, review, isComplete: isUnfiltered(filter) && missing.length === 0 };
  const { choices, plan } = await reviews.ask(review, (selected) =>
    buildQuestion(context, { ...chosen, choices: selected }),
  );
  const target = plan === undefined ? context : context.planning(plan);
  if (choices.length > 0) await sendDecisions(target, { ...chosen, choices });
  else output.note(`Nothing was decided. ${total} still waiting.`);
};
