import type { Operation } from '../../api/operation.ts';
import { operations } from '../../api/operations.ts';
import type { Change } from '../../changes/change.ts';
import type { Evidence } from '../../decide/evidence.ts';
import {
  formatAge,
  formatCount,
  formatDay,
  formatDays,
  formatWeekday,
  getItemKey,
  type InboxItem,
  parseInstant,
} from '../../decide/item.ts';
import type { PendingItem } from '../../decide/load.ts';
import { toText } from '../../json.ts';
import { lazy } from '../../lazy.ts';
import { safeLines, safeName } from '../../output/safe-text.ts';
import { formatHours, getOffsetMinutes, getToday } from '../../parsing/calendar.ts';
import { foldCase } from '../../parsing/text.ts';
import type { Names } from '../../resources/names.ts';
import type { Run } from '../../run.ts';
import type { ReviewDecision, ReviewItem } from '../../screen/state.ts';
import { formatMember } from './rows.ts';

/** What waits, in words for a person, and the requests that decide on it. */

interface Display {
  readonly names: Names;
  readonly timeZone: string;
  readonly today: string;
}

export function getDisplay(run: Run): Display {
  const timeZone = run.timeZone();
  const today = getToday(run.clock.now(), timeZone);
  return { names: run.names, timeZone, today };
}

/** What makes another thing of it for who decides. */
const DECIDED_ON = 'userId from to start end hours days policyId projectId paid note sinceText'.split(' ');

/** A thing that waits as the review screen shows it: warnings, facts and version are made when they are asked for. */
export function toReviewItem(pending: PendingItem, display: Display): ReviewItem {
  const { item, around, seconds } = pending;
  const { kind, policyId, projectId, note } = item;
  const { names } = display;
  const warnings = lazy(() => pending.warnings.map(({ text }) => safeName(text)));
  const about = kind === 'leave' ? names.policy.of(policyId) : names.project.of(projectId);
  const [who, when] = [safeName(formatMember(pending, names)), formatWhen(item, display)];
  const values = new Map<string, unknown>(Object.entries(item));
  return {
    key: getItemKey(item),
    kind,
    who,
    when,
    amount: formatAmount(item),
    waits: seconds === null ? '?' : formatAge(seconds),
    about: about === null ? undefined : safeName(about),
    note: note === null ? undefined : safeName(note),
    get warnings() {
      return warnings();
    },
    search: lazy(() =>
      foldCase([who, kind, when, about, note, toText(around.member?.email ?? '')].join('\n')),
    ),
    version: () => DECIDED_ON.map((name) => toText(values.get(name) ?? '')).join('\n'),
    facts: () => listFacts(pending, display).map(([label, text]) => [label, safeLines(text)]),
  };
}

/** What steers a terminal is spelled out. */
export function toSafeEvidence(parts: Evidence): Evidence {
  const spell = (_key: string, value: unknown) => (typeof value === 'string' ? safeName(value) : value);
  return JSON.parse(JSON.stringify(parts), spell) as Evidence;
}

const OPERATIONS = {
  timesheet: operations.timesheets,
  leave: operations.leaves,
  'time-request': operations.timeRequests,
} as const;

/** Each with its line on the screen: `Aoife Byrne  leave  Dec 5–9  5 d`. @throws UsageError for what cannot be sent */
export function buildChanges(
  run: Run,
  pending: readonly PendingItem[],
  choices: readonly ReviewDecision[],
): readonly Change[] {
  const display = getDisplay(run);
  const byKey = new Map(pending.map((one) => [getItemKey(one.item), one]));
  return choices.flatMap(({ key, verdict, reason }, n): readonly Change[] => {
    const one = byKey.get(key);
    if (one === undefined) return [];
    const { kind, id, record } = one.item;
    const operation: Operation = OPERATIONS[kind][verdict];
    const words = 'comment' in operation.parameters ? 'comment' : 'reason';
    const after = reason === undefined ? {} : { [words]: reason };
    const call = run.call(operation, { ...after, [operation.idName]: id });
    call.check();
    const columns = { operation: operation.id, id, ...after };
    const who = formatMember(one, display.names);
    const label = [who, kind, formatWhen(one.item, display), formatAmount(one.item)].join('  ');
    return [{ n, target: id, key, before: record, after, call, columns, label }];
  });
}

/** `Nov 9–15`; of a time request the day in the zone on which it begins, as its hours are shown. */
function formatWhen({ kind, start, from, to }: InboxItem, { today, timeZone }: Display): string {
  const ms = kind === 'time-request' ? parseInstant(start) : null;
  if (ms !== null) return formatDay(toLocalTime(ms, timeZone).slice(0, 10), today);
  return from === null || to === null ? '?' : formatDays(from, to, today);
}

/** `2026-11-20T09:00` in the zone. */
function toLocalTime(ms: number, timeZone: string): string {
  return new Date(ms + getOffsetMinutes(ms, timeZone) * 60_000).toISOString().slice(0, 16);
}

function formatAmount({ kind, days, hours }: InboxItem): string {
  if (kind === 'leave' && days !== null) return `${Math.round(days * 100) / 100} d`;
  return hours === null ? '?' : formatHours(hours);
}

function listFacts(pending: PendingItem, display: Display): ReturnType<ReviewItem['facts']> {
  const { item, around, seconds, warnings } = pending;
  const { names, timeZone, today } = display;
  const { email, current_role: role } = around.member ?? {};
  const since = item.since === null ? '' : toLocalTime(item.since, timeZone);
  const began = `${formatDay(since.slice(0, 10), today)} ${since.slice(11)} (${timeZone})`;
  const lengths = [
    item.days === null ? undefined : formatCount(item.days, 'day'),
    item.hours === null ? undefined : `${formatHours(item.hours)} hours`,
    item.paid === null ? undefined : item.paid ? 'paid' : 'unpaid',
  ];
  const facts: (readonly [string, string | null | undefined])[] = [
    ['type', item.kind.replace('-', ' ')],
    ['member', [formatMember(pending, names), ...(email == null ? [] : [toText(email)])].join(', ')],
    ['role', role == null ? undefined : toText(role)],
    ['when', formatDates(item, display)],
    ['length', lengths.filter(Boolean).join(', ')],
    ...warnings.map(({ text }) => ['warning', text] as const),
    ['policy', names.policy.of(item.policyId)],
    ['project', names.project.of(item.projectId)],
    ['note', item.note],
    ['waiting', seconds === null ? undefined : `${formatAge(seconds)}, since ${began}`],
    ['id', item.id],
  ];
  return facts.flatMap(([label, text]) => (text == null || text === '' ? [] : [[label, text] as const]));
}

/** `Mon Nov 9 to Sun Nov 15`, `Thu Nov 19 09:00 to Thu Nov 19 11:00 (Europe/Berlin)` */
function formatDates({ kind, start, end, from, to }: InboxItem, { today, timeZone }: Display): string {
  const times = kind === 'time-request' ? [parseInstant(start), parseInstant(end)] : [];
  const local = times.flatMap((ms) => (ms === null ? [] : toLocalTime(ms, timeZone)));
  const told = local.map((time) => `${formatWeekday(time.slice(0, 10), today)} ${time.slice(11)}`);
  if (told.length === 2) return `${told.join(' to ')} (${timeZone})`;
  if (from === null || to === null) return '?';
  return [...new Set([from, to])].map((day) => formatWeekday(day, today)).join(' to ');
}
