import { formatShortfallWarning, type ListPage, type Row, toPages } from '../api/page.ts';
import { takeTurnBefore } from '../clock.ts';
import { EXIT, Failure, OutputError } from '../errors.ts';
import { isRecord } from '../json.ts';
import {
  collectFields,
  EMPTY_CELL,
  formatRowCell,
  formatTitle,
  formatValue,
  getField,
  getShownValue,
  inferColumnKind,
  isNothing,
  pickFields,
} from './cell.ts';
import {
  chooseColumns,
  listPrinted,
  type NamedFields,
  resolveFields,
  selectColumns,
  showView,
  toColumns,
} from './columns.ts';
import { formatPlainValue, writeDocument } from './formats/writers.ts';
import { groupList } from './group.ts';
import type { Column, ListView, OverviewSection, RowJoins } from './list-view.ts';
import { safeCell, safeJson, safeLines } from './safe-text.ts';
import { writeLines } from './sink.ts';
import { joinPages, toOnePage } from './sort.ts';
import type { Streams } from './streams.ts';
import { findWidest, GAP, getStatePaint, padText, prepareWidths, textWidth, wrapText } from './terminal.ts';

/**
 * A list in the chosen format, or its groups; rows go out as the pages come where the format streams. A terminal is
 * told how far it has come.
 */
export async function writeList(
  streams: Streams,
  pages: AsyncIterable<ListPage>,
  given: ListView,
): Promise<void> {
  const { grouping, documented, choose, listsColumns, joins: known, progress } = streams.options;
  const view = documented === undefined ? given : { documented, ...given };
  const joins = view.joins ?? known;
  if (listsColumns === true) return writeColumnList(streams, view, joins);
  let [count, total] = [0, ''];
  async function* countPages(): AsyncGenerator<ListPage> {
    for await (const page of pages) {
      count += page.rows.length;
      if (page.total !== undefined) total = ` of ${page.total}`;
      yield page;
    }
  }
  const counted = progress === undefined ? pages : countPages();
  const chosen = choose === undefined || view.chosen === true ? counted : choose(counted);
  const write = async () => {
    if (grouping === undefined) return writeRows(streams, chosen, view, joins);
    const named = { '--group-by': grouping.by, '--sum': grouping.sums };
    const { pages: read, fields, joined } = await readNamed(chosen, view, joins, named);
    const [by, sums] = [[...new Set(fields['--group-by'])], [...new Set(fields['--sum'])]];
    const groups = await groupList(read, view, { by, sums });
    // The groups have what their rows were joined with, under its whole name.
    await writeRows(streams, toPages(groups.rows), groups.view, joined.length === 0 ? joins : undefined);
    groups.report(streams);
  };
  const formatText = () => `reading ${view.noun}${count === 0 ? '' : `: ${count}${total}`}`;
  await (progress === undefined ? write() : progress.during(formatText, write));
}

type Joins = (() => Promise<RowJoins>) | undefined;

/** Writes the pages with the columns that the options name, in the order that they name. */
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
  const { pages: read, fields, joined } = await readNamed(pages, view, joins, named);
  const keys = sort.map((key, i) => ({ ...key, field: fields['--sort'][i] ?? key.field }));
  const sorted = keys.length === 0 ? read : toOnePage(read, keys);
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

async function* takeRows(pages: AsyncIterable<ListPage>, limit: number): AsyncGenerator<ListPage> {
  let remaining = limit;
  for await (const page of pages) {
    const rows = page.rows.slice(0, remaining);
    remaining -= rows.length;
    const cut = rows.length < page.rows.length;
    yield cut ? { ...page, rows, total: page.total ?? page.rows.length, shortened: true } : page;
  }
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

/**
 * Finds what each name means, and adds to the rows what that is beside their own fields, so that every format and option
 * has it: derived columns, and fields of other records (`joined`) under their whole names. @throws UsageError
 */
async function readNamed<N extends NamedFields>(
  pages: AsyncIterable<ListPage>,
  view: ListView,
  joins: Joins,
  named: N,
) {
  const listJoinable = async (names: readonly string[]): Promise<readonly string[]> =>
    names.some(isJoinable) ? ((await joins?.())?.fields ?? []) : [];
  const given = Object.values(named).flat();
  const documented = async () => [...((await view.documented?.()) ?? []), ...(await listJoinable(given))];
  const { problem, ...resolved } = await resolveFields(pages, view.columns, documented, named);
  if (problem !== undefined) throw problem;
  const used = listPrinted(Object.values(resolved.fields).flat());
  const joinable = await listJoinable(used);
  const joined = used.filter((name) => isJoinable(name) && joinable.includes(name));
  const derived = view.columns.filter((column) => column.derived === true && used.includes(column.field));
  if (joined.length + derived.length === 0) return { ...resolved, joined };
  const { ofAll = [], find } = joined.length === 0 ? {} : ((await joins?.()) ?? {});
  async function* addFields(read: AsyncIterable<ListPage>): AsyncGenerator<ListPage> {
    for await (const page of read) {
      const whole = page.rows.map((row): Row => {
        const missing = derived.filter(({ field }) => !Object.hasOwn(row, field));
        return {
          ...row,
          ...Object.fromEntries(missing.map(({ field, show }) => [field, show?.(row) ?? null])),
        };
      });
      const others = await find?.(whole, joined);
      const listOthers = (i: number) =>
        joined.map((name) => [name, getField(others?.[i] ?? {}, name) ?? null]);
      yield { ...page, rows: whole.map((row, i) => ({ ...row, ...Object.fromEntries(listOthers(i)) })) };
    }
  }
  const isOnePage = joined.some((name) => ofAll.includes(name));
  return { ...resolved, joined, pages: addFields(isOnePage ? toOnePage(resolved.pages) : resolved.pages) };
}

/** The columns that `--columns` may name: those of the view, then the other fields. Without a request. */
async function writeColumnList(streams: Streams, listed: ListView, joins?: Joins): Promise<void> {
  const known = [...((await listed.documented?.()) ?? []), ...((await joins?.())?.fields ?? [])];
  const more = known.filter((name) => !listed.columns.some(({ field }) => field === name));
  const all = [...listed.columns, ...more.map((field): Column => ({ field, onRequest: true }))];
  const rows = all.map((column) => ({
    column: column.field,
    heading: formatTitle(column),
    default: column.onRequest !== true,
  }));
  const columns = toColumns(['column', 'heading', 'default']);
  await streams.writeRows({ noun: 'columns', id: 'column', columns }, rows);
}

/** The answer of a query in the format that was named. @param view the columns of what was asked */
async function writeQueryAnswer(streams: Streams, answer: unknown, view: readonly Column[]): Promise<void> {
  const { format, columns } = streams.options;
  const { shape, forPeople } = format;
  // Every field of the rows; what the view keeps secret stays so.
  const isSecret = (name: string) => view.some(({ field, kind }) => field === name && kind === 'secret');
  const listColumns = (rows: readonly Row[]): readonly Column[] =>
    collectFields(rows).map((field) => (isSecret(field) ? { field, kind: 'secret' } : { field }));
  const writeRecords = (rows: readonly Row[]) =>
    streams.writeRows({ noun: 'records', columns: forPeople ? listColumns(rows) : [] }, rows);
  if (isRecord(answer)) {
    // One object: an object in JSON, lines for people, else a list of one.
    const record = columns === undefined ? answer : pickFields(answer, columns);
    if (shape === 'document') return writeDocument(record, streams);
    if (shape !== 'screen') return writeRecords([answer]);
    return writeRecordLines(streams, record, listColumns([record]));
  }
  const items: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
  if (Array.isArray(answer) && items.length > 0 && items.every(isRecord)) return writeRecords(items);
  const formatId = (item: unknown) => (typeof item === 'string' ? safeCell(item) : safeJson(item));
  if (shape === 'id-lines') return writeLines(items, (item) => `${formatId(item)}\n`, streams);
  if (shape === 'json-lines') return writeLines(items, (item) => `${safeJson(item)}\n`, streams);
  if (shape === 'document') return writeDocument(answer, streams);
  if (isNothing(answer) || items.length === 0) {
    streams.note('The query matches nothing.');
    return writeRecords([]);
  }
  if (!Array.isArray(answer) && shape === 'screen')
    return streams.write(`${safeLines(formatPlainValue(answer))}\n`);
  // What is no record has no names: lists have numbered columns, anything else is a `value`.
  const isTable = items.every(Array.isArray);
  const toRow = (item: unknown): Row =>
    isTable && Array.isArray(item)
      ? Object.fromEntries(item.map((value, index) => [`column_${index + 1}`, value]))
      : { value: item };
  return writeRecords(items.map(toRow));
}

/**
 * Writes what the query makes of the data. After a write it is too late to refuse the query: then all is written, as JSON.
 * @param view the columns of the data
 * @throws UsageError where nothing has been changed, else OutputError, for a query that cannot be used on the data
 */
export async function writeQueryResult(
  streams: Streams,
  data: unknown,
  view: readonly Column[] = [],
): Promise<void> {
  const { query, isRead } = streams.options;
  let answer: unknown;
  try {
    answer = query?.(data);
  } catch (error) {
    if (isRead === true || !(error instanceof Failure)) throw error;
    await writeDocument(data, streams);
    throw new OutputError(error.message, {
      ...{ code: error.code, exit: EXIT.fault, reason: error.reason, cause: error },
      hint: 'Only the query failed; do not run the command again. The whole result is on stdout.',
    });
  }
  return writeQueryAnswer(streams, answer, view);
}

/** Any JSON value. @param asIs leaves `--query` out */
export function writeValue(streams: Streams, value: unknown, asIs: boolean): Promise<void> {
  const isWhole = asIs || streams.options.query === undefined;
  return isWhole ? writeDocument(value, streams) : writeQueryResult(streams, value);
}

/**
 * A list whose rows come one by one, each written when it comes: for people a line without a heading, since nothing is
 * known of the rows to come; one line of JSON in both of its formats.
 */
export async function writeLiveRows(
  streams: Streams,
  rows: AsyncIterable<Row>,
  given: ListView,
): Promise<void> {
  const { style, options } = streams;
  const { format, query, columns: names } = options;
  const { view, columns, toShown } = showView(given, names, format);
  const shown = chooseColumns(view.columns, columns);
  const formatLines = async (row: Row): Promise<string> => {
    const cells = shown.map((column) => formatRowCell(column, row, style, 'plain'));
    await prepareWidths(cells);
    const line = cells.map((cell, i) => padText(cell, shown[i]?.width ?? 0)).join(' '.repeat(GAP));
    const below = view.below?.(row);
    return `${line.trimEnd()}\n${below === undefined ? '' : `${safeLines(below).replace(/^/gm, '    ')}\n`}`;
  };
  const toRecord = (row: Row): Row => (columns === undefined ? toShown(row) : pickFields(row, columns));
  const isJson = query !== undefined || format.errorsAsJson;
  const writer = isJson || format.forPeople ? undefined : await streams.openWriter(view, { columns });
  for await (const row of rows) {
    if (isJson) await streams.write(`${safeJson(query === undefined ? toRecord(row) : query(row))}\n`);
    else if (writer === undefined) await streams.write(await formatLines(row));
    else await writer.rows([toShown(row)]);
  }
  await writer?.end();
}

/** One record: an object in JSON, lines for people, else a list of one. */
export async function writeRecord(
  streams: Streams,
  record: Row,
  columns: readonly Column[] = [],
): Promise<void> {
  const { format, query, listsColumns, columns: named, isRead } = streams.options;
  const { documented = async () => [] } = streams.options;
  if (listsColumns === true) {
    const members = async () => Object.keys(record);
    return writeColumnList(streams, { noun: 'columns', columns, documented: members });
  }
  if (query !== undefined) return writeQueryResult(streams, record, columns);
  const listed = columns.length > 0 ? columns : toColumns(collectFields([record]));
  // Lists end with the id, a record begins with it.
  const id = listed.filter(({ field }) => field === 'id');
  const ordered = format.shape === 'screen' ? [...id, ...listed.filter((one) => !id.includes(one))] : listed;
  const { fields, problem } = await resolveFields(toPages([record]), columns, documented, {
    '--columns': named ?? [],
  });
  // A read is refused for a name of nothing; after a write it is too late.
  if (problem !== undefined && isRead === true) throw problem;
  if (problem !== undefined) streams.warn(problem.message);
  const shown = showView({ noun: 'records', columns: ordered }, named && fields['--columns'], format);
  if (format.shape === 'document') {
    const whole = shown.toShown(record);
    return writeDocument(shown.columns === undefined ? whole : pickFields(whole, shown.columns), streams);
  }
  const chosen = selectColumns(shown, [record]);
  if (format.forPeople) await Promise.all(chosen.map(({ load }) => load?.([record])));
  if (format.shape === 'screen') return writeRecordLines(streams, record, chosen);
  return streams.writeRows(shown.view, [shown.toShown(record)], { columns: shown.columns });
}

/** One record as sections for people: a title, and lines with the commands behind them. */
export async function writeOverview(
  streams: Streams,
  record: Row,
  sections: readonly OverviewSection[],
): Promise<void> {
  const { query, columns, format } = streams.options;
  if (query !== undefined || columns !== undefined || format.shape !== 'screen')
    return writeRecord(streams, record);
  const { palette, width } = streams.style;
  const paints = { none: palette.faint, warning: palette.waiting, problem: palette.bad };
  const all = sections.flatMap(({ lines }) => lines);
  const texts = all.map(({ text }) => safeCell(text));
  await prepareWidths(texts);
  // The commands, on a terminal alone: beside the texts where there is room for all, else each below its own.
  const [indent, column] = [' '.repeat(GAP), findWidest(texts)];
  const isBeside = column + findWidest(all.map(({ command = '' }) => command)) + 2 * GAP <= (width ?? 0);
  const formatted = sections.map(({ title, lines }) => {
    const rows = lines.flatMap(({ text, command = '', state }) => {
      const paint = state === undefined ? (plain: string) => plain : paints[state];
      const wrapped = wrapText(indent, safeCell(text), width ?? Number.POSITIVE_INFINITY);
      const painted = wrapped.map((line) => indent + paint(line.slice(GAP)));
      if (command === '' || width === undefined) return painted;
      const behind = indent + palette.faint(command);
      if (!isBeside) return [...painted, indent + behind];
      return `${painted.join('')}${' '.repeat(column - textWidth(safeCell(text)))}${behind}`;
    });
    return [palette.heading(safeCell(title)), ...rows].join('\n');
  });
  return streams.write(`${formatted.join('\n\n')}\n`);
}

/**
 * One record for people: `field  value` lines, aligned. Further lines of a value are indented, below its first, so that
 * none can pass for a field.
 */
async function writeRecordLines(streams: Streams, record: Row, columns: readonly Column[]): Promise<void> {
  const { style } = streams;
  const { palette, width = Number.POSITIVE_INFINITY } = style;
  const entries = columns.map((column) => {
    const kind = inferColumnKind(column, [record]);
    const text = safeLines(formatValue(getShownValue(column, record), kind, style, 'plain'));
    return { label: safeCell(formatTitle(column)), kind, text };
  });
  await prepareWidths(entries.flatMap(({ label, text }) => [label, text]));
  const indent = findWidest(entries.map(({ label }) => label)) + GAP;
  const lines = entries.flatMap(({ label, kind, text }) => {
    const [first = '', ...others] = text.split('\n');
    const head = padText(label, indent);
    const [top = '', ...wrapped] = wrapText(head, first, width, indent);
    let paint = kind === 'state' ? getStatePaint(palette, text) : (plain: string) => plain;
    if (text === EMPTY_CELL) paint = palette.faint;
    // Each keeps its own indentation, as JSON has it.
    const below = others.flatMap((line) =>
      wrapText(' '.repeat(indent + line.length - line.trimStart().length), line.trimStart(), width),
    );
    const value = paint(top.slice(head.length));
    return [`${palette.faint(label)}${head.slice(label.length)}${value}`.trimEnd(), ...wrapped, ...below];
  });
  return streams.write(lines.map((line) => `${line}\n`).join(''));
}
