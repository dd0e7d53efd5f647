import type { Api } from '../../api/client.ts';
import { operations } from '../../api/operations.ts';
import type { Row } from '../../api/page.ts';
import type { Values } from '../../api/plan.ts';
import { textOf } from '../../json/text.ts';
import {
  archival,
  creation,
  found,
  type Reconciler,
  type Reconcilers,
  verdict,
} from '../reconcile/reconciler.ts';

const asSet = (events: unknown): string =>
  Array.isArray(events) ? [...new Set(events.map(textOf))].sort().join(' ') : '';

const alike = ({ url, events }: Row): string => `${textOf(url)} ${asSet(events)}`;

const get = (api: Api, { webhookId }: Values) => api.webhooks.get({ webhookId: textOf(webhookId) });

const updated: Reconciler = {
  after: async (api, sent) => {
    const webhook = await found(get(api, sent));
    return webhook == null ? 'unknown' : verdict(alike(webhook) === alike(sent));
  },
  saved: { read: (api, sent) => found(get(api, sent)) },
};

export const webhookReconcilers: Reconcilers<'webhooks'> = {
  'webhooks.create': creation({
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
  'webhooks.delete': archival(get, () => false),
};
