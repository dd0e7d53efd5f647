import type { ApiCall } from '../api/client.ts';
import { APPROVED, REJECTED, SUBMITTED } from '../api/fields.ts';
import type { Row } from '../api/page.ts';
import { isRunning } from '../api/records.ts';
import { toText } from '../json.ts';
import { addDays, formatHours } from '../parsing/calendar.ts';
import type { Run } from '../run.ts';
import {
  formatCount,
  formatDays,
  getUserId,
  type InboxItem,
  isApproved,
  type RowList,
  toInboxItem,
} from './item.ts';
import { listApproved, type PendingItem, readRelated } from './load.ts';
import { hasDates, overlaps } from './warnings.ts';

/** What is known around a thing that waits, as facts and a chart for the person who decides. */

interface EvidencePart {
  readonly label: string;
  readonly lines: readonly string[];
  /** A small chart above the lines: the length of each bar, what it says, and what is to be said of it. */
  readonly bars?: readonly { label: string; amount: number; text: string; note: string }[];
}

export type Evidence = readonly EvidencePart[];

const EARLIER_WEEKS = 6;
const MAX_AWAY = 5;
const NONE: RowList = { rows: [] };

/** Reads what is known around things that wait: lists of whole months, which items share. @param all that waits */
export function createEvidenceLoader(
  { api, lists, names }: Pick<Run, 'api' | 'lists' | 'names'>,
  all: readonly PendingItem[],
) {
  const allItems = all.map(({ item }) => item);
  const startOfMonth = (day: string): string => `${day.slice(0, 7)}-01`;
  return async (pending: PendingItem): Promise<Evidence> => {
    const { kind, from, to, userId } = pending.item;
    if (kind === 'leave') {
      const away = await readRelated(lists, [userId], () => listApproved(api, 'leave', allItems));
      await names.member.load(away.rows.map(({ user_id: id }) => id));
      const waiting = allItems.filter((item) => item.kind === 'leave');
      return describeLeave(pending, away, waiting, (id) => names.member.of(id) ?? '?');
    }
    const readOwn = async (call: ApiCall): Promise<RowList> => {
      const list = await readRelated(lists, [userId], () => call);
      return { ...list, rows: list.rows.filter((row) => toText(getUserId(row)) === toText(userId)) };
    };
    if (from === null || to === null) return describeTime(pending, NONE, NONE);
    const earliest = startOfMonth(addDays(startOfMonth(from), -7 * EARLIER_WEEKS));
    const date_to = addDays(startOfMonth(addDays(startOfMonth(to), 31)), -1);
    const approved = { status: APPROVED, date_from: startOfMonth(from), date_to };
    const [timesheets, timeRequests] = await Promise.all([
      readOwn(api.timesheets.list({ date_from: earliest, date_to })),
      kind === 'timesheet' ? readOwn(api.timeRequests.list(approved)) : NONE,
    ]);
    return describeTime(pending, timesheets, timeRequests);
  };
}

/** @param noun what was read for it */
function part(
  label: string,
  noun: string,
  list: RowList,
  found: readonly string[],
  none: string,
): EvidencePart {
  const { problem } = list;
  const unread = problem === undefined ? [] : [`${noun} could not be read: ${problem.replace(/\.$/, '')}`];
  const lines = [...found, ...unread];
  return { label, lines: lines.length === 0 ? [none] : lines };
}

function formatWhen({ from, to }: InboxItem, { around }: PendingItem): string {
  return formatDays(`${from}`, `${to}`, around.today);
}

function isIn(states: readonly string[], { record }: InboxItem): boolean {
  return states.some((state) => state === record.status);
}

/** @param timesheets of the member, from the weeks before on. @param timeRequests approved ones of the same days */
function describeTime(pending: PendingItem, timesheets: RowList, timeRequests: RowList): Evidence {
  const { item, around } = pending;
  const limit = around.weeklyLimit;
  const limitText = limit === undefined ? 'none' : limit === null ? 'not known' : formatHours(limit);
  const limitPart = part('weekly limit', '', NONE, [limitText], '');
  const sheets = timesheets.rows
    .map((row) => toInboxItem('timesheet', row))
    .filter((sheet) => hasDates(sheet))
    .sort((a, b) => (`${a.from}` < `${b.from}` ? -1 : 1));
  if (item.kind !== 'timesheet') {
    // The one that the time is added to.
    const lines = sheets
      .filter((sheet) => overlaps(item, sheet))
      .map((sheet) => {
        const { hours, record } = sheet;
        const isSum = hours !== null && item.hours !== null;
        const sum = isSum ? `, ${formatHours(hours + (item.hours ?? 0))} with this` : '';
        const before = hours === null ? '' : `, ${formatHours(hours)}`;
        return `${formatWhen(sheet, pending)}, ${toText(record.status)}${before}${sum}`;
      });
    return [part('timesheet', 'timesheets', timesheets, lines, 'none for that day'), limitPart];
  }
  const contracts = around.contracts.rows.map((row) => {
    const hours = Number(row.weekly_hours_limit ?? Number.NaN);
    const ofWeek = Number.isFinite(hours) ? ` (${formatHours(hours)})` : '';
    return `${toText(row.project_name ?? row.project_id)}${ofWeek}${isRunning(row) ? '' : `, ${toText(row.status)}`}`;
  });
  const listSameDays = (all: readonly InboxItem[], state: string) =>
    all
      .filter((other) => other.kind !== 'timesheet' && overlaps(item, other))
      .map((other) => {
        const { kind, hours } = other;
        const amount = kind === 'leave' || hours === null ? '' : `, ${formatHours(hours)}`;
        return `${kind.replace('-', ' ')} ${formatWhen(other, pending)}${amount} (${state})`;
      });
  const leaves = around.approved.filter(({ kind }) => kind === 'leave');
  const times = timeRequests.rows.filter((row) => isApproved('time-request', row));
  const accepted = [...leaves, ...times.map((row) => toInboxItem('time-request', row))];
  const sameDays = [...listSameDays(accepted, APPROVED), ...listSameDays(around.waiting, 'waiting')];
  // The latest timesheet that was decided on.
  const quote = ({ reject_reason: reason }: Row) => (reason ? `: "${toText(reason)}"` : '');
  const others = sheets.filter(({ id, from }) => id !== item.id && `${from}` <= `${item.from}`);
  const last = others.findLast((one) => isIn([APPROVED, REJECTED], one));
  const decision = last && `${formatWhen(last, pending)} ${toText(last.record.status)}${quote(last.record)}`;
  return [
    limitPart,
    part('contracts', 'contracts', around.contracts, contracts, 'none'),
    chartHours(pending, others, timesheets),
    part('on these days', 'time requests', timeRequests, sameDays, 'no leave, no time request'),
    part(
      'last decision',
      '',
      NONE,
      decision ? [decision] : [],
      timesheets.problem ? 'not known' : 'none in these weeks',
    ),
  ];
}

function chartHours(pending: PendingItem, others: readonly InboxItem[], list: RowList): EvidencePart {
  const label = `last ${EARLIER_WEEKS} weeks`;
  const { item } = pending;
  if (list.problem !== undefined || item.from === null)
    return part(label, 'timesheets', list, [], 'not known');
  const first = addDays(item.from, -7 * EARLIER_WEEKS);
  const earlier = others.filter(({ from, to }) => `${to}` >= first && from !== item.from);
  // The others are not all there is, or were not accepted.
  const counted = earlier.filter((one) => isIn([APPROVED, SUBMITTED], one));
  const average = counted.reduce((sum, one) => sum + (one.hours ?? 0), 0) / counted.length;
  const difference = (item.hours ?? 0) - average;
  const toBar = (one: InboxItem, note: string) => ({
    label: formatWhen(one, pending),
    amount: Math.max(0, one.hours ?? 0),
    text: one.hours === null ? '?' : formatHours(one.hours),
    note,
  });
  const bars = earlier.map((one) => toBar(one, isIn([APPROVED], one) ? '' : toText(one.record.status)));
  const words = `${formatHours(Math.abs(difference))} ${difference < 0 ? 'below' : 'above'} the average of ${formatHours(average)}`;
  const lines = [counted.length === 0 ? 'no earlier timesheet' : words];
  return { label, lines, bars: [...bars, toBar(item, 'this one')] };
}

/** @param away approved leaves of everybody on these days. @param waiting leaves of everybody */
function describeLeave(
  pending: PendingItem,
  away: RowList,
  waiting: readonly InboxItem[],
  formatMember: (userId: unknown) => string,
): Evidence {
  const { item, around } = pending;
  const { balance, policy } = around;
  const [amount, unit] = [balance?.amount ?? 0, balance?.unit.slice(0, -1) ?? ''];
  const requested = balance == null ? null : item[balance.unit];
  const after = requested === null ? '' : `, ${formatCount(amount - requested, unit)} after`;
  const left = balance == null ? 'not known' : `${formatCount(amount, unit)} now${after}`;
  const listOthers = (leaves: readonly InboxItem[], state: string) =>
    leaves
      .filter((other) => toText(other.userId) !== toText(item.userId) && overlaps(item, other))
      .map((other) => `${formatMember(other.userId)} ${formatWhen(other, pending)}${state}`);
  const approved = away.rows.filter((row) => isApproved('leave', row));
  const others = [
    ...listOthers(
      approved.map((row) => toInboxItem('leave', row)),
      '',
    ),
    ...listOthers(waiting, ' (requested)'),
  ];
  const more = others.length > MAX_AWAY ? [`and ${others.length - MAX_AWAY} more`] : [];
  const { is_paid: paid, duration, hours_per_day: perDay } = policy ?? {};
  const allowance = formatCount(Number(duration), policy?.time_unit === 'hours' ? 'hour' : 'day');
  const terms = [
    paid == null ? '' : paid === true ? 'paid' : 'unpaid',
    duration == null ? '' : `allowance ${allowance}`,
    perDay == null ? '' : `${toText(perDay)} hours a day`,
    policy?.allow_negative_balance === true ? 'may go negative' : 'may not go negative',
    policy?.reason_required === true ? 'needs a reason' : '',
  ].filter(Boolean);
  return [
    part('balance', '', NONE, [left], ''),
    part('also away', 'leaves', away, [...others.slice(0, MAX_AWAY), ...more], 'nobody'),
    part('policy terms', '', NONE, policy === undefined ? [] : [terms.join(', ')], 'not known'),
  ];
}
