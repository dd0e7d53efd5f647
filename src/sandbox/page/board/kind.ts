import type { RecordMap, Space, World } from '../../world.ts';
import { html, type Markup } from '../html.ts';
import { renderBadge } from './markup.ts';
import type { TableHead } from './table.ts';

/** What a kind of record is on the page: its table, its states, and what it is found by. */

export interface BoardContext {
  readonly world: World;
  readonly space: Space;
}

export interface BoardRow {
  /** In addresses. */
  readonly id: string;
  readonly space: Space;
  readonly state: string;
  /** What a person finds it by, in lower case. */
  words(): string;
  cells(): readonly Markup[];
  /** The first cell, leading nowhere. */
  heading(): Markup;
  /** What is shown of it whole. */
  readonly record: Readonly<Record<string, unknown>>;
}

export interface BoardKind {
  /** In addresses: `time-requests`. */
  readonly slug: string;
  /** Plural: `Time requests`. */
  readonly title: string;
  /** Empty: it has none. */
  readonly states: readonly string[];
  readonly heads: readonly TableHead[];
  count(world: World): number;
  lines(world: World): readonly BoardRow[];
}

export interface BoardColumn<T> extends TableHead {
  readonly show: (row: T, place: BoardContext) => Markup;
}

interface KindFacts<T> {
  readonly slug: string;
  readonly title: string;
  readonly of: (space: Space) => RecordMap<T>;
  readonly states: readonly string[];
  readonly state: (row: T) => string;
  /** Names that the record itself does not have: of people, projects. */
  readonly names: (row: T, place: BoardContext) => string;
  /** The first one leads to the record. */
  readonly columns: readonly BoardColumn<T>[];
  /** Fields that nobody is shown. */
  readonly secrets?: readonly string[];
}

export const buildRecordUrl = (slug: string, space: Space, id: string | number): string =>
  `/_sandbox/view/${slug}/${space.id}/${encodeURIComponent(id)}`;

const without = (record: object, secrets: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, secrets.includes(name) ? '(secret)' : value]),
  );

export const defineBoardKind = <T extends object>(about: KindFacts<T>): BoardKind => {
  const { slug, title, states, columns, secrets = [] } = about;
  const cells = (row: T, id: string, place: BoardContext): Markup[] =>
    columns.map(({ show }, index) => {
      const cell = show(row, place);
      return index === 0 ? html`<a href="${buildRecordUrl(slug, place.space, id)}">${cell}</a>` : cell;
    });
  const lineOf = (world: World, space: Space, id: string, row: T): BoardRow => {
    const place = { world, space };
    const record = without(row, secrets);
    return {
      id,
      space,
      record,
      state: about.state(row),
      words: () => `${about.names(row, place)} ${JSON.stringify(Object.values(record))}`.toLowerCase(),
      cells: () => cells(row, id, place),
      heading: () => columns[0]?.show(row, place) ?? html`${id}`,
    };
  };
  const spaces = (world: World): Space[] => Object.values(world.spaces);
  return {
    slug,
    title,
    states,
    heads: columns,
    count: (world) => spaces(world).reduce((sum, space) => sum + Object.keys(about.of(space)).length, 0),
    lines: (world) =>
      spaces(world).flatMap((space) =>
        Object.entries(about.of(space)).map(([id, row]) => lineOf(world, space, id, row)),
      ),
  };
};

/** Active or archived: what a soft delete leaves. */
export const getArchiveState = (row: { readonly deleted_at: string | null }, state: string): string =>
  row.deleted_at === null ? state : 'archived';

export const createStateColumn = <T>(state: (row: T) => string): BoardColumn<T> => ({
  title: 'Status',
  show: (row) => renderBadge(state(row)),
});
