import type { Page } from '../api/page.ts';
import { humanColumns, withDerived } from './columns.ts';
import type { Desk, Grouping } from './desk.ts';
import type { RowWriter } from './formats/row-writer.ts';
import type { ListView } from './list-view.ts';
import type { Naming } from './named.ts';

const shortNote = (count: number, total: number | undefined): string =>
  total === undefined ? `Showing ${count}; there are more.` : `Showing ${count} of ${total}.`;

/** Sorted, and then cut. Loaded only for a list that is one of them. */
const inOrder = async (pages: AsyncIterable<Page>, { options }: Desk): Promise<AsyncIterable<Page>> => {
  const { sort = [], limit } = options;
  if (sort.length === 0 && limit === undefined) return pages;
  const { firstRows, sortedPages } = await import('./sort.ts');
  const sorted = sort.length === 0 ? pages : sortedPages(pages, sort);
  return limit === undefined ? sorted : firstRows(sorted, limit);
};

const writePages = async (desk: Desk, pages: AsyncIterable<Page>, view: ListView): Promise<void> => {
  const { format } = desk.options;
  const writer: RowWriter = (await format.write())(desk.context(view));
  const loads = format.forPeople
    ? humanColumns(view.columns, desk.options.columns).flatMap(({ load }) => load ?? [])
    : [];
  let count = 0;
  let last: Page | undefined;
  for await (const page of await inOrder(pages, desk)) {
    count += page.rows.length;
    last = { ...page, total: page.total ?? last?.total };
    if (page.rows.length > 0) await Promise.all(loads.map((load) => load(page.rows)));
    await writer.rows(page.rows);
  }
  await writer.end();
  if (last?.shortened === true) desk.note(shortNote(count, last.total));
  else if (count === 0 && format.forPeople) desk.note(view.none ?? `No ${view.noun} found.`);
};

const writeRows = async (desk: Desk, pages: AsyncIterable<Page>, view: ListView): Promise<void> => {
  if (desk.query === undefined) return writePages(desk, pages, view);
  const [{ onePage }, { writeAnswer }] = await Promise.all([import('./sort.ts'), import('./answer.ts')]);
  const page = await onePage(await inOrder(pages, desk));
  await writeAnswer(desk, desk.query(page.rows), view.columns);
  if (page.shortened === true) desk.note(shortNote(page.rows.length, page.total));
};

/** The names that options give, where the rows have the fields of this view. */
const namedIn = ({ query, options: { columns = [], sort = [] } }: Desk): readonly Naming[] => [
  // After a query they are of its answer.
  { flag: '--columns', names: query === undefined ? columns : [] },
  { flag: '--sort', names: sort.map(({ field }) => field) },
];

/** The desk with other names in its options; asking them for the zone costs, so they are not copied without need. */
const renamed = (desk: Desk, meant: (name: string) => string): Desk => {
  const { columns, sort = [] } = desk.options;
  const names = desk.query === undefined ? columns?.map(meant) : columns;
  const keys = sort.map((key) => ({ ...key, field: meant(key.field) }));
  const options = { ...desk.options, sort: keys, ...(names === undefined ? {} : { columns: names }) };
  return { ...desk, options, context: (view) => ({ ...desk.context(view), columns: names }) };
};

/** The pages, the view and the options, once it is settled which fields are named. @throws UsageError */
const settled = async (pages: AsyncIterable<Page>, view: ListView, named: readonly Naming[]) => {
  const { columns, documented = async () => [] } = view;
  const fields = new Set(columns.filter(({ kind }) => kind !== 'bar').map(({ field }) => field));
  const known = named.every(({ names }) => names.every((name) => fields.has(name)));
  if (known) return { pages, meant: (name: string): string => name, changed: false };
  const { settleNames } = await import('./named.ts');
  const { problem, ...found } = await settleNames(pages, { columns, documented }, named);
  if (problem !== undefined) throw problem;
  return { ...found, changed: true };
};

const writeNamed = async (desk: Desk, pages: AsyncIterable<Page>, view: ListView): Promise<void> => {
  const { pages: whole, meant, changed } = await settled(pages, view, namedIn(desk));
  const own = changed ? renamed(desk, meant) : desk;
  const names = namedIn(own).flatMap(({ names }) => names);
  await writeRows(own, withDerived(whole, view, names), view);
};

const writeGroups = async (
  desk: Desk,
  pages: AsyncIterable<Page>,
  view: ListView,
  { by, sums }: Grouping,
): Promise<void> => {
  const named = [
    { flag: '--group-by', names: by },
    { flag: '--sum', names: sums },
  ];
  const { pages: whole, meant } = await settled(pages, view, named);
  const grouping = { by: [...new Set(by.map(meant))], sums: [...new Set(sums.map(meant))] };
  const { groupList } = await import('./group.ts');
  const names = [...grouping.by, ...grouping.sums];
  const groups = groupList(withDerived(whole, view, names), view, grouping);
  await writeNamed(desk, groups.pages, groups.view);
  groups.tell(desk);
};

const writeWhole = async (desk: Desk, pages: AsyncIterable<Page>, view: ListView): Promise<void> => {
  const { grouping, documented } = desk.options;
  const known = documented === undefined ? view : { documented, ...view };
  return grouping === undefined ? writeNamed(desk, pages, known) : writeGroups(desk, pages, known, grouping);
};

/**
 * A list in the chosen format, or its groups; rows go out as the pages come where the format streams. A terminal is
 * told how far it has come.
 */
export const writeList = async (desk: Desk, pages: AsyncIterable<Page>, view: ListView): Promise<void> => {
  const { watch, progress, clock } = desk.options;
  if (watch === undefined || progress?.visible !== true) return writeWhole(desk, pages, view);
  const { openReading } = await import('./reading.ts');
  const reading = openReading(view.noun, clock);
  await watch.during(reading.words, () => writeWhole(desk, reading.counted(pages), view));
};
