import type { Names } from '../../context.ts';
import { textOf } from '../../json/text.ts';
import { offsetMinutes } from '../../notation/calendar.ts';
import { hoursText } from '../../notation/hours.ts';
import type { ReviewItem } from '../../review.ts';
import { type Item, instant, type Kind, keyOf } from './item.ts';
import { type Waiting, whoOf } from './rows.ts';
import { daysBetween, daysText, dayText, plural, spanText, weekdayText } from './words.ts';

/** A thing that waits as the review screen shows it. */

export interface Place {
  readonly names: Names;
  readonly timeZone: string;
  readonly today: string;
}

const MINUTE_MS = 60_000;

/** `2026-11-20T09:00` in the zone. */
const wall = (ms: number, timeZone: string): string =>
  new Date(ms + offsetMinutes(ms, timeZone) * MINUTE_MS).toISOString().slice(0, 16);

const BRIEF: Readonly<Record<Kind, string>> = {
  timesheet: 'sheet',
  leave: 'leave',
  'time-request': 'time',
};

/** `Nov 16 09:00` in the zone. */
const momentText = (ms: number, { timeZone, today }: Place): string => {
  const text = wall(ms, timeZone);
  return `${dayText(text.slice(0, 10), today)} ${text.slice(11)}`;
};

/** The day on which a time request begins, in the zone, as its hours are shown. */
const dayOf = ({ start, from }: Item, { timeZone }: Place): string | null => {
  const ms = instant(start);
  return ms === null ? from : wall(ms, timeZone).slice(0, 10);
};

const whenOf = (item: Item, place: Place): string => {
  if (item.kind === 'time-request') {
    const day = dayOf(item, place);
    return day === null ? '?' : dayText(day, place.today);
  }
  return item.from === null || item.to === null ? '?' : daysText(item.from, item.to, place.today);
};

const amountOf = ({ kind, days, hours }: Item): string => {
  if (kind === 'leave' && days !== null) return `${Math.round(days * 100) / 100} d`;
  return hours === null ? '?' : hoursText(hours);
};

/** `Mon Nov 9 to Sun Nov 15`, `… (30 days)`, `Thu Nov 19 09:00 to 11:00 (Europe/Berlin)` */
const datesText = (item: Item, { today, timeZone }: Place): string => {
  const [start, end] = [instant(item.start), instant(item.end)];
  if (item.kind === 'time-request' && start !== null && end !== null) {
    const [first, last] = [wall(start, timeZone), wall(end, timeZone)];
    const day = last.slice(0, 10) === first.slice(0, 10) ? '' : `${weekdayText(last.slice(0, 10), today)} `;
    return `${weekdayText(first.slice(0, 10), today)} ${first.slice(11)} to ${day}${last.slice(11)} (${timeZone})`;
  }
  if (item.from === null || item.to === null) return '?';
  if (item.from === item.to) return weekdayText(item.from, today);
  const days = daysBetween(item.from, item.to) + 1;
  const length = item.days !== null || days === 7 ? '' : ` (${days} days)`;
  return `${weekdayText(item.from, today)} to ${weekdayText(item.to, today)}${length}`;
};

const lengthText = ({ days, hours, paid }: Item): string => {
  const inHours = hours === null ? undefined : `${hoursText(hours)} hours`;
  const length =
    days === null ? inHours : plural(days, 'day') + (inHours === undefined ? '' : ` (${inHours})`);
  const pay = paid === null ? undefined : paid ? 'paid' : 'unpaid';
  return [length, pay].filter((part) => part !== undefined).join(', ');
};

const factsOf = (waiting: Waiting, place: Place): ReviewItem['facts'] => {
  const { item, member, seconds, matters } = waiting;
  const { names } = place;
  const email = member?.email;
  const since = item.since === null ? undefined : momentText(item.since, place);
  const facts: (readonly [string, string | null | undefined])[] = [
    ['type', item.kind.replace('-', ' ')],
    ['member', email == null ? whoOf(waiting, names) : `${whoOf(waiting, names)}, ${textOf(email)}`],
    ['role', member?.current_role == null ? undefined : textOf(member.current_role)],
    ['when', datesText(item, place)],
    ['hours or days', lengthText(item)],
    ...matters.map(({ text }) => ['warning', text] as const),
    ['policy', names.policy.of(item.policyId)],
    ['project', names.project.of(item.projectId)],
    ['note', item.note],
    ['waiting', seconds === null ? undefined : `${spanText(seconds)}, since ${since}`],
    ['id', item.id],
  ];
  return facts.flatMap(([label, text]) => (text == null || text === '' ? [] : [[label, text] as const]));
};

const aboutOf = ({ kind, policyId, projectId }: Item, { names }: Place): string | undefined =>
  (kind === 'leave' ? names.policy.of(policyId) : names.project.of(projectId)) ?? undefined;

export const reviewItem = (waiting: Waiting, place: Place): ReviewItem => {
  const { item, matters, seconds } = waiting;
  return {
    key: keyOf(item),
    kind: item.kind,
    kindBrief: BRIEF[item.kind],
    who: whoOf(waiting, place.names),
    when: whenOf(item, place),
    amount: amountOf(item),
    waits: seconds === null ? '?' : spanText(seconds),
    about: aboutOf(item, place),
    note: item.note ?? undefined,
    matters: matters.map(({ text }) => text),
    facts: factsOf(waiting, place),
  };
};

/** One line for the question: `Aoife Byrne  leave  Dec 5–9  5 d`. */
export const lineOf = ({ who, kind, when, amount }: ReviewItem): string =>
  [who, kind, when, amount].join('  ');
