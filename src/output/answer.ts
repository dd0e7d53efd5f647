import type { Row } from '../api/page.ts';
import { EXIT, Failure, OutputError } from '../errors.ts';
import { isRecord } from '../json.ts';
import { collectFields, pickFields } from './cell.ts';
import { formatDelimitedValue } from './formats/delimited.ts';
import { writeDocument } from './formats/json.ts';
import type { Column } from './list-view.ts';
import { safeCell, safeJson, safeLines } from './safe-text.ts';
import { writeLines } from './sink.ts';
import { createFormatContext, Streams } from './streams.ts';

const isRows = (value: unknown): value is readonly Row[] => Array.isArray(value) && value.every(isRecord);

/** Every field of the rows; what the view keeps secret stays so. */
const listColumns = (rows: readonly Row[], view: readonly Column[]): readonly Column[] =>
  collectFields(rows).map((field) =>
    view.some((column) => column.field === field && column.kind === 'secret')
      ? { field, kind: 'secret' }
      : { field },
  );

const writeRows = async (streams: Streams, rows: readonly Row[], view: readonly Column[]): Promise<void> => {
  const { format } = streams.options;
  const columns = format.forPeople ? listColumns(rows, view) : [];
  const writer = (await format.write())(createFormatContext(streams, { noun: 'records', columns }));
  await writer.rows(rows);
  return writer.end();
};

/** One object: an object in JSON, lines for people, else a list of one. */
const writeObject = async (streams: Streams, answer: Row, view: readonly Column[]): Promise<void> => {
  const { format, columns } = streams.options;
  const record = columns === undefined ? answer : pickFields(answer, columns);
  if (format.shape === 'document') return writeDocument(record, streams);
  if (format.shape !== 'screen') return writeRows(streams, [answer], view);
  const { formatRecordLines } = await import('./formats/record-lines.ts');
  return streams.write(await formatRecordLines(record, listColumns([record], view), streams.style));
};

/** What is no record has no names: lists have numbered columns, anything else is a `value`. */
const toRows = (items: readonly unknown[]): readonly Row[] =>
  items.every(Array.isArray)
    ? items.map((list) => Object.fromEntries(list.map((item, index) => [`column_${index + 1}`, item])))
    : items.map((value) => ({ value }));

/** Texts and numbers as rows; one alone is for people as it is. Nothing found is an empty list. */
const writeValues = async (streams: Streams, answer: unknown): Promise<void> => {
  const isEmpty = answer === null || (Array.isArray(answer) && answer.length === 0);
  if (isEmpty) streams.note('The query matches nothing.');
  if (isEmpty) return writeRows(streams, [], []);
  if (Array.isArray(answer)) return writeRows(streams, toRows(answer), []);
  if (streams.options.format.shape !== 'screen') return writeRows(streams, toRows([answer]), []);
  return streams.write(`${safeLines(formatDelimitedValue(answer))}\n`);
};

/**
 * The answer of a query in the format that was named.
 * @param view the columns of what was asked
 */
export const writeQueryAnswer = async (
  streams: Streams,
  answer: unknown,
  view: readonly Column[] = [],
): Promise<void> => {
  const { shape } = streams.options.format;
  if (isRows(answer) && answer.length > 0) return writeRows(streams, answer, view);
  if (isRecord(answer)) return writeObject(streams, answer, view);
  const items = Array.isArray(answer) ? answer : [answer];
  if (shape === 'id-lines')
    return writeLines(
      items,
      (item) => `${typeof item === 'string' ? safeCell(item) : safeJson(item)}\n`,
      streams,
    );
  if (shape === 'json-lines') return writeLines(items, (item) => `${safeJson(item)}\n`, streams);
  return shape === 'document' ? writeDocument(answer, streams) : writeValues(streams, answer);
};

/** The same without `--query`, and without `--columns`, which are of its answer. */
const withoutQuery = (streams: Streams): Streams => {
  const { columns: _columns, query: _query, ...options } = streams.options;
  return new Streams(options);
};

/**
 * Writes what the query makes of the data. After a write it is too late to refuse the query: then all is written.
 * @param writeAll writes the data with the context it is given, which has no query
 * @param view the columns of the data
 * @throws UsageError where nothing has been changed, else OutputError, for a query that cannot be used on the data
 */
export const writeQueryResult = async (
  streams: Streams,
  data: unknown,
  writeAll: (streams: Streams) => Promise<void>,
  view: readonly Column[] = [],
): Promise<void> => {
  let answer: unknown;
  try {
    answer = streams.options.query?.(data);
  } catch (error) {
    if (streams.options.isRead === true || !(error instanceof Failure)) throw error;
    await writeAll(withoutQuery(streams));
    throw new OutputError(error.message, {
      code: error.code,
      exit: EXIT.fault,
      reason: error.reason,
      hint: 'Only the query failed; do not run the command again. The whole result is on stdout.',
      cause: error,
    });
  }
  return writeQueryAnswer(streams, answer, view);
};
