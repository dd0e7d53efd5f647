import { findRecord } from '../../state.ts';
import { html, type Markup } from '../html.ts';
import type { BoardKind, BoardRow } from './kind.ts';
import { renderFacts, renderOption, renderText } from './markup.ts';
import { renderTable } from './table.ts';
import { renderLive, type View, type ViewModel } from './view.ts';

/** A table of all records of a kind, and one record whole. */

const ROWS_PER_PAGE = 50;

interface RecordFilter {
  readonly words: string;
  readonly state: string;
  readonly workspace: string;
  readonly page: number;
}

const parseFilter = ({ query }: ViewModel): RecordFilter => ({
  words: (query.get('q') ?? '').trim(),
  state: query.get('status') ?? '',
  workspace: query.get('workspace') ?? '',
  page: Math.max(1, Math.floor(Number(query.get('page') ?? 1)) || 1),
});

const filterRows = (lines: readonly BoardRow[], { words, state, workspace }: RecordFilter): BoardRow[] => {
  const terms = words.toLowerCase().split(/\s+/).filter(Boolean);
  return lines.filter(
    (line) =>
      (state === '' || line.state === state) &&
      (workspace === '' || String(line.workspace.id) === workspace) &&
      (terms.length === 0 || terms.every((word) => line.words().includes(word))),
  );
};

const buildAddress = (kind: BoardKind, { words, state, workspace }: RecordFilter, page: number): string => {
  const fields = { q: words, status: state, workspace, page: page === 1 ? '' : String(page) };
  const query = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== ''));
  return `/_sandbox/view/${kind.slug}${query.size === 0 ? '' : `?${query}`}`;
};

const renderSelect = (name: string, label: string, all: string, options: readonly Markup[]): Markup =>
  html`<label>${label} <select name="${name}">${renderOption('', all)}${options}</select></label>`;

const renderFilters = ({ world }: ViewModel, kind: BoardKind, filter: RecordFilter): Markup => {
  const workspaces = Object.values(world.spaces);
  const states = kind.states.map((state) => renderOption(state, state, state === filter.state));
  const workspaceOptions = workspaces.map(({ id, workspace_name }) =>
    renderOption(String(id), workspace_name, String(id) === filter.workspace),
  );
  return html`<form method="get" action="/_sandbox/view/${kind.slug}" class="filters" role="search">
<label>Find <input type="search" name="q" value="${filter.words}" autocomplete="off"></label>
${kind.states.length === 0 ? html`` : renderSelect('status', 'Status', 'any', states)}
${workspaces.length < 2 ? html`` : renderSelect('workspace', 'Workspace', 'all', workspaceOptions)}
<button>Show</button>
</form>`;
};

const renderPager = (kind: BoardKind, filter: RecordFilter, total: number, page: number): Markup => {
  const last = Math.max(1, Math.ceil(total / ROWS_PER_PAGE));
  const renderPageLink = (target: number, label: string, rel: string): Markup =>
    target < 1 || target > last
      ? html`<span class="none">${label}</span>`
      : html`<a rel="${rel}" href="${buildAddress(kind, filter, target)}">${label}</a>`;
  const first = (page - 1) * ROWS_PER_PAGE + 1;
  const summary = html`${first} to ${Math.min(total, page * ROWS_PER_PAGE)} of ${total}`;
  if (last === 1) return html`<p class="count">${total} ${total === 1 ? 'record' : 'records'}</p>`;
  return html`<nav class="pager" aria-label="Pages">${renderPageLink(page - 1, 'Previous', 'prev')}<span>${summary}</span>${renderPageLink(page + 1, 'Next', 'next')}</nav>`;
};

export const renderList = (model: ViewModel, kind: BoardKind): View => {
  const { world } = model;
  const filter = parseFilter(model);
  const matches = filterRows(kind.lines(world), filter);
  const page = Math.min(filter.page, Math.max(1, Math.ceil(matches.length / ROWS_PER_PAGE)));
  const hasSeveralWorkspaces = Object.keys(world.spaces).length > 1;
  const heads = hasSeveralWorkspaces ? [...kind.heads, { title: 'Workspace', drop: 2 as const }] : kind.heads;
  const rows = matches
    .slice((page - 1) * ROWS_PER_PAGE, page * ROWS_PER_PAGE)
    .map((line) =>
      hasSeveralWorkspaces ? [...line.cells(), renderText(line.workspace.workspace_name)] : line.cells(),
    );
  const empty = kind.count(world) === 0 ? 'None.' : 'No matches.';
  return {
    title: kind.title,
    body: html`<h1>${kind.title}</h1>
${renderFilters(model, kind, filter)}
${renderLive(
  'records',
  html`${renderTable(kind.title, heads, rows, empty)}
${renderPager(kind, filter, matches.length, page)}`,
)}`,
  };
};

/** Undefined: there is no such record. */
export const renderRecord = ({ world, rest }: ViewModel, kind: BoardKind): View | undefined => {
  const [workspaceId = '', id = ''] = rest;
  const line = kind.lines(world).find((one) => one.id === id && String(one.workspace.id) === workspaceId);
  if (line === undefined) return undefined;
  const user = line.record['user_id'];
  const person = typeof user === 'number' ? findRecord(world.users, user) : undefined;
  const pairs = Object.entries({ ...line.record, ...(kind.slug === 'people' ? person : {}) });
  return {
    title: `${kind.title}: ${id}`,
    body: html`<p class="crumbs"><a href="/_sandbox/view/${kind.slug}">${kind.title}</a></p>
<h1>${line.heading()}</h1>
${renderFacts([['workspace', renderText(line.workspace.workspace_name)], ...pairs.map(([name, value]) => [name, renderText(value)] as const)])}`,
  };
};
