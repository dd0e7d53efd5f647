import { type HandlerAnswer, invalid, requireRecord } from '../answer.ts';
import { type Call, type Route, route } from '../call.ts';
import * as read from '../input.ts';
import { newWebhook } from '../records.ts';
import type { Webhook } from '../world.ts';

/** Webhooks as they are registered; what is sent to them is in `deliveries/`. */

export const webhookRoutes: readonly Route[] = [
  route('GET /webhooks', list),
  { ...route('POST /webhooks', create), workspace: 'body', form: true },
  // The secret is returned on create and get (docs/service.md, Webhooks).
  route('GET /webhooks/{webhookId}', (call) => ({ data: requireWebhook(call) })),
  { ...route('PUT /webhooks/{webhookId}', update), workspace: 'body', form: true },
  { ...route('DELETE /webhooks/{webhookId}', remove), workspace: 'body' },
];

/** 50 rows a page (docs/service.md, Paging). */
function list({ input, workspace }: Call): HandlerAnswer {
  const rows = Object.values(workspace.webhooks);
  return input.page(rows, ({ id, url, events }) => ({ id, url, events }), { perPage: 50 });
}

function readBody({ input }: Call): { url: string; events: string[] } {
  const url = input.need('url', read.filledText);
  const events = input.need('events', read.list(read.filledText));
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw invalid('url', 'The url field must be a valid URL.');
  if (events.length === 0) throw invalid('events', 'The events field is required.');
  return { url, events: [...new Set(events)] };
}

function create(call: Call): HandlerAnswer {
  const { url, events } = readBody(call);
  return { data: newWebhook(call, url, events) };
}

function requireWebhook({ workspace, path }: Call): Webhook {
  return requireRecord(workspace.webhooks, 'webhook', path['webhookId']);
}

function update(call: Call): HandlerAnswer {
  const webhook = requireWebhook(call);
  Object.assign(webhook, readBody(call));
  return {};
}

function remove(call: Call): HandlerAnswer {
  delete call.workspace.webhooks[requireWebhook(call).id];
  return {};
}
