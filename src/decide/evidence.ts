import type { ApiCall } from '../api/client.ts';
import { APPROVED, REJECTED, SUBMITTED } from '../api/fields.ts';
import type { Row } from '../api/page.ts';
import { isRunning } from '../api/records.ts';
import { toText } from '../json.ts';
import { addDays, formatHours } from '../parsing/calendar.ts';
import type { Run } from '../run.ts';
import { getUserId, type InboxItem, isApproved, toInboxItem } from './item.ts';
import { asFailure, fetchAll, type RowList } from './lists.ts';
import { listApproved, type PendingItem } from './load.ts';
import { formatCount, formatDays } from './text.ts';
import { overlaps } from './warnings.ts';

/** What is known around a thing that waits, as facts and a chart for the person who decides. */

/** One bar of a small chart. */
export interface EvidenceBar {
  readonly label: string;
  /** Its length, 0 or more. */
  readonly amount: number;
  /** The amount for people, and what is to be said of it. */
  readonly text: string;
  readonly note: string;
}

/** A part of what is known around an item. */
export interface EvidencePart {
  readonly label: string;
  readonly lines: readonly string[];
  /** Above the lines. */
  readonly bars?: readonly EvidenceBar[];
}

export type Evidence = readonly EvidencePart[];

/** What is read for it. */
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
const MAX_AWAY = 6;

/** A timesheet as the service sent it. */
interface Sheet extends InboxItem {
  readonly from: string;
  readonly to: string;
  readonly status: string;
  readonly rejectReason: string;
}

export function describeEvidence(pending: PendingItem, sources: EvidenceSources): Evidence {
  switch (pending.item.kind) {
    case 'timesheet':
      return [
        describeLimit(pending),
        describeContracts(pending),
        chartHours(pending, sources),
        describeSamePeriod(pending, sources),
        describeLastDecision(pending, sources),
      ];
    case 'leave':
      return [describeBalance(pending), describeAway(pending, sources), describePolicy(pending)];
    case 'time-request':
      return [describeSheet(pending, sources), describeLimit(pending)];
  }
}

function describeLimit({ around: { weeklyLimit: limit } }: PendingItem): EvidencePart {
  return part(
    'weekly limit',
    limit === undefined ? 'none' : limit === null ? 'not known' : formatHours(limit),
  );
}

function part(label: string, lines: string | readonly string[], none = ''): EvidencePart {
  const all = [lines].flat();
  return { label, lines: all.length === 0 ? [none] : all };
}

function describeContracts({ around: { contracts } }: PendingItem): EvidencePart {
  const lines = contracts.rows.map((row) => {
    const hours = Number(row.weekly_hours_limit ?? Number.NaN);
    const limit = Number.isFinite(hours) ? ` (${formatHours(hours)})` : '';
    return `${toText(row.project_name ?? row.project_id)}${limit}${isRunning(row) ? '' : `, ${toText(row.status)}`}`;
  });
  return part('contracts', [...lines, ...describeProblem('contracts', contracts)], 'none');
}

function describeProblem(noun: string, { problem }: RowList): readonly string[] {
  return problem === undefined ? [] : [`${noun} could not be read: ${problem.replace(/\.$/, '')}`];
}

/** Hours of the timesheets of the weeks before, the item last, and how it differs from those that count. */
function chartHours({ item, around }: PendingItem, { timesheets }: EvidenceSources): EvidencePart {
  const label = `last ${EARLIER_WEEKS} weeks`;
  const { from, to, hours } = item;
  if (timesheets.problem !== undefined) return part(label, describeProblem('timesheets', timesheets));
  if (from === null || to === null) return part(label, 'not known');
  const first = addDays(from, -7 * EARLIER_WEEKS);
  const earlier = listSheets(timesheets).filter(
    (one) => one.id !== item.id && one.to >= first && one.from < from,
  );
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
  return {
    ...part(label, counted.length === 0 ? 'no earlier timesheet' : words),
    bars: [...bars, toBar({ from, to, hours }, 'this one')],
  };
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

/** Leave and time requests on the days of a timesheet. */
function describeSamePeriod({ item, around }: PendingItem, { timeRequests }: EvidenceSources): EvidencePart {
  const describe = (state: string) => (other: InboxItem) => {
    const amount =
      other.kind === 'time-request' && other.hours !== null ? `, ${formatHours(other.hours)}` : '';
    return `${other.kind.replace('-', ' ')} ${formatDays(`${other.from}`, `${other.to}`, around.today)}${amount} (${state})`;
  };
  const times = timeRequests.rows.filter((row) => isApproved('time-request', row));
  const accepted = [
    ...around.approved.filter(({ kind }) => kind === 'leave'),
    ...times.map((row) => toInboxItem('time-request', row)),
  ];
  const isInside = (other: InboxItem) => other.kind !== 'timesheet' && overlaps(item, other);
  const lines = [
    ...accepted.filter(isInside).map(describe(APPROVED)),
    ...around.waiting.filter(isInside).map(describe('waiting')),
    ...describeProblem('time requests', timeRequests),
  ];
  return part('on these days', lines, 'no leave, no time request');
}

/** The latest timesheet of the member that was decided on; and this one, where it was sent back before. */
function describeLastDecision({ item, around }: PendingItem, { timesheets }: EvidenceSources): EvidencePart {
  const sheets = listSheets(timesheets);
  const self = sheets.find(({ id }) => id === item.id);
  const isDecided = ({ id, status, from }: Sheet): boolean =>
    id !== item.id && [APPROVED, REJECTED].some((state) => state === status) && from <= `${item.from}`;
  const last = sheets.findLast(isDecided);
  const quote = (reason: string) => (reason === '' ? '' : `: "${reason}"`);
  const lines = [
    ...(self?.rejectReason ? [`this one was rejected before${quote(self.rejectReason)}`] : []),
    ...(last
      ? [`${formatDays(last.from, last.to, around.today)} ${last.status}${quote(last.rejectReason)}`]
      : []),
  ];
  return part('last decision', lines, timesheets.problem === undefined ? 'none in these weeks' : 'not known');
}

function describeBalance({ item, around: { balance } }: PendingItem): EvidencePart {
  if (balance == null) return part('balance', 'not known');
  const unit = balance.unit.slice(0, -1);
  const requested = balance.unit === 'days' ? item.days : item.hours;
  const after = requested === null ? '' : `, ${formatCount(balance.amount - requested, unit)} after`;
  return part('balance', `${formatCount(balance.amount, unit)} now${after}`);
}

function describeAway(
  { item, around }: PendingItem,
  { away, waitingLeaves, formatMember }: EvidenceSources,
): EvidencePart {
  const describe = (state: string) => (other: InboxItem) =>
    `${formatMember(other.userId)} ${formatDays(`${other.from}`, `${other.to}`, around.today)}${state}`;
  const isOther = (other: InboxItem) => toText(other.userId) !== toText(item.userId) && overlaps(item, other);
  const approved = away.rows
    .filter((row) => isApproved('leave', row))
    .map((row) => toInboxItem('leave', row));
  const lines = [
    ...approved.filter(isOther).map(describe('')),
    ...waitingLeaves.filter(isOther).map(describe(' (requested)')),
    ...describeProblem('leaves', away),
  ];
  const more = lines.length > MAX_AWAY ? [`and ${lines.length - MAX_AWAY + 1} more`] : [];
  return part('also away', more.length === 0 ? lines : [...lines.slice(0, MAX_AWAY - 1), ...more], 'nobody');
}

function describePolicy({ around: { policy } }: PendingItem): EvidencePart {
  if (policy === undefined) return part('policy terms', 'not known');
  const unit = policy.time_unit === 'hours' ? 'hour' : 'day';
  const terms = [
    policy.is_paid == null ? undefined : policy.is_paid === true ? 'paid' : 'unpaid',
    policy.duration == null ? undefined : `allowance ${formatCount(Number(policy.duration), unit)}`,
    policy.hours_per_day == null ? undefined : `${toText(policy.hours_per_day)} hours a day`,
    policy.allow_negative_balance === true ? 'may go negative' : 'may not go negative',
    policy.reason_required === true ? 'needs a reason' : undefined,
  ];
  return part('policy terms', terms.filter((term) => term !== undefined).join(', '));
}

/** The timesheet that the time of a request is added to. */
function describeSheet({ item, around }: PendingItem, { timesheets }: EvidenceSources): EvidencePart {
  const lines = listSheets(timesheets)
    .filter((sheet) => overlaps(item, sheet))
    .map(({ from, to, status, hours }) => {
      const before = hours === null ? '' : `, ${formatHours(hours)}`;
      const sum =
        hours === null || item.hours === null ? '' : `, ${formatHours(hours + item.hours)} with this`;
      return `${formatDays(from, to, around.today)}, ${status}${before}${sum}`;
    });
  return part('timesheet', [...lines, ...describeProblem('timesheets', timesheets)], 'none for that day');
}

/** Most requests for one list. */
const MAX_REQUESTS = 30;
const NONE: RowList = { rows: [] };

function startOfMonth(day: string): string {
  return `${day.slice(0, 7)}-01`;
}
function endOfMonth(day: string): string {
  return addDays(startOfMonth(addDays(startOfMonth(day), 31)), -1);
}

/** Reads what is known around things that wait: lists of whole months, which items share. @param all that waits */
export function createEvidenceLoader(run: Pick<Run, 'api' | 'lists' | 'names'>, all: readonly PendingItem[]) {
  const { api, lists, names } = run;
  const waitingLeaves = all.map(({ item }) => item).filter(({ kind }) => kind === 'leave');
  const allItems = all.map(({ item }) => item);
  const formatMember = (id: unknown): string => names.member.of(id) ?? '?';
  return async (pending: PendingItem, signal: AbortSignal): Promise<Evidence> => {
    const { kind, from, to, userId } = pending.item;
    const read = async (call: ApiCall<Row>): Promise<RowList> =>
      fetchAll(lists.pages(call), MAX_REQUESTS, () => !signal.aborted).catch((error: unknown) => ({
        rows: [],
        problem: asFailure(error).message,
      }));
    const ofMember = async (call: ApiCall<Row>): Promise<RowList> => {
      const list = await read(call);
      return { ...list, rows: list.rows.filter((row) => toText(getUserId(row)) === toText(userId)) };
    };
    const sources = { timesheets: NONE, timeRequests: NONE, away: NONE, waitingLeaves, formatMember };
    if (from === null || to === null) return describeEvidence(pending, sources);
    if (kind === 'leave') {
      const away = await read(listApproved(api, 'leave', allItems));
      await names.member.load(away.rows.map(({ user_id: id }) => id));
      return describeEvidence(pending, { ...sources, away });
    }
    const earliest = startOfMonth(addDays(startOfMonth(from), -7 * EARLIER_WEEKS));
    const [days, approved] = [
      { date_to: endOfMonth(to) },
      { status: APPROVED, date_from: startOfMonth(from) },
    ];
    const [timesheets, timeRequests] = await Promise.all([
      ofMember(api.timesheets.list({ date_from: earliest, ...days })),
      kind === 'timesheet' ? ofMember(api.timeRequests.list({ ...approved, ...days })) : NONE,
    ]);
    return describeEvidence(pending, { ...sources, timesheets, timeRequests });
  };
}
