import type { Context } from '../../context.ts';
import { getToday } from '../../parsing/calendar.ts';
import { describeUnchecked, type InboxContext } from '../../pending/inbox-context.ts';
import { getItemKey } from '../../pending/item.ts';
import { createEvidenceLoader } from '../../pending/load-evidence.ts';
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
import { sendDecisions } from './send-decisions.ts';

/** The inbox at a terminal: a screen to choose on, then one run. */
export const reviewInbox = async (
  context: Context,
  { items, missing, oddStates, total }: Inbox,
  waiting: readonly PendingItem[],
  inboxContext: InboxContext,
  filter: InboxFilter,
): Promise<void> => {
  const { names, reviews, clock, output, watch, settings, commandLine } = context;
  if (items.length === 0) return output.note(describeEmptyInbox(filter));
  const timeZone = context.timeZone();
  const display = { names, timeZone, today: getToday(clock.now(), timeZone) };
  const isComplete = isUnfiltered(filter) && missing.length === 0;
  const loadEvidence = createEvidenceLoader(context, items, inboxContext);
  const review: Review = {
    title: 'inbox',
    items: waiting.map((pending) => toReviewItem(pending, display)),
    warnings: [...missing.map(describeUnread), ...oddStates, ...describeUnchecked(inboxContext)],
    again: commandLine`ttctl inbox`,
    isWhole: isComplete && items.length === total,
    // Within work, so that a wait for the rate limit is not written over the screen.
    evidence: async (key, signal) => {
      const item = items.find((one) => getItemKey(one) === key);
      return item === undefined
        ? []
        : watch.during(
            () => 'reading the inbox',
            () => loadEvidence(item, signal),
          );
    },
  };
  const chosen = { items, total, review, isComplete };
  const { choices, plan } = await reviews.ask(review);
  const target = plan === undefined ? context : context.planning(plan);
  if (choices.length === 0) return output.note(`Nothing was decided. ${total} still waiting.`);
  await sendDecisions(target, { ...chosen, choices });
  if (!settings.dryRun.value || settings.plan !== undefined) await reviews.forgetDraft();
};
