import { Failure } from '../../../outcome.ts';
import type { Difference } from '../../snapshots/difference.ts';
import type { SnapshotRow } from '../../snapshots/snapshot.ts';
import { html, type Markup } from '../html.ts';
import { badge, moment, text } from './pieces.ts';
import { type Head, table } from './table.ts';
import { form, hidden, type Scene, type View } from './view.ts';

/** Snapshots, and what changed since one. */

const HEADS: readonly Head[] = [
  { title: 'Name' },
  { title: 'Seed', drop: 2 },
  { title: 'Saved', drop: 1 },
  { title: 'Sandbox’s time', drop: 2 },
  { title: 'People', number: true, drop: 2 },
  { title: 'Timesheets', number: true, drop: 3 },
];

const buttons = (scene: Scene, { name, problem }: SnapshotRow): Markup => {
  const act = (what: string, label: string, confirm: string): Markup =>
    form(
      scene,
      `snapshot-${what}`,
      html`${hidden('name', name)}<button>${label}<span class="unseen"> ${name}</span></button>`,
      { inline: true, confirm },
    );
  const restore = act('restore', 'Restore', `The current state will be lost. Restore ${name}?`);
  return html`<span class="row">${problem === null ? restore : html``}${act('remove', 'Remove', `Remove ${name}?`)}</span>`;
};

const list = async (scene: Scene): Promise<View> => {
  const found = await scene.control.snapshots();
  const rows = found.map((row) => [
    row.problem === null
      ? html`<a href="/_sandbox/view/snapshots/${encodeURIComponent(row.name)}">${row.name}</a>`
      : html`${row.name} ${badge(row.problem, 'bad')}`,
    text(row.seed),
    moment(row.saved_at),
    moment(row.now),
    text(row.counts['members']),
    text(row.counts['timesheets']),
    buttons(scene, row),
  ]);
  return {
    title: 'Snapshots',
    body: html`<h1>Snapshots</h1>
<p class="soft">A snapshot holds the whole state: records, tokens, faults, the clock. Open one to see what changed since.</p>
${table('Snapshots', scene.acts ? [...HEADS, { title: 'Act' }] : HEADS, rows, 'None.')}
${form(
  scene,
  'snapshot-save',
  html`<label>Name <input name="name" required maxlength="64" pattern="[a-z0-9][a-z0-9._\\-]*" title="lower-case letters, digits, dots, dashes, underscores" placeholder="before-approval"></label>
<label class="tick"><input type="checkbox" name="replace" value="1"> replace an existing snapshot</label><button class="yes">Save</button>`,
)}`,
  };
};

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const MOST = 500;

const changes = ({ fields, record }: Difference): Markup => {
  if (record !== null)
    return html`<details><summary>the record</summary><code>${JSON.stringify(record)}</code></details>`;
  return html`${fields.map(
    ({ field, before, after }) =>
      html`<span class="change">${field}: <del>${shown(before)}</del> <span aria-hidden="true">→</span> <ins>${shown(after)}</ins></span> `,
  )}`;
};

const TONE = { added: 'good', changed: 'wait', removed: 'bad' } as const;

const difference = (name: string, found: readonly Difference[]): View => ({
  title: `Changed since ${name}`,
  body: html`<p class="crumbs"><a href="/_sandbox/view/snapshots">Snapshots</a></p>
<h1>Changed since <code>${name}</code></h1>
${table(
  'Differences',
  [{ title: 'Kind' }, { title: 'Change' }, { title: 'Name' }, { title: 'What' }, { title: 'Id', drop: 3 }],
  found
    .slice(0, MOST)
    .map((row) => [
      text(row.kind),
      badge(row.change, TONE[row.change]),
      text(row.name),
      changes(row),
      text(row.id),
    ]),
  'Nothing.',
)}
<p class="count">${found.length > MOST ? html`The first ${MOST} of ${found.length}` : html`${found.length} differences`}</p>`,
});

export const snapshotsView = async (scene: Scene): Promise<View | undefined> => {
  const [name] = scene.rest;
  if (name === undefined) return list(scene);
  try {
    return difference(name, await scene.control.diffSnapshot({ name }));
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
};
