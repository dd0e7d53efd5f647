import type { Row } from '../api/page.ts';
import { toText } from '../json/stringify.ts';
import { addDays } from '../parsing/calendar.ts';
import { formatHours } from '../parsing/duration.ts';
import { decisions } from '../resources/resource.ts';
import { timesheet } from '../resources/timesheet.ts';
import type { EvidenceBar, EvidencePart } from '../review.ts';
import { type InboxItem, toInboxItem } from './item.ts';
import type { RowList } from './related.ts';
import { countDaysBetween, formatDays } from './text.ts';
import { overlaps, type WarningContext } from './warnings.ts';

/** What earlier timesheets say of a thing that waits. Pure. */

export interface EvidenceSources {
  readonly context: WarningContext;
  /** Of the item's member. */
  readonly contracts: RowList;
  readonly balanceProblem: string | undefined;
  /** Of the member, from the weeks before the item on; of a leave none. */
  readonly timesheets: RowList;
  /** Approved ones of the member on the days of the item. */
  readonly timeRequests: RowList;
  /** Approved leaves of everybody on the days of a leave. */
  readonly away: { readonly items: readonly InboxItem[]; readonly problem?: string | undefined };
  /** Leaves that wait, of everybody. */
  readonly waitingLeaves: readonly InboxItem[];
  readonly formatMember: (userId: unknown) => string;
}

/** Weeks before a timesheet that are shown. */
export const EARLIER_WEEKS = 6;
const WEEK = 7;
export const part = (label: string, lines: string | readonly string[]): EvidencePart => ({
  label,
  lines: [lines].flat(),
});

export const describeUnreadable = (noun: string, problem: string): string =>
  `${noun} could not be read: ${problem.replace(/\.$/, '')}`;

/** A timesheet as the service sent it. */
interface Sheet extends InboxItem {
  readonly status: string;
  readonly rejectReason: string;
}

const toSheet = (row: Row): Sheet => ({
  ...toInboxItem('timesheet', row),
  status: toText(row.status ?? ''),
  rejectReason: toText(row.reject_reason ?? ''),
});

const listSheets = ({ rows }: RowList): readonly Sheet[] =>
  rows
    .map(toSheet)
    .filter(({ from, to }) => from !== null && to !== null)
    .sort((a, b) => (`${a.from}` < `${b.from}` ? -1 : 1));

/** Days of which a bar shows the hours. */
interface Period {
  readonly from: string;
  readonly to: string;
}

/** The weeks before a timesheet of a week; before any other the periods of the earlier ones. */
const listPeriods = ({ from, to }: Period, earlier: readonly Sheet[]): readonly Period[] => {
  if (countDaysBetween(from, to) + 1 !== WEEK)
    return earlier.slice(-EARLIER_WEEKS).map((sheet) => ({ from: `${sheet.from}`, to: `${sheet.to}` }));
  return Array.from({ length: EARLIER_WEEKS }, (_, n) => {
    const first = addDays(from, (n - EARLIER_WEEKS) * WEEK);
    return { from: first, to: addDays(first, WEEK - 1) };
  });
};

const formatDifference = (hours: number): string =>
  `${formatHours(Math.abs(hours))} ${hours < 0 ? 'below' : 'above'}`;

const isRejected = ({ status }: Sheet): boolean => status === decisions.reject.to;

const sumHours = (sheets: readonly InboxItem[]): number =>
  sheets.reduce((sum, { hours }) => sum + (hours ?? 0), 0);

/** Hours in these states count for the average: the others are not all there is, or were not accepted. */
const ACCEPTED: readonly string[] = [decisions.approve.to, timesheet.transitions.approve.from];

/** The sheets that begin in a period: one that was rejected counts only where no other took its place. */
const createBar = ({ from, to }: Period, sheets: readonly Sheet[], today: string) => {
  const inside = sheets.filter((sheet) => `${sheet.from}` >= from && `${sheet.from}` <= to);
  const valid = inside.filter((sheet) => !isRejected(sheet));
  const counted = valid.length > 0 ? valid : inside;
  const states = [...new Set(counted.map(({ status }) => status))].filter((s) => s !== decisions.approve.to);
  return {
    label: formatDays(from, to, today),
    amount: Math.max(0, sumHours(counted)),
    text: counted.length === 0 ? '-' : formatHours(sumHours(counted)),
    note: states.join(', '),
    isCounted: counted.length > 0 && counted.every(({ status }) => ACCEPTED.includes(status)),
  };
};

const averageOf = (numbers: readonly number[]): number =>
  numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

/** Hours week by week, the item last, and how it differs from the weeks before. */
export const chartHours = (
  item: InboxItem,
  { context: { today }, timesheets }: EvidenceSources,
): readonly EvidencePart[] => {
  const { from, to, hours } = item;
  const label = 'last 6 weeks';
  if (from === null || to === null) return [];
  if (timesheets.problem !== undefined)
    return [part(label, describeUnreadable('timesheets', timesheets.problem))];
  const earlier = listSheets(timesheets).filter((sheet) => `${sheet.from}` < from && sheet.id !== item.id);
  const before = listPeriods({ from, to }, earlier).map((period) => createBar(period, earlier, today));
  const known = before.filter(({ isCounted }) => isCounted).map(({ amount }) => amount);
  const average = averageOf(known);
  const withDifference = ({ isCounted: _, ...bar }: ReturnType<typeof createBar>): EvidenceBar => bar;
  const current: EvidenceBar = {
    label: formatDays(from, to, today),
    amount: Math.max(0, hours ?? 0),
    text: hours === null ? '?' : formatHours(hours),
    note: 'this one',
  };
  const words =
    known.length === 0
      ? 'no earlier timesheet'
      : `${formatDifference((hours ?? 0) - average)} the average of ${formatHours(average)}`;
  return [{ label, bars: [...before.map(withDifference), current], lines: [words] }];
};

const describeDecision = ({ from, to, status, rejectReason }: Sheet, today: string): string =>
  `${formatDays(`${from}`, `${to}`, today)} ${status}${rejectReason === '' ? '' : `: "${rejectReason}"`}`;

/** The latest timesheet of the member that was decided on; and this one, where it was sent back before. */
export const describeLastDecision = (
  item: InboxItem,
  { context: { today }, timesheets }: EvidenceSources,
): readonly EvidencePart[] => {
  if (timesheets.problem !== undefined) return [];
  const sheets = listSheets(timesheets);
  const self = sheets.find(({ id }) => id === item.id);
  const last = sheets.findLast(
    (sheet) =>
      sheet.id !== item.id &&
      (isRejected(sheet) || sheet.status === decisions.approve.to) &&
      `${sheet.from}` <= `${item.from}`,
  );
  const before = self?.rejectReason ? [`this one was rejected before: "${self.rejectReason}"`] : [];
  const lines = [...before, ...(last === undefined ? [] : [describeDecision(last, today)])];
  return [part('last decision', lines.length === 0 ? 'none in these weeks' : lines)];
};

/** The timesheet that the time of a request is added to. */
export const describeSheet = (item: InboxItem, { context, timesheets }: EvidenceSources): EvidencePart => {
  if (timesheets.problem !== undefined)
    return part('timesheet', describeUnreadable('timesheets', timesheets.problem));
  const lines = listSheets(timesheets)
    .filter((sheet) => overlaps(item, sheet))
    .map(({ from, to, status, hours }) => {
      const after =
        hours === null || item.hours === null ? '' : `, ${formatHours(hours + item.hours)} with this`;
      const before = hours === null ? '' : `, ${formatHours(hours)}`;
      return `${formatDays(`${from}`, `${to}`, context.today)}, ${status}${before}${after}`;
    });
  return part('timesheet', lines.length === 0 ? 'none for that day' : lines);
};
