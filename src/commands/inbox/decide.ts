import type { Api, ApiCall } from '../../api/client.ts';
import type { ChangeOfRun } from '../../changes/change.ts';
import { writeChanges } from '../../changes/write.ts';
import type { Confirmation, Context } from '../../context.ts';
import type { Review, ReviewDecision, ReviewItem } from '../../review.ts';
import { getItemKey, type InboxItem, type InboxKind } from './item.ts';
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

const counts = (choices: readonly ReviewDecision[]) => {
  const approved = choices.filter(({ verdict }) => verdict === 'approve').length;
  return [
    ...(approved === 0 ? [] : [`approve ${approved}`]),
    ...(approved === choices.length ? [] : [`reject ${choices.length - approved}`]),
  ];
};

const labelled = (label: string, text: string): string => `${label.padEnd(9)}  ${text}`;

const remarked = (items: readonly ReviewItem[]): number =>
  items.filter(({ warnings }) => warnings.length > 0).length;

/** How many are not shown, and whether any of them has a remark. */
const restLine = (verdict: string, rest: readonly ReviewItem[]): readonly string[] => {
  if (rest.length === 0) return [];
  const remarks = remarked(rest) === 0 ? '' : `, ${remarked(rest)} with warnings`;
  return [labelled(verdict, `and ${rest.length} more${remarks}`)];
};

/** Those with remarks first, as the screen has them; the rejections with their reasons last, next to the question. */
const factLines = (choices: readonly ReviewDecision[], { items }: Review): readonly string[] => {
  const given = new Map(choices.map((choice) => [choice.key, choice]));
  const told = (verdict: ReviewDecision['verdict']): readonly string[] => {
    const meant = items
      .filter(({ key }) => given.get(key)?.verdict === verdict)
      .sort((a, b) => Math.sign(b.warnings.length) - Math.sign(a.warnings.length));
    const shown = meant.slice(0, SAMPLE).flatMap((item) => {
      const choice = given.get(item.key);
      return [
        labelled(verdict, formatItemLine(item)),
        ...item.warnings.map((text) => labelled('!', text)),
        ...(choice?.verdict === 'reject' ? [labelled('reason', choice.reason)] : []),
      ];
    });
    return [...shown, ...restLine(verdict, meant.slice(SAMPLE))];
  };
  return [...told('approve'), ...told('reject')];
};

const changeOf = (
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
  readonly whole: boolean;
  /** In the order of the items. */
  readonly choices: readonly ReviewDecision[];
}

/** What is left, as far as it is known: what was not decided here may have been decided elsewhere meanwhile. */
const leftOver = (
  { commandLine }: Context,
  { choices, total, whole }: ChosenDecisions,
  done: number,
): string => {
  const inbox = commandLine`ttctl inbox`;
  const others = total - choices.length;
  if (done < choices.length) {
    return others === 0
      ? `See what is still waiting: ${inbox}`
      : `At least ${others} still waiting: ${inbox}`;
  }
  if (others > 0) return `${others} still waiting: ${inbox}`;
  return whole ? 'Nothing is waiting any more.' : `None of these is waiting any more. See all: ${inbox}`;
};

/** Each with its line on the screen. @throws UsageError for what cannot be sent */
const changesOf = ({ api }: Context, { items, choices, review }: ChosenDecisions): readonly ChangeOfRun[] => {
  const byKey = new Map(items.map((item) => [getItemKey(item), item]));
  const lines = new Map(review.items.map((item) => [item.key, formatItemLine(item)]));
  const changes = choices.flatMap((choice) => {
    const item = byKey.get(choice.key);
    return item === undefined ? [] : [{ ...changeOf(api, item, choice), label: lines.get(choice.key) }];
  });
  for (const { call } of changes) call.check();
  return changes.map((change, n) => ({ ...change, n }));
};

/** The question before all of it is sent. @throws UsageError for what cannot be sent */
export const buildQuestion = (context: Context, chosen: ChosenDecisions): Confirmation => {
  const { choices, review } = chosen;
  changesOf(context, chosen);
  return { question: counts(choices).join(' and '), facts: factLines(choices, review) };
};

/** Sends what was agreed to. @throws as `writeChanges` */
export const sendDecisions = async (context: Context, chosen: ChosenDecisions): Promise<void> => {
  const { choices } = chosen;
  const { settings, reviews } = context;
  const changes = changesOf(context, chosen);
  if (!settings.dryRun.value) {
    await reviews.remember(choices.flatMap((choice) => (choice.verdict === 'reject' ? [choice.reason] : [])));
  }
  await writeChanges(context, {
    verb: ['decide', 'decided'],
    noun: ['request', 'requests'],
    changes,
    formatSummary: (done) => leftOver(context, chosen, done.length),
  });
};
