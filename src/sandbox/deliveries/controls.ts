import type { SandboxRequest } from '../exchange.ts';
import type { WebhookControl } from './control.ts';

/** `/_sandbox/webhooks/…` on a server, between JSON and the control; both ends are here. */

/** Sends a request to `/_sandbox/<name>` and returns what its answer holds. */
export type Call = (method: 'GET' | 'POST', name: string, body: unknown) => Promise<unknown>;

const LIST = '/_sandbox/webhooks/deliveries';

/** What anybody on this machine may see; undefined: another path. */
export const lookAtWebhooks = async (
  webhooks: WebhookControl,
  { path, query }: SandboxRequest,
): Promise<unknown> => {
  if (path === LIST) return webhooks.deliveries(Object.fromEntries(query));
  if (!path.startsWith(`${LIST}/`)) return undefined;
  return webhooks.delivery(path.slice(LIST.length + 1));
};

/** What the holder of the secret may do; undefined: another path. */
export const actOnWebhooks = async (
  webhooks: WebhookControl,
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<unknown> => {
  const plan = body['plan'] === true;
  switch (path) {
    case '/_sandbox/webhooks/redeliver': {
      const ids = Array.isArray(body['ids']) ? body['ids'].map(String) : [];
      return webhooks.redeliver(ids, plan);
    }
    case '/_sandbox/webhooks/deliver':
      return webhooks.deliver(body['all'] === true, plan);
    case '/_sandbox/webhooks/trigger': {
      const { webhook, data } = body;
      const wish = {
        event: String(body['event'] ?? ''),
        ...(typeof webhook === 'string' ? { webhook } : {}),
        ...(data === undefined ? {} : { data }),
      };
      return webhooks.trigger(wish, plan);
    }
    default:
      return undefined;
  }
};

/** The other end: the answers are those of the two above. */
export const remoteWebhooks = (call: Call): WebhookControl => {
  const typed = async <T>(answer: Promise<unknown>): Promise<T> => (await answer) as T;
  return {
    deliveries: (filter) => {
      const given = Object.entries(filter).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, String(value)]],
      );
      return typed(call('GET', `webhooks/deliveries?${new URLSearchParams(given)}`, undefined));
    },
    delivery: (id) => typed(call('GET', `webhooks/deliveries/${encodeURIComponent(id)}`, undefined)),
    redeliver: (ids, plan) => typed(call('POST', 'webhooks/redeliver', { ids, plan })),
    deliver: (all, plan) => typed(call('POST', 'webhooks/deliver', { all, plan })),
    trigger: (wish, plan) => typed(call('POST', 'webhooks/trigger', { ...wish, plan })),
  };
};
