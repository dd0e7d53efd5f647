import { BODIES } from '../../fault.ts';
import { allRoutes } from '../../routes.ts';
import { html, type Markup } from '../html.ts';
import { code, option, text } from './pieces.ts';
import { table } from './table.ts';
import { form, hidden, live, type Scene, type View } from './view.ts';

/** Calls that are to go wrong. */

/** The one for which retries matter most. */
const FIRST = 'PUT /timesheets/{timesheetId}/approve';
const OAUTH = ['GET /oauth/authorize', 'POST /oauth/token'];

const number = (name: string, label: string, more: Markup): Markup =>
  html`<label>${label} <input type="number" name="${name}" ${more}></label>`;

const add = async (scene: Scene): Promise<Markup> => {
  if (!scene.acts) return html``;
  const routes = [...(await allRoutes()).map(({ route }) => route), ...OAUTH];
  const bodies = Object.entries(BODIES).map(([name, about]) => option(name, `${name}: ${about}`));
  return html`<section class="card" aria-labelledby="add"><h2 id="add">Add a fault</h2>
${form(
  scene,
  'fault-add',
  html`<div class="grid">
<label class="whole">Operation <select name="operation">${routes.map((route) => option(route, route, route === FIRST))}</select></label>
${number('times', 'Number of calls', html`min="1" value="1" required`)}
${number('status', 'Status', html`min="300" max="599" placeholder="500"`)}
${number('retry_after', 'Retry-After, seconds', html`min="0"`)}
${number('latency_ms', 'Delay, ms', html`min="0" max="3600000"`)}
<label>Close the connection <select name="drop">${option('', 'no')}${option('before', 'before the work')}${option('after', 'after the work')}</select></label>
<label>Body <select name="body">${option('', 'unchanged')}${bodies}</select></label>
<label class="tick whole"><input type="checkbox" name="after_commit" value="1"> Do the work first, then fail</label>
</div><button class="yes">Add</button>`,
)}</section>`;
};

export const faultsView = async (scene: Scene): Promise<View> => {
  const faults = await scene.control.faults();
  const rows = faults.map((fault) => [
    code(fault.route),
    text(fault.fault),
    text(`${fault.left} of ${fault.times}`),
    form(
      scene,
      'fault-clear',
      html`${hidden('id', String(fault.id))}<button>Clear<span class="unseen"> ${fault.route}</span></button>`,
      { inline: true },
    ),
  ]);
  const heads = [{ title: 'Operation' }, { title: 'Fault' }, { title: 'Remaining calls', drop: 1 as const }];
  return {
    title: 'Faults',
    body: html`<h1>Faults</h1>
<p class="soft">Make the next calls of an operation fail on purpose.</p>
${live('faults', table('Faults', scene.acts ? [...heads, { title: 'Clear' }] : heads, rows, 'No faults are set.'))}
${faults.length > 1 ? form(scene, 'fault-clear', html`<button>Clear all</button>`, { inline: true }) : html``}
${await add(scene)}`,
  };
};
