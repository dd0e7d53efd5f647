import { answerData, type HandlerAnswer } from '../answer.ts';
import { getPathValue, type Route, type WorkspaceCall } from '../call.ts';
import { toInwardId, toOutwardId } from '../ids.ts';
import { answerPage, slicePage } from '../paging.ts';
import { listReader, textReader } from '../read.ts';
import type { Webhook } from '../records.ts';
import { invalid, notFound } from '../refusal.ts';
import { createSecret, createUuid, drawRandom, findRecord } from '../state.ts';

/** Rows of a page (docs/service.md, Paging). */
const ROWS_PER_PAGE = 50;

const toWebhookRow = (call: WorkspaceCall, webhook: Webhook) => ({
  id: toOutwardId(call.dialect, webhook.id),
  url: webhook.url,
  events: webhook.events,
});

/** The secret is returned on create and get (docs/service.md, Webhooks). */
const toWebhookDetails = (call: WorkspaceCall, webhook: Webhook) => ({
  ...toWebhookRow(call, webhook),
  token: webhook.token,
});

const list = (call: WorkspaceCall): HandlerAnswer => {
  const rows = Object.values(call.workspace.webhooks);
  if (call.dialect.webhooks === 'newer') {
    return answerPage(call, rows, (row) => toWebhookRow(call, row), { perPage: ROWS_PER_PAGE });
  }
  const slice = slicePage(call, rows, { perPage: ROWS_PER_PAGE });
  return {
    bare: {
      max_rows: slice.pagination.per_page,
      current_page: slice.pagination.current_page,
      total_pages: slice.pagination.last_page,
      data: slice.rows.map((row) => toWebhookRow(call, row)),
    },
  };
};

const isHttp = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

const readBody = (call: WorkspaceCall): { url: string; events: string[] } => {
  const url = call.input.need('url', textReader);
  const events = call.input.need('events', listReader(textReader));
  if (!isHttp(url)) throw invalid('url', 'The url field must be a valid URL.');
  if (events.length === 0) throw invalid('events', 'The events field is required.');
  return { url, events: [...new Set(events)] };
};

const create = (call: WorkspaceCall): HandlerAnswer => {
  const body = readBody(call);
  const token = `whsec_${createSecret(() => drawRandom(call.world), 32)}`;
  const webhook: Webhook = { id: createUuid(call.world), ...body, token };
  call.workspace.webhooks[webhook.id] = webhook;
  return { created: 200, data: toWebhookDetails(call, webhook) };
};

/** @throws Refusal (404). */
const requireWebhook = (call: WorkspaceCall): Webhook => {
  const id = getPathValue(call, 'webhookId');
  const webhook = findRecord(call.workspace.webhooks, toInwardId(call.dialect, id));
  if (webhook === undefined) throw notFound('webhook', id);
  return webhook;
};

const update = (call: WorkspaceCall): HandlerAnswer => {
  const webhook = requireWebhook(call);
  Object.assign(webhook, readBody(call));
  return {};
};

const remove = (call: WorkspaceCall): HandlerAnswer => {
  delete call.workspace.webhooks[requireWebhook(call).id];
  return {};
};

export const routes: readonly Route[] = [
  {
    route: 'GET /webhooks',
    handle: list,
  },
  {
    route: 'POST /webhooks',
    workspace: 'body',
    form: true,
    handle: create,
  },
  {
    route: 'GET /webhooks/{webhookId}',
    handle: (call) => answerData(toWebhookDetails(call, requireWebhook(call))),
  },
  {
    route: 'PUT /webhooks/{webhookId}',
    workspace: 'body',
    form: true,
    handle: update,
  },
  {
    route: 'DELETE /webhooks/{webhookId}',
    workspace: 'body',
    handle: remove,
  },
];
