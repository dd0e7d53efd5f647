import type { Api } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { webhook } from '../../api/records.ts';
import { toText } from '../../json.ts';
import { createCreationReconciler } from '../reconcile/creation.ts';
import { type Reconcilers, readOne } from '../reconcile/reconciler.ts';
import { createDeletionReconciler, createUpdateReconciler } from '../reconcile/record-change.ts';

const asSet = (events: unknown): string =>
  Array.isArray(events) ? [...new Set(events.map(toText))].sort().join(' ') : '';

const alike = ({ url, events }: Row): string => `${toText(url)} ${asSet(events)}`;

const get = (api: Api, { webhookId }: Values) => api.webhooks.get({ webhookId: toText(webhookId) });

/** The record that a write names. */
const named = {
  key: ({ webhookId }: Values) => toText(webhookId),
  lists: (api: Api) => [api.webhooks.list({})],
};

export const webhookReconcilers: Reconcilers<'webhooks'> = {
  'webhooks.create': createCreationReconciler({
    operation: operations.webhooks.create,
    resource: webhook,
    list: (api) => api.webhooks.list({}),
    lists: (api) => [api.webhooks.list({})],
    alike,
    byLikeness: true,
    // A list leaves the token out.
    get: (api, id) => api.webhooks.get({ webhookId: id }),
  }),
  'webhooks.update': createUpdateReconciler({
    operation: operations.webhooks.update,
    resource: webhook,
    get,
    ...named,
  }),
  'webhooks.delete': createDeletionReconciler(webhook, {
    read: (api, values) => readOne(get(api, values)),
    ...named,
  }),
};
