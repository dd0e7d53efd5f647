import type { Api } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { toText } from '../../json/stringify.ts';
import {
  createArchivalReconciler,
  createCreationReconciler,
  type Reconciler,
  type Reconcilers,
  readOne,
  toOutcome,
} from '../reconcile/reconciler.ts';

const asSet = (events: unknown): string =>
  Array.isArray(events) ? [...new Set(events.map(toText))].sort().join(' ') : '';

const alike = ({ url, events }: Row): string => `${toText(url)} ${asSet(events)}`;

const get = (api: Api, { webhookId }: Values) => api.webhooks.get({ webhookId: toText(webhookId) });

const updated: Reconciler = {
  after: async (api, sent) => {
    const webhook = await readOne(get(api, sent));
    return webhook == null ? 'unknown' : toOutcome(alike(webhook) === alike(sent));
  },
  saved: { read: (api, sent) => readOne(get(api, sent)) },
};

export const webhookReconcilers: Reconcilers<'webhooks'> = {
  'webhooks.create': createCreationReconciler({
    operation: operations.webhooks.create,
    list: (api) => api.webhooks.list({}),
    lists: (api) => [api.webhooks.list({})],
    sentAs: alike,
    shownAs: alike,
    byLikeness: true,
    // A list leaves the token out.
    get: (api, id) => api.webhooks.get({ webhookId: id }),
  }),
  'webhooks.update': updated,
  // A webhook that is gone is not found.
  'webhooks.delete': createArchivalReconciler(get, () => false),
};
