import type { Api } from '../../api/client.ts';
import { decisions, type Transition } from '../../api/fields.ts';
import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { timeRequest } from '../../api/records.ts';
import { toNumber, toText } from '../../json.ts';
import { DAY_MS, toUtcDay } from '../../parsing/calendar.ts';
import { createCreationReconciler } from '../reconcile/creation.ts';
import { type Reconciler, type Reconcilers, readOne } from '../reconcile/reconciler.ts';
import { createTransitionReconciler } from '../reconcile/record-change.ts';

const get = (api: Api, id: unknown) => api.timeRequests.get({ id: toText(id) });

const createReconciler = (transition: Transition): Reconciler =>
  createTransitionReconciler(timeRequest, transition, {
    read: (api, { id }) => readOne(get(api, id)),
    key: ({ id }) => toText(id),
    lists: (api) => [api.timeRequests.list({})],
    others: ({ comment }: Values) => (comment === undefined ? {} : { comment }),
  });

const instant = (value: unknown): number => Date.parse(toText(value));

/** Requests of the same time of the same contract. */
const alike = ({ contract_id: contract, start, end }: Row): string =>
  JSON.stringify([toText(contract), instant(start), instant(end)]);

/** A day more on either side: filters may mean another zone. */
const days = (sent: readonly Values[]) => {
  const starts = sent.map(({ start }) => instant(start));
  const ends = sent.map(({ end }) => instant(end));
  const first = starts.reduce((least, ms) => Math.min(least, ms), Number.POSITIVE_INFINITY);
  const last = ends.reduce((most, ms) => Math.max(most, ms), Number.NEGATIVE_INFINITY);
  return { date_from: toUtcDay(first - DAY_MS), date_to: toUtcDay(last + DAY_MS) };
};

const created = createCreationReconciler({
  operation: operations.timeRequests.create,
  resource: timeRequest,
  list: (api, sent) =>
    Number.isNaN(instant(sent.start)) || Number.isNaN(instant(sent.end)) || sent.user_id === undefined
      ? undefined
      : api.timeRequests.list({ user_id: toNumber(sent.user_id), ...days([sent]) }),
  lists: (api, all) => (all.length === 0 ? [] : [api.timeRequests.list(days(all))]),
  alike,
  byLikeness: true,
  get,
});

export const timeRequestReconcilers: Reconcilers<'time-requests'> = {
  'time-requests.approve': createReconciler(decisions.approve),
  'time-requests.reject': createReconciler(decisions.reject),
  'time-requests.create': created,
};
