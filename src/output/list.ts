import type { ListPage } from '../api/page.ts';
import { chooseColumns, type NamedFields, resolveFieldNames, withDerived } from './columns.ts';
import type { RowWriter } from './formats/row-writer.ts';
import type { ListView } from './list-view.ts';
import type { Grouping, OutputContext } from './output-context.ts';

const shortNote = (count: number, total: number | undefined): string =>
  total === undefined ? `Showing ${count}; there are more.` : `Showing ${count} of ${total}.`;

/** Sorted, and then cut. Loaded only for a list that is one of them. */
const inOrder = async (
  pages: AsyncIterable<ListPage>,
  { options }: OutputContext,
): Promise<AsyncIterable<ListPage>> => {
  const { sort = [], limit } = options;
  if (sort.length === 0 && limit === undefined) return pages;
  const { takeRows, sortPages } = await import('./sort.ts');
  const sorted = sort.length === 0 ? pages : sortPages(pages, sort);
  return limit === undefined ? sorted : takeRows(sorted, limit);
};

const writePages = async (
  service: OutputContext,
  pages: AsyncIterable<ListPage>,
  view: ListView,
): Promise<void> => {
  const { format } = service.options;
  const writer: RowWriter = (await format.write())(service.context(view));
  const loads = format.forPeople
    ? chooseColumns(view.columns, service.options.columns).flatMap(({ load }) => load ?? [])
    : [];
  let count = 0;
  let last: ListPage | undefined;
  for await (const page of await inOrder(pages, service)) {
    count += page.rows.length;
    last = { ...page, total: page.total ?? last?.total };
    if (page.rows.length > 0) await Promise.all(loads.map((load) => load(page.rows)));
    await writer.rows(page.rows);
  }
  await writer.end();
  if (last?.shortened === true) service.note(shortNote(count, last.total));
  else if (count === 0 && format.forPeople) service.note(view.none ?? `No ${view.noun} found.`);
};

const writeRows = async (
  service: OutputContext,
  pages: AsyncIterable<ListPage>,
  view: ListView,
): Promise<void> => {
  if (service.query === undefined) return writePages(service, pages, view);
  const [{ joinPages }, { writeQueryAnswer }] = await Promise.all([
    import('./sort.ts'),
    import('./answer.ts'),
  ]);
  const page = await joinPages(await inOrder(pages, service));
  await writeQueryAnswer(service, service.query(page.rows), view.columns);
  if (page.shortened === true) service.note(shortNote(page.rows.length, page.total));
};

/** The names that options give, where the rows have the fields of this view. */
const namedIn = ({ query, options: { columns = [], sort = [] } }: OutputContext): readonly NamedFields[] => [
  // After a query they are of its answer.
  { flag: '--columns', names: query === undefined ? columns : [] },
  { flag: '--sort', names: sort.map(({ field }) => field) },
];

/** The desk with other names in its options; asking them for the zone costs, so they are not copied without need. */
const renamed = (service: OutputContext, meant: (name: string) => string): OutputContext => {
  const { columns, sort = [] } = service.options;
  const names = service.query === undefined ? columns?.map(meant) : columns;
  const keys = sort.map((key) => ({ ...key, field: meant(key.field) }));
  const options = { ...service.options, sort: keys, ...(names === undefined ? {} : { columns: names }) };
  return { ...service, options, context: (view) => ({ ...service.context(view), columns: names }) };
};

/** The pages, the view and the options, once it is settled which fields are named. @throws UsageError */
const settled = async (pages: AsyncIterable<ListPage>, view: ListView, named: readonly NamedFields[]) => {
  const { columns, documented = async () => [] } = view;
  const fields = new Set(columns.filter(({ kind }) => kind !== 'bar').map(({ field }) => field));
  const known = named.every(({ names }) => names.every((name) => fields.has(name)));
  if (known) return { pages, meant: (name: string): string => name, changed: false };
  const { problem, ...found } = await resolveFieldNames(pages, { columns, documented }, named);
  if (problem !== undefined) throw problem;
  return { ...found, changed: true };
};

const writeNamed = async (
  service: OutputContext,
  pages: AsyncIterable<ListPage>,
  view: ListView,
): Promise<void> => {
  const { pages: whole, meant, changed } = await settled(pages, view, namedIn(service));
  const own = changed ? renamed(service, meant) : service;
  const names = namedIn(own).flatMap(({ names }) => names);
  await writeRows(own, withDerived(whole, view, names), view);
};

const writeGroups = async (
  service: OutputContext,
  pages: AsyncIterable<ListPage>,
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
  await writeNamed(service, groups.pages, groups.view);
  groups.tell(service);
};

const writeWhole = async (
  service: OutputContext,
  pages: AsyncIterable<ListPage>,
  view: ListView,
): Promise<void> => {
  const { grouping, documented } = service.options;
  const known = documented === undefined ? view : { documented, ...view };
  return grouping === undefined
    ? writeNamed(service, pages, known)
    : writeGroups(service, pages, known, grouping);
};

/**
 * A list in the chosen format, or its groups; rows go out as the pages come where the format streams. A terminal is
 * told how far it has come.
 */
export const writeList = async (
  service: OutputContext,
  pages: AsyncIterable<ListPage>,
  view: ListView,
): Promise<void> => {
  const { watch, progress, clock } = service.options;
  if (watch === undefined || progress?.visible !== true) return writeWhole(service, pages, view);
  const { createReadingProgress } = await import('./reading-progress.ts');
  const reading = createReadingProgress(view.noun, clock);
  await watch.during(reading.words, () => writeWhole(service, reading.counted(pages), view));
};
