import type { Row } from '../api/page.ts';
import { formatHours } from '../parsing/duration.ts';
import { UnknownValue } from '../query/condition.ts';
import { explainAbsence } from '../resources/member.ts';
import { type InboxItem, parseInstant } from './item.ts';
import type { RowList } from './read-lists.ts';
import { countDaysBetween, formatCount, formatDay, formatDays } from './text.ts';

/** What a decision has to heed, found by looking at the other things that wait and at the person. Pure. */

export interface InboxWarning {
  /** Stable, for scripts. */
  readonly code:
    | 'over_weekly_limit'
    | 'overlaps_leave'
    | 'overlaps_timesheet'
    | 'on_leave'
    | 'same_time'
    | 'already_approved'
    | 'over_balance'
    | 'no_reason'
    | 'begun'
    | 'soon'
    | 'not_over'
    | 'no_hours'
    | 'long'
    | 'not_active'
    | 'not_checked';
  /** For people. */
  readonly text: string;
}

/** What is known beside the item itself. */
export interface WarningContext {
  /** Day it is in the zone of the run. */
  readonly today: string;
  /** All that waits, of this person. */
  readonly waiting: readonly InboxItem[];
  /** Approved leaves and time requests of this person. */
  readonly approved: readonly InboxItem[];
  /** Hours a week that the person may work; undefined: not limited; null: what limits them cannot be read. */
  readonly weeklyLimit: number | null | undefined;
  readonly member: Row | undefined;
  /** Of the leave that the item is. */
  readonly policy: Row | undefined;
  /** What is left of the policy's allowance; undefined: there is no balance; null: it cannot be read. */
  readonly balance: { readonly amount: number; readonly unit: 'days' | 'hours' } | null | undefined;
  /** Of this person. */
  readonly contracts: RowList;
  /** Why not all of it is known, in words. */
  readonly unread?: string | undefined;
}

/** Each in a few words behind a count: `2 over the limit`. */
const SUMMARIES: Readonly<Record<InboxWarning['code'], string>> = {
  over_weekly_limit: 'over the limit',
  overlaps_leave: 'overlapping requested leave',
  overlaps_timesheet: 'overlapping a timesheet',
  on_leave: 'on approved leave',
  same_time: 'requested twice',
  already_approved: 'approved already',
  over_balance: 'over the balance',
  no_reason: 'without a reason',
  begun: 'already begun',
  soon: 'starting soon',
  not_over: 'not over yet',
  no_hours: 'without hours',
  long: 'very long',
  not_active: 'of inactive members',
  not_checked: 'not checked',
};

export const WARNING_CODES: readonly string[] = Object.keys(SUMMARIES);

/** `38 clean, 2 over the limit`. @param all the warnings of each item */
export const summarizeWarnings = (all: readonly (readonly InboxWarning[])[]): string => {
  const clean = all.filter((warnings) => warnings.length === 0).length;
  const counts = Object.entries(SUMMARIES).flatMap(([code, words]) => {
    const count = all.filter((warnings) => warnings.some((one) => one.code === code)).length;
    return count === 0 ? [] : [`${count} ${words}`];
  });
  return [`${clean} clean`, ...counts].join(', ');
};

type Check = (item: InboxItem, context: WarningContext) => readonly (InboxWarning | undefined)[];

const MAX_HOURS_AT_ONCE = 12;
const SOON_DAYS = 2;

const NOT_CHECKED = 'not checked: ';

const createWarning = (code: InboxWarning['code'], text: string): InboxWarning => ({ code, text });

/** Whether they have a day in common. */
export const overlaps = (a: InboxItem, b: InboxItem): boolean =>
  a.from !== null && a.to !== null && b.from !== null && b.to !== null && a.from <= b.to && b.from <= a.to;

/** Of time requests to the minute. */
const isSameTime = (a: InboxItem, b: InboxItem): boolean => {
  const [from, to, otherFrom, otherTo] = [a.start, a.end, b.start, b.end].map(parseInstant);
  if (from == null || to == null || otherFrom == null || otherTo == null) return overlaps(a, b);
  return from < otherTo && otherFrom < to;
};

const isOther = (a: InboxItem, b: InboxItem): boolean => a.kind !== b.kind || a.id !== b.id;

const formatItemDays = ({ from, to }: InboxItem, today: string): string =>
  formatDays(from ?? '', to ?? '', today);

/** The items of a kind that lie over this one. */
const findOverlapping = (
  item: InboxItem,
  others: readonly InboxItem[],
  kind: InboxItem['kind'],
): readonly InboxItem[] =>
  others.filter((other) => other.kind === kind && isOther(item, other) && overlaps(item, other));

const checkWeeklyHours = (item: InboxItem, { weeklyLimit }: WarningContext): InboxWarning | undefined => {
  const { hours, from, to } = item;
  if (weeklyLimit == null || hours === null || from === null || to === null) return undefined;
  const weeks = Math.max(1, (countDaysBetween(from, to) + 1) / 7);
  if (hours <= weeklyLimit * weeks + 1e-9) return undefined;
  return createWarning(
    'over_weekly_limit',
    `${formatHours(hours / weeks - weeklyLimit)}${weeks === 1 ? '' : ' a week'} over the limit of ${formatHours(weeklyLimit)} a week`,
  );
};

const checkLeave = (item: InboxItem, { approved, today }: WarningContext): readonly InboxWarning[] =>
  findOverlapping(item, approved, 'leave').map((leave) =>
    createWarning('on_leave', `on approved leave ${formatItemDays(leave, today)}`),
  );

const checkTimesheet: Check = (item, context) => {
  const { waiting, today } = context;
  const daysLeft = item.to === null ? 0 : countDaysBetween(today, item.to);
  return [
    checkWeeklyHours(item, context),
    ...findOverlapping(item, waiting, 'leave').map((leave) =>
      createWarning('overlaps_leave', `also requests leave ${formatItemDays(leave, today)}`),
    ),
    ...checkLeave(item, context),
    ...findOverlapping(item, waiting, 'timesheet').map((other) =>
      createWarning('same_time', `another timesheet for ${formatItemDays(other, today)} is waiting`),
    ),
    daysLeft >= 0 && item.to !== null
      ? createWarning('not_over', `its period ends ${formatDay(item.to, today)}`)
      : undefined,
    item.hours === 0 ? createWarning('no_hours', 'it has no hours') : undefined,
  ];
};

const checkBalance = (
  { days, hours }: InboxItem,
  { balance, policy }: WarningContext,
): InboxWarning | undefined => {
  if (balance == null || policy?.allow_negative_balance === true) return undefined;
  const requested = balance.unit === 'days' ? days : hours;
  if (requested === null || requested <= balance.amount) return undefined;
  const unit = balance.unit.slice(0, -1);
  return createWarning(
    'over_balance',
    `${formatCount(requested, unit)} requested, ${formatCount(balance.amount, unit)} left`,
  );
};

const checkStart = ({ from }: InboxItem, { today }: WarningContext): InboxWarning | undefined => {
  const daysAhead = from === null ? Number.POSITIVE_INFINITY : countDaysBetween(today, from);
  if (daysAhead < 0) return createWarning('begun', `began ${formatCount(-daysAhead, 'day')} ago`);
  if (daysAhead > SOON_DAYS) return undefined;
  return createWarning(
    'soon',
    daysAhead === 0 ? 'begins today' : daysAhead === 1 ? 'begins tomorrow' : `begins in ${daysAhead} days`,
  );
};

const checkLeaveRequest: Check = (item, context) => {
  const { waiting, approved, policy, today } = context;
  return [
    checkBalance(item, context),
    ...findOverlapping(item, waiting, 'timesheet').map((timesheet) =>
      createWarning(
        'overlaps_timesheet',
        `the timesheet ${formatItemDays(timesheet, today)} is also waiting`,
      ),
    ),
    ...findOverlapping(item, waiting, 'leave').map((other) =>
      createWarning('same_time', `another leave request for ${formatItemDays(other, today)} is waiting`),
    ),
    ...findOverlapping(item, approved, 'leave').map((leave) =>
      createWarning('already_approved', `leave ${formatItemDays(leave, today)} is already approved`),
    ),
    policy?.reason_required === true && item.note === null
      ? createWarning('no_reason', 'the policy requires a reason, but none is given')
      : undefined,
    checkStart(item, context),
  ];
};

const checkTimeRequest: Check = (item, context) => {
  const { waiting, approved, today } = context;
  const findSameTime = (others: readonly InboxItem[]) =>
    findOverlapping(item, others, 'time-request').filter((other) => isSameTime(item, other));
  const formatLength = (other: InboxItem): string =>
    other.hours === null ? '' : ` (${formatHours(other.hours)})`;
  return [
    ...findSameTime(waiting).map((other) =>
      createWarning('same_time', `another request for the same time${formatLength(other)} is waiting`),
    ),
    ...findSameTime(approved).map((other) =>
      createWarning(
        'already_approved',
        `time on ${formatItemDays(other, today)}${formatLength(other)} is already approved`,
      ),
    ),
    ...findOverlapping(item, waiting, 'leave').map((leave) =>
      createWarning('overlaps_leave', `also requests leave ${formatItemDays(leave, today)}`),
    ),
    ...checkLeave(item, context),
    item.hours !== null && item.hours > MAX_HOURS_AT_ONCE
      ? createWarning('long', `${formatHours(item.hours)} in one go`)
      : undefined,
    item.to !== null && item.to > today
      ? createWarning('not_over', `is for ${formatDay(item.to, today)}`)
      : undefined,
  ];
};

const CHECKS: Readonly<Record<InboxItem['kind'], Check>> = {
  timesheet: checkTimesheet,
  leave: checkLeaveRequest,
  'time-request': checkTimeRequest,
};

const checkMember = ({ member }: WarningContext): InboxWarning | undefined => {
  const absence = explainAbsence(member ?? {});
  return absence === undefined ? undefined : createWarning('not_active', `the member is ${absence}`);
};

/** Whether it says on which days it is. */
export const hasDates = ({ from, to }: InboxItem): boolean => from !== null && to !== null && from <= to;

/** Why an item itself cannot be judged, in words; undefined where it can. */
export const findUnreadableItem = (item: InboxItem): string | undefined => {
  if (!hasDates(item)) return 'its dates cannot be read';
  if (item.kind === 'leave') return undefined;
  return item.hours === null || item.hours < 0 ? 'its hours cannot be read' : undefined;
};

const findUnreadableLeave = ({ days, hours }: InboxItem, { policy, balance }: WarningContext) => {
  const reasonRequired = policy?.reason_required ?? false;
  if (typeof reasonRequired !== 'boolean') return 'its policy cannot be read';
  if (balance === undefined || policy?.allow_negative_balance === true) return undefined;
  if (balance === null) return 'its balance is missing or cannot be read';
  return (balance.unit === 'days' ? days : hours) === null ? `its ${balance.unit} cannot be read` : undefined;
};

/** Why the warnings may not be all, in words; undefined where they are. */
const findUnchecked = (item: InboxItem, context: WarningContext): string | undefined => {
  const { unread, member, weeklyLimit } = context;
  const known = unread ?? findUnreadableItem(item);
  if (known !== undefined) return known;
  const status = member?.status;
  if (status != null && typeof status !== 'string') return 'the status of its member cannot be read';
  if (item.kind === 'timesheet' && weeklyLimit === null)
    return "its member's weekly limit is missing or cannot be read";
  return item.kind === 'leave' ? findUnreadableLeave(item, context) : undefined;
};

/** The gravest first; last that others may be missing: no warning at all would say that there are none. */
export const listWarnings = (item: InboxItem, context: WarningContext): readonly InboxWarning[] => {
  const unchecked = findUnchecked(item, context);
  const all = [
    ...CHECKS[item.kind](item, context),
    checkMember(context),
    unchecked === undefined ? undefined : createWarning('not_checked', NOT_CHECKED + unchecked),
  ].filter((found) => found !== undefined);
  // Two others of the same days say the same.
  return [...new Map(all.map((found) => [found.text, found])).values()];
};

/** Whether nothing is known but that not all could be checked. */
export const isNotChecked = (warnings: readonly InboxWarning[]): boolean =>
  warnings.length > 0 && warnings.every(({ code }) => code === 'not_checked');

/** Their codes, as conditions read them: not known where something could not be checked. */
export const toWarningCodes = (warnings: readonly InboxWarning[]): readonly string[] | UnknownValue => {
  const unchecked = warnings.find(({ code }) => code === 'not_checked');
  return unchecked === undefined
    ? warnings.map(({ code }) => code)
    : new UnknownValue(unchecked.text.slice(NOT_CHECKED.length));
};

/** As columns: codes, and their words. */
export const toWarningFields = (warnings: readonly InboxWarning[] | null): Row => ({
  warnings: warnings?.map(({ code }) => code) ?? null,
  warning_messages: warnings?.map(({ text }) => text) ?? null,
});
