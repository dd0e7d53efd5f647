import { filterInParts } from '../../clock.ts';
import type { Context } from '../../context.ts';
import { getInboxFields, toConditionRow } from '../../decide/condition-row.ts';
import { describeEmptyInbox, type InboxFilter, isUnfiltered, loadInbox } from '../../decide/load-inbox.ts';
import { loadPending } from '../../decide/pending.ts';
import { describeUnread, requireAllRead } from '../../decide/read-lists.ts';
import { formatCount } from '../../decide/text.ts';
import { getToday } from '../../parsing/calendar.ts';
import { compileCondition, Undecided } from '../../query/condition.ts';
import { describeUndecided } from '../../query/verdicts.ts';
import { inboxRowFields } from './fields.ts';
import type { LoadedInbox } from './review.ts';
import { printItems, toInboxRow } from './rows.ts';

/** Reads the inbox, and puts it before a person or prints it. */

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
  const { names, output, window } = context;
  const source = { where: '--where', fields: getInboxFields(inboxRowFields), closed: true } as const;
  const condition = where === undefined ? undefined : await compileCondition(where, source);
  const inbox = await loadInbox(context, filter);
  const { complete, items: waiting, total } = inbox;
  const items = condition === undefined ? waiting.slice(0, window.limit) : waiting;
  const [pending] = await Promise.all([
    loadPending(context, items, { complete, waiting, thorough: condition !== undefined }),
    isInteractive && items.length > 0 ? prepareScreen(context) : undefined,
  ]);
  const isComplete = isUnfiltered(filter) && inbox.missing.length === 0;
  if (condition === undefined) return { inbox, pending, total, isComplete };
  const undecided: string[] = [];
  const chosen = await filterInParts(pending, (one) => {
    const verdict = condition.test(toConditionRow(one, names, toInboxRow(one, names)));
    if (verdict instanceof Undecided) undecided.push(verdict.message);
    return verdict === true;
  });
  if (undecided.length > 0) output.warn(describeUndecided('--where', undecided.length, undecided));
  const shown = chosen.slice(0, window.limit);
  return { inbox, pending: shown, total: shown.length, isComplete: false };
};

export const discardDraft = async ({ reviews, output }: Context): Promise<void> => {
  const count = await reviews.discardDraft();
  output.note(count === 0 ? 'There was no draft.' : `Draft of ${formatCount(count, 'decision')} discarded.`);
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
  const { watch, output, reviews, names } = context;
  const loaded = await watch.during(
    () => 'reading the inbox',
    () => load(context, filter, where, isInteractive),
  );
  const { inbox, pending, total } = loaded;
  for (const missing of inbox.missing) output.warn(describeUnread(missing));
  for (const text of inbox.oddStates) output.warn(text);
  const obstacle = isInteractive ? await reviews.obstacle() : undefined;
  if (obstacle !== undefined) output.note(`View only: ${obstacle}`);
  if (isInteractive && obstacle === undefined) {
    const { reviewInbox } = await import('./review.ts');
    await reviewInbox(context, loaded, describeEmptyInbox(filter));
  } else {
    const rows = pending.map((one) => toInboxRow(one, names));
    await printItems(context, pending, { rows, total, emptyMessage: describeEmptyInbox(filter) });
  }
  requireAllRead('the inbox', inbox.missing);
};
