import { formatShortfallWarning, type ListPage, type Row, toPages } from '../api/page.ts';
import { type Clock, takeTurnBefore } from '../clock.ts';
import { EXIT, Failure, OutputError } from '../errors.ts';
import { isRecord } from '../json.ts';
import { formatDuration } from '../parsing/calendar.ts';
import {
  collectFields,
  type Detail,
  EMPTY_CELL,
  formatTitle,
  formatValue,
  getField,
  getShownValue,
  inferKind,
  isNothing,
  type PeopleStyle,
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
import type { Column, ListView, OverviewLine, OverviewSection, RowJoins } from './list-view.ts';
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
  const { grouping, documented, choose, listsColumns, joins: known, progress, clock } = streams.options;
  const view = documented === undefined ? given : { documented, ...given };
  const joins = view.joins ?? known;
  if (listsColumns === true) return writeColumnList(streams, view, joins);
  const reading = createReadingProgress(view.noun, clock);
  const counted = progress === undefined ? pages : reading.countPages(pages);
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
  await (progress === undefined ? write() : progress.during(reading.formatText, write));
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
  await streams.writeRows(
    { noun: 'columns', id: 'column', columns: toColumns(['column', 'heading', 'default']) },
    rows,
  );
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
  const { format, columns } = streams.options;
  const { shape, forPeople } = format;
  const writeRecords = (rows: readonly Row[], own: readonly Column[]) =>
    streams.writeRows({ noun: 'records', columns: forPeople ? listColumns(rows, own) : [] }, rows);
  if (isRecord(answer)) {
    // One object: an object in JSON, lines for people, else a list of one.
    const record = columns === undefined ? answer : pickFields(answer, columns);
    if (shape === 'document') return writeDocument(record, streams);
    if (shape !== 'screen') return writeRecords([answer], view);
    return streams.write(await formatRecordLines(record, listColumns([record], view), streams.style));
  }
  const items: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
  if (Array.isArray(answer) && items.length > 0 && items.every(isRecord)) return writeRecords(items, view);
  const formatId = (item: unknown) => (typeof item === 'string' ? safeCell(item) : safeJson(item));
  if (shape === 'id-lines') return writeLines(items, (item) => `${formatId(item)}\n`, streams);
  if (shape === 'json-lines') return writeLines(items, (item) => `${safeJson(item)}\n`, streams);
  if (shape === 'document') return writeDocument(answer, streams);
  if (isNothing(answer) || items.length === 0) {
    streams.note('The query matches nothing.');
    return writeRecords([], []);
  }
  if (!Array.isArray(answer) && shape === 'screen')
    return streams.write(`${safeLines(formatPlainValue(answer))}\n`);
  // What is no record has no names: lists have numbered columns, anything else is a `value`.
  const isTable = items.every(Array.isArray);
  const toRow = (item: unknown): Row =>
    isTable && Array.isArray(item)
      ? Object.fromEntries(item.map((value, index) => [`column_${index + 1}`, value]))
      : { value: item };
  return writeRecords(items.map(toRow), []);
}

/** Every field of the rows; what the view keeps secret stays so. */
function listColumns(rows: readonly Row[], view: readonly Column[]): readonly Column[] {
  const isSecret = (name: string) => view.some(({ field, kind }) => field === name && kind === 'secret');
  return collectFields(rows).map((field) => (isSecret(field) ? { field, kind: 'secret' } : { field }));
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

/** One record: an object in JSON, lines for people, else a list of one. */
export async function writeRecord(
  streams: Streams,
  record: Row,
  columns: readonly Column[] = [],
): Promise<void> {
  const {
    format,
    query,
    listsColumns,
    columns: named,
    documented = async () => [],
    isRead,
  } = streams.options;
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
  if (format.shape === 'screen') return streams.write(await formatRecordLines(record, chosen, streams.style));
  return streams.writeRows(shown.view, [shown.toShown(record)], { columns: shown.columns });
}

/** One record as sections for people: a title, and lines with the commands behind them. @param cells without nesting */
export async function writeOverview(
  streams: Streams,
  record: Row,
  sections: readonly OverviewSection[],
  cells: Row,
): Promise<void> {
  const { query, columns, format } = streams.options;
  const { shape, forPeople } = format;
  if (query === undefined && shape === 'cells' && (!forPeople || columns !== undefined)) {
    const isWhole = columns?.some((name) => Object.hasOwn(record, name)) === true;
    return writeRecord(streams, isWhole ? { ...record, ...cells } : cells);
  }
  if (query !== undefined || columns !== undefined || !forPeople) return writeRecord(streams, record);
  if (shape === 'screen') return streams.write(`${await formatSections(streams, sections)}\n`);
  const texts = sections.map(({ title, lines }) => [title, lines.map(({ text }) => text).join('; ')]);
  return writeRecord(streams, Object.fromEntries(texts));
}

const INDENT = ' '.repeat(GAP);

/** Commands are for a terminal alone: beside their text where there is room, else below it. */
async function formatSections({ style }: Streams, sections: readonly OverviewSection[]): Promise<string> {
  const { palette, width = Number.POSITIVE_INFINITY } = style;
  const paints = { none: palette.faint, warning: palette.waiting, problem: palette.bad };
  const all = sections.flatMap(({ lines }) => lines);
  const [texts, commands] = [all.map(({ text }) => safeCell(text)), all.map(({ command = '' }) => command)];
  await prepareWidths([...texts, ...commands]);
  const column = Math.min(findWidest(texts), width - 2 * GAP - findWidest(commands));
  const formatLine = ({ text, command = '', state }: OverviewLine): readonly string[] => {
    const paint = state === undefined ? (plain: string) => plain : paints[state];
    const words = wrapText('', safeCell(text), width - GAP);
    const lines = words.map((line) => INDENT + paint(line));
    if (command === '' || style.width === undefined) return lines;
    const free = column - textWidth(words[0] ?? '');
    if (words.length > 1 || free < 0) return [...lines, INDENT + INDENT + palette.faint(command)];
    return [`${lines[0]}${' '.repeat(free)}${INDENT}${palette.faint(command)}`];
  };
  return sections
    .map(({ title, lines }) => [palette.heading(safeCell(title)), ...lines.flatMap(formatLine)].join('\n'))
    .join('\n\n');
}

/** A value with a word for which there is no room beside the labels begins below its own. */
const BELOW = 4;

/**
 * One record for people: `field  value` lines, aligned. Further lines of a value are indented, below its first where
 * there is room, so that none can pass for a field.
 */
async function formatRecordLines(
  record: Row,
  columns: readonly Column[],
  style: PeopleStyle,
): Promise<string> {
  const { palette, width = Number.POSITIVE_INFINITY } = style;
  const entries = columns.map((column) => {
    const value = getShownValue(column, record);
    const kind = inferKind(column, value);
    const format = (detail: Detail): string => safeLines(formatValue(value, kind, style, detail));
    return { label: safeCell(formatTitle(column)), kind, format };
  });
  const labels = entries.map(({ label }) => label);
  await prepareWidths(labels);
  const column = findWidest(labels) + GAP;
  // The most that can be told of all days and times on one line each.
  const days = entries.filter(({ kind }) => ['date', 'period', 'time'].includes(kind));
  const fits = (detail: Detail) => days.every(({ format }) => format(detail).length <= width - column);
  const detail = style.width === undefined ? 'plain' : ((['full', 'plain'] as const).find(fits) ?? 'brief');
  const texts = entries.map(({ format }) => format(detail));
  await prepareWidths(texts);
  const lines = entries.flatMap(({ label, kind }, i) => {
    const text = texts[i] ?? '';
    const head = padText(label, column);
    const isBeside = text.split(/\s+/).every((word) => textWidth(word) <= width - column);
    const indent = isBeside ? column : BELOW;
    const [first = '', ...others] = text.split('\n');
    const [top = '', ...wrapped] = wrapText(head, first, width, indent);
    const value = top.slice(head.length);
    let paint = kind === 'state' ? getStatePaint(palette, text) : (plain: string) => plain;
    if (text === EMPTY_CELL) paint = palette.faint;
    const below = others.flatMap((line) => {
      // Each keeps its own indentation, as JSON has it, up to half of the room.
      const own = line.trimStart();
      const inner = indent + Math.floor(Math.min(line.length - own.length, (width - indent) / 2));
      return wrapText(' '.repeat(inner), own, width);
    });
    const labelled = palette.faint(label) + head.slice(label.length);
    return [`${labelled}${paint(value)}`.trimEnd(), ...wrapped, ...below];
  });
  return lines.map((line) => `${line}\n`).join('');
}
