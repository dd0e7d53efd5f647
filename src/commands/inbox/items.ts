import { arrayOf, boolean, formatPersonName, integer, number, text } from '../../api/fields.ts';
import type { Operation } from '../../api/operation.ts';
import { operations } from '../../api/operations.ts';
import { onePage, type Row } from '../../api/page.ts';
import type { Change } from '../../changes/change.ts';
import { toWarningFields } from '../../changes/select.ts';
import type { Evidence } from '../../decide/evidence.ts';
import {
  formatCount,
  formatDay,
  formatDays,
  formatKind,
  formatWeekday,
  getItemKey,
  INBOX_KINDS,
  type InboxItem,
  type InboxKind,
  parseInstant,
} from '../../decide/item.ts';
import { describeUnread, type Inbox, type InboxFilter, type PendingItem } from '../../decide/load.ts';
import { joinItem } from '../../decide/rules.ts';
import { toText } from '../../json.ts';
import { lazy } from '../../lazy.ts';
import { formatAge } from '../../output/cell.ts';
import type { Column } from '../../output/list-view.ts';
import { safeLines, safeName } from '../../output/safe-text.ts';
import { formatHours, getOffsetMinutes, getToday } from '../../parsing/calendar.ts';
import { collapseBlanks, foldCase } from '../../parsing/text.ts';
import { createPeriodColumns } from '../../resources/columns.ts';
import { JOIN_NAMES, listFieldsOf } from '../../resources/joins.ts';
import type { Names } from '../../resources/names.ts';
import type { Run } from '../../run.ts';
import type { ReviewDecision, ReviewItem } from '../../screen/state.ts';
import { flag, memberFilter, periodFlag } from '../flags.ts';

/** The inbox as a list: which requests are meant, and the same keys for every kind, null where a kind has no such thing. */

const { list } = operations.leaves;

const kindFilter = {
  id: 'inbox',
  parameters: { kinds: { type: 'string[]', about: 'only these kinds', choices: INBOX_KINDS } },
} as const;

export const inboxFilters = [
  flag(kindFilter, 'kinds', { as: 'kind' }),
  { ...memberFilter(list), about: 'only requests of this member (id, e-mail or name)' },
  flag(list, 'date_from', { about: 'only requests for this day or later' }),
  flag(list, 'date_to', { about: 'only requests for this day or earlier' }),
  periodFlag,
];

export function readInboxFilter(values: Readonly<Record<string, unknown>>): InboxFilter {
  return {
    kinds: (values.kinds as readonly InboxKind[] | undefined) ?? INBOX_KINDS,
    userIds: values.user_id as InboxFilter['userIds'],
    from: values.date_from as string | undefined,
    to: values.date_to as string | undefined,
  };
}

export function tellUnread({ output }: Run, { missing, oddStates }: Inbox): void {
  for (const text of [...missing.map(describeUnread), ...oddStates]) output.warn(text);
}

export const inboxRowFields = {
  ...{ kind: { ...text, values: INBOX_KINDS }, id: text, user_id: integer, member: text, email: text },
  ...{ date_from: text, date_to: text, start: text, end: text, hours: number, days: number },
  ...{ policy: text, is_paid: boolean, project: text, note: text },
  ...{ waiting_since: text, waiting_seconds: integer },
  ...{ warnings: arrayOf(text), warning_messages: arrayOf(text) },
} as const;

export const inboxFields = Object.keys(inboxRowFields);

export function toInboxRow({ item, around, warnings, seconds }: PendingItem, names: Names): Row {
  const { member } = around;
  const { kind, id, userId: user_id, from: date_from, to: date_to, start, end, hours, days, note } = item;
  const since = parseInstant(item.sinceText);
  return {
    ...{ kind, id, user_id, member: (member && formatPersonName(member)) ?? item.memberName },
    ...{ email: member?.email ?? null, date_from, date_to, start, end, hours, days },
    policy: names.policy.record(item.policyId)?.name ?? null,
    is_paid: item.paid,
    project: names.project.record(item.projectId)?.name ?? null,
    note,
    waiting_since: since === null ? item.sinceText : new Date(since).toISOString(),
    waiting_seconds: seconds,
    ...toWarningFields(warnings),
  };
}

/** Who it is, told apart from others of the same name. */
export function formatMember({ item, around }: PendingItem, names: Names): string {
  const name = around.member === undefined ? item.memberName : null;
  return collapseBlanks(name ?? names.member.of(item.userId) ?? '?');
}

/** Prints rows about these items, with columns such as `member.email` of what was read already. */
export async function printItems(
  { output, names }: Run,
  pending: readonly PendingItem[],
  rows: readonly Row[],
  emptyMessage: string,
  { total = rows.length, columns }: { total?: number; columns?: readonly (string | Column)[] },
): Promise<void> {
  const joined = new Map(pending.map(({ item }) => [item.id, joinItem(item, names)]));
  const { member } = names;
  // People decide by these; the id is for the command that decides without a terminal.
  const known: readonly Column[] = [
    {
      field: 'member',
      show: (row) =>
        member.record(row.user_id) === undefined && row.member != null ? row.member : member.of(row.user_id),
      least: 12,
    },
    { field: 'kind', show: ({ kind }) => formatKind(kind as InboxKind) },
    { field: 'waiting_since', title: 'waiting since', kind: 'age' },
    ...createPeriodColumns('date_from', 'date_to'),
    { field: 'hours', kind: 'hours' },
    { field: 'days', kind: 'number', sparse: true, drop: 3 },
    {
      field: 'warnings',
      show: ({ warning_messages: messages }) => (messages as readonly string[]).join('; '),
      least: 16,
      drop: 1,
    },
    { field: 'note', sparse: true, drop: 5, least: 16 },
    { field: 'id', drop: 4, short: true },
  ];
  const find = (column: string | Column) =>
    typeof column === 'string' ? known.filter(({ field }) => field === column) : column;
  await output.list(onePage({ rows, total, shortened: rows.length < total }), {
    noun: 'requests',
    chosen: true,
    joins: async () => ({
      fields: listFieldsOf(JOIN_NAMES),
      find: async (shown) => shown.map(({ id }) => joined.get(toText(id)) ?? {}),
    }),
    emptyMessage,
    columns: columns?.flatMap(find) ?? known,
  });
}

type Display = ReturnType<typeof getDisplay>;

/** By what things that wait are put into words for a person. */
export function getDisplay(run: Run) {
  const timeZone = run.timeZone();
  return { names: run.names, timeZone, today: getToday(run.clock.now(), timeZone) };
}

/** What makes another thing of it for who decides. */
const DECIDED_ON = 'userId from to start end hours days policyId projectId paid note sinceText'.split(' ');

/** A thing that waits as the review screen shows it: warnings, facts and version are made when they are asked for. */
export function toReviewItem(pending: PendingItem, display: Display): ReviewItem {
  const { item, around, seconds } = pending;
  const { kind, policyId, projectId, note } = item;
  const { names } = display;
  const values: Readonly<Record<string, unknown>> = { ...item };
  const warnings = lazy(() => pending.warnings.map(({ text }) => safeName(text)));
  const about = kind === 'leave' ? names.policy.of(policyId) : names.project.of(projectId);
  const [who, when] = [safeName(formatMember(pending, names)), formatWhen(item, display)];
  return {
    key: getItemKey(item),
    kind: formatKind(kind),
    who,
    when,
    amount: formatAmount(item),
    waits: seconds === null ? '?' : formatAge(seconds),
    about: about === null ? undefined : safeName(about),
    note: note === null ? undefined : safeName(note),
    get warnings() {
      return warnings();
    },
    search: lazy(() => foldCase([who, kind, when, about, note, around.member?.email].join('\n'))),
    version: () => DECIDED_ON.map((name) => toText(values[name] ?? '')).join('\n'),
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
    const call = run.api.call(operation, { ...after, [operation.idName]: id });
    call.check();
    const columns = { operation: operation.id, id, ...after };
    const who = formatMember(one, display.names);
    const label = [who, formatKind(kind), formatWhen(one.item, display), formatAmount(one.item)].join('  ');
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
  const facts: (readonly [string, unknown])[] = [
    ['kind', formatKind(item.kind)],
    ['member', [formatMember(pending, names), email].filter((one) => one != null).join(', ')],
    ['role', role],
    ['when', formatDates(item, display)],
    ['length', lengths.filter(Boolean).join(', ')],
    ...warnings.map(({ text }) => ['warning', text] as const),
    ['policy', names.policy.of(item.policyId)],
    ['project', names.project.of(item.projectId)],
    ['note', item.note],
    ['waiting', seconds === null ? undefined : `${formatAge(seconds)}, since ${began}`],
    ['id', item.id],
  ];
  return facts.flatMap(([label, value]) =>
    value == null || value === '' ? [] : [[label, toText(value)] as const],
  );
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
