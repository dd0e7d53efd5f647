import type { ListPage, Row } from '../api/page.ts';
import { describeRows, type WordStyle } from './cell.ts';
import type { Column, ListView, OverviewSection } from './list-view.ts';
import { writeList, writeLiveRows, writeOverview, writeRecord, writeValue } from './records.ts';
import { checkNames, type Result, type ResultsInfo, writeResults } from './results.ts';
import { safeLines } from './safe-text.ts';
import { Streams } from './streams.ts';

/** What a command prints: data to stdout in the chosen format, notes to stderr. */
export class Output extends Streams {
  /** A list; rows are written as the pages come where the format streams. */
  list(pages: AsyncIterable<ListPage>, view: ListView): Promise<void> {
    return writeList(this, pages, view);
  }

  /** A list without an end: each row is written when it comes, for people and in JSON one line each. */
  follow(rows: AsyncIterable<Row>, view: ListView): Promise<void> {
    return writeLiveRows(this, rows, view);
  }

  /** One record: an object in JSON, `field  value` lines for people. No columns: every field of the record. */
  record(record: Row, columns?: readonly Column[]): Promise<void> {
    return writeRecord(this, record, columns);
  }

  /** One record, which a table shows as sections; with `--columns` as fields. */
  overview(record: Row, sections: readonly OverviewSection[]): Promise<void> {
    return writeOverview(this, record, sections);
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
  async checkNames(columns?: readonly Column[]): Promise<void> {
    const { columns: names = [], sort = [] } = this.options;
    if (names.length + sort.length > 0) await checkNames(this, columns);
  }

  /** Any JSON value: always JSON, whatever format was asked for. @param asIs leaves `--query` out */
  document(value: unknown, asIs = false): Promise<void> {
    return writeValue(this, value, asIs);
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
