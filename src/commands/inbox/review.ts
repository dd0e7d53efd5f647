import type { Api, ApiCall } from '../../api/client.ts';
import { type Change, pickSeen } from '../../changes/change.ts';
import { writeChanges } from '../../changes/write.ts';
import type { Context, Names } from '../../context.ts';
import { createEvidenceLoader } from '../../decide/evidence.ts';
import { getItemKey, type InboxItem, type InboxKind, parseInstant } from '../../decide/item.ts';
import type { Inbox } from '../../decide/load-inbox.ts';
import type { PendingItem } from '../../decide/pending.ts';
import { describeUnread } from '../../decide/read-lists.ts';
import {
  countDaysBetween,
  formatAge,
  formatCount,
  formatDay,
  formatDays,
  formatWeekday,
} from '../../decide/text.ts';
import { toText } from '../../json.ts';
import { formatHours, getOffsetMinutes, getToday } from '../../parsing/calendar.ts';
import type { Review, ReviewDecision, ReviewItem } from '../../review.ts';
import { formatMember } from './rows.ts';

/** The inbox at a terminal: a screen to choose on, then one run of several operations. */

/** What is known of all that waits. */
export interface LoadedInbox {
  readonly inbox: Inbox;
  /** Those that are meant. */
  readonly pending: readonly PendingItem[];
  /** How many of them there are, `--limit` aside. */
  readonly total: number;
  /** Whether no filter, and no list that is missing, keeps anything that waits from being among them. */
  readonly isComplete: boolean;
}

interface DisplayContext {
  readonly names: Names;
  readonly timeZone: string;
  readonly today: string;
}

/** `2026-11-20T09:00` in the zone. */
const toLocalTime = (ms: number, timeZone: string): string =>
  new Date(ms + getOffsetMinutes(ms, timeZone) * 60_000).toISOString().slice(0, 16);

const SHORT_KINDS: Readonly<Record<InboxKind, string>> = {
  timesheet: 'sheet',
  leave: 'leave',
  'time-request': 'time',
};

/** `Nov 9–15`; of a time request the day in the zone on which it begins, as its hours are shown. */
const formatWhen = ({ kind, start, from, to }: InboxItem, { today, timeZone }: DisplayContext): string => {
  const ms = kind === 'time-request' ? parseInstant(start) : null;
  if (ms !== null) return formatDay(toLocalTime(ms, timeZone).slice(0, 10), today);
  return from === null || to === null ? '?' : formatDays(from, to, today);
};

const formatAmount = ({ kind, days, hours }: InboxItem): string => {
  if (kind === 'leave' && days !== null) return `${Math.round(days * 100) / 100} d`;
  return hours === null ? '?' : formatHours(hours);
};

/** `Mon Nov 9 to Sun Nov 15`, `… (30 days)`, `Thu Nov 19 09:00 to 11:00 (Europe/Berlin)` */
const formatDates = (item: InboxItem, { today, timeZone }: DisplayContext): string => {
  const [start, end] = [parseInstant(item.start), parseInstant(item.end)];
  if (item.kind === 'time-request' && start !== null && end !== null) {
    const [first, last] = [toLocalTime(start, timeZone), toLocalTime(end, timeZone)];
    const day = last.slice(0, 10) === first.slice(0, 10) ? '' : `${formatWeekday(last.slice(0, 10), today)} `;
    return `${formatWeekday(first.slice(0, 10), today)} ${first.slice(11)} to ${day}${last.slice(11)} (${timeZone})`;
  }
  if (item.from === null || item.to === null) return '?';
  if (item.from === item.to) return formatWeekday(item.from, today);
  const days = countDaysBetween(item.from, item.to) + 1;
  const length = item.days !== null || days === 7 ? '' : ` (${days} days)`;
  return `${formatWeekday(item.from, today)} to ${formatWeekday(item.to, today)}${length}`;
};

/** `2 days (16:00 hours), paid`, with the label of its unit. */
const describeLength = ({ days, hours, paid }: InboxItem): readonly [label: string, text: string] => {
  const inHours = hours === null ? undefined : `${formatHours(hours)} hours`;
  const inDays = days === null ? undefined : formatCount(days, 'day');
  const length =
    inDays !== undefined && inHours !== undefined ? `${inDays} (${inHours})` : (inDays ?? inHours);
  const pay = paid === null ? undefined : paid ? 'paid' : 'unpaid';
  const label = days !== null ? 'days' : hours !== null ? 'hours' : 'pay';
  return [label, [length, pay].filter((part) => part !== undefined).join(', ')];
};

const listFacts = (pending: PendingItem, display: DisplayContext): ReturnType<ReviewItem['facts']> => {
  const { item, around, seconds, warnings } = pending;
  const { names, timeZone, today } = display;
  const { email, current_role: role } = around.member ?? {};
  const since = item.since === null ? '' : toLocalTime(item.since, timeZone);
  const began = `${formatDay(since.slice(0, 10), today)} ${since.slice(11)} (${timeZone})`;
  const facts: (readonly [string, string | null | undefined])[] = [
    ['type', item.kind.replace('-', ' ')],
    ['member', [formatMember(pending, names), ...(email == null ? [] : [toText(email)])].join(', ')],
    ['role', role == null ? undefined : toText(role)],
    ['when', formatDates(item, display)],
    describeLength(item),
    ...warnings.map(({ text }) => ['warning', text] as const),
    ['policy', names.policy.of(item.policyId)],
    ['project', names.project.of(item.projectId)],
    ['note', item.note],
    ['waiting', seconds === null ? undefined : `${formatAge(seconds)}, since ${began}`],
    ['id', item.id],
  ];
  return facts.flatMap(([label, text]) => (text == null || text === '' ? [] : [[label, text] as const]));
};

/** All that a decision is about. */
const formatVersion = (item: InboxItem): string => {
  const { userId, from, to, start, end, hours, days, policyId, projectId, paid, note, sinceText } = item;
  const parts = [userId, from, to, start, end, hours, days, policyId, projectId, paid, note, sinceText];
  return parts.map((value) => toText(value ?? '')).join('\n');
};

/** A thing that waits as the review screen shows it: facts and version are made when they are asked for. */
export const toReviewItem = (pending: PendingItem, display: DisplayContext): ReviewItem => {
  const { item, around, seconds } = pending;
  const { kind, note, policyId, projectId } = item;
  const { names } = display;
  const about = kind === 'leave' ? names.policy.of(policyId) : names.project.of(projectId);
  return {
    key: getItemKey(item),
    kind,
    kindBrief: SHORT_KINDS[kind],
    who: formatMember(pending, names),
    when: formatWhen(item, display),
    amount: formatAmount(item),
    waits: seconds === null ? '?' : formatAge(seconds),
    about: about ?? undefined,
    note: note ?? undefined,
    get warnings() {
      return pending.warnings.map(({ text }) => text);
    },
    email: toText(around.member?.email ?? ''),
    version: () => formatVersion(item),
    facts: () => listFacts(pending, display),
  };
};

interface Calls {
  readonly approve: (api: Api, id: string) => ApiCall;
  readonly reject: (api: Api, id: string, reason: string) => ApiCall;
  /** What a rejection calls its words. */
  readonly reason: 'reason' | 'comment';
}

const CALLS: Readonly<Record<InboxKind, Calls>> = {
  timesheet: {
    approve: ({ timesheets }, timesheetId) => timesheets.approve({ timesheetId }),
    reject: ({ timesheets }, timesheetId, reason) => timesheets.reject({ timesheetId, reason }),
    reason: 'reason',
  },
  leave: {
    approve: ({ leaves }, leaveRequestId) => leaves.approve({ leaveRequestId }),
    reject: ({ leaves }, leaveRequestId, reason) => leaves.reject({ leaveRequestId, reason }),
    reason: 'reason',
  },
  'time-request': {
    approve: ({ timeRequests }, id) => timeRequests.approve({ id }),
    reject: ({ timeRequests }, id, comment) => timeRequests.reject({ id, comment }),
    reason: 'comment',
  },
};

const getDisplay = (context: Context): DisplayContext => {
  const timeZone = context.timeZone();
  return { names: context.names, timeZone, today: getToday(context.clock.now(), timeZone) };
};

/** Each with its line on the screen: `Aoife Byrne  leave  Dec 5–9  5 d`. @throws UsageError for what cannot be sent */
export const buildChanges = (
  context: Context,
  pending: readonly PendingItem[],
  choices: readonly ReviewDecision[],
): readonly Change[] => {
  const display = getDisplay(context);
  const byKey = new Map(pending.map((one) => [getItemKey(one.item), one]));
  return choices.flatMap((choice, n): readonly Change[] => {
    const one = byKey.get(choice.key);
    if (one === undefined) return [];
    const { kind, id, record } = one.item;
    const { approve, reject, reason } = CALLS[kind];
    const isRejected = choice.verdict === 'reject';
    const call = isRejected ? reject(context.api, id, choice.reason) : approve(context.api, id);
    call.check();
    const after = isRejected ? { [reason]: choice.reason } : {};
    const columns = { operation: call.operation.id, id, ...after };
    const { who, when, amount } = toReviewItem(one, display);
    const label = [who, kind, when, amount].join('  ');
    return [{ n, target: id, key: choice.key, before: record, after, call, columns, label }];
  });
};

/** What is still waiting, as far as is known: others may have decided on some of it meanwhile. */
const formatRemaining = (undecided: number, isDone: boolean, isComplete: boolean, inbox: string): string => {
  if (!isDone && undecided === 0) return `See what is still waiting: ${inbox}`;
  if (undecided > 0) return `${isDone ? '' : 'At least '}${undecided} still waiting: ${inbox}`;
  return isComplete ? 'Nothing is waiting any more.' : `None of these is waiting any more. See all: ${inbox}`;
};

export const reviewInbox = async (
  context: Context,
  { inbox: { missing, oddStates }, pending, total, isComplete }: LoadedInbox,
  emptyMessage: string,
): Promise<void> => {
  const { reviews, output, watch, commandLine } = context;
  if (pending.length === 0) return output.note(emptyMessage);
  const display = getDisplay(context);
  const loadEvidence = createEvidenceLoader(context, pending);
  const again = commandLine`ttctl inbox`;
  const review: Review = {
    items: pending.map((one) => toReviewItem(one, display)),
    warnings: [...missing.map(describeUnread), ...oddStates],
    again,
    isWhole: isComplete && pending.length === total,
    // Within work, so that a wait for the rate limit is not written over the screen.
    evidence: async (key, signal) => {
      const one = pending.find(({ item }) => getItemKey(item) === key);
      if (one === undefined) return [];
      return watch.during(
        () => 'reading the inbox',
        () => loadEvidence(one, signal),
      );
    },
  };
  const { choices, plan } = await reviews.ask(review);
  if (choices.length === 0) return output.note(`Nothing was decided. ${total} still waiting.`);
  const target = plan === undefined ? context : context.planning(plan);
  const changes = buildChanges(target, pending, choices);
  for (const change of changes) change.seen = pickSeen(change.call.operation.id, { record: change.before });
  await writeChanges(target, {
    verb: ['decide', 'decided'],
    noun: ['request', 'requests'],
    changes,
    seenAt: context.clock.now(),
    formatSummary: (done) =>
      formatRemaining(total - choices.length, done.length >= choices.length, isComplete, again),
  });
  await reviews.finish();
};
