import { toText } from '../json/stringify.ts';
import { formatHours } from '../parsing/duration.ts';
import { isRunning } from '../resources/contract.ts';
import { decisions } from '../resources/resource.ts';
import type { Evidence, EvidencePart } from '../review.ts';
import {
  chartHours,
  describeLastDecision,
  describeSheet,
  describeUnreadable,
  type EvidenceSources,
  part,
} from './evidence-hours.ts';
import { type InboxItem, toInboxItem } from './item.ts';
import { isApproved } from './load-inbox.ts';
import type { RowList } from './related.ts';
import { formatCount, formatDays } from './text.ts';
import { overlaps, type WarningContext } from './warnings.ts';

/** What is known around a thing that waits, as facts and a chart for the person who decides. Pure. */

/** People who are away at the same time: so many by name. */
const MAX_AWAY = 6;

const describeLimit = ({ weeklyLimit }: WarningContext): EvidencePart =>
  part(
    'weekly limit',
    weeklyLimit === undefined ? 'none' : weeklyLimit === null ? 'cannot be read' : formatHours(weeklyLimit),
  );

const describeContracts = ({ rows, problem }: RowList): EvidencePart => {
  if (problem !== undefined) return part('contracts', describeUnreadable('contracts', problem));
  const lines = rows.map((row) => {
    const hours = Number(row.weekly_hours_limit ?? Number.NaN);
    const limit = Number.isFinite(hours) ? ` (${formatHours(hours)})` : '';
    return `${toText(row.project_name ?? row.project_id)}${limit}${isRunning(row) ? '' : `, ${toText(row.status)}`}`;
  });
  return part('contracts', lines.length === 0 ? 'none' : lines);
};

const formatTimeRequest = ({ from, to, hours }: InboxItem, today: string): string =>
  `time request ${formatDays(`${from}`, `${to}`, today)}${hours === null ? '' : `, ${formatHours(hours)}`}`;

/** Leaves and time requests of the same person on the days of the timesheet. */
const describeSamePeriod = (
  item: InboxItem,
  { context: { waiting, approved, today }, timeRequests }: EvidenceSources,
): EvidencePart => {
  const describe = (state: string) => (other: InboxItem) =>
    `${other.kind === 'leave' ? `leave ${formatDays(`${other.from}`, `${other.to}`, today)}` : formatTimeRequest(other, today)} (${state})`;
  // A server may ignore a filter.
  const times = timeRequests.rows
    .filter((row) => isApproved('time-request', row))
    .map((row) => toInboxItem('time-request', row));
  const isInside = (other: InboxItem) => other.kind !== 'timesheet' && overlaps(item, other);
  const accepted = [...approved.filter(({ kind }) => kind === 'leave'), ...times];
  const lines = [
    ...accepted.filter(isInside).map(describe(decisions.approve.to)),
    ...waiting.filter(isInside).map(describe('waiting')),
    ...(timeRequests.problem === undefined
      ? []
      : [describeUnreadable('time requests', timeRequests.problem)]),
  ];
  return part('on these days', lines.length === 0 ? 'no leave, no time request' : lines);
};

const describeBalance = (
  { days, hours }: InboxItem,
  { context: { balance }, balanceProblem }: EvidenceSources,
): EvidencePart => {
  if (balanceProblem !== undefined) return part('balance', describeUnreadable('balances', balanceProblem));
  if (balance === undefined) return part('balance', 'not known');
  if (balance === null) return part('balance', 'cannot be read');
  const unit = balance.unit.slice(0, -1);
  const requested = balance.unit === 'days' ? days : hours;
  const now = `${formatCount(balance.amount, unit)} now`;
  return part(
    'balance',
    requested === null ? now : `${now}, ${formatCount(balance.amount - requested, unit)} after`,
  );
};

const describeAway = (
  item: InboxItem,
  { context: { today }, away, waitingLeaves, formatMember }: EvidenceSources,
): EvidencePart => {
  const describe = (state: string) => (other: InboxItem) =>
    `${formatMember(other.userId)} ${formatDays(`${other.from}`, `${other.to}`, today)}${state}`;
  const isOther = (other: InboxItem) => toText(other.userId) !== toText(item.userId) && overlaps(item, other);
  const lines = [
    ...away.items.filter(isOther).map(describe('')),
    ...waitingLeaves.filter(isOther).map(describe(' (requested)')),
    ...(away.problem === undefined ? [] : [describeUnreadable('leaves', away.problem)]),
  ];
  const more = lines.length > MAX_AWAY ? [`and ${lines.length - MAX_AWAY + 1} more`] : [];
  const shown = more.length === 0 ? lines : lines.slice(0, MAX_AWAY - 1);
  return part('also away', lines.length === 0 ? 'nobody' : [...shown, ...more]);
};

const describePolicy = ({ context: { policy } }: EvidenceSources): EvidencePart => {
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
};

type Describe = (item: InboxItem, sources: EvidenceSources) => Evidence;

const DESCRIBE: Readonly<Record<InboxItem['kind'], Describe>> = {
  timesheet: (item, sources) => [
    describeLimit(sources.context),
    describeContracts(sources.contracts),
    ...chartHours(item, sources),
    describeSamePeriod(item, sources),
    ...describeLastDecision(item, sources),
  ],
  leave: (item, sources) => [
    describeBalance(item, sources),
    describeAway(item, sources),
    describePolicy(sources),
  ],
  'time-request': (item, sources) => [describeSheet(item, sources), describeLimit(sources.context)],
};

export const describeEvidence: Describe = (item, sources) => DESCRIBE[item.kind](item, sources);
