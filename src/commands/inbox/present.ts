import type { Names } from '../../context.ts';
import { toText } from '../../json/stringify.ts';
import { getOffsetMinutes } from '../../parsing/calendar.ts';
import { formatHours } from '../../parsing/duration.ts';
import { getItemKey, type InboxItem, type InboxKind, parseInstant } from '../../pending/item.ts';
import type { PendingItem } from '../../pending/pending-item.ts';
import {
  countDaysBetween,
  formatAge,
  formatCount,
  formatDay,
  formatDays,
  formatWeekday,
} from '../../pending/text.ts';
import type { ReviewItem } from '../../review.ts';
import { formatMember } from './rows.ts';

/** A thing that waits as the review screen shows it. */

export interface DisplayContext {
  readonly names: Names;
  readonly timeZone: string;
  readonly today: string;
}

const MINUTE_MS = 60_000;

/** `2026-11-20T09:00` in the zone. */
const toLocalTime = (ms: number, timeZone: string): string =>
  new Date(ms + getOffsetMinutes(ms, timeZone) * MINUTE_MS).toISOString().slice(0, 16);

const SHORT_KINDS: Readonly<Record<InboxKind, string>> = {
  timesheet: 'sheet',
  leave: 'leave',
  'time-request': 'time',
};

/** `Nov 16 09:00 (Europe/Berlin)` */
const formatMoment = (ms: number, { timeZone, today }: DisplayContext): string => {
  const text = toLocalTime(ms, timeZone);
  return `${formatDay(text.slice(0, 10), today)} ${text.slice(11)} (${timeZone})`;
};

/** The day on which a time request begins, in the zone, as its hours are shown. */
const getDay = ({ start, from }: InboxItem, { timeZone }: DisplayContext): string | null => {
  const ms = parseInstant(start);
  return ms === null ? from : toLocalTime(ms, timeZone).slice(0, 10);
};

const formatWhen = (item: InboxItem, display: DisplayContext): string => {
  if (item.kind === 'time-request') {
    const day = getDay(item, display);
    return day === null ? '?' : formatDay(day, display.today);
  }
  return item.from === null || item.to === null ? '?' : formatDays(item.from, item.to, display.today);
};

const formatAmount = ({ kind, days, hours }: InboxItem): string => {
  if (kind === 'leave' && days !== null) return `${Math.round(days * 100) / 100} d`;
  return hours === null ? '?' : formatHours(hours);
};

/** `Mon Nov 9 to Sun Nov 15`, `… (30 days)`, `Thu Nov 19 09:00 to 11:00 (Europe/Berlin)` */
const formatDates = (item: InboxItem, { today, timeZone }: DisplayContext): string => {
  const [start, end] = [parseInstant(item.start), parseInstant(item.end)];
  if (item.kind === 'time-request' && start !== null && end !== null) {
    const [first, last] = [toLocalTime(start, timeZone), toLocalTime(end, timeZone)];
    const day = last.slice(0, 10) === first.slice(0, 10) ? '' : `${formatWeekday(last.slice(0, 10), today)} `;
    return `${formatWeekday(first.slice(0, 10), today)} ${first.slice(11)} to ${day}${last.slice(11)} (${timeZone})`;
  }
  if (item.from === null || item.to === null) return '?';
  if (item.from === item.to) return formatWeekday(item.from, today);
  const days = countDaysBetween(item.from, item.to) + 1;
  const length = item.days !== null || days === 7 ? '' : ` (${days} days)`;
  return `${formatWeekday(item.from, today)} to ${formatWeekday(item.to, today)}${length}`;
};

const formatLength = ({ days, hours, paid }: InboxItem): string => {
  const inHours = hours === null ? undefined : `${formatHours(hours)} hours`;
  const length =
    days === null ? inHours : formatCount(days, 'day') + (inHours === undefined ? '' : ` (${inHours})`);
  const pay = paid === null ? undefined : paid ? 'paid' : 'unpaid';
  return [length, pay].filter((part) => part !== undefined).join(', ');
};

/** What was read and cannot be judged is as little clean as what has a warning. */
const listReviewWarnings = ({ warnings, unreadable }: PendingItem): readonly string[] => [
  ...warnings.map(({ text }) => text),
  ...(unreadable === undefined ? [] : [`not checked: ${unreadable}`]),
];

const labelLength = ({ days, hours }: InboxItem): string =>
  days !== null ? 'days' : hours !== null ? 'hours' : 'pay';

const listFacts = (pending: PendingItem, display: DisplayContext): ReviewItem['facts'] => {
  const { item, member, seconds } = pending;
  const { names } = display;
  const email = member?.email;
  const since = item.since === null ? undefined : formatMoment(item.since, display);
  const facts: (readonly [string, string | null | undefined])[] = [
    ['type', item.kind.replace('-', ' ')],
    [
      'member',
      email == null ? formatMember(pending, names) : `${formatMember(pending, names)}, ${toText(email)}`,
    ],
    ['role', member?.current_role == null ? undefined : toText(member.current_role)],
    ['when', formatDates(item, display)],
    [labelLength(item), formatLength(item)],
    ...listReviewWarnings(pending).map((text) => ['warning', text] as const),
    ['policy', names.policy.of(item.policyId)],
    ['project', names.project.of(item.projectId)],
    ['note', item.note],
    ['waiting', seconds === null ? undefined : `${formatAge(seconds)}, since ${since}`],
    ['id', item.id],
  ];
  return facts.flatMap(([label, text]) => (text == null || text === '' ? [] : [[label, text] as const]));
};

const getSubject = (
  { kind, policyId, projectId }: InboxItem,
  { names }: DisplayContext,
): string | undefined =>
  (kind === 'leave' ? names.policy.of(policyId) : names.project.of(projectId)) ?? undefined;

/** All that a decision is about. */
const formatVersion = (item: InboxItem): string => {
  const { userId, from, to, start, end, hours, days, policyId, projectId, paid, note, sinceText } = item;
  const parts = [userId, from, to, start, end, hours, days, policyId, projectId, paid, note, sinceText];
  return parts.map((value) => toText(value ?? '')).join('\n');
};

/** Makes its texts when they are looked at: of thousands of items a screen shows a few. */
class PendingReviewItem implements ReviewItem {
  readonly key: string;
  readonly kind: InboxKind;
  readonly #pending: PendingItem;
  readonly #display: DisplayContext;

  constructor(pending: PendingItem, display: DisplayContext) {
    this.key = getItemKey(pending.item);
    this.kind = pending.item.kind;
    this.#pending = pending;
    this.#display = display;
  }

  get kindBrief() {
    return SHORT_KINDS[this.kind];
  }
  get who() {
    return formatMember(this.#pending, this.#display.names);
  }
  get when() {
    return formatWhen(this.#pending.item, this.#display);
  }
  get amount() {
    return formatAmount(this.#pending.item);
  }
  get waits() {
    const { seconds } = this.#pending;
    return seconds === null ? '?' : formatAge(seconds);
  }
  get about() {
    return getSubject(this.#pending.item, this.#display);
  }
  get note() {
    return this.#pending.item.note ?? undefined;
  }
  get warnings() {
    return listReviewWarnings(this.#pending);
  }
  get facts() {
    return listFacts(this.#pending, this.#display);
  }
  get version() {
    return formatVersion(this.#pending.item);
  }
}

export const toReviewItem = (pending: PendingItem, display: DisplayContext): ReviewItem =>
  new PendingReviewItem(pending, display);

/** One line for the question: `Aoife Byrne  leave  Dec 5–9  5 d`. */
export const formatItemLine = ({ who, kind, when, amount }: ReviewItem): string =>
  [who, kind, when, amount].join('  ');
