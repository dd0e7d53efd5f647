import type { Api, ApiCall } from '../../api/client.ts';
import type { ChangeOfRun } from '../../changes/change.ts';
import { writeChanges } from '../../changes/write.ts';
import type { Confirmation, Context } from '../../context.ts';
import { getItemKey, type InboxItem, type InboxKind } from '../../pending/item.ts';
import type { Review, ReviewDecision, ReviewItem } from '../../review.ts';
import { formatItemLine } from './present.ts';

/** Sends what was chosen: one question, one run of several operations. */

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

/** So many lines of each decision are shown before the question. */
const SAMPLE = 5;

const formatCounts = (choices: readonly ReviewDecision[]) => {
  const approved = choices.filter(({ verdict }) => verdict === 'approve').length;
  return [
    ...(approved === 0 ? [] : [`approve ${approved}`]),
    ...(approved === choices.length ? [] : [`reject ${choices.length - approved}`]),
  ];
};

const formatLabelled = (label: string, text: string): string => `${label.padEnd(9)}  ${text}`;

const countWithWarnings = (items: readonly ReviewItem[]): number =>
  items.filter(({ warnings }) => warnings.length > 0).length;

/** How many are not shown, and how many of them have warnings. */
const formatRest = (verdict: string, rest: readonly ReviewItem[]): readonly string[] => {
  if (rest.length === 0) return [];
  const suffix = countWithWarnings(rest) === 0 ? '' : `, ${countWithWarnings(rest)} with warnings`;
  return [formatLabelled(verdict, `and ${rest.length} more${suffix}`)];
};

/** Those with warnings first, as the screen has them; the rejections with their reasons last, next to the question. */
const listFacts = (choices: readonly ReviewDecision[], { items }: Review): readonly string[] => {
  const choicesByKey = new Map(choices.map((choice) => [choice.key, choice]));
  const describeVerdict = (verdict: ReviewDecision['verdict']): readonly string[] => {
    const matching = items
      .filter(({ key }) => choicesByKey.get(key)?.verdict === verdict)
      .sort((a, b) => Math.sign(b.warnings.length) - Math.sign(a.warnings.length));
    const lines = matching.slice(0, SAMPLE).flatMap((item) => {
      const choice = choicesByKey.get(item.key);
      return [
        formatLabelled(verdict, formatItemLine(item)),
        ...item.warnings.map((text) => formatLabelled('!', text)),
        ...(choice?.verdict === 'reject' ? [formatLabelled('reason', choice.reason)] : []),
      ];
    });
    return [...lines, ...formatRest(verdict, matching.slice(SAMPLE))];
  };
  return [...describeVerdict('approve'), ...describeVerdict('reject')];
};

const buildChange = (
  api: Api,
  { kind, id }: InboxItem,
  choice: ReviewDecision,
): Omit<ChangeOfRun, 'n' | 'label'> => {
  const calls = CALLS[kind];
  const rejected = choice.verdict === 'reject';
  const call = rejected ? calls.reject(api, id, choice.reason) : calls.approve(api, id);
  const after = rejected ? { [calls.reason]: choice.reason } : {};
  const columns = { operation: call.operation.id, id, ...after };
  return { target: id, key: `${kind}:${id}`, after, call, columns };
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
  { items, choices, review }: Pick<ChosenDecisions, 'items' | 'choices' | 'review'>,
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

/** The question before all of it is sent. @throws UsageError for what cannot be sent */
export const buildQuestion = (context: Context, chosen: ChosenDecisions): Confirmation => {
  const { choices, review } = chosen;
  buildChanges(context, chosen);
  return { question: formatCounts(choices).join(' and '), facts: listFacts(choices, review) };
};

/** Sends what was agreed to. @throws as `writeChanges` */
export const sendDecisions = async (context: Context, chosen: ChosenDecisions): Promise<void> => {
  const { choices } = chosen;
  const { settings, reviews } = context;
  const changes = buildChanges(context, chosen);
  if (!settings.dryRun.value) {
    await reviews.remember(choices.flatMap((choice) => (choice.verdict === 'reject' ? [choice.reason] : [])));
  }
  await writeChanges(context, {
    verb: ['decide', 'decided'],
    noun: ['request', 'requests'],
    changes,
    formatSummary: (done) => formatRemaining(context, chosen, done.length),
  });
};
