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
  formatKind,
  getItemKey,
  getUserId,
  type InboxItem,
  isApproved,
  isWaiting,
  type RowList,
  toInboxItem,
  WAITING,
} from './item.ts';
import { type Inbox, listAround, type PendingItem, readRelated } from './load.ts';
import { hasDates, overlaps } from './warnings.ts';

interface EvidencePart {
  readonly label: string;
  readonly lines: readonly string[];
  /** A small chart above the lines: the length of each bar, what it says, and what is to be said of it. */
  readonly bars?: readonly { label: string; amount: number; text: string; note: string }[];
}

export type Evidence = readonly EvidencePart[];

/** With the one that waits they are six. */
const EARLIER_WEEKS = 5;
const MAX_AWAY = 5;
const NONE: RowList = { rows: [] };

/**
 * Reads what is known around things that wait: lists of whole months, which items share. The same is told of an item
 * whatever filter it was found with.
 * @param shown all that is reviewed
 */
export function createEvidenceLoader(
  { api, lists, names }: Pick<Run, 'api' | 'lists' | 'names'>,
  shown: readonly PendingItem[],
  { items: waiting, complete }: Pick<Inbox, 'items' | 'complete'>,
) {
  const allItems = shown.map(({ item }) => item);
  const startOfMonth = (day: string): string => `${day.slice(0, 7)}-01`;
  return async (pending: PendingItem): Promise<Evidence> => {
    const { kind, from, to, userId } = pending.item;
    if (kind === 'leave') {
      const readLeaves = (call: ApiCall) => readRelated(lists, [userId], () => call);
      const [away, requested] = await Promise.all([
        readLeaves(listAround(api, 'leave', APPROVED, allItems)),
        complete.includes('leave')
          ? { rows: waiting.filter((item) => item.kind === 'leave').map(({ record }) => record) }
          : readLeaves(listAround(api, 'leave', WAITING.leave, allItems)),
      ]);
      await names.member.load([...away.rows, ...requested.rows].map(getUserId));
      return describeLeave(pending, away, requested, (id) => names.member.of(id) ?? '?');
    }
    const readOwn = async (call: ApiCall): Promise<RowList> => {
      const list = await readRelated(lists, [userId], () => call);
      return { ...list, rows: list.rows.filter((row) => toText(getUserId(row)) === toText(userId)) };
    };
    if (from === null || to === null) return describeTime(pending, NONE, NONE);
    const earliest = startOfMonth(addDays(startOfMonth(from), -7 * EARLIER_WEEKS));
    const date_to = addDays(startOfMonth(addDays(startOfMonth(to), 31)), -1);
    const [timesheets, timeRequests] = await Promise.all([
      readOwn(api.timesheets.list({ date_from: earliest, date_to })),
      kind === 'timesheet'
        ? readOwn(api.timeRequests.list({ date_from: startOfMonth(from), date_to }))
        : NONE,
    ]);
    return describeTime(pending, timesheets, timeRequests);
  };
}

/** @param noun what was read for it. @param none where nothing was found */
function part(
  label: string,
  noun: string,
  { problem }: RowList,
  found: readonly string[],
  none: string,
): EvidencePart {
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

function describeTime(pending: PendingItem, timesheets: RowList, timeRequests: RowList): Evidence {
  const { item, around } = pending;
  const limit = around.weeklyLimit;
  const limitText = limit === undefined ? 'none' : limit === null ? 'not known' : formatHours(limit);
  const limitPart = { label: 'weekly limit', lines: [limitText] };
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
        return `${formatKind(kind)} ${formatWhen(other, pending)}${amount} (${state})`;
      });
  const leaves = around.approved.filter(({ kind }) => kind === 'leave');
  const listTimes = (isMeant: typeof isApproved) =>
    timeRequests.rows
      .filter((row) => isMeant('time-request', row))
      .map((row) => toInboxItem('time-request', row));
  const waiting = new Map([...around.waiting, ...listTimes(isWaiting)].map((one) => [getItemKey(one), one]));
  const sameDays = [
    ...listSameDays([...leaves, ...listTimes(isApproved)], APPROVED),
    ...listSameDays([...waiting.values()], 'waiting'),
  ];
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
    {
      label: 'last decision',
      lines: [decision ?? (timesheets.problem ? 'not known' : 'none in these weeks')],
    },
  ];
}

function chartHours(pending: PendingItem, others: readonly InboxItem[], list: RowList): EvidencePart {
  const label = `last ${EARLIER_WEEKS + 1} weeks`;
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

function describeLeave(
  pending: PendingItem,
  away: RowList,
  requested: RowList,
  formatMember: (userId: unknown) => string,
): Evidence {
  const { item, around } = pending;
  const { balance, policy } = around;
  const [amount, unit] = [balance?.amount ?? 0, balance?.unit.slice(0, -1) ?? ''];
  const taken = balance == null ? null : item[balance.unit];
  const after = taken === null ? '' : `, ${formatCount(amount - taken, unit)} after`;
  const left = balance == null ? 'not known' : `${formatCount(amount, unit)} now${after}`;
  const listOthers = ({ rows }: RowList, isMeant: typeof isApproved, state: string) =>
    rows
      .filter((row) => isMeant('leave', row))
      .map((row) => toInboxItem('leave', row))
      .filter((other) => toText(other.userId) !== toText(item.userId) && overlaps(item, other))
      .map((other) => `${formatMember(other.userId)} ${formatWhen(other, pending)}${state}`);
  const others = [...listOthers(away, isApproved, ''), ...listOthers(requested, isWaiting, ' (requested)')];
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
    { label: 'balance', lines: [left] },
    part('also away', 'leaves', { ...requested, ...away }, [...others.slice(0, MAX_AWAY), ...more], 'nobody'),
    { label: 'policy terms', lines: [policy === undefined ? 'not known' : terms.join(', ')] },
  ];
}
