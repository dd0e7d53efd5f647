import type { ApiCall } from '../api/client.ts';
import { APPROVED, REJECTED, SUBMITTED } from '../api/fields.ts';
import { isRunning } from '../api/records.ts';
import { toText } from '../json.ts';
import { addDays, formatHours } from '../parsing/calendar.ts';
import type { Run } from '../run.ts';
import { getUserId, type InboxItem, isApproved, toInboxItem } from './item.ts';
import { type RowList, readRelated } from './lists.ts';
import { listApproved, type PendingItem } from './load.ts';
import { formatCount, formatDays } from './text.ts';
import { overlaps } from './warnings.ts';

/** What is known around a thing that waits, as facts and a chart for the person who decides. */

export interface EvidencePart {
  readonly label: string;
  readonly lines: readonly string[];
  /** A small chart above the lines: the length of each bar, what it says, and what is to be said of it. */
  readonly bars?: readonly { label: string; amount: number; text: string; note: string }[];
}

export type Evidence = readonly EvidencePart[];

export interface EvidenceSources {
  /** Of the member, from the weeks before the item on; of a leave none. */
  readonly timesheets: RowList;
  /** Approved ones of the member on the days of a timesheet. */
  readonly timeRequests: RowList;
  /** Approved leaves of everybody on the days of a leave. */
  readonly away: RowList;
  /** Leaves that wait, of everybody. */
  readonly waitingLeaves: readonly InboxItem[];
  readonly formatMember: (userId: unknown) => string;
}

const EARLIER_WEEKS = 6;
/** People who are away at the same time: so many by name. */
const MAX_AWAY = 5;

export function describeEvidence(pending: PendingItem, sources: EvidenceSources): Evidence {
  const { kind } = pending.item;
  if (kind === 'timesheet') return describeTimesheet(pending, sources);
  return kind === 'leave' ? describeLeave(pending, sources) : describeTimeRequest(pending, sources);
}

function part(label: string, lines: readonly string[], none: string): EvidencePart {
  return { label, lines: lines.length === 0 ? [none] : lines };
}

function describeLimit({ around: { weeklyLimit: limit } }: PendingItem): EvidencePart {
  const text = limit === undefined ? 'none' : limit === null ? 'not known' : formatHours(limit);
  return { label: 'weekly limit', lines: [text] };
}

function describeProblem(noun: string, { problem }: RowList): readonly string[] {
  return problem === undefined ? [] : [`${noun} could not be read: ${problem.replace(/\.$/, '')}`];
}

interface Sheet extends InboxItem {
  readonly from: string;
  readonly to: string;
  readonly status: string;
  readonly rejectReason: string;
}

/** The earliest first. */
function listSheets({ rows }: RowList): readonly Sheet[] {
  return rows
    .map((row) => ({
      ...toInboxItem('timesheet', row),
      status: toText(row.status ?? ''),
      rejectReason: toText(row.reject_reason ?? ''),
    }))
    .filter((sheet): sheet is Sheet => sheet.from !== null && sheet.to !== null)
    .sort((a, b) => (a.from < b.from ? -1 : 1));
}

function describeTimesheet(pending: PendingItem, { timesheets, timeRequests }: EvidenceSources): Evidence {
  const { item, around } = pending;
  const contracts = around.contracts.rows.map((row) => {
    const hours = Number(row.weekly_hours_limit ?? Number.NaN);
    const limit = Number.isFinite(hours) ? ` (${formatHours(hours)})` : '';
    return `${toText(row.project_name ?? row.project_id)}${limit}${isRunning(row) ? '' : `, ${toText(row.status)}`}`;
  });
  const describe = (state: string) => (other: InboxItem) => {
    const isTime = other.kind === 'time-request' && other.hours !== null;
    const amount = isTime ? `, ${formatHours(other.hours ?? 0)}` : '';
    return `${other.kind.replace('-', ' ')} ${formatDays(`${other.from}`, `${other.to}`, around.today)}${amount} (${state})`;
  };
  const times = timeRequests.rows.filter((row) => isApproved('time-request', row));
  const accepted = [
    ...around.approved.filter(({ kind }) => kind === 'leave'),
    ...times.map((row) => toInboxItem('time-request', row)),
  ];
  const isInside = (other: InboxItem) => other.kind !== 'timesheet' && overlaps(item, other);
  const sameDays = [
    ...accepted.filter(isInside).map(describe(APPROVED)),
    ...around.waiting.filter(isInside).map(describe('waiting')),
    ...describeProblem('time requests', timeRequests),
  ];
  // The latest timesheet that was decided on; and this one, where it was sent back before.
  const sheets = listSheets(timesheets);
  const self = sheets.find(({ id }) => id === item.id);
  const last = sheets.findLast(
    ({ id, status, from }) =>
      id !== item.id && [APPROVED, REJECTED].some((state) => state === status) && from <= `${item.from}`,
  );
  const quote = (reason: string) => (reason === '' ? '' : `: "${reason}"`);
  const decisions = [
    ...(self?.rejectReason ? [`this one was rejected before${quote(self.rejectReason)}`] : []),
    ...(last
      ? [`${formatDays(last.from, last.to, around.today)} ${last.status}${quote(last.rejectReason)}`]
      : []),
  ];
  return [
    describeLimit(pending),
    part('contracts', [...contracts, ...describeProblem('contracts', around.contracts)], 'none'),
    chartHours(pending, sheets, timesheets),
    part('on these days', sameDays, 'no leave, no time request'),
    part('last decision', decisions, timesheets.problem === undefined ? 'none in these weeks' : 'not known'),
  ];
}

/** Hours of the timesheets of the weeks before, the item last, and how it differs from those that count. */
function chartHours({ item, around }: PendingItem, sheets: readonly Sheet[], list: RowList): EvidencePart {
  const label = `last ${EARLIER_WEEKS} weeks`;
  const { from, to, hours } = item;
  if (list.problem !== undefined) return { label, lines: describeProblem('timesheets', list) };
  if (from === null || to === null) return { label, lines: ['not known'] };
  const first = addDays(from, -7 * EARLIER_WEEKS);
  const earlier = sheets.filter((one) => one.id !== item.id && one.to >= first && one.from < from);
  // The others are not all there is, or were not accepted.
  const counted = earlier.filter(({ status }) => [APPROVED, SUBMITTED].some((s) => s === status));
  const average = counted.reduce((sum, one) => sum + (one.hours ?? 0), 0) / counted.length;
  const difference = (hours ?? 0) - average;
  const toBar = (one: Pick<Sheet, 'from' | 'to' | 'hours'>, note: string) => ({
    label: formatDays(one.from, one.to, around.today),
    amount: Math.max(0, one.hours ?? 0),
    text: one.hours === null ? '?' : formatHours(one.hours),
    note,
  });
  const bars = earlier.map((one) => toBar(one, one.status === APPROVED ? '' : one.status));
  const words = `${formatHours(Math.abs(difference))} ${difference < 0 ? 'below' : 'above'} the average of ${formatHours(average)}`;
  const lines = [counted.length === 0 ? 'no earlier timesheet' : words];
  return { label, lines, bars: [...bars, toBar({ from, to, hours }, 'this one')] };
}

function describeLeave({ item, around }: PendingItem, sources: EvidenceSources): Evidence {
  const { away, waitingLeaves, formatMember } = sources;
  const { balance, policy, today } = around;
  const unit = balance?.unit.slice(0, -1) ?? '';
  const requested = balance?.unit === 'days' ? item.days : item.hours;
  const after =
    balance == null || requested === null ? '' : `, ${formatCount(balance.amount - requested, unit)} after`;
  const left = balance == null ? 'not known' : `${formatCount(balance.amount, unit)} now${after}`;
  const describe = (state: string) => (other: InboxItem) =>
    `${formatMember(other.userId)} ${formatDays(`${other.from}`, `${other.to}`, today)}${state}`;
  const isOther = (other: InboxItem) => toText(other.userId) !== toText(item.userId) && overlaps(item, other);
  const approved = away.rows
    .filter((row) => isApproved('leave', row))
    .map((row) => toInboxItem('leave', row));
  const others = [
    ...approved.filter(isOther).map(describe('')),
    ...waitingLeaves.filter(isOther).map(describe(' (requested)')),
    ...describeProblem('leaves', away),
  ];
  const more = others.length > MAX_AWAY ? [`and ${others.length - MAX_AWAY} more`] : [];
  const terms = policy && [
    ...(policy.is_paid == null ? [] : [policy.is_paid === true ? 'paid' : 'unpaid']),
    ...(policy.duration == null
      ? []
      : [`allowance ${formatCount(Number(policy.duration), policy.time_unit === 'hours' ? 'hour' : 'day')}`]),
    ...(policy.hours_per_day == null ? [] : [`${toText(policy.hours_per_day)} hours a day`]),
    policy.allow_negative_balance === true ? 'may go negative' : 'may not go negative',
    ...(policy.reason_required === true ? ['needs a reason'] : []),
  ];
  return [
    { label: 'balance', lines: [left] },
    part('also away', [...others.slice(0, MAX_AWAY), ...more], 'nobody'),
    { label: 'policy terms', lines: [terms?.join(', ') ?? 'not known'] },
  ];
}

/** The timesheet that the time is added to, and the limit. */
function describeTimeRequest(pending: PendingItem, { timesheets }: EvidenceSources): Evidence {
  const { item, around } = pending;
  const lines = listSheets(timesheets)
    .filter((sheet) => overlaps(item, sheet))
    .map(({ from, to, status, hours }) => {
      const before = hours === null ? '' : `, ${formatHours(hours)}`;
      const isSum = hours !== null && item.hours !== null;
      const sum = isSum ? `, ${formatHours(hours + (item.hours ?? 0))} with this` : '';
      return `${formatDays(from, to, around.today)}, ${status}${before}${sum}`;
    });
  const all = [...lines, ...describeProblem('timesheets', timesheets)];
  return [part('timesheet', all, 'none for that day'), describeLimit(pending)];
}

function startOfMonth(day: string): string {
  return `${day.slice(0, 7)}-01`;
}

/** Reads what is known around things that wait: lists of whole months, which items share. @param all that waits */
export function createEvidenceLoader(
  { api, lists, names }: Pick<Run, 'api' | 'lists' | 'names'>,
  all: readonly PendingItem[],
) {
  const allItems = all.map(({ item }) => item);
  const waitingLeaves = allItems.filter(({ kind }) => kind === 'leave');
  const formatMember = (id: unknown): string => names.member.of(id) ?? '?';
  return async (pending: PendingItem): Promise<Evidence> => {
    const { kind, from, to, userId } = pending.item;
    const ofMember = async (call: ApiCall): Promise<RowList> => {
      const list = await readRelated(lists, [userId], () => call);
      return { ...list, rows: list.rows.filter((row) => toText(getUserId(row)) === toText(userId)) };
    };
    const none = { rows: [] };
    const sources = { timesheets: none, timeRequests: none, away: none, waitingLeaves, formatMember };
    if (from === null || to === null) return describeEvidence(pending, sources);
    if (kind === 'leave') {
      const away = await readRelated(lists, [userId], () => listApproved(api, 'leave', allItems));
      await names.member.load(away.rows.map(({ user_id: id }) => id));
      return describeEvidence(pending, { ...sources, away });
    }
    const earliest = startOfMonth(addDays(startOfMonth(from), -7 * EARLIER_WEEKS));
    const date_to = addDays(startOfMonth(addDays(startOfMonth(to), 31)), -1);
    const approved = { status: APPROVED, date_from: startOfMonth(from), date_to };
    const [timesheets, timeRequests] = await Promise.all([
      ofMember(api.timesheets.list({ date_from: earliest, date_to })),
      kind === 'timesheet' ? ofMember(api.timeRequests.list(approved)) : none,
    ]);
    return describeEvidence(pending, { ...sources, timesheets, timeRequests });
  };
}
