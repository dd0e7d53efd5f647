import { formatShortfallWarning, type ListPage, type Row } from '../api/page.ts';
import { type Clock, takeTurnBefore } from '../clock.ts';
import { EXIT, Failure, OutputError } from '../errors.ts';
import { isRecord } from '../json.ts';
import { formatDuration } from '../parsing/calendar.ts';
import { collectFields, formatTitle, getField, isNothing, pickFields } from './cell.ts';
import { chooseColumns, listPrinted, type NamedFields, resolveFields, showView } from './columns.ts';
import { formatPlainValue, writeDocument } from './formats/writers.ts';
import { groupList } from './group.ts';
import type { Column, ListView, RowJoins } from './list-view.ts';
import { formatRecordLines } from './record-lines.ts';
import { safeCell, safeJson, safeLines } from './safe-text.ts';
import { writeLines } from './sink.ts';
import { joinPages, sortPages, takeRows, toOnePage } from './sort.ts';
import { Streams } from './streams.ts';

/**
 * A list in the chosen format, or its groups; rows go out as the pages come where the format streams. A terminal is
 * told how far it has come.
 */
export async function writeList(
  streams: Streams,
  pages: AsyncIterable<ListPage>,
  view: ListView,
): Promise<void> {
  const { progress, clock } = streams.options;
  if (progress?.visible !== true) return writeAll(streams, pages, view);
  const reading = createReadingProgress(view.noun, clock);
  await progress.during(reading.formatText, () => writeAll(streams, reading.countPages(pages), view));
}

type Joins = (() => Promise<RowJoins>) | undefined;

async function writeAll(streams: Streams, pages: AsyncIterable<ListPage>, given: ListView): Promise<void> {
  const { grouping, documented, choose, listsColumns, joins: known } = streams.options;
  const view = documented === undefined ? given : { documented, ...given };
  const joins = view.joins ?? known;
  if (listsColumns === true) return writeColumnList(streams, view, joins);
  const chosen = choose === undefined || view.chosen === true ? pages : choose(pages);
  if (grouping === undefined) return writeRows(streams, chosen, view, joins);
  const named = { '--group-by': grouping.by, '--sum': grouping.sums };
  const { pages: read, fields, joined } = await resolveNames(chosen, view, joins, named);
  const [by, sums] = [[...new Set(fields['--group-by'])], [...new Set(fields['--sum'])]];
  const groups = await groupList(withFields(read, view, joins, [...by, ...sums], joined), view, { by, sums });
  // The groups have what their rows were joined with, under its whole name.
  const page = { rows: groups.rows, total: groups.rows.length };
  await writeRows(streams, onePage(page), groups.view, joined.length === 0 ? joins : undefined);
  groups.report(streams);
}

async function* onePage(page: ListPage): AsyncGenerator<ListPage> {
  yield page;
}

/** Resolves which fields the options name, then writes the pages with those columns, in that order. */
async function writeRows(
  streams: Streams,
  pages: AsyncIterable<ListPage>,
  view: ListView,
  joins: Joins,
): Promise<void> {
  const { columns, sort = [], limit, format, query } = streams.options;
  // After a query they are of its answer.
  const names = query === undefined ? columns : undefined;
  const named = { '--columns': names ?? [], '--sort': sort.map(({ field }) => field) };
  const { pages: read, fields, joined } = await resolveNames(pages, view, joins, named);
  const used = [...listPrinted(fields['--columns']), ...fields['--sort']];
  const keys = sort.map((key, i) => ({ ...key, field: fields['--sort'][i] ?? key.field }));
  const whole = withFields(read, view, joins, used, joined);
  const sorted = keys.length === 0 ? whole : sortPages(whole, keys);
  const shown = limit === undefined ? sorted : takeRows(sorted, limit);
  if (query !== undefined) {
    const page = await joinPages(shown);
    await writeQueryAnswer(streams, query(page.rows), view.columns);
    return reportShortened(streams, page, page.rows.length, view.noun);
  }
  const { view: changed, columns: printed, toShown } = showView(view, names && fields['--columns'], format);
  const more = { columns: printed, joined: joined.filter((name) => name.includes('.')) };
  const writer = await streams.openWriter(changed, more);
  const loads = format.forPeople ? chooseColumns(changed.columns, printed).map(({ load }) => load) : [];
  let count = 0;
  let last: ListPage | undefined;
  for await (const page of shown) {
    count += page.rows.length;
    last = { ...page, total: page.total ?? last?.total };
    if (page.rows.length > 0) await Promise.all(loads.map((load) => load?.(page.rows)));
    await takeTurnBefore(page.rows);
    await writer.rows(page.rows.map(toShown));
  }
  await writer.end();
  if (last?.shortened === true) reportShortened(streams, last, count, view.noun);
  else if (count === 0 && format.forPeople) streams.note(view.emptyMessage ?? `No ${view.noun} found.`);
}

/** Of what was left out at a wish a note; of what should have come a warning, in every format. */
function reportShortened(streams: Streams, page: ListPage, count: number, noun: string): void {
  const { total, came, shortened } = page;
  if (came !== undefined) streams.warn(formatShortfallWarning(noun, page));
  else if (shortened === true)
    streams.note(total === undefined ? `Showing ${count}; there are more.` : `Showing ${count} of ${total}.`);
}

/** What may be no field of the row itself: `member.email`, or the warnings of what waits. */
function isJoinable(name: string): boolean {
  return /[.]|^warning(s|_messages)$/.test(name);
}

/** The pages, what each name means, and which of the names are fields of other records. @throws UsageError */
async function resolveNames<N extends NamedFields>(
  pages: AsyncIterable<ListPage>,
  view: ListView,
  joins: Joins,
  named: N,
) {
  const listJoinable = async (given: NamedFields): Promise<readonly string[]> =>
    Object.values(given).flat().some(isJoinable) ? ((await joins?.())?.fields ?? []) : [];
  const documented = async () => [...((await view.documented?.()) ?? []), ...(await listJoinable(named))];
  const { problem, ...resolved } = await resolveFields(pages, view.columns, documented, named);
  if (problem !== undefined) throw problem;
  const fields = await listJoinable(resolved.fields);
  const names = new Set(listPrinted(Object.values(resolved.fields).flat()));
  return { ...resolved, joined: [...names].filter((name) => isJoinable(name) && fields.includes(name)) };
}

/** The rows with what the names mean beside their own fields: derived ones, and those of other records. */
async function* withFields(
  pages: AsyncIterable<ListPage>,
  { columns }: ListView,
  joins: Joins,
  names: readonly string[],
  joined: readonly string[],
): AsyncGenerator<ListPage> {
  const derived = columns.filter((column) => column.derived === true && names.includes(column.field));
  // So that every format and option has them.
  const addDerived = (row: Row): Row => {
    const missing = derived.filter(({ field }) => !Object.hasOwn(row, field));
    return { ...row, ...Object.fromEntries(missing.map(({ field, show }) => [field, show?.(row) ?? null])) };
  };
  const { ofAll = [], find } = joined.length === 0 ? {} : ((await joins?.()) ?? {});
  for await (const page of joined.some((name) => ofAll.includes(name)) ? toOnePage(pages) : pages) {
    const rows = derived.length === 0 ? page.rows : page.rows.map(addDerived);
    const others = find === undefined ? undefined : await find(rows, joined);
    // Each field of another record under its whole name.
    const listFields = (i: number) => joined.map((name) => [name, getField(others?.[i] ?? {}, name) ?? null]);
    const addJoined = (row: Row, i: number): Row => ({ ...row, ...Object.fromEntries(listFields(i)) });
    yield others === undefined && derived.length === 0
      ? page
      : { ...page, rows: others === undefined ? rows : rows.map(addJoined) };
  }
}

/**
 * The columns that `--columns` may name: those of the view, then the other fields. Without a request: pages are read
 * when they are asked for.
 */
export async function writeColumnList(streams: Streams, listed: ListView, joins?: Joins): Promise<void> {
  const shown = listed.columns.filter(({ kind }) => kind !== 'bar');
  const known = [...((await listed.documented?.()) ?? []), ...((await joins?.())?.fields ?? [])];
  const more = known.filter((name) => !shown.some(({ field }) => field === name));
  const rows = [...shown, ...more.map((field): Column => ({ field, onRequest: true }))].map((column) => ({
    column: column.field,
    heading: formatTitle(column),
    default: column.onRequest !== true,
  }));
  const columns = ['column', 'heading', 'default'].map((field) => ({ field }));
  await streams.writeRows({ noun: 'columns', id: 'column', columns }, rows);
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

/**
 * The answer of a query in the format that was named.
 * @param view the columns of what was asked
 */
async function writeQueryAnswer(streams: Streams, answer: unknown, view: readonly Column[]): Promise<void> {
  const { shape } = streams.options.format;
  if (isRecord(answer)) return writeObject(streams, answer, view);
  const items = Array.isArray(answer) ? answer : [answer];
  if (Array.isArray(answer) && answer.length > 0 && answer.every(isRecord))
    return writeAnswerRows(streams, answer, view);
  if (shape === 'id-lines')
    return writeLines(
      items,
      (item) => `${typeof item === 'string' ? safeCell(item) : safeJson(item)}\n`,
      streams,
    );
  if (shape === 'json-lines') return writeLines(items, (item) => `${safeJson(item)}\n`, streams);
  if (shape === 'document') return writeDocument(answer, streams);
  if (isNothing(answer) || items.length === 0) {
    streams.note('The query matches nothing.');
    return writeAnswerRows(streams, [], []);
  }
  if (Array.isArray(answer) || shape !== 'screen') return writeAnswerRows(streams, toRows(items), []);
  return streams.write(`${safeLines(formatPlainValue(answer))}\n`);
}

/** What is no record has no names: lists have numbered columns, anything else is a `value`. */
function toRows(items: readonly unknown[]): readonly Row[] {
  return items.every(Array.isArray)
    ? items.map((list) => Object.fromEntries(list.map((item, index) => [`column_${index + 1}`, item])))
    : items.map((value) => ({ value }));
}

/** One object: an object in JSON, lines for people, else a list of one. */
async function writeObject(streams: Streams, answer: Row, view: readonly Column[]): Promise<void> {
  const { format, columns } = streams.options;
  const record = columns === undefined ? answer : pickFields(answer, columns);
  if (format.shape === 'document') return writeDocument(record, streams);
  if (format.shape !== 'screen') return writeAnswerRows(streams, [answer], view);
  return streams.write(await formatRecordLines(record, listColumns([record], view), streams.style));
}

async function writeAnswerRows(
  streams: Streams,
  rows: readonly Row[],
  view: readonly Column[],
): Promise<void> {
  const columns = streams.options.format.forPeople ? listColumns(rows, view) : [];
  await streams.writeRows({ noun: 'records', columns }, rows);
}

/** Every field of the rows; what the view keeps secret stays so. */
function listColumns(rows: readonly Row[], view: readonly Column[]): readonly Column[] {
  const isSecret = (name: string) => view.some(({ field, kind }) => field === name && kind === 'secret');
  return collectFields(rows).map((field) => (isSecret(field) ? { field, kind: 'secret' } : { field }));
}

/**
 * Writes what the query makes of the data. After a write it is too late to refuse the query: then all is written.
 * @param writeAll writes the data to the streams it is given, which have no query
 * @param view the columns of the data
 * @throws UsageError where nothing has been changed, else OutputError, for a query that cannot be used on the data
 */
export async function writeQueryResult(
  streams: Streams,
  data: unknown,
  writeAll: (streams: Streams) => Promise<void>,
  view: readonly Column[] = [],
): Promise<void> {
  // `--columns` are of the answer.
  const { query, columns: _columns, ...options } = streams.options;
  let answer: unknown;
  try {
    answer = query?.(data);
  } catch (error) {
    if (options.isRead === true || !(error instanceof Failure)) throw error;
    await writeAll(new Streams(options));
    throw new OutputError(error.message, {
      ...{ code: error.code, exit: EXIT.fault, reason: error.reason, cause: error },
      hint: 'Only the query failed; do not run the command again. The whole result is on stdout.',
    });
  }
  return writeQueryAnswer(streams, answer, view);
}

/** Any JSON value. @param asIs leaves `--query` out */
export function writeValue(streams: Streams, value: unknown, asIs: boolean): Promise<void> {
  const writeAll = (plain: Streams) => writeDocument(value, plain);
  return asIs || streams.options.query === undefined
    ? writeAll(streams)
    : writeQueryResult(streams, value, writeAll);
}

/** A list whose rows come one by one, each written when it comes. */
export async function writeLiveRows(
  streams: Streams,
  rows: AsyncIterable<Row>,
  given: ListView,
): Promise<void> {
  const { format, query, columns: names } = streams.options;
  if (query !== undefined) {
    for await (const row of rows) await streams.write(`${safeJson(query(row))}\n`);
    return;
  }
  const { view, columns, toShown } = showView(given, names, format);
  const writer = await streams.openWriter(view, { columns, live: true });
  for await (const row of rows) await writer.rows([toShown(row)]);
  await writer.end();
}
