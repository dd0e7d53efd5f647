import type { Context } from '../../context.ts';
import { today } from '../../notation/calendar.ts';
import type { Review } from '../../review.ts';
import { questionOf, sendChoices } from './decide.ts';
import { type Inbox, isWhole, missingText, nothing, type Wish } from './gather.ts';
import { reviewItem } from './present.ts';
import type { Waiting } from './rows.ts';

/** The inbox at a terminal: a screen to choose on, then one question, then one run. */
export const reviewInbox = async (
  context: Context,
  { items, missing, total }: Inbox,
  waiting: readonly Waiting[],
  wish: Wish,
): Promise<void> => {
  const { names, reviews, clock, output } = context;
  if (items.length === 0) return output.note(nothing(wish));
  const timeZone = context.timeZone();
  const place = { names, timeZone, today: today(clock.now(), timeZone) };
  const review: Review = {
    title: 'inbox',
    items: waiting.map((one) => reviewItem(one, place)),
    warnings: missing.map(missingText),
  };
  const chosen = { items, total, review, whole: isWhole(wish) && missing.length === 0 };
  const choices = await reviews.ask(review, (some) => questionOf(context, { ...chosen, choices: some }));
  if (choices.length > 0) await sendChoices(context, { ...chosen, choices });
  else output.note(`Nothing was decided; ${total} still waiting`);
};
