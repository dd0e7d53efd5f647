import { Failure } from '../../../outcome.ts';
import { DELIVERY_STATUSES } from '../../deliveries/delivery.ts';
import type { StoredDeliveryDetails, StoredDeliveryRow } from '../../deliveries/rows.ts';
import { loadEvents } from '../../routes.ts';
import { html, type Markup } from '../html.ts';
import {
  renderBadge,
  renderCode,
  renderFacts,
  renderLines,
  renderOption,
  renderStatusBadge,
  renderText,
  renderTime,
} from './markup.ts';
import { renderTable, type TableHead } from './table.ts';
import { renderForm, renderHiddenInput, renderLive, type View, type ViewModel } from './view.ts';

/** What was sent to webhooks, and one delivery whole. */

const HEADS: readonly TableHead[] = [
  { title: 'Delivery' },
  { title: 'Event' },
  { title: 'Status' },
  { title: 'Tries', number: true, drop: 1 },
  { title: 'Created', drop: 1 },
  { title: 'Next try', drop: 2 },
  { title: 'Reason', drop: 3 },
  { title: 'To', drop: 2 },
];

const renderRedeliverButton = (model: ViewModel, id: string, label: string): Markup =>
  renderForm(
    model,
    'redeliver',
    html`${renderHiddenInput('id', id)}<button>${label}<span class="unseen"> ${id}</span></button>`,
    { inline: true },
  );

const renderCells = (model: ViewModel, row: StoredDeliveryRow): Markup[] => [
  html`<a href="/_sandbox/view/deliveries/${row.id}"><code>${row.id}</code></a>`,
  renderText(row.event),
  renderBadge(row.status),
  renderText(row.attempts),
  renderTime(row.created_at),
  renderTime(row.next_attempt_at),
  renderText(row.reason),
  renderCode(row.url),
  renderRedeliverButton(model, row.id, 'Redeliver'),
];

const formatBody = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
};

const formatHeaders = ({ request }: StoredDeliveryDetails): string =>
  [
    `${request.method} ${request.url}`,
    ...Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`),
  ].join('\n');

const renderDelivery = (model: ViewModel, row: StoredDeliveryDetails): View => ({
  title: row.id,
  body: html`<p class="crumbs"><a href="/_sandbox/view/deliveries">Deliveries</a></p>
<h1>${row.event}</h1>
<div class="bar">${renderBadge(row.status)}${renderRedeliverButton(model, row.id, 'Redeliver')}</div>
${renderFacts([
  ['id', renderCode(row.id)],
  ['reason', renderText(row.reason)],
  ['created', renderTime(row.created_at)],
  ['next try', renderTime(row.next_attempt_at)],
  ['webhook', renderCode(row.webhook_id)],
  ['workspace', renderText(row.workspace_id)],
])}
<h2>Last request</h2>
${renderLines(formatHeaders(row))}
<h2>Body</h2>
${renderLines(formatBody(row.request.body))}
<h2>Attempts</h2>
${renderTable(
  'Attempts',
  [
    { title: 'Time' },
    { title: 'Answer' },
    { title: 'Reason' },
    { title: 'ms', number: true, drop: 1 },
    { title: 'Text', drop: 1 },
  ],
  row.history.map((attempt) => [
    renderTime(attempt.at),
    renderStatusBadge(attempt.status),
    renderText(attempt.reason),
    renderText(attempt.duration_ms),
    renderText(attempt.answer),
  ]),
  'None yet.',
)}`,
});

const renderTriggerForm = (model: ViewModel, events: readonly string[]): Markup =>
  renderForm(
    model,
    'trigger',
    html`<label>Event <input name="event" list="events" required size="22"></label>
<datalist id="events">${events.map((name) => renderOption(name, name))}</datalist><button>Trigger</button>`,
  );

const MAX_ROWS = 200;

const renderDeliveryList = async (model: ViewModel): Promise<View> => {
  const [status, event] = [model.query.get('status') ?? '', (model.query.get('event') ?? '').trim()];
  const deliveries = await model.control.deliveries({
    ...(status === '' ? {} : { status }),
    ...(event === '' ? {} : { event }),
  });
  const heads = model.acts ? [...HEADS, { title: 'Again' }] : HEADS;
  const rows = deliveries.slice(0, MAX_ROWS).map((row) => renderCells(model, row));
  const states = DELIVERY_STATUSES.map((state) => renderOption(state, state, state === status));
  return {
    title: 'Deliveries',
    body: html`<h1>Deliveries</h1>
<div class="bar"><form method="get" action="/_sandbox/view/deliveries" class="filters" role="search">
<label>Event <input type="search" name="event" value="${event}" autocomplete="off"></label>
<label>Status <select name="status">${renderOption('', 'any')}${states}</select></label><button>Show</button></form>
${renderForm(model, 'deliver', html`<button>Send due deliveries</button>`, { inline: true })}</div>
${renderLive(
  'deliveries',
  html`${renderTable('Deliveries', heads, rows, 'No matches.')}
<p class="count">${deliveries.length > MAX_ROWS ? html`The latest ${MAX_ROWS} of ${deliveries.length}` : html`${deliveries.length} ${deliveries.length === 1 ? 'delivery' : 'deliveries'}`}</p>`,
)}
${model.acts ? html`<h2>Trigger an event</h2>${renderTriggerForm(model, await loadEvents())}<p class="soft">The event is sent to every webhook that subscribes to it.</p>` : html``}`,
  };
};

export const renderDeliveries = async (model: ViewModel): Promise<View | undefined> => {
  const [id] = model.rest;
  if (id === undefined) return renderDeliveryList(model);
  try {
    return renderDelivery(model, await model.control.delivery({ id }));
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
};
