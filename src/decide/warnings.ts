import { ARCHIVED, findState, isArchived } from '../api/fields.ts';
import type { Row } from '../api/page.ts';
import { member as memberRecord } from '../api/records.ts';
import { toText } from '../json.ts';
import { formatHours } from '../parsing/calendar.ts';
import { UnknownValue } from '../query/run.ts';
import {
  countDaysBetween,
  formatCount,
  formatDay,
  formatDays,
  getState,
  type InboxItem,
  type InboxKind,
  parseInstant,
  type RowList,
} from './item.ts';

/** What a decision has to heed, found by looking at the other things that wait and at the person. Pure. */

/** The codes, stable for scripts, each in a few words behind a count: `2 over the limit`. */
const SUMMARIES = {
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
} as const;

export interface InboxWarning {
  readonly code: keyof typeof SUMMARIES;
  readonly text: string;
}

export interface WarningContext {
  /** Day it is in the zone of the run. */
  readonly today: string;
  readonly waiting: readonly InboxItem[];
  readonly approved: readonly InboxItem[];
  /** Hours a week that the person may work; undefined: not limited; null: what limits them cannot be read. */
  readonly weeklyLimit: number | null | undefined;
  readonly member: Row | undefined;
  readonly policy: Row | undefined;
  /** What is left of the policy's allowance; undefined: there is no balance; null: it cannot be read. */
  readonly balance: { readonly amount: number; readonly unit: 'days' | 'hours' } | null | undefined;
  readonly contracts: RowList;
  /** Why not all of it is known, in words. */
  readonly unread?: string | undefined;
}

export const WARNING_CODES: readonly string[] = Object.keys(SUMMARIES);

export function countWarnings(all: readonly (readonly InboxWarning[])[]): readonly string[] {
  return Object.entries(SUMMARIES).flatMap(([code, words]) => {
    const count = all.filter((warnings) => warnings.some((one) => one.code === code)).length;
    return count === 0 ? [] : [`${count} ${words}`];
  });
}

type Warn = (code: InboxWarning['code'], text: string) => void;

const MAX_HOURS_AT_ONCE = 12;
const SOON_DAYS = 2;
const NOT_CHECKED = 'not checked: ';

/** The gravest first; last that others may be missing: no warning at all would say that there are none. */
export function listWarnings(item: InboxItem, context: WarningContext): readonly InboxWarning[] {
  // Two others of the same days say the same.
  const found = new Map<string, InboxWarning>();
  const warn: Warn = (code, text) => void found.set(text, { code, text });
  CHECKS[item.kind](item, context, warn);
  const absence = explainAbsence(context.member ?? {});
  if (absence !== undefined) warn('not_active', `the member is ${absence}`);
  const unchecked = findUnchecked(item, context);
  if (unchecked !== undefined) warn('not_checked', NOT_CHECKED + unchecked);
  return [...found.values()];
}

function checkOverlaps(item: InboxItem, context: WarningContext, warn: Warn): void {
  for (const [kind, among, other, code, words] of OVERLAPS.filter(([kind]) => kind === item.kind)) {
    const others = context[among].filter(
      (one) => one.kind === other && (other !== kind || one.id !== item.id),
    );
    for (const { from, to } of others.filter((one) => overlaps(item, one)))
      warn(code, words.replace('<days>', formatDays(from ?? '', to ?? '', context.today)));
  }
}

type Overlap = readonly [InboxKind, 'waiting' | 'approved', InboxKind, InboxWarning['code'], words: string];

const OVERLAPS: readonly Overlap[] = [
  ['timesheet', 'waiting', 'leave', 'overlaps_leave', 'also requests leave <days>'],
  ['timesheet', 'approved', 'leave', 'on_leave', 'on approved leave <days>'],
  ['timesheet', 'waiting', 'timesheet', 'same_time', 'another timesheet for <days> is waiting'],
  ['leave', 'waiting', 'timesheet', 'overlaps_timesheet', 'the timesheet <days> is also waiting'],
  ['leave', 'waiting', 'leave', 'same_time', 'another leave request for <days> is waiting'],
  ['leave', 'approved', 'leave', 'already_approved', 'leave <days> is already approved'],
  ['time-request', 'waiting', 'time-request', 'same_time', 'another request for the same time is waiting'],
  ['time-request', 'approved', 'time-request', 'already_approved', 'time on <days> is already approved'],
  ['time-request', 'waiting', 'leave', 'overlaps_leave', 'also requests leave <days>'],
  ['time-request', 'approved', 'leave', 'on_leave', 'on approved leave <days>'],
];

/** Whether they have a time in common; a day, where not both say at which hours. */
export function overlaps(a: InboxItem, b: InboxItem): boolean {
  const [from, to, start, end] = [a.start, a.end, b.start, b.end].map(parseInstant);
  if (a.from === null || a.to === null || b.from === null || b.to === null) return false;
  if (a.from > b.to || b.from > a.to) return false;
  return from == null || to == null || start == null || end == null || (from < end && start < to);
}

const CHECKS: Readonly<Record<InboxKind, (item: InboxItem, context: WarningContext, warn: Warn) => void>> = {
  timesheet(item, context, warn) {
    const { hours, from, to } = item;
    const { weeklyLimit, today } = context;
    if (weeklyLimit != null && hours !== null && from !== null && to !== null) {
      const weeks = Math.max(1, (countDaysBetween(from, to) + 1) / 7);
      const over = `${formatHours(hours / weeks - weeklyLimit)}${weeks === 1 ? '' : ' a week'}`;
      if (hours > weeklyLimit * weeks + 1e-9)
        warn('over_weekly_limit', `${over} over the limit of ${formatHours(weeklyLimit)} a week`);
    }
    checkOverlaps(item, context, warn);
    if (to !== null && to >= today) warn('not_over', `its period ends ${formatDay(to, today)}`);
    if (hours === 0) warn('no_hours', 'it has no hours');
  },
  leave(item, context, warn) {
    const { balance, policy, today } = context;
    if (balance != null && policy?.allow_negative_balance !== true) {
      const [requested, unit] = [item[balance.unit], balance.unit.slice(0, -1)];
      const left = formatCount(balance.amount, unit);
      if (requested !== null && requested > balance.amount)
        warn('over_balance', `${formatCount(requested, unit)} requested, ${left} left`);
    }
    checkOverlaps(item, context, warn);
    if (policy?.reason_required === true && item.note === null)
      warn('no_reason', 'the policy requires a reason, but none is given');
    const ahead = item.from === null ? Number.NaN : countDaysBetween(today, item.from);
    if (ahead < 0) warn('begun', `began ${formatCount(-ahead, 'day')} ago`);
    else if (ahead <= SOON_DAYS) warn('soon', `begins ${['today', 'tomorrow'][ahead] ?? `in ${ahead} days`}`);
  },
  'time-request'(item, context, warn) {
    const { hours, to } = item;
    checkOverlaps(item, context, warn);
    if (hours !== null && hours > MAX_HOURS_AT_ONCE) warn('long', `${formatHours(hours)} in one go`);
    if (to !== null && to > context.today)
      warn('not_over', `its day, ${formatDay(to, context.today)}, is not over`);
  },
};

export function hasDates({ from, to }: InboxItem): boolean {
  return from !== null && to !== null && from <= to;
}

export function findUnreadableItem(item: InboxItem): string | undefined {
  if (getState(item.kind, item.record) === undefined) return 'its status cannot be read';
  if (!hasDates(item)) return 'its dates cannot be read';
  if (item.kind === 'leave') return undefined;
  return item.hours === null || item.hours < 0 ? 'its hours cannot be read' : undefined;
}

/** Why the warnings may not be all, in words; undefined where they are. */
function findUnchecked(item: InboxItem, context: WarningContext): string | undefined {
  const { unread, member, weeklyLimit, policy, balance } = context;
  const known = unread ?? findUnreadableItem(item);
  if (known !== undefined) return known;
  const status = member?.status;
  if (status != null && typeof status !== 'string') return 'the status of its member cannot be read';
  if (item.kind === 'timesheet' && weeklyLimit === null)
    return "its member's weekly limit is missing or cannot be read";
  if (item.kind !== 'leave') return undefined;
  if (typeof (policy?.reason_required ?? false) !== 'boolean') return 'its policy cannot be read';
  if (balance === undefined || policy?.allow_negative_balance === true) return undefined;
  if (balance === null) return 'its balance is missing or cannot be read';
  return item[balance.unit] === null ? `its ${balance.unit} cannot be read` : undefined;
}

function explainAbsence(row: Row): string | undefined {
  if (isArchived(row)) return ARCHIVED;
  const state = findState(memberRecord, row);
  if (state === 'left') return 'gone';
  const isUnsaid = typeof row.status !== 'string' || state === 'active' || state === 'unknown';
  return isUnsaid ? undefined : (state ?? toText(row.status));
}

/** Whether nothing is known but that not all could be checked. */
export function isNotChecked(warnings: readonly InboxWarning[]): boolean {
  return warnings.length > 0 && warnings.every(({ code }) => code === 'not_checked');
}

/** Their codes, as conditions read them: not known where something could not be checked. */
export function toWarningCodes(warnings: readonly InboxWarning[]): readonly string[] | UnknownValue {
  const unchecked = warnings.find(({ code }) => code === 'not_checked');
  return unchecked === undefined
    ? warnings.map(({ code }) => code)
    : new UnknownValue(unchecked.text.slice(NOT_CHECKED.length));
}
