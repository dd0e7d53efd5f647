import { formatShortfallWarning, type ListPage, type Row, toPages } from '../api/page.ts';
import { takeTurnBefore } from '../clock.ts';
import { formatDuration } from '../parsing/calendar.ts';
import type { ColumnExpression } from '../query/condition.ts';
import {
  collectFields,
  describeRows,
  formatRowCell,
  formatTitle,
  getField,
  pickFields,
  type WordStyle,
} from './cell.ts';
import {
  chooseColumns,
  joinPages,
  listPrinted,
  resolveFields,
  selectColumns,
  showView,
  toColumns,
  toOnePage,
} from './columns.ts';
import { writeDocument } from './formats/writers.ts';
import type { Column, ListView, OverviewSection, RowJoins } from './list-view.ts';
import {
  checkNames,
  type Result,
  type ResultsInfo,
  writeQueryAnswer,
  writeQueryResult,
  writeRecordLines,
  writeResults,
  writeSections,
} from './results.ts';
import { safeJson, safeLines } from './safe-text.ts';
import { Streams } from './streams.ts';
import { GAP, padText, prepareWidths } from './terminal.ts';

export class Output extends Streams {
  /**
   * A list, or its groups; rows are written as the pages come where the format streams. A terminal is told how far it
   * has come.
   */
  async list(pages: AsyncIterable<ListPage>, given: ListView): Promise<void> {
    const { grouping, documented, choose, listsColumns, joins: known, progress } = this.options;
    const view = documented === undefined ? given : { documented, ...given };
    const joins = view.joins ?? known;
    if (listsColumns === true) return writeColumnList(this, view, joins);
    const since = this.options.clock.now();
    let [count, total] = [0, 0];
    async function* countPages(): AsyncGenerator<ListPage> {
      for await (const page of pages) {
        count += page.rows.length;
        total = page.total ?? total;
        yield page;
      }
    }
    const counted = progress === undefined ? pages : countPages();
    const chosen = choose === undefined || view.chosen === true ? counted : choose(counted);
    const write = async () => {
      if (grouping === undefined) return writeRows(this, chosen, view, joins);
      const named = { '--group-by': grouping.by, '--sum': grouping.sums };
      const { pages: read, fields, joined } = await readNamed(chosen, view, joins, named);
      const [by, sums] = [[...new Set(fields['--group-by'])], [...new Set(fields['--sum'])]];
      const { groupList } = await import('./group.ts');
      const groups = await groupList(read, view, { by, sums });
      // The groups have what their rows were joined with, under its whole name.
      await writeRows(this, toPages(groups.rows), groups.view, joined.length === 0 ? joins : undefined);
      groups.report(this);
    };
    const formatText = () => {
      if (count === 0) return `reading ${view.noun}`;
      if (total <= count) return `reading ${view.noun}: ${count}`;
      const seconds = ((this.options.clock.now() - since) / 1000) * ((total - count) / count);
      return `reading ${view.noun}: ${count} of ${total}, ${formatDuration(seconds)} to go`;
    };
    await (progress === undefined ? write() : progress.during(formatText, write));
  }

  /**
   * A list without an end: each row is written when it comes. For people a line without a heading, since nothing is known
   * of the rows to come; one line of JSON in both of its formats.
   */
  async follow(rows: AsyncIterable<Row>, given: ListView): Promise<void> {
    const { style, options } = this;
    const { format, query, columns: names } = options;
    const { view, columns, toShown } = showView(given, names, format);
    const shown = chooseColumns(view.columns, columns);
    const formatLines = async (row: Row): Promise<string> => {
      const cells = shown.map((column) => formatRowCell(column, row, style, 'plain'));
      await prepareWidths(cells);
      const line = cells.map((cell, i) => padText(cell, shown[i]?.width ?? 0)).join(' '.repeat(GAP));
      return `${line.trimEnd()}\n`;
    };
    const toRecord = (row: Row): Row => (columns === undefined ? toShown(row) : pickFields(row, columns));
    const isJson = query !== undefined || format.errorsAsJson;
    const writer = isJson || format.forPeople ? undefined : await this.openWriter(view, { columns });
    for await (const row of rows) {
      if (isJson) await this.write(`${safeJson(query === undefined ? toRecord(row) : query(row))}\n`);
      else if (writer === undefined) await this.write(await formatLines(row));
      else await writer.rows([toShown(row)]);
    }
    await writer?.end();
  }

  /** One record: an object in JSON, `field  value` lines for people, else a list of one. @param columns default: all */
  async record(record: Row, columns: readonly Column[] = []): Promise<void> {
    const { format, query, listsColumns, columns: named, isRead } = this.options;
    const { documented = async () => [] } = this.options;
    if (listsColumns === true) {
      const members = async () => Object.keys(record);
      return writeColumnList(this, { noun: 'columns', columns, documented: members });
    }
    if (query !== undefined) return writeQueryResult(this, record, columns);
    const listed = columns.length > 0 ? columns : toColumns(collectFields([record]));
    // Lists end with the id, a record begins with it.
    const id = listed.filter(({ field }) => field === 'id');
    const ordered =
      format.shape === 'screen' ? [...id, ...listed.filter((one) => !id.includes(one))] : listed;
    const { fields, problem } = await resolveFields(toPages([record]), columns, documented, {
      '--columns': named ?? [],
    });
    // A read is refused for a name of nothing; after a write it is too late.
    if (problem !== undefined && isRead === true) throw problem;
    if (problem !== undefined) this.warn(problem.message);
    const shown = showView({ noun: 'records', columns: ordered }, named && fields['--columns'], format);
    if (format.shape === 'document') {
      const whole = shown.toShown(record);
      return writeDocument(shown.columns === undefined ? whole : pickFields(whole, shown.columns), this);
    }
    const chosen = selectColumns(shown, [record]);
    if (format.forPeople) await Promise.all(chosen.map(({ load }) => load?.([record])));
    if (format.shape === 'screen') return writeRecordLines(this, record, chosen);
    return this.writeRows(shown.view, [shown.toShown(record)], { columns: shown.columns });
  }

  overview(record: Row, sections: readonly OverviewSection[]): Promise<void> {
    const { query, columns, format } = this.options;
    const isPlain = query !== undefined || columns !== undefined || format.shape !== 'screen';
    return isPlain ? this.record(record) : writeSections(this, sections);
  }

  results(results: AsyncIterable<Result>, about: ResultsInfo = {}): Promise<void> {
    return writeResults(this, results, about);
  }

  async result(result: Result, about: ResultsInfo = {}): Promise<void> {
    const { query, format } = this.options;
    if (query !== undefined || format.shape === 'document') return this.record({ ...result });
    async function* results() {
      yield result;
    }
    await writeResults(this, results(), { count: 1, ...about }, true);
  }

  /**
   * Before a write: whether its answer can have what `--columns` and `--sort` name.
   * @param columns of the record that is the answer; absent: results are
   * @throws UsageError
   */
  checkNames(columns?: readonly Column[]): Promise<void> {
    return checkNames(this, columns);
  }

  /** Any JSON value: always JSON, whatever format was asked for. @param asIs leaves `--query` out */
  document(value: unknown, asIs = false): Promise<void> {
    const isWhole = asIs || this.options.query === undefined;
    return isWhole ? writeDocument(value, this) : writeQueryResult(this, value);
  }

  /**
   * Records in a few words each, for a question or a result: what a narrow table has in these columns (`Nov 9–15`,
   * `41:30`), `''` for nothing; sanitised. Fetches the names that the columns need.
   * @param style of words that are compared with others later; absent: as this terminal shows them
   */
  inWords(
    rows: readonly Row[],
    columns: readonly Column[],
    style?: WordStyle,
  ): Promise<readonly (readonly string[])[]> {
    return describeRows(rows, columns, { ...this.style, ...style });
  }

  text(text: string): Promise<void> {
    return this.write(text.endsWith('\n') ? text : `${text}\n`);
  }

  /** Bytes for stdout as they are; a terminal gets them as text that cannot steer it. */
  bytes(bytes: Uint8Array): Promise<void> {
    return this.write(this.options.stdout.isTTY ? `${safeLines(Buffer.from(bytes).toString())}\n` : bytes);
  }
}

type Joins = (() => Promise<RowJoins>) | undefined;

async function writeRows(
  streams: Streams,
  pages: AsyncIterable<ListPage>,
  given: ListView,
  joins: Joins,
): Promise<void> {
  const { columns, sort = [], limit, format, query, expressions = [] } = streams.options;
  const worked = expressions.map(({ name }): Column => ({ field: name, kind: 'number', onRequest: true }));
  const view = { ...given, columns: [...given.columns, ...worked] };
  // After a query they are of its answer.
  const names = query === undefined ? columns : undefined;
  const named = { '--columns': names ?? [], '--sort': sort.map(({ field }) => field) };
  const undecided = new Map<string, string[]>();
  const { pages: read, fields, joined } = await readNamed(pages, view, joins, named, expressions, undecided);
  const keys = sort.map((key, i) => ({ ...key, field: fields['--sort'][i] ?? key.field }));
  const sorted = keys.length === 0 ? read : toOnePage(read, keys);
  const shown = limit === undefined ? sorted : takeRows(sorted, limit);
  if (query !== undefined) {
    const page = await joinPages(shown);
    await writeQueryAnswer(streams, query(page.rows), view.columns);
    return reportShortened(streams, page, page.rows.length, view.noun);
  }
  // Only what waits has warnings; `-` would read as none.
  const warned = joined.filter((name) => !name.includes('.'));
  const show = (field: string) => (row: Row) => row[field] ?? 'not waiting';
  const others = warned.map((field): Column => ({ field, show: show(field), onRequest: true }));
  const whole = { ...view, columns: [...view.columns, ...others] };
  const { view: changed, columns: printed, toShown } = showView(whole, names && fields['--columns'], format);
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
  for (const [name, reasons] of undecided) streams.warn(describeEmpty(name, reasons));
  if (last?.shortened === true) reportShortened(streams, last, count, view.noun);
  else if (count === 0 && format.forPeople) streams.note(view.emptyMessage ?? `No ${view.noun} found.`);
}

function describeEmpty(name: string, reasons: readonly string[]): string {
  const rows = reasons.length === 1 ? '1 row' : `${reasons.length} rows`;
  return `${name} is empty in ${rows}: ${[...new Set(reasons)].slice(0, 3).join('; ')}`;
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
  return /[.]|^[+-]?warning(s|_messages)$/.test(name);
}

/**
 * Finds what each name means, and adds to the rows what that is beside their own fields, so that every format and option
 * has it: derived columns, and fields of other records (`joined`) under their whole names. @throws UsageError
 */
async function readNamed<N extends Readonly<Record<string, readonly string[]>>>(
  pages: AsyncIterable<ListPage>,
  view: ListView,
  joins: Joins,
  named: N,
  expressions: readonly ColumnExpression[] = [],
  undecided: Map<string, string[]> = new Map(),
) {
  const listJoinable = async (names: readonly string[], all = false): Promise<readonly string[]> =>
    all || names.some(isJoinable) ? ((await joins?.())?.fields ?? []) : [];
  const reads = expressions.map(({ name, names }) => [`--columns ${name}`, names] as const);
  const all: Readonly<Record<string, readonly string[]>> = { ...named, ...Object.fromEntries(reads) };
  const given = Object.values(all).flat();
  const documented = async (withJoined?: boolean) => [
    ...((await view.documented?.()) ?? []),
    ...(await listJoinable(given, withJoined)),
  ];
  const { problem, fields: meant, pages: found } = await resolveFields(pages, view.columns, documented, all);
  if (problem !== undefined) throw problem;
  const fields = meant as N;
  const used = listPrinted(Object.values(meant).flat());
  const joinable = await listJoinable(used);
  const needed = used.filter((name) => isJoinable(name) && joinable.includes(name));
  const printed = listPrinted(Object.keys(named).flatMap((flag) => fields[flag] ?? []));
  const joined = needed.filter((name) => printed.includes(name));
  const derived = view.columns.filter((column) => column.derived === true && used.includes(column.field));
  if (needed.length + derived.length + expressions.length === 0) return { pages: found, fields, joined };
  const { ofAll = [], find } = needed.length === 0 ? {} : ((await joins?.()) ?? {});
  async function* addFields(read: AsyncIterable<ListPage>): AsyncGenerator<ListPage> {
    for await (const page of read) {
      const whole = page.rows.map((row): Row => {
        const missing = derived.filter(({ field }) => !Object.hasOwn(row, field));
        return {
          ...row,
          ...Object.fromEntries(missing.map(({ field, show }) => [field, show?.(row) ?? null])),
        };
      });
      const others = await find?.(whole, needed);
      const listOthers = (i: number) =>
        joined.map((name) => [name, getField(others?.[i] ?? {}, name) ?? null]);
      const work = (row: Row, i: number) =>
        expressions.map(({ name, evaluate }) => {
          const value = evaluate({ ...row, ...others?.[i] });
          if (!(value instanceof Error)) return [name, value];
          const reasons = undecided.get(name) ?? [];
          reasons.push(value.message);
          undecided.set(name, reasons);
          return [name, null];
        });
      yield {
        ...page,
        rows: whole.map((row, i) => ({
          ...row,
          ...Object.fromEntries(listOthers(i)),
          ...Object.fromEntries(work(row, i)),
        })),
      };
    }
  }
  const isOnePage = needed.some((name) => ofAll.includes(name));
  return { fields, joined, pages: addFields(isOnePage ? toOnePage(found) : found) };
}

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
