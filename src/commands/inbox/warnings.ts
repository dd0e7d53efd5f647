import type { Row } from '../../api/page.ts';
import { formatHours } from '../../parsing/duration.ts';
import { explainAbsence } from '../../resources/member.ts';
import { type InboxItem, parseInstant } from './item.ts';
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
    | 'not_active';
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
  /** Hours a week that the person may work; undefined: not limited, or not known. */
  readonly weeklyLimit: number | undefined;
  readonly member: Row | undefined;
  /** Of the leave that the item is. */
  readonly policy: Row | undefined;
  /** What is left of the policy's allowance. */
  readonly balance: { readonly amount: number; readonly unit: 'days' | 'hours' } | undefined;
}

type Finder = (item: InboxItem, around: WarningContext) => readonly (InboxWarning | undefined)[];

const MOST_IN_ONE_GO = 12;
const SOON_DAYS = 2;

const matter = (code: InboxWarning['code'], text: string): InboxWarning => ({ code, text });

const together = (a: InboxItem, b: InboxItem): boolean =>
  a.from !== null && a.to !== null && b.from !== null && b.to !== null && a.from <= b.to && b.from <= a.to;

/** Of time requests to the minute. */
const atOnce = (a: InboxItem, b: InboxItem): boolean => {
  const [from, to, otherFrom, otherTo] = [a.start, a.end, b.start, b.end].map(parseInstant);
  if (from == null || to == null || otherFrom == null || otherTo == null) return together(a, b);
  return from < otherTo && otherFrom < to;
};

const isOther = (a: InboxItem, b: InboxItem): boolean => a.kind !== b.kind || a.id !== b.id;

const daysOf = ({ from, to }: InboxItem, today: string): string => formatDays(from ?? '', to ?? '', today);

/** The items of a kind that lie over this one. */
const over = (item: InboxItem, others: readonly InboxItem[], kind: InboxItem['kind']): readonly InboxItem[] =>
  others.filter((other) => other.kind === kind && isOther(item, other) && together(item, other));

const hoursOfWeek = (item: InboxItem, { weeklyLimit }: WarningContext): InboxWarning | undefined => {
  const { hours, from, to } = item;
  if (weeklyLimit === undefined || hours === null || from === null || to === null) return undefined;
  const weeks = Math.max(1, (countDaysBetween(from, to) + 1) / 7);
  if (hours <= weeklyLimit * weeks + 1e-9) return undefined;
  return matter(
    'over_weekly_limit',
    `${formatHours(hours / weeks - weeklyLimit)}${weeks === 1 ? '' : ' a week'} over the limit of ${formatHours(weeklyLimit)} a week`,
  );
};

const onLeave = (item: InboxItem, { approved, today }: WarningContext): readonly InboxWarning[] =>
  over(item, approved, 'leave').map((leave) =>
    matter('on_leave', `on approved leave ${daysOf(leave, today)}`),
  );

const ofSheet: Finder = (item, around) => {
  const { waiting, today } = around;
  const left = item.to === null ? 0 : countDaysBetween(today, item.to);
  return [
    hoursOfWeek(item, around),
    ...over(item, waiting, 'leave').map((leave) =>
      matter('overlaps_leave', `also requests leave ${daysOf(leave, today)}`),
    ),
    ...onLeave(item, around),
    ...over(item, waiting, 'timesheet').map((other) =>
      matter('same_time', `another timesheet for ${daysOf(other, today)} is waiting`),
    ),
    left >= 0 && item.to !== null
      ? matter('not_over', `its period ends ${formatDay(item.to, today)}`)
      : undefined,
    item.hours === 0 ? matter('no_hours', 'it has no hours') : undefined,
  ];
};

const balanceShort = (
  { days, hours }: InboxItem,
  { balance, policy }: WarningContext,
): InboxWarning | undefined => {
  if (balance === undefined || policy?.allow_negative_balance === true) return undefined;
  const wanted = balance.unit === 'days' ? days : hours;
  if (wanted === null || wanted <= balance.amount) return undefined;
  const unit = balance.unit.slice(0, -1);
  return matter(
    'over_balance',
    `${formatCount(wanted, unit)} requested, ${formatCount(balance.amount, unit)} left`,
  );
};

const begin = ({ from }: InboxItem, { today }: WarningContext): InboxWarning | undefined => {
  const ahead = from === null ? Number.POSITIVE_INFINITY : countDaysBetween(today, from);
  if (ahead < 0) return matter('begun', `began ${formatCount(-ahead, 'day')} ago`);
  if (ahead > SOON_DAYS) return undefined;
  return matter(
    'soon',
    ahead === 0 ? 'begins today' : ahead === 1 ? 'begins tomorrow' : `begins in ${ahead} days`,
  );
};

const ofLeave: Finder = (item, around) => {
  const { waiting, approved, policy, today } = around;
  return [
    balanceShort(item, around),
    ...over(item, waiting, 'timesheet').map((sheet) =>
      matter('overlaps_timesheet', `the timesheet ${daysOf(sheet, today)} is also waiting`),
    ),
    ...over(item, waiting, 'leave').map((other) =>
      matter('same_time', `another leave request for ${daysOf(other, today)} is waiting`),
    ),
    ...over(item, approved, 'leave').map((leave) =>
      matter('already_approved', `leave ${daysOf(leave, today)} is already approved`),
    ),
    policy?.reason_required === true && item.note === null
      ? matter('no_reason', 'the policy requires a reason, but none is given')
      : undefined,
    begin(item, around),
  ];
};

const ofTime: Finder = (item, around) => {
  const { waiting, approved, today } = around;
  const same = (others: readonly InboxItem[]) =>
    over(item, others, 'time-request').filter((other) => atOnce(item, other));
  const hours = (other: InboxItem): string => (other.hours === null ? '' : ` (${formatHours(other.hours)})`);
  return [
    ...same(waiting).map((other) =>
      matter('same_time', `another request for the same time${hours(other)} is waiting`),
    ),
    ...same(approved).map((other) =>
      matter('already_approved', `time on ${daysOf(other, today)}${hours(other)} is already approved`),
    ),
    ...over(item, waiting, 'leave').map((leave) =>
      matter('overlaps_leave', `also requests leave ${daysOf(leave, today)}`),
    ),
    ...onLeave(item, around),
    item.hours !== null && item.hours > MOST_IN_ONE_GO
      ? matter('long', `${formatHours(item.hours)} in one go`)
      : undefined,
    item.to !== null && item.to > today
      ? matter('not_over', `is for ${formatDay(item.to, today)}`)
      : undefined,
  ];
};

const FINDERS: Readonly<Record<InboxItem['kind'], Finder>> = {
  timesheet: ofSheet,
  leave: ofLeave,
  'time-request': ofTime,
};

const ofMember = ({ member }: WarningContext): InboxWarning | undefined => {
  const why = explainAbsence(member ?? {});
  return why === undefined ? undefined : matter('not_active', `the member is ${why}`);
};

/** The gravest first. */
export const listWarnings = (item: InboxItem, around: WarningContext): readonly InboxWarning[] => {
  const all = [...FINDERS[item.kind](item, around), ofMember(around)].filter((found) => found !== undefined);
  // Two others of the same days say the same.
  return [...new Map(all.map((found) => [found.text, found])).values()];
};
