import { FAULT_BODIES } from '../../fault.ts';
import { loadAllRoutes } from '../../routes.ts';
import { html, type Markup } from '../html.ts';
import { renderCode, renderOption, renderText } from './markup.ts';
import { renderTable } from './table.ts';
import { renderForm, renderHiddenInput, renderLive, type View, type ViewModel } from './view.ts';

/** Calls that are to go wrong. */

/** The one for which retries matter most. */
const DEFAULT_OPERATION = 'PUT /timesheets/{timesheetId}/approve';
const OAUTH_ROUTES = ['GET /oauth/authorize', 'POST /oauth/token'];

const renderNumberInput = (name: string, label: string, attributes: Markup): Markup =>
  html`<label>${label} <input type="number" name="${name}" ${attributes}></label>`;

const renderAddForm = async (model: ViewModel): Promise<Markup> => {
  if (!model.acts) return html``;
  const routes = [...(await loadAllRoutes()).map(({ route }) => route), ...OAUTH_ROUTES];
  const bodies = Object.entries(FAULT_BODIES).map(([name, description]) =>
    renderOption(name, `${name}: ${description}`),
  );
  return html`<section class="card" aria-labelledby="add"><h2 id="add">Add a fault</h2>
${renderForm(
  model,
  'fault-add',
  html`<div class="grid">
<label class="whole">Operation <select name="operation">${routes.map((route) => renderOption(route, route, route === DEFAULT_OPERATION))}</select></label>
${renderNumberInput('times', 'Number of calls', html`min="1" value="1" required`)}
${renderNumberInput('status', 'Status', html`min="300" max="599" placeholder="500"`)}
${renderNumberInput('retry_after', 'Retry-After, seconds', html`min="0"`)}
${renderNumberInput('latency_ms', 'Delay, ms', html`min="0" max="3600000"`)}
<label>Close the connection <select name="drop">${renderOption('', 'no')}${renderOption('before', 'before the work')}${renderOption('after', 'after the work')}</select></label>
<label>Body <select name="body">${renderOption('', 'unchanged')}${bodies}</select></label>
<label class="tick whole"><input type="checkbox" name="after_commit" value="1"> Do the work first, then fail</label>
</div><button class="yes">Add</button>`,
)}</section>`;
};

export const renderFaults = async (model: ViewModel): Promise<View> => {
  const faults = await model.control.faults();
  const rows = faults.map((fault) => [
    renderCode(fault.route),
    renderText(fault.fault),
    renderText(`${fault.left} of ${fault.times}`),
    renderForm(
      model,
      'fault-clear',
      html`${renderHiddenInput('id', String(fault.id))}<button>Clear<span class="unseen"> ${fault.route}</span></button>`,
      { inline: true },
    ),
  ]);
  const heads = [{ title: 'Operation' }, { title: 'Fault' }, { title: 'Remaining calls', drop: 1 as const }];
  return {
    title: 'Faults',
    body: html`<h1>Faults</h1>
<p class="soft">Make the next calls of an operation fail on purpose.</p>
${renderLive('faults', renderTable('Faults', model.acts ? [...heads, { title: 'Clear' }] : heads, rows, 'No faults are set.'))}
${faults.length > 1 ? renderForm(model, 'fault-clear', html`<button>Clear all</button>`, { inline: true }) : html``}
${await renderAddForm(model)}`,
  };
};
