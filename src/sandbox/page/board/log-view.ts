import type { LogRow } from '../../log.ts';
import { html, type Markup } from '../html.ts';
import { facts, lines, moment, option, statusBadge, text } from './pieces.ts';
import { type Head, table } from './table.ts';
import { form, live, type Scene, type View } from './view.ts';

/** What came in, and what became of it. */

const HEADS: readonly Head[] = [
  { title: 'Time' },
  { title: 'Request' },
  { title: 'Status' },
  { title: 'Fault', drop: 1 },
  { title: 'Ignored fields', drop: 2 },
  { title: 'Who', drop: 2 },
  { title: 'Left', number: true, drop: 3 },
  { title: 'ms', number: true, drop: 3 },
];

const cells = (row: LogRow): Markup[] => [
  html`<a class="when" href="/_sandbox/view/log/${row.id}">${moment(row.at)}</a>`,
  html`<code>${row.method} ${row.path}</code>`,
  statusBadge(row.status),
  text(row.fault),
  text(row.unread.join(', ')),
  text(row.member),
  text(row.remaining),
  text(row.duration_ms),
];

export const logRows = (rows: readonly LogRow[], empty: string): Markup =>
  table('Requests', HEADS, rows.map(cells), empty);

const SHOWN = 200;

const fits = (row: LogRow, words: string, only: string): boolean => {
  const status = row.status ?? 0;
  if (only === 'failed' && status !== 0 && status < 400) return false;
  if (only === 'writes' && row.method === 'GET') return false;
  if (only === 'unread' && row.unread.length === 0) return false;
  return words === '' || JSON.stringify(row).toLowerCase().includes(words);
};

const ONLY = [
  ['', 'all'],
  ['failed', 'that failed'],
  ['writes', 'that write'],
  ['unread', 'with ignored fields'],
] as const;

const one = (row: LogRow): View => ({
  title: `${row.method} ${row.path}`,
  body: html`<p class="crumbs"><a href="/_sandbox/view/log">Log</a></p>
<h1><code>${row.method} ${row.path}</code></h1>
${facts([
  ['time', moment(row.at)],
  ['status', statusBadge(row.status)],
  ['operation', text(row.route)],
  ['who', text(row.member)],
  ['fault', text(row.fault)],
  ['requests left this minute', text(row.remaining)],
  ['ignored fields', text(row.unread.join(', '))],
  ['milliseconds', text(row.duration_ms)],
])}
<h2>Query</h2>
${Object.keys(row.query).length === 0 ? html`<p class="empty">None.</p>` : lines(JSON.stringify(row.query, null, 2))}
<h2>Body</h2>
${row.body === null ? html`<p class="empty">None.</p>` : lines(typeof row.body === 'string' ? row.body : JSON.stringify(row.body, null, 2))}`,
});

export const logView = async (scene: Scene): Promise<View | undefined> => {
  const rows = await scene.control.log();
  const [id] = scene.rest;
  if (id !== undefined) {
    const row = rows.find((candidate) => candidate.id === id);
    return row === undefined ? undefined : one(row);
  }
  const [words, only] = [(scene.query.get('q') ?? '').trim(), scene.query.get('only') ?? ''];
  const found = rows.filter((row) => fits(row, words.toLowerCase(), only));
  const shown = found.slice(-SHOWN).reverse();
  return {
    title: 'Log',
    body: html`<h1>Log</h1>
<div class="bar"><form method="get" action="/_sandbox/view/log" class="filters" role="search">
<label>Find <input type="search" name="q" value="${words}" autocomplete="off"></label>
<label>Requests <select name="only">${ONLY.map(([value, label]) => option(value, label, value === only))}</select></label>
<button>Show</button></form>
${form(scene, 'log-clear', html`<button>Clear the log</button>`, { inline: true })}</div>
${live(
  'log',
  html`${logRows(shown, rows.length === 0 ? 'No requests yet.' : 'No matches.')}
<p class="count">${found.length > SHOWN ? html`The latest ${SHOWN} of ${found.length}` : html`${found.length} requests`}</p>`,
)}`,
  };
};
