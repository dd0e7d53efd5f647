import { Failure } from '../../../outcome.ts';
import { DELIVERY_STATUSES } from '../../deliveries/delivery.ts';
import type { DeliveryDetails, DeliveryRow } from '../../deliveries/rows.ts';
import { EVENTS } from '../../events.ts';
import { html, type Markup } from '../html.ts';
import { badge, code, facts, lines, moment, option, statusBadge, text } from './pieces.ts';
import { type Head, table } from './table.ts';
import { form, hidden, live, type Scene, type View } from './view.ts';

/** What was sent to webhooks, and one delivery whole. */

const HEADS: readonly Head[] = [
  { title: 'Delivery' },
  { title: 'Event' },
  { title: 'Status' },
  { title: 'Tries', number: true, drop: 1 },
  { title: 'Created', drop: 1 },
  { title: 'Next try', drop: 2 },
  { title: 'Reason', drop: 3 },
  { title: 'To', drop: 2 },
];

const again = (scene: Scene, id: string, label: string): Markup =>
  form(
    scene,
    'redeliver',
    html`${hidden('id', id)}<button>${label}<span class="unseen"> ${id}</span></button>`,
    { inline: true },
  );

const cells = (scene: Scene, row: DeliveryRow): Markup[] => [
  html`<a href="/_sandbox/view/deliveries/${row.id}"><code>${row.id}</code></a>`,
  text(row.event),
  badge(row.status),
  text(row.attempts),
  moment(row.created_at),
  moment(row.next_attempt_at),
  text(row.reason),
  code(row.url),
  again(scene, row.id, 'Redeliver'),
];

const pretty = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
};

const headersOf = ({ request }: DeliveryDetails): string =>
  [
    `${request.method} ${request.url}`,
    ...Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`),
  ].join('\n');

const one = (scene: Scene, row: DeliveryDetails): View => ({
  title: row.id,
  body: html`<p class="crumbs"><a href="/_sandbox/view/deliveries">Deliveries</a></p>
<h1>${row.event}</h1>
<div class="bar">${badge(row.status)}${again(scene, row.id, 'Redeliver')}</div>
${facts([
  ['id', code(row.id)],
  ['reason', text(row.reason)],
  ['created', moment(row.created_at)],
  ['next try', moment(row.next_attempt_at)],
  ['webhook', code(row.webhook_id)],
  ['workspace', text(row.workspace_id)],
])}
<h2>Last request</h2>
${lines(headersOf(row))}
<h2>Body</h2>
${lines(pretty(row.request.body))}
<h2>Attempts</h2>
${table(
  'Attempts',
  [
    { title: 'Time' },
    { title: 'Answer' },
    { title: 'Reason' },
    { title: 'ms', number: true, drop: 1 },
    { title: 'Text', drop: 1 },
  ],
  row.history.map((attempt) => [
    moment(attempt.at),
    statusBadge(attempt.status),
    text(attempt.reason),
    text(attempt.duration_ms),
    text(attempt.answer),
  ]),
  'None yet.',
)}`,
});

const trigger = (scene: Scene): Markup =>
  form(
    scene,
    'trigger',
    html`<label>Event <input name="event" list="events" required size="22"></label>
<datalist id="events">${EVENTS.map((name) => option(name, name))}</datalist><button>Trigger</button>`,
  );

const SHOWN = 200;

const list = async (scene: Scene): Promise<View> => {
  const [status, event] = [scene.query.get('status') ?? '', (scene.query.get('event') ?? '').trim()];
  const found = await scene.control.deliveries({
    ...(status === '' ? {} : { status }),
    ...(event === '' ? {} : { event }),
  });
  const heads = scene.acts ? [...HEADS, { title: 'Again' }] : HEADS;
  const rows = found.slice(0, SHOWN).map((row) => cells(scene, row));
  const states = DELIVERY_STATUSES.map((state) => option(state, state, state === status));
  return {
    title: 'Deliveries',
    body: html`<h1>Deliveries</h1>
<div class="bar"><form method="get" action="/_sandbox/view/deliveries" class="filters" role="search">
<label>Event <input type="search" name="event" value="${event}" autocomplete="off"></label>
<label>Status <select name="status">${option('', 'any')}${states}</select></label><button>Show</button></form>
${form(scene, 'deliver', html`<button>Send due deliveries</button>`, { inline: true })}</div>
${live(
  'deliveries',
  html`${table('Deliveries', heads, rows, 'No matches.')}
<p class="count">${found.length > SHOWN ? html`The latest ${SHOWN} of ${found.length}` : html`${found.length} deliveries`}</p>`,
)}
${scene.acts ? html`<h2>Trigger an event</h2>${trigger(scene)}<p class="soft">The event is sent to every webhook that subscribes to it.</p>` : html``}`,
  };
};

export const deliveriesView = async (scene: Scene): Promise<View | undefined> => {
  const [id] = scene.rest;
  if (id === undefined) return list(scene);
  try {
    return one(scene, await scene.control.delivery({ id }));
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
};
