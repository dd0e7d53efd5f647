import type { RecordMap, Workspace, World } from '../../world.ts';
import { html, type Markup } from '../html.ts';
import { renderBadge } from './markup.ts';
import type { TableHead } from './table.ts';

/** What a kind of record is on the page: its table, its states, and what it is found by. */

export interface BoardContext {
  readonly world: World;
  readonly workspace: Workspace;
}

export interface BoardRow {
  /** In addresses. */
  readonly id: string;
  readonly workspace: Workspace;
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
  readonly show: (row: T, context: BoardContext) => Markup;
}

interface KindFacts<T> {
  readonly slug: string;
  readonly title: string;
  readonly getRecords: (workspace: Workspace) => RecordMap<T>;
  readonly states: readonly string[];
  readonly getState: (row: T) => string;
  /** Names that the record itself does not have: of people, projects. */
  readonly getNames: (row: T, context: BoardContext) => string;
  /** The first one leads to the record. */
  readonly columns: readonly BoardColumn<T>[];
  /** Fields that nobody is shown. */
  readonly secrets?: readonly string[];
}

export const buildRecordUrl = (slug: string, workspace: Workspace, id: string | number): string =>
  `/_sandbox/view/${slug}/${workspace.id}/${encodeURIComponent(id)}`;

const maskSecrets = (record: object, secrets: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, secrets.includes(name) ? '(secret)' : value]),
  );

export const defineBoardKind = <T extends object>(facts: KindFacts<T>): BoardKind => {
  const { slug, title, states, columns, secrets = [] } = facts;
  const renderCells = (row: T, id: string, context: BoardContext): Markup[] =>
    columns.map(({ show }, index) => {
      const cell = show(row, context);
      return index === 0 ? html`<a href="${buildRecordUrl(slug, context.workspace, id)}">${cell}</a>` : cell;
    });
  const createRow = (world: World, workspace: Workspace, id: string, row: T): BoardRow => {
    const context = { world, workspace };
    const record = maskSecrets(row, secrets);
    return {
      id,
      workspace,
      record,
      state: facts.getState(row),
      words: () => `${facts.getNames(row, context)} ${JSON.stringify(Object.values(record))}`.toLowerCase(),
      cells: () => renderCells(row, id, context),
      heading: () => columns[0]?.show(row, context) ?? html`${id}`,
    };
  };
  const listWorkspaces = (world: World): Workspace[] => Object.values(world.spaces);
  return {
    slug,
    title,
    states,
    heads: columns,
    count: (world) =>
      listWorkspaces(world).reduce(
        (sum, workspace) => sum + Object.keys(facts.getRecords(workspace)).length,
        0,
      ),
    lines: (world) =>
      listWorkspaces(world).flatMap((workspace) =>
        Object.entries(facts.getRecords(workspace)).map(([id, row]) => createRow(world, workspace, id, row)),
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
