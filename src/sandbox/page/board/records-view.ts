import { find } from '../../state.ts';
import { html, type Markup } from '../html.ts';
import type { Kind, Line } from './kind.ts';
import { facts, option, text } from './pieces.ts';
import { table } from './table.ts';
import { live, type Scene, type View } from './view.ts';

/** A table of all records of a kind, and one record whole. */

const ROWS = 50;

interface Asked {
  readonly words: string;
  readonly state: string;
  readonly workspace: string;
  readonly page: number;
}

const askedOf = ({ query }: Scene): Asked => ({
  words: (query.get('q') ?? '').trim(),
  state: query.get('status') ?? '',
  workspace: query.get('workspace') ?? '',
  page: Math.max(1, Math.floor(Number(query.get('page') ?? 1)) || 1),
});

const matching = (lines: readonly Line[], { words, state, workspace }: Asked): Line[] => {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return lines.filter(
    (line) =>
      (state === '' || line.state === state) &&
      (workspace === '' || String(line.space.id) === workspace) &&
      (wanted.length === 0 || wanted.every((word) => line.words().includes(word))),
  );
};

const addressOf = (kind: Kind, { words, state, workspace }: Asked, page: number): string => {
  const given = { q: words, status: state, workspace, page: page === 1 ? '' : String(page) };
  const query = new URLSearchParams(Object.entries(given).filter(([, value]) => value !== ''));
  return `/_sandbox/view/${kind.slug}${query.size === 0 ? '' : `?${query}`}`;
};

const choice = (name: string, label: string, all: string, options: readonly Markup[]): Markup =>
  html`<label>${label} <select name="${name}">${option('', all)}${options}</select></label>`;

const filters = ({ world }: Scene, kind: Kind, asked: Asked): Markup => {
  const spaces = Object.values(world.spaces);
  const states = kind.states.map((state) => option(state, state, state === asked.state));
  const places = spaces.map(({ id, workspace_name }) =>
    option(String(id), workspace_name, String(id) === asked.workspace),
  );
  return html`<form method="get" action="/_sandbox/view/${kind.slug}" class="filters" role="search">
<label>Find <input type="search" name="q" value="${asked.words}" autocomplete="off"></label>
${kind.states.length === 0 ? html`` : choice('status', 'Status', 'any', states)}
${spaces.length < 2 ? html`` : choice('workspace', 'Workspace', 'all', places)}
<button>Show</button>
</form>`;
};

const pager = (kind: Kind, asked: Asked, total: number, page: number): Markup => {
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

export const listView = (scene: Scene, kind: Kind): View => {
  const { world } = scene;
  const asked = askedOf(scene);
  const found = matching(kind.lines(world), asked);
  const page = Math.min(asked.page, Math.max(1, Math.ceil(found.length / ROWS)));
  const several = Object.keys(world.spaces).length > 1;
  const heads = several ? [...kind.heads, { title: 'Workspace', drop: 2 as const }] : kind.heads;
  const rows = found
    .slice((page - 1) * ROWS, page * ROWS)
    .map((line) => (several ? [...line.cells(), text(line.space.workspace_name)] : line.cells()));
  const empty = kind.count(world) === 0 ? 'None.' : 'No matches.';
  return {
    title: kind.title,
    body: html`<h1>${kind.title}</h1>
${filters(scene, kind, asked)}
${live(
  'records',
  html`${table(kind.title, heads, rows, empty)}
${pager(kind, asked, found.length, page)}`,
)}`,
  };
};

/** Undefined: there is no such record. */
export const recordView = ({ world, rest }: Scene, kind: Kind): View | undefined => {
  const [space = '', id = ''] = rest;
  const line = kind.lines(world).find((one) => one.id === id && String(one.space.id) === space);
  if (line === undefined) return undefined;
  const user = line.record['user_id'];
  const person = typeof user === 'number' ? find(world.users, user) : undefined;
  const pairs = Object.entries({ ...line.record, ...(kind.slug === 'people' ? person : {}) });
  return {
    title: `${kind.title}: ${id}`,
    body: html`<p class="crumbs"><a href="/_sandbox/view/${kind.slug}">${kind.title}</a></p>
<h1>${line.heading()}</h1>
${facts([['workspace', text(line.space.workspace_name)], ...pairs.map(([name, value]) => [name, text(value)] as const)])}`,
  };
};
