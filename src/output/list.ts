import { formatShortfallWarning, type ListPage, type Row } from '../api/page.ts';
import { type Clock, takeTurnBefore } from '../clock.ts';
import { formatDuration } from '../parsing/calendar.ts';
import { formatTitle, getField } from './cell.ts';
import {
  chooseColumns,
  listPrinted,
  type NamedFields,
  resolveFieldNames,
  type ShownView,
  showView,
  stripSign,
} from './columns.ts';
import type { Column, ListView, RowJoins } from './list-view.ts';
import { joinPages, type SortKey, sortPages, takeRows, toOnePage } from './sort.ts';
import { createFormatContext, type Grouping, type Streams } from './streams.ts';

/**
 * A list in the chosen format, or its groups; rows go out as the pages come where the format streams. A terminal is
 * told how far it has come.
 */
export async function writeList(
  streams: Streams,
  pages: AsyncIterable<ListPage>,
  view: ListView,
): Promise<void> {
  const { watch, progress, clock } = streams.options;
  if (watch === undefined || progress?.visible !== true) return writeAll(streams, pages, view);
  const reading = createReadingProgress(view.noun, clock);
  await watch.during(reading.formatText, () => writeAll(streams, reading.countPages(pages), view));
}

type Joins = (() => Promise<RowJoins>) | undefined;

async function writeAll(streams: Streams, pages: AsyncIterable<ListPage>, given: ListView): Promise<void> {
  const { grouping, documented, choose, listsColumns, ...options } = streams.options;
  const view = documented === undefined ? given : { documented, ...given };
  const joins = view.joins ?? options.joins;
  if (listsColumns === true) return writeColumnList(streams, view, joins);
  const chosen = choose === undefined || view.chosen === true ? pages : choose(pages);
  return grouping === undefined
    ? writeRows(streams, chosen, view, joins)
    : writeGroups(streams, chosen, view, joins, grouping);
}

async function writeGroups(
  streams: Streams,
  pages: AsyncIterable<ListPage>,
  view: ListView,
  joins: Joins,
  { by, sums }: Grouping,
): Promise<void> {
  const requested = [
    { flag: '--group-by', names: by },
    { flag: '--sum', names: sums },
  ];
  const { pages: all, resolve } = await resolvePages(pages, view, joins, requested);
  const grouping = { by: [...new Set(by.map(resolve))], sums: [...new Set(sums.map(resolve))] };
  const names = [...grouping.by, ...grouping.sums];
  const joined = await findJoined(joins, names);
  const { groupList } = await import('./group.ts');
  const groups = groupList(withFields(all, view, joins, names, joined), view, grouping);
  // The groups have what their rows were joined with, under its whole name.
  await writeRows(streams, groups.pages, groups.view, joined.length === 0 ? joins : undefined);
  groups.report(streams);
}

/** What the options make of a list: which fields their names mean, and which columns there are. */
interface Plan extends ShownView<ListView> {
  readonly sort: readonly SortKey[];
  readonly joined: readonly string[];
}

async function writeRows(
  streams: Streams,
  pages: AsyncIterable<ListPage>,
  view: ListView,
  joins: Joins,
): Promise<void> {
  const { options } = streams;
  const { columns = [], sort = [], limit, format, query } = options;
  // After a query they are of its answer.
  const names = query === undefined ? columns : [];
  const requested = [
    { flag: '--columns', names: names.map(stripSign) },
    { flag: '--sort', names: sort.map(({ field }) => field) },
  ];
  const { pages: read, resolve } = await resolvePages(pages, view, joins, requested);
  const resolved = names.map((name) => name.slice(0, -stripSign(name).length) + resolve(stripSign(name)));
  const keys = sort.map((key) => ({ ...key, field: resolve(key.field) }));
  const used = [...new Set([...listPrinted(resolved), ...keys.map(({ field }) => field)])];
  const joined = await findJoined(joins, used);
  const isNamed = query === undefined && options.columns !== undefined;
  const plan: Plan = {
    ...showView(view, isNamed ? resolved : undefined, format),
    sort: keys,
    joined: joined.filter((name) => name.includes('.')),
  };
  const whole = withFields(read, view, joins, used, joined);
  const sorted = keys.length === 0 ? whole : sortPages(whole, keys);
  const shown = limit === undefined ? sorted : takeRows(sorted, limit);
  return query === undefined ? writePages(streams, shown, plan) : writeAnswer(streams, shown, view);
}

async function writePages(
  streams: Streams,
  pages: AsyncIterable<ListPage>,
  { view, columns, toShown, joined }: Plan,
): Promise<void> {
  const { format } = streams.options;
  const writer = (await format.write())(createFormatContext(streams, view, { columns, joined }));
  const loads = format.forPeople
    ? chooseColumns(view.columns, columns).flatMap(({ load }) => load ?? [])
    : [];
  let count = 0;
  let last: ListPage | undefined;
  for await (const page of pages) {
    count += page.rows.length;
    last = { ...page, total: page.total ?? last?.total };
    if (page.rows.length > 0) await Promise.all(loads.map((load) => load(page.rows)));
    await takeTurnBefore(page.rows);
    await writer.rows(page.rows.map(toShown));
  }
  await writer.end();
  if (last?.shortened === true) reportShortened(streams, last, count, view.noun);
  else if (count === 0 && format.forPeople) streams.note(view.emptyMessage ?? `No ${view.noun} found.`);
}

async function writeAnswer(streams: Streams, pages: AsyncIterable<ListPage>, view: ListView): Promise<void> {
  const { writeQueryAnswer } = await import('./answer.ts');
  const page = await joinPages(pages);
  await writeQueryAnswer(streams, streams.options.query?.(page.rows), view.columns);
  reportShortened(streams, page, page.rows.length, view.noun);
}

/** Of what was left out at a wish a note; of what should have come a warning, in every format. */
function reportShortened(streams: Streams, page: ListPage, count: number, noun: string): void {
  const { total, came, shortened } = page;
  if (came !== undefined) streams.warn(formatShortfallWarning(noun, page));
  else if (shortened === true)
    streams.note(total === undefined ? `Showing ${count}; there are more.` : `Showing ${count} of ${total}.`);
}

/** The pages, and what each name means. @throws UsageError */
async function resolvePages(
  pages: AsyncIterable<ListPage>,
  view: ListView,
  joins: Joins,
  requested: readonly NamedFields[],
) {
  const documented = async () => [
    ...((await view.documented?.()) ?? []),
    ...(requested.some(({ names }) => names.some(isJoinable)) ? await listJoinable(joins) : []),
  ];
  const { problem, ...resolved } = await resolveFieldNames(
    pages,
    { columns: view.columns, documented },
    requested,
  );
  if (problem !== undefined) throw problem;
  return resolved;
}

/** What may be no field of the row itself: `member.email`, or the warnings of what waits. */
const isJoinable = (name: string): boolean => /[.]|^warning(s|_messages)$/.test(name);

const listJoinable = async (joins: Joins): Promise<readonly string[]> => (await joins?.())?.fields ?? [];

async function findJoined(joins: Joins, names: readonly string[]): Promise<readonly string[]> {
  const dotted = names.filter(isJoinable);
  if (dotted.length === 0) return [];
  const fields = await listJoinable(joins);
  return dotted.filter((name) => fields.includes(name));
}

/** The rows with what the names mean beside their own fields: derived ones, and those of other records. */
function withFields(
  pages: AsyncIterable<ListPage>,
  { columns }: ListView,
  joins: Joins,
  names: readonly string[],
  joined: readonly string[],
): AsyncIterable<ListPage> {
  const derived = columns.filter((column) => column.derived === true && names.includes(column.field));
  const own = derived.length === 0 ? pages : withDerived(pages, derived);
  return joins === undefined || joined.length === 0 ? own : withJoined(own, joins, joined);
}

/** So that every format and option has them. */
async function* withDerived(
  pages: AsyncIterable<ListPage>,
  columns: readonly Column[],
): AsyncGenerator<ListPage> {
  const addFields = (row: Row): Row => {
    const missing = columns.filter(({ field }) => !Object.hasOwn(row, field));
    return { ...row, ...Object.fromEntries(missing.map(({ field, show }) => [field, show?.(row) ?? null])) };
  };
  for await (const page of pages) yield { ...page, rows: page.rows.map(addFields) };
}

/** The rows with fields of other records, each under its whole name. */
async function* withJoined(
  pages: AsyncIterable<ListPage>,
  joins: NonNullable<Joins>,
  fields: readonly string[],
): AsyncGenerator<ListPage> {
  const { ofAll = [], find } = await joins();
  for await (const page of fields.some((name) => ofAll.includes(name)) ? toOnePage(pages) : pages) {
    const joined = await find(page.rows, fields);
    const listFields = (i: number) => fields.map((name) => [name, getField(joined[i] ?? {}, name) ?? null]);
    yield { ...page, rows: page.rows.map((row, i) => ({ ...row, ...Object.fromEntries(listFields(i)) })) };
  }
}

/** The columns that `--columns` may name: those of the view, then the other fields. Without a request: pages are read when they are asked for. */
export async function writeColumnList(streams: Streams, listed: ListView, joins?: Joins): Promise<void> {
  const shown = listed.columns.filter(({ kind }) => kind !== 'bar');
  const known = [...((await listed.documented?.()) ?? []), ...(await listJoinable(joins))];
  const more = known.filter((name) => !shown.some(({ field }) => field === name));
  const rows = [...shown, ...more.map((field): Column => ({ field, onRequest: true }))].map((column) => ({
    column: column.field,
    heading: formatTitle(column),
    default: column.onRequest !== true,
  }));
  const columns = ['column', 'heading', 'default'].map((field) => ({ field }));
  const view: ListView = { noun: 'columns', id: 'column', columns };
  const writer = (await streams.options.format.write())(createFormatContext(streams, view));
  await writer.rows(rows);
  await writer.end();
}

/** How far the reading of a long list has come: `reading members: 1200 of 50000, 2 min 5 s to go`. */
export function createReadingProgress(noun: string, clock: Pick<Clock, 'now'>) {
  const since = clock.now();
  let rows = 0;
  let total: number | undefined;
  return {
    async *countPages(pages: AsyncIterable<ListPage>): AsyncGenerator<ListPage> {
      for await (const page of pages) {
        rows += page.rows.length;
        total = page.total ?? total;
        yield page;
      }
    },
    formatText(): string {
      if (rows === 0) return `reading ${noun}`;
      if (total === undefined || total <= rows) return `reading ${noun}: ${rows}`;
      const seconds = ((clock.now() - since) / 1000) * ((total - rows) / rows);
      return `reading ${noun}: ${rows} of ${total}, ${formatDuration(seconds)} to go`;
    },
  };
}
