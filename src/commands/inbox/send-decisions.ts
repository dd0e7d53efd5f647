import type { Api, ApiCall } from '../../api/client.ts';
import { type ChangeOfRun, pickSeen } from '../../changes/change.ts';
import { writeChanges } from '../../changes/write.ts';
import type { Context } from '../../context.ts';
import { getItemKey, type InboxItem, type InboxKind } from '../../pending/item.ts';
import type { Review, ReviewDecision } from '../../review.ts';
import { formatItemLine } from './present.ts';

/** Sends what was chosen: one run of several operations. */

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

const buildChange = (
  api: Api,
  { kind, id, record }: InboxItem,
  choice: ReviewDecision,
): Omit<ChangeOfRun, 'n' | 'label'> => {
  const calls = CALLS[kind];
  const rejected = choice.verdict === 'reject';
  const call = rejected ? calls.reject(api, id, choice.reason) : calls.approve(api, id);
  const after = rejected ? { [calls.reason]: choice.reason } : {};
  const columns = { operation: call.operation.id, id, ...after };
  return { target: id, key: `${kind}:${id}`, before: record, after, call, columns };
};

export interface ChosenDecisions {
  readonly items: readonly InboxItem[];
  /** How many wait, those that were not shown among them. */
  readonly total: number;
  readonly review: Review;
  /** Whether the list was of all: no filter, and no part of it missing. */
  readonly isComplete: boolean;
  /** In the order of the items. */
  readonly choices: readonly ReviewDecision[];
}

/** What is still waiting, as far as is known: others may have decided on some of it meanwhile. */
const formatRemaining = (
  { commandLine }: Context,
  { choices, total, isComplete }: ChosenDecisions,
  done: number,
): string => {
  const inbox = commandLine`ttctl inbox`;
  const undecided = total - choices.length;
  if (done < choices.length) {
    return undecided === 0
      ? `See what is still waiting: ${inbox}`
      : `At least ${undecided} still waiting: ${inbox}`;
  }
  if (undecided > 0) return `${undecided} still waiting: ${inbox}`;
  return isComplete ? 'Nothing is waiting any more.' : `None of these is waiting any more. See all: ${inbox}`;
};

/** Each with its line on the screen. @throws UsageError for what cannot be sent */
export const buildChanges = (
  { api }: Pick<Context, 'api'>,
  {
    items,
    choices,
    review,
  }: Pick<ChosenDecisions, 'items' | 'choices'> & {
    readonly review: Pick<Review, 'items'>;
  },
): readonly ChangeOfRun[] => {
  const itemsByKey = new Map(items.map((item) => [getItemKey(item), item]));
  const lines = new Map(review.items.map((item) => [item.key, formatItemLine(item)]));
  const changes = choices.flatMap((choice) => {
    const item = itemsByKey.get(choice.key);
    return item === undefined ? [] : [{ ...buildChange(api, item, choice), label: lines.get(choice.key) }];
  });
  for (const { call } of changes) call.check();
  return changes.map((change, n) => ({ ...change, n }));
};

/** Sends what was agreed to. @throws UsageError for what cannot be sent; as `writeChanges` */
export const sendDecisions = async (context: Context, chosen: ChosenDecisions): Promise<void> => {
  const { choices } = chosen;
  const { settings, reviews } = context;
  const changes = buildChanges(context, chosen);
  if (!settings.dryRun.value) {
    await reviews.remember(choices.flatMap((choice) => (choice.verdict === 'reject' ? [choice.reason] : [])));
  }
  for (const change of changes) change.seen = pickSeen(change.call.operation.id, { record: change.before });
  await writeChanges(context, {
    verb: ['decide', 'decided'],
    noun: ['request', 'requests'],
    changes,
    seenAt: context.clock.now(),
    formatSummary: (done) => formatRemaining(context, chosen, done.length),
  });
};
