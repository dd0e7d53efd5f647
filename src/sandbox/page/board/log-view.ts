import type { StoredLogRow } from '../../log.ts';
import { html, type Markup } from '../html.ts';
import {
  renderFacts,
  renderLines,
  renderOption,
  renderStatusBadge,
  renderText,
  renderTime,
} from './markup.ts';
import { renderTable, type TableHead } from './table.ts';
import { renderForm, renderLive, type View, type ViewModel } from './view.ts';

/** What came in, and what became of it. */

const HEADS: readonly TableHead[] = [
  { title: 'Time' },
  { title: 'Request' },
  { title: 'Status' },
  { title: 'Fault', drop: 1 },
  { title: 'Ignored fields', drop: 2 },
  { title: 'Who', drop: 2 },
  { title: 'Left', number: true, drop: 3 },
  { title: 'ms', number: true, drop: 3 },
];

const renderCells = (row: StoredLogRow): Markup[] => [
  html`<a class="when" href="/_sandbox/view/log/${row.id}">${renderTime(row.at)}</a>`,
  html`<code>${row.method} ${row.path}</code>`,
  renderStatusBadge(row.status),
  renderText(row.fault),
  renderText(row.unread.join(', ')),
  renderText(row.member),
  renderText(row.remaining),
  renderText(row.duration_ms),
];

export const renderLogRows = (rows: readonly StoredLogRow[], empty: string): Markup =>
  renderTable('Requests', HEADS, rows.map(renderCells), empty);

const MAX_ROWS = 200;

const matchesFilter = (row: StoredLogRow, words: string, filter: string): boolean => {
  const status = row.status ?? 0;
  if (filter === 'failed' && status !== 0 && status < 400) return false;
  if (filter === 'writes' && row.method === 'GET') return false;
  if (filter === 'unread' && row.unread.length === 0) return false;
  return words === '' || JSON.stringify(row).toLowerCase().includes(words);
};

const FILTERS = [
  ['', 'all'],
  ['failed', 'that failed'],
  ['writes', 'that write'],
  ['unread', 'with ignored fields'],
] as const;

const renderLogEntry = (row: StoredLogRow): View => ({
  title: `${row.method} ${row.path}`,
  body: html`<p class="crumbs"><a href="/_sandbox/view/log">Log</a></p>
<h1><code>${row.method} ${row.path}</code></h1>
${renderFacts([
  ['time', renderTime(row.at)],
  ['status', renderStatusBadge(row.status)],
  ['operation', renderText(row.route)],
  ['who', renderText(row.member)],
  ['request id', renderText(row.request_id)],
  ['fault', renderText(row.fault)],
  ['requests left this minute', renderText(row.remaining)],
  ['ignored fields', renderText(row.unread.join(', '))],
  ['milliseconds', renderText(row.duration_ms)],
])}
<h2>Query</h2>
${Object.keys(row.query).length === 0 ? html`<p class="empty">None.</p>` : renderLines(JSON.stringify(row.query, null, 2))}
<h2>Body</h2>
${row.body === null ? html`<p class="empty">None.</p>` : renderLines(typeof row.body === 'string' ? row.body : JSON.stringify(row.body, null, 2))}`,
});

export const renderLog = async (model: ViewModel): Promise<View | undefined> => {
  const rows = await model.control.log();
  const [id] = model.rest;
  if (id !== undefined) {
    const row = rows.find((candidate) => candidate.id === id);
    return row === undefined ? undefined : renderLogEntry(row);
  }
  const [words, filter] = [(model.query.get('q') ?? '').trim(), model.query.get('only') ?? ''];
  const matches = rows.filter((row) => matchesFilter(row, words.toLowerCase(), filter));
  const latest = matches.slice(-MAX_ROWS).reverse();
  return {
    title: 'Log',
    body: html`<h1>Log</h1>
<div class="bar"><form method="get" action="/_sandbox/view/log" class="filters" role="search">
<label>Find <input type="search" name="q" value="${words}" autocomplete="off"></label>
<label>Requests <select name="only">${FILTERS.map(([value, label]) => renderOption(value, label, value === filter))}</select></label>
<button>Show</button></form>
${renderForm(model, 'log-clear', html`<button>Clear the log</button>`, { inline: true })}</div>
${renderLive(
  'log',
  html`${renderLogRows(latest, rows.length === 0 ? 'No requests yet.' : 'No matches.')}
<p class="count">${matches.length > MAX_ROWS ? html`The latest ${MAX_ROWS} of ${matches.length}` : html`${matches.length} ${matches.length === 1 ? 'request' : 'requests'}`}</p>`,
)}`,
  };
};
