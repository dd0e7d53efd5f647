import type { InboxItem } from './item.ts';
import type { WarningContext } from './warnings.ts';

/** What the service sent in a form that nothing can be concluded from: no warning is then no good sign. Pure. */

const hasDates = ({ from, to }: InboxItem): boolean => from !== null && to !== null && from <= to;

/** Why an item itself cannot be judged, in words; undefined where it can. */
export const findUnreadableItem = (item: InboxItem): string | undefined => {
  if (!hasDates(item)) return 'its dates cannot be read';
  if (item.kind === 'leave') return undefined;
  return item.hours === null || item.hours < 0 ? 'its hours cannot be read' : undefined;
};

const findUnreadableOther = ({ waiting, approved }: WarningContext): string | undefined => {
  const other = [...waiting, ...approved].find((one) => !hasDates(one));
  return other && `the dates of ${other.kind} ${other.id} cannot be read`;
};

const findUnreadableLeave = ({ days, hours }: InboxItem, { policy, balance }: WarningContext) => {
  const reasonRequired = policy?.reason_required ?? false;
  if (typeof reasonRequired !== 'boolean') return 'its policy cannot be read';
  if (balance === undefined || policy?.allow_negative_balance === true) return undefined;
  if (balance === null) return 'its balance is missing or cannot be read';
  return (balance.unit === 'days' ? days : hours) === null ? `its ${balance.unit} cannot be read` : undefined;
};

const findUnreadableAround = (item: InboxItem, context: WarningContext): string | undefined => {
  const { member, weeklyLimit } = context;
  const status = member?.status;
  if (status != null && typeof status !== 'string') return 'the status of its member cannot be read';
  if (item.kind === 'timesheet' && weeklyLimit === null) return "its member's weekly limit cannot be read";
  const ofLeave = item.kind === 'leave' ? findUnreadableLeave(item, context) : undefined;
  return ofLeave ?? findUnreadableOther(context);
};

/** Why the warnings of an item may not be all, in words; undefined where they are. */
export const findUnreadable = (item: InboxItem, context: WarningContext): string | undefined =>
  findUnreadableItem(item) ?? findUnreadableAround(item, context);
