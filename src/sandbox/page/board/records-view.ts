import { findRecord } from '../../state.ts';
import { html, type Markup } from '../html.ts';
import type { BoardKind, BoardRow } from './kind.ts';
import { renderFacts, renderOption, renderText } from './markup.ts';
import { renderTable } from './table.ts';
import { renderLive, type View, type ViewModel } from './view.ts';

/** A table of all records of a kind, and one record whole. */

const ROWS = 50;

interface Asked {
  readonly words: string;
  readonly state: string;
  readonly workspace: string;
  readonly page: number;
}

const askedOf = ({ query }: ViewModel): Asked => ({
  words: (query.get('q') ?? '').trim(),
  state: query.get('status') ?? '',
  workspace: query.get('workspace') ?? '',
  page: Math.max(1, Math.floor(Number(query.get('page') ?? 1)) || 1),
});

const matching = (lines: readonly BoardRow[], { words, state, workspace }: Asked): BoardRow[] => {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return lines.filter(
    (line) =>
      (state === '' || line.state === state) &&
      (workspace === '' || String(line.space.id) === workspace) &&
      (wanted.length === 0 || wanted.every((word) => line.words().includes(word))),
  );
};

const addressOf = (kind: BoardKind, { words, state, workspace }: Asked, page: number): string => {
  const given = { q: words, status: state, workspace, page: page === 1 ? '' : String(page) };
  const query = new URLSearchParams(Object.entries(given).filter(([, value]) => value !== ''));
  return `/_sandbox/view/${kind.slug}${query.size === 0 ? '' : `?${query}`}`;
};

const choice = (name: string, label: string, all: string, options: readonly Markup[]): Markup =>
  html`<label>${label} <select name="${name}">${renderOption('', all)}${options}</select></label>`;

const filters = ({ world }: ViewModel, kind: BoardKind, asked: Asked): Markup => {
  const spaces = Object.values(world.spaces);
  const states = kind.states.map((state) => renderOption(state, state, state === asked.state));
  const places = spaces.map(({ id, workspace_name }) =>
    renderOption(String(id), workspace_name, String(id) === asked.workspace),
  );
  return html`<form method="get" action="/_sandbox/view/${kind.slug}" class="filters" role="search">
<label>Find <input type="search" name="q" value="${asked.words}" autocomplete="off"></label>
${kind.states.length === 0 ? html`` : choice('status', 'Status', 'any', states)}
${spaces.length < 2 ? html`` : choice('workspace', 'Workspace', 'all', places)}
<button>Show</button>
</form>`;
};

const pager = (kind: BoardKind, asked: Asked, total: number, page: number): Markup => {
  const last = Math.max(1, Math.ceil(total / ROWS));
  const to = (target: number, label: string, rel: string): Markup =>
    target < 1 || target > last
      ? html`<span class="none">${label}</span>`
      : html`<a rel="${rel}" href="${addressOf(kind, asked, target)}">${label}</a>`;
  const first = (page - 1) * ROWS + 1;
  const shown = html`${first} to ${Math.min(total, page * ROWS)} of ${total}`;
  if (last === 1) return html`<p class="count">${total} ${total === 1 ? 'record' : 'records'}</p>`;
  return html`<nav class="pager" aria-label="Pages">${to(page - 1, 'Previous', 'prev')}<span>${shown}</span>${to(page + 1, 'Next', 'next')}</nav>`;
};

export const renderList = (model: ViewModel, kind: BoardKind): View => {
  const { world } = model;
  const asked = askedOf(model);
  const found = matching(kind.lines(world), asked);
  const page = Math.min(asked.page, Math.max(1, Math.ceil(found.length / ROWS)));
  const several = Object.keys(world.spaces).length > 1;
  const heads = several ? [...kind.heads, { title: 'Workspace', drop: 2 as const }] : kind.heads;
  const rows = found
    .slice((page - 1) * ROWS, page * ROWS)
    .map((line) => (several ? [...line.cells(), renderText(line.space.workspace_name)] : line.cells()));
  const empty = kind.count(world) === 0 ? 'None.' : 'No matches.';
  return {
    title: kind.title,
    body: html`<h1>${kind.title}</h1>
${filters(model, kind, asked)}
${renderLive(
  'records',
  html`${renderTable(kind.title, heads, rows, empty)}
${pager(kind, asked, found.length, page)}`,
)}`,
  };
};

/** Undefined: there is no such record. */
export const renderRecord = ({ world, rest }: ViewModel, kind: BoardKind): View | undefined => {
  const [space = '', id = ''] = rest;
  const line = kind.lines(world).find((one) => one.id === id && String(one.space.id) === space);
  if (line === undefined) return undefined;
  const user = line.record['user_id'];
  const person = typeof user === 'number' ? findRecord(world.users, user) : undefined;
  const pairs = Object.entries({ ...line.record, ...(kind.slug === 'people' ? person : {}) });
  return {
    title: `${kind.title}: ${id}`,
    body: html`<p class="crumbs"><a href="/_sandbox/view/${kind.slug}">${kind.title}</a></p>
<h1>${line.heading()}</h1>
${renderFacts([['workspace', renderText(line.space.workspace_name)], ...pairs.map(([name, value]) => [name, renderText(value)] as const)])}`,
  };
};
