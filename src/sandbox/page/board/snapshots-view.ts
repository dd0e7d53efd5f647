import { Failure } from '../../../outcome.ts';
import type { Difference } from '../../snapshots/difference.ts';
import type { SnapshotRow } from '../../snapshots/snapshot.ts';
import { html, type Markup } from '../html.ts';
import { renderBadge, renderText, renderTime } from './markup.ts';
import { renderTable, type TableHead } from './table.ts';
import { renderForm, renderHiddenInput, type View, type ViewModel } from './view.ts';

/** Snapshots, and what changed since one. */

const HEADS: readonly TableHead[] = [
  { title: 'Name' },
  { title: 'Seed', drop: 2 },
  { title: 'Saved', drop: 1 },
  { title: 'Sandbox’s time', drop: 2 },
  { title: 'People', number: true, drop: 2 },
  { title: 'Timesheets', number: true, drop: 3 },
];

const renderButtons = (model: ViewModel, { name, problem }: SnapshotRow): Markup => {
  const renderAction = (action: string, label: string, confirm: string): Markup =>
    renderForm(
      model,
      `snapshot-${action}`,
      html`${renderHiddenInput('name', name)}<button>${label}<span class="unseen"> ${name}</span></button>`,
      { inline: true, confirm },
    );
  const restore = renderAction('restore', 'Restore', `The current state will be lost. Restore ${name}?`);
  return html`<span class="row">${problem === null ? restore : html``}${renderAction('remove', 'Remove', `Remove ${name}?`)}</span>`;
};

const renderSnapshotList = async (model: ViewModel): Promise<View> => {
  const snapshots = await model.control.snapshots();
  const rows = snapshots.map((row) => [
    row.problem === null
      ? html`<a href="/_sandbox/view/snapshots/${encodeURIComponent(row.name)}">${row.name}</a>`
      : html`${row.name} ${renderBadge(row.problem, 'bad')}`,
    renderText(row.seed),
    renderTime(row.saved_at),
    renderTime(row.now),
    renderText(row.counts['members']),
    renderText(row.counts['timesheets']),
    renderButtons(model, row),
  ]);
  return {
    title: 'Snapshots',
    body: html`<h1>Snapshots</h1>
<p class="soft">A snapshot holds the whole state: records, tokens, faults, the clock. Open one to see what changed since.</p>
${renderTable('Snapshots', model.acts ? [...HEADS, { title: 'Act' }] : HEADS, rows, 'None.')}
${renderForm(
  model,
  'snapshot-save',
  html`<label>Name <input name="name" required maxlength="64" pattern="[a-z0-9][a-z0-9._\\-]*" title="lower-case letters, digits, dots, dashes, underscores" placeholder="before-approval"></label>
<label class="tick"><input type="checkbox" name="replace" value="1"> replace an existing snapshot</label><button class="yes">Save</button>`,
)}`,
  };
};

const formatValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const MAX_DIFFERENCES = 500;

const renderChanges = ({ fields, record }: Difference): Markup => {
  if (record !== null)
    return html`<details><summary>the record</summary><code>${JSON.stringify(record)}</code></details>`;
  return html`${fields.map(
    ({ field, before, after }) =>
      html`<span class="change">${field}: <del>${formatValue(before)}</del> <span aria-hidden="true">→</span> <ins>${formatValue(after)}</ins></span> `,
  )}`;
};

const TONES = { added: 'good', changed: 'wait', removed: 'bad' } as const;

const renderDifferences = (name: string, differences: readonly Difference[]): View => ({
  title: `Changed since ${name}`,
  body: html`<p class="crumbs"><a href="/_sandbox/view/snapshots">Snapshots</a></p>
<h1>Changed since <code>${name}</code></h1>
${renderTable(
  'Differences',
  [{ title: 'Kind' }, { title: 'Change' }, { title: 'Name' }, { title: 'What' }, { title: 'Id', drop: 3 }],
  differences
    .slice(0, MAX_DIFFERENCES)
    .map((row) => [
      renderText(row.kind),
      renderBadge(row.change, TONES[row.change]),
      renderText(row.name),
      renderChanges(row),
      renderText(row.id),
    ]),
  'Nothing.',
)}
<p class="count">${differences.length > MAX_DIFFERENCES ? html`The first ${MAX_DIFFERENCES} of ${differences.length}` : html`${differences.length} ${differences.length === 1 ? 'difference' : 'differences'}`}</p>`,
});

export const renderSnapshots = async (model: ViewModel): Promise<View | undefined> => {
  const [name] = model.rest;
  if (name === undefined) return renderSnapshotList(model);
  try {
    return renderDifferences(name, await model.control.diffSnapshot({ name }));
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
};
