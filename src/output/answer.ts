import type { Row } from '../api/page.ts';
import { EXIT, Failure, OutputError } from '../errors.ts';
import { isRecord } from '../json.ts';
import { collectFields, pickFields } from './cell.ts';
import { formatDelimitedValue } from './formats/delimited.ts';
import { writeDocument } from './formats/json.ts';
import type { Column } from './list-view.ts';
import { createFormatContext, type OutputContext } from './output-context.ts';
import { safeCell, safeJson, safeLines } from './safe-text.ts';
import { writeLines } from './sink.ts';

const isRows = (value: unknown): value is readonly Row[] => Array.isArray(value) && value.every(isRecord);

/** Every field of the rows; what the view keeps secret stays so. */
const listColumns = (rows: readonly Row[], view: readonly Column[]): readonly Column[] =>
  collectFields(rows).map((field) =>
    view.some((column) => column.field === field && column.kind === 'secret')
      ? { field, kind: 'secret' }
      : { field },
  );

const writeRows = async (
  service: OutputContext,
  rows: readonly Row[],
  view: readonly Column[],
): Promise<void> => {
  const { format } = service.options;
  const columns = format.forPeople ? listColumns(rows, view) : [];
  const writer = (await format.write())(createFormatContext(service, { noun: 'records', columns }));
  await writer.rows(rows);
  return writer.end();
};

/** One object: an object in JSON, lines for people, else a list of one. */
const writeObject = async (service: OutputContext, answer: Row, view: readonly Column[]): Promise<void> => {
  const { format, columns } = service.options;
  const record = columns === undefined ? answer : pickFields(answer, columns);
  if (format.shape === 'document') return writeDocument(record, service.write);
  if (format.shape !== 'screen') return writeRows(service, [answer], view);
  const { formatRecordLines } = await import('./formats/record-lines.ts');
  return service.write(await formatRecordLines(record, listColumns([record], view), service.style));
};

/** What is no record has no names: lists have numbered columns, anything else is a `value`. */
const toRows = (items: readonly unknown[]): readonly Row[] =>
  items.every(Array.isArray)
    ? items.map((list) => Object.fromEntries(list.map((item, index) => [`column_${index + 1}`, item])))
    : items.map((value) => ({ value }));

/** Texts and numbers as rows; one alone is for people as it is. Nothing found is an empty list. */
const writeValues = async (service: OutputContext, answer: unknown): Promise<void> => {
  const isEmpty = answer === null || (Array.isArray(answer) && answer.length === 0);
  if (isEmpty) service.note('The query matches nothing.');
  if (isEmpty) return writeRows(service, [], []);
  if (Array.isArray(answer)) return writeRows(service, toRows(answer), []);
  if (service.options.format.shape !== 'screen') return writeRows(service, toRows([answer]), []);
  return service.write(`${safeLines(formatDelimitedValue(answer))}\n`);
};

/**
 * The answer of a query in the format that was named.
 * @param view the columns of what was asked
 */
export const writeQueryAnswer = async (
  service: OutputContext,
  answer: unknown,
  view: readonly Column[] = [],
): Promise<void> => {
  const { shape } = service.options.format;
  if (isRows(answer) && answer.length > 0) return writeRows(service, answer, view);
  if (isRecord(answer)) return writeObject(service, answer, view);
  const items = Array.isArray(answer) ? answer : [answer];
  if (shape === 'id-lines')
    return writeLines(
      items,
      (item) => `${typeof item === 'string' ? safeCell(item) : safeJson(item)}\n`,
      service.write,
    );
  if (shape === 'json-lines') return writeLines(items, (item) => `${safeJson(item)}\n`, service.write);
  return shape === 'document' ? writeDocument(answer, service.write) : writeValues(service, answer);
};

/** The same without `--query`, and without `--columns`, which are of its answer. */
const withoutQuery = (service: OutputContext): OutputContext => {
  const { columns: _columns, query: _query, ...options } = service.options;
  return { ...service, query: undefined, options };
};

/**
 * Writes what the query makes of the data. After a write it is too late to refuse the query: then all is written.
 * @param writeAll writes the data with the context it is given, which has no query
 * @param view the columns of the data
 * @throws UsageError where nothing has been changed, else OutputError, for a query that cannot be used on the data
 */
export const writeQueryResult = async (
  service: OutputContext,
  data: unknown,
  writeAll: (service: OutputContext) => Promise<void>,
  view: readonly Column[] = [],
): Promise<void> => {
  let answer: unknown;
  try {
    answer = service.query?.(data);
  } catch (error) {
    if (service.options.isRead === true || !(error instanceof Failure)) throw error;
    await writeAll(withoutQuery(service));
    throw new OutputError(error.message, {
      code: error.code,
      exit: EXIT.fault,
      reason: error.reason,
      hint: 'Only the query failed; do not run the command again. The whole result is on stdout.',
      cause: error,
    });
  }
  return writeQueryAnswer(service, answer, view);
};
