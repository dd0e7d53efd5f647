import { formatShortfallWarning, type ListPage } from '../api/page.ts';
import { takeTurnBefore } from '../clock.ts';
import { applyColumnChanges, createColumnList, listPrinted, stripSign } from './column-changes.ts';
import { chooseColumns, type NamedFields, resolveFieldNames, withDerived, withJoined } from './columns.ts';
import type { RowWriter } from './formats/row-writer.ts';
import type { ListView } from './list-view.ts';
import type { Grouping, OutputContext } from './output-context.ts';

/** Of what was left out at a wish a note; of what should have come a warning, in every format. */
const reportShortened = (
  { note, warn }: OutputContext,
  page: ListPage,
  { count, noun }: { readonly count: number; readonly noun: string },
): void => {
  const { total, came, shortened } = page;
  if (came !== undefined) warn(formatShortfallWarning(noun, page));
  else if (shortened === true)
    note(total === undefined ? `Showing ${count}; there are more.` : `Showing ${count} of ${total}.`);
};

/** Sorted, and then cut. Loaded only for a list that is one of them. */
const sortAndLimit = async (
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
  for await (const page of await sortAndLimit(pages, service)) {
    count += page.rows.length;
    last = { ...page, total: page.total ?? last?.total };
    if (page.rows.length > 0) await Promise.all(loads.map((load) => load(page.rows)));
    await takeTurnBefore(page.rows);
    await writer.rows(page.rows);
  }
  await writer.end();
  if (last?.shortened === true) reportShortened(service, last, { count, noun: view.noun });
  else if (count === 0 && format.forPeople) service.note(view.emptyMessage ?? `No ${view.noun} found.`);
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
  const page = await joinPages(await sortAndLimit(pages, service));
  await writeQueryAnswer(service, service.query(page.rows), view.columns);
  reportShortened(service, page, { count: page.rows.length, noun: view.noun });
};

/** The names that options give, where the rows have the fields of this view. @param readColumns the names without signs */
const listNamedFields = (
  { query, options: { columns = [], sort = [] } }: OutputContext,
  readColumns = (names: readonly string[]) => names.map(stripSign),
): readonly NamedFields[] => [
  // After a query they are of its answer.
  { flag: '--columns', names: query === undefined ? readColumns(columns) : [] },
  { flag: '--sort', names: sort.map(({ field }) => field) },
];

/** The context with resolved names in its options. Copying the options asks the system for its time zone, which is slow. */
const withResolvedNames = (service: OutputContext, resolve: (name: string) => string): OutputContext => {
  const { columns, sort = [] } = service.options;
  const resolveName = (name: string) => name.slice(0, -stripSign(name).length) + resolve(stripSign(name));
  const names = service.query === undefined ? columns?.map(resolveName) : columns;
  const keys = sort.map((key) => ({ ...key, field: resolve(key.field) }));
  const options = { ...service.options, sort: keys, ...(names === undefined ? {} : { columns: names }) };
  return { ...service, options, context: (view) => ({ ...service.context(view), columns: names }) };
};

/** What may be no field of the row itself: `member.email`, or the warnings of what waits. */
const isJoinable = (name: string): boolean => /[.]|^warning(s|_messages)$/.test(name);

/** The fields of other records that the rows lead to. */
const listJoinable = async ({ options: { joins } }: OutputContext): Promise<readonly string[]> =>
  (await joins?.())?.fields ?? [];

/** Which of the names are such fields. */
const findJoined = async (service: OutputContext, names: readonly string[]): Promise<readonly string[]> => {
  const dotted = names.filter(isJoinable);
  if (dotted.length === 0) return [];
  const fields = await listJoinable(service);
  return dotted.filter((name) => fields.includes(name));
};

/** The pages, and what each name means. @throws UsageError */
const resolvePages = async (
  service: OutputContext,
  pages: AsyncIterable<ListPage>,
  view: ListView,
  requested: readonly NamedFields[],
) => {
  const { columns } = view;
  const documented = async () => [
    ...((await view.documented?.()) ?? []),
    ...(requested.some(({ names }) => names.some(isJoinable)) ? await listJoinable(service) : []),
  ];
  const fields = new Set(columns.filter(({ kind }) => kind !== 'bar').map(({ field }) => field));
  const known = requested.every(({ names }) => names.every((name) => fields.has(name)));
  if (known) return { pages, resolve: (name: string): string => name, changed: false };
  const { problem, ...resolved } = await resolveFieldNames(pages, { columns, documented }, requested);
  if (problem !== undefined) throw problem;
  return { ...resolved, changed: true };
};

/** The rows with what the names mean beside their own fields. */
const withFields = (
  { options: { joins } }: OutputContext,
  pages: AsyncIterable<ListPage>,
  view: ListView,
  { names, joined }: { readonly names: readonly string[]; readonly joined: readonly string[] },
): AsyncIterable<ListPage> => {
  const derived = withDerived(pages, view, names);
  return joins === undefined || joined.length === 0 ? derived : withJoined(derived, joins, joined);
};

const writeUngrouped = async (
  service: OutputContext,
  pages: AsyncIterable<ListPage>,
  view: ListView,
): Promise<void> => {
  const { pages: all, resolve, changed } = await resolvePages(service, pages, view, listNamedFields(service));
  const named = changed ? withResolvedNames(service, resolve) : service;
  const [resolved, shown] = applyColumnChanges(named, view);
  const names = [...new Set(listNamedFields(named, listPrinted).flatMap((one) => one.names))];
  const joined = await findJoined(service, names);
  const nested: OutputContext = {
    ...resolved,
    context: (one) => ({ ...resolved.context(one), joined: joined.filter((name) => name.includes('.')) }),
  };
  const context = joined.length === 0 ? resolved : nested;
  await writeRows(context, withFields(service, all, view, { names, joined }), shown);
};

const writeGroups = async (
  service: OutputContext,
  pages: AsyncIterable<ListPage>,
  view: ListView,
  { by, sums }: Grouping,
): Promise<void> => {
  const requested = [
    { flag: '--group-by', names: by },
    { flag: '--sum', names: sums },
  ];
  const { pages: all, resolve } = await resolvePages(service, pages, view, requested);
  const grouping = { by: [...new Set(by.map(resolve))], sums: [...new Set(sums.map(resolve))] };
  const { groupList } = await import('./group.ts');
  const names = [...grouping.by, ...grouping.sums];
  const joined = await findJoined(service, names);
  const groups = groupList(withFields(service, all, view, { names, joined }), view, grouping);
  // The groups have what their rows were joined with, under its whole name.
  const options = { ...service.options, joins: undefined };
  await writeUngrouped(joined.length === 0 ? service : { ...service, options }, groups.pages, groups.view);
  groups.report(service);
};

/** Without a request: pages are read when they are asked for. */
export const writeColumnList = async (service: OutputContext, listed: ListView): Promise<void> => {
  const documented = async () => [...((await listed.documented?.()) ?? []), ...(await listJoinable(service))];
  const { rows, view } = await createColumnList({ ...listed, documented });
  const writer = (await service.options.format.write())(service.context(view));
  await writer.rows(rows);
  await writer.end();
};

/** The options with the joins of the view, where a name may need them: copying them asks for the time zone, which is slow. */
const withJoins = (service: OutputContext, { joins }: ListView): OutputContext => {
  const { columns = [], sort = [], grouping, listsColumns } = service.options;
  const names = [
    ...columns,
    ...sort.map(({ field }) => field),
    ...(grouping?.by ?? []),
    ...(grouping?.sums ?? []),
  ];
  const isNeeded = listsColumns === true || names.some(isJoinable);
  return joins === undefined || !isNeeded ? service : { ...service, options: { ...service.options, joins } };
};

const writeAll = async (
  given: OutputContext,
  pages: AsyncIterable<ListPage>,
  view: ListView,
): Promise<void> => {
  const service = withJoins(given, view);
  const { grouping, documented, choose } = service.options;
  const known = documented === undefined ? view : { documented, ...view };
  if (service.options.listsColumns === true) return writeColumnList(service, known);
  const chosen = choose === undefined || view.chosen === true ? pages : choose(pages);
  return grouping === undefined
    ? writeUngrouped(service, chosen, known)
    : writeGroups(service, chosen, known, grouping);
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
  if (watch === undefined || progress?.visible !== true) return writeAll(service, pages, view);
  const { createReadingProgress } = await import('./reading-progress.ts');
  const reading = createReadingProgress(view.noun, clock);
  await watch.during(reading.formatText, () => writeAll(service, reading.countPages(pages), view));
};
