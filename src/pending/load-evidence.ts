import type { ApiCall } from '../api/client.ts';
import type { Row } from '../api/page.ts';
import type { Context } from '../context.ts';
import { toText } from '../json/stringify.ts';
import { lazy } from '../lazy.ts';
import { addDays } from '../parsing/calendar.ts';
import { decisions } from '../resources/resource.ts';
import type { Evidence } from '../review.ts';
import { describeEvidence } from './evidence.ts';
import { EARLIER_WEEKS, type EvidenceSources } from './evidence-hours.ts';
import type { InboxContext } from './inbox-context.ts';
import { getUserId, type InboxItem, toInboxItem } from './item.ts';
import { isApproved } from './load-inbox.ts';
import { describeProblem, fetchAll, type RowList } from './related.ts';
import { countDaysBetween } from './text.ts';
import { overlaps } from './warnings.ts';

/** Reads what is known around things that wait: each list once, for all the items that it is about. */

type Load = (item: InboxItem, signal: AbortSignal) => Promise<Evidence>;

/** Most requests for one list. */
const MAX_REQUESTS = 30;
/** Items within so many days share their lists. */
const MAX_SPAN = 28;

interface Range {
  readonly date_from: string;
  readonly date_to: string;
}

/** The days of items, cut into ranges that are short enough for one list each. */
const groupRanges = (items: readonly InboxItem[]): readonly Range[] => {
  const ranges: Range[] = [];
  const dated = items.flatMap(({ from, to }) => (from === null || to === null ? [] : [{ from, to }]));
  for (const { from, to } of dated.sort((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = ranges.at(-1);
    if (last === undefined || countDaysBetween(last.date_from, to) >= MAX_SPAN)
      ranges.push({ date_from: from, date_to: to });
    else if (to > last.date_to) ranges[ranges.length - 1] = { ...last, date_to: to };
  }
  return ranges;
};

const NONE: RowList = { rows: [] };

const pickMember = ({ rows, problem }: RowList, { userId }: InboxItem): RowList => ({
  rows: rows.filter((row) => toText(getUserId(row)) === toText(userId)),
  ...(problem === undefined ? {} : { problem }),
});

const createReaders = (
  { api, lists, names }: Pick<Context, 'api' | 'lists' | 'names'>,
  items: readonly InboxItem[],
  { leavesOfEverybody }: InboxContext,
) => {
  const readList = (call: ApiCall<Row>, signal: AbortSignal): Promise<RowList> =>
    fetchAll(lists.pages(call), MAX_REQUESTS, () => !signal.aborted).catch(describeProblem);
  const ofKind = (isLeave: boolean) => items.filter(({ kind }) => (kind === 'leave') === isLeave);
  const leaveRanges = lazy(() => groupRanges(ofKind(true)));
  const workRanges = lazy(() => groupRanges(ofKind(false)));
  const findRange = (ranges: readonly Range[], { from, to }: InboxItem): Range | undefined =>
    ranges.find((range) => `${from}` >= range.date_from && `${to}` <= range.date_to);
  return {
    async readWork(item: InboxItem, signal: AbortSignal) {
      const range = findRange(workRanges(), item);
      if (range === undefined) return { timesheets: NONE, timeRequests: NONE };
      const earlier = { ...range, date_from: addDays(range.date_from, -7 * EARLIER_WEEKS) };
      const approved = { status: decisions.approve.to, ...range } as const;
      const [timesheets, timeRequests] = await Promise.all([
        readList(api.timesheets.list(earlier), signal),
        item.kind === 'timesheet' ? readList(api.timeRequests.list(approved), signal) : NONE,
      ]);
      return { timesheets: pickMember(timesheets, item), timeRequests: pickMember(timeRequests, item) };
    },
    /** Approved leaves that have a day in common with the item; the names of their members are read with them. */
    async readAway(item: InboxItem, signal: AbortSignal): Promise<EvidenceSources['away']> {
      const range = findRange(leaveRanges(), item);
      if (range === undefined) return { items: [] };
      const approved = { status: decisions.approve.to, ...range } as const;
      const list = leavesOfEverybody ?? (await readList(api.leaves.list(approved), signal));
      // A server may ignore a filter.
      const leaves = list.rows.filter((row) => isApproved('leave', row));
      const away = leaves.map((row) => toInboxItem('leave', row)).filter((leave) => overlaps(item, leave));
      await names.member.load(away.map(({ userId }) => userId));
      return { items: away, problem: list.problem };
    },
  };
};

/** @param items all that waits */
export const createEvidenceLoader = (
  context: Pick<Context, 'api' | 'lists' | 'names'>,
  items: readonly InboxItem[],
  inboxContext: InboxContext,
): Load => {
  const { readWork, readAway } = createReaders(context, items, inboxContext);
  const waitingLeaves = items.filter(({ kind }) => kind === 'leave');
  return async (item, signal) => {
    const isLeave = item.kind === 'leave';
    const sources: EvidenceSources = {
      context: inboxContext.of(item),
      contracts: inboxContext.contractsOf(item),
      balanceProblem: inboxContext.balanceProblemOf(item),
      ...(isLeave ? { timesheets: NONE, timeRequests: NONE } : await readWork(item, signal)),
      away: isLeave ? await readAway(item, signal) : { items: [] },
      waitingLeaves,
      formatMember: (id) => context.names.member.of(id) ?? '?',
    };
    return describeEvidence(item, sources);
  };
};
