import { DELIVERY_STATUSES } from '../../deliveries/delivery.ts';
import type { Workspace } from '../../world.ts';
import { html, type Markup } from '../html.ts';
import { renderLogRows } from './log-view.ts';
import { renderBadge, renderOption, renderText, renderTime } from './markup.ts';
import { renderTable } from './table.ts';
import { renderForm, renderHiddenInput, renderLive, type View, type ViewModel } from './view.ts';

/** The first view: the clock, what waits for a decision, what came in lately. */

const renderClockButton = (
  model: ViewModel,
  action: string,
  label: string,
  fields: Markup = html``,
): Markup =>
  renderForm(model, 'clock', html`${renderHiddenInput('action', action)}${fields}<button>${label}</button>`, {
    inline: true,
  });

const renderClockCard = async (model: ViewModel): Promise<Markup> => {
  const { frozen, ahead_seconds } = await model.control.clock();
  const offset =
    Math.abs(ahead_seconds) < 60 ? 'with this machine’s' : `${formatOffset(ahead_seconds)} this machine’s`;
  const [day, time] = new Date(model.now).toISOString().slice(0, 19).split('T');
  const advanceButtons = ['1h', '1d', '1w'].map((by) =>
    renderClockButton(model, 'advance', `+ ${by}`, renderHiddenInput('by', by)),
  );
  return html`<section class="card" aria-labelledby="clock"><h2 id="clock">Clock</h2>
${renderLive(
  'clock-now',
  html`<p class="big"><time datetime="${new Date(model.now).toISOString()}"><span>${day ?? ''}</span> <b>${time ?? ''}</b></time> <small>UTC</small></p>
<p class="soft">${frozen ? renderBadge('stopped', 'wait') : renderBadge('runs', 'good')} ${offset}</p>`,
)}
<div class="row">${advanceButtons}${frozen ? renderClockButton(model, 'resume', 'Restart') : renderClockButton(model, 'freeze', 'Freeze')}${renderClockButton(model, 'reset', 'Reset to now')}</div>
<div class="row">${renderForm(model, 'clock', html`${renderHiddenInput('action', 'advance')}<label>Advance by <input name="by" size="8" placeholder="2h30m" required></label><button>Advance</button>`)}
${renderForm(model, 'clock', html`${renderHiddenInput('action', 'set')}<label>Set to (UTC) <input name="to" type="datetime-local" step="1" required value="${new Date(model.now).toISOString().slice(0, 19)}"></label><button>Set</button>`)}</div>
</section>`;
};

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

const formatOffset = (seconds: number): string => {
  const size = Math.abs(seconds);
  const [unit, length] = UNITS.find(([, one]) => size >= one) ?? UNITS[2];
  const count = Math.round(size / length);
  return `${count} ${unit}${count === 1 ? '' : 's'} ${seconds > 0 ? 'ahead of' : 'behind'}`;
};

const renderPending = (workspaces: readonly Workspace[]): Markup => {
  const countRecords = (getRecords: (workspace: Workspace) => object, state: string): number =>
    workspaces
      .flatMap((workspace) => Object.values(getRecords(workspace)))
      .filter((row: { status?: unknown }) => row.status === state).length;
  const tiles = [
    ['Timesheets', 'timesheets', 'submitted', countRecords((workspace) => workspace.timesheets, 'submitted')],
    ['Leaves', 'leaves', 'pending', countRecords((workspace) => workspace.leaves, 'pending')],
    [
      'Time requests',
      'time-requests',
      'pending',
      countRecords((workspace) => workspace.time_requests, 'pending'),
    ],
  ] as const;
  return html`<ul class="tiles">${tiles.map(
    ([title, slug, state, number]) =>
      html`<li><a href="/_sandbox/view/${slug}?status=${state}"><b>${number}</b> <span>${title} ${state}</span></a></li>`,
  )}</ul>`;
};

const renderDeliverySummary = ({ world }: ViewModel): Markup => {
  const all = world.deliveries ?? [];
  const counts = DELIVERY_STATUSES.map((status) => ({
    status,
    count: all.filter((delivery) => delivery.status === status).length,
  })).filter(({ count }) => count > 0);
  if (counts.length === 0) return html`<p class="empty">No deliveries yet.</p>`;
  return html`<p class="row">${counts.map(
    ({ status, count }) =>
      html`<a href="/_sandbox/view/deliveries?status=${status}">${renderBadge(`${count} ${status}`, { pending: 'wait', delivered: 'good' }[status as string] ?? 'bad')}</a> `,
  )}</p>`;
};

const renderWorkspaces = (workspaces: readonly Workspace[], model: ViewModel): Markup =>
  renderTable(
    'Workspaces',
    [
      { title: 'Workspace' },
      { title: 'Id', number: true },
      { title: 'Owner', drop: 1 },
      { title: 'People', number: true },
    ],
    workspaces.map((workspace) => [
      renderText(workspace.workspace_name),
      renderText(workspace.id),
      renderText(model.world.users[workspace.owner_id]?.email),
      renderText(Object.keys(workspace.members).length),
    ]),
    'None.',
  );

const SEEDS = ['demo', 'agency', 'month-end', 'messy', 'empty', 'simulate:4w'];

const renderStateCard = (model: ViewModel): Markup => {
  if (!model.acts) return html``;
  const seeds = SEEDS.map((name) => renderOption(name, name, name === model.world.seed));
  return html`<section class="card" aria-labelledby="again"><h2 id="again">Simulate or reset</h2>
${renderForm(model, 'simulate', html`<label>Simulate work for <input name="by" size="6" value="2w" required></label><button>Simulate</button>`)}
<p class="soft">People track time, submit timesheets, request leave and record expenses. You make the decisions.</p>
${renderForm(model, 'reset', html`<label>Reset to <select name="seed">${seeds}</select></label><button>Reset</button>`, { confirm: 'Replace everything in the sandbox? All tokens expire.' })}
<p class="soft">To keep the current state, use <a href="/_sandbox/view/snapshots">snapshots</a>.</p>
</section>`;
};

export const renderOverview = async (model: ViewModel): Promise<View> => {
  const workspaces = Object.values(model.world.spaces);
  const latest = (await model.control.log()).slice(-8).reverse();
  return {
    title: 'Overview',
    body: html`<h1>Overview</h1>
<div class="cards">
${await renderClockCard(model)}
<div class="stack"><section class="card" aria-labelledby="waits"><h2 id="waits">Waiting for a decision</h2>
${renderLive('waits-now', renderPending(workspaces))}
<h2>Webhooks</h2>
${renderLive('sent-now', renderDeliverySummary(model))}</section>
${renderStateCard(model)}</div>
</div>
<section aria-labelledby="lately"><h2 id="lately">Latest requests</h2>
${renderLive('log-now', renderLogRows(latest, 'No requests yet.'))}
<p class="count"><a href="/_sandbox/view/log">Full log</a></p></section>
<section aria-labelledby="spaces"><h2 id="spaces">Workspaces</h2>
${renderWorkspaces(workspaces, model)}
<p class="count">Seed ${renderText(model.world.seed)}, at ${renderTime(model.now)} UTC</p></section>`,
  };
};
