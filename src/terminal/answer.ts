import type { Row } from '../api/page.ts';
import { isRecord } from '../json/number.ts';
import type { Desk } from './desk.ts';
import { fieldsOf, pick } from './fields.ts';
import { fieldText } from './formats/delimited.ts';
import { writeDocument } from './formats/json.ts';
import { writeLines } from './formats/write-lines.ts';
import type { Column } from './list-view.ts';
import { safeCell, safeJson, safeLines } from './safe-text.ts';

const isRows = (value: unknown): value is readonly Row[] => Array.isArray(value) && value.every(isRecord);

/** Every field of the rows; what the view keeps secret stays so. */
const columnsOf = (rows: readonly Row[], view: readonly Column[]): readonly Column[] =>
  fieldsOf(rows).map((field) =>
    view.some((column) => column.field === field && column.kind === 'secret')
      ? { field, kind: 'secret' }
      : { field },
  );

const writeRows = async (desk: Desk, rows: readonly Row[], view: readonly Column[]): Promise<void> => {
  const { format } = desk.options;
  const columns = format.forPeople ? columnsOf(rows, view) : [];
  const writer = (await format.write())(desk.context({ noun: 'records', columns }));
  await writer.rows(rows);
  return writer.end();
};

/** One object: an object in JSON, lines for people, else a list of one. */
const writeObject = async (desk: Desk, answer: Row, view: readonly Column[]): Promise<void> => {
  const { format, columns: names } = desk.options;
  const record = names === undefined ? answer : pick(answer, names);
  if (format.shape === 'document') return writeDocument(record, desk.write);
  if (format.shape !== 'screen') return writeRows(desk, [answer], view);
  const { recordLines } = await import('./formats/record-lines.ts');
  const { style } = desk.context({ noun: 'records', columns: [] });
  return desk.write(await recordLines(record, columnsOf([record], view), style));
};

/** What is no record has no names: lists have numbered columns, anything else is a `value`. */
const named = (items: readonly unknown[]): readonly Row[] =>
  items.every(Array.isArray)
    ? items.map((list) => Object.fromEntries(list.map((item, index) => [`column_${index + 1}`, item])))
    : items.map((value) => ({ value }));

/** Texts and numbers as rows; one alone is for people as it is. Nothing found is an empty list. */
const writeValues = async (desk: Desk, answer: unknown): Promise<void> => {
  const none = answer === null || (Array.isArray(answer) && answer.length === 0);
  if (none) desk.note('The query matches nothing.');
  if (none) return writeRows(desk, [], []);
  if (Array.isArray(answer)) return writeRows(desk, named(answer), []);
  if (desk.options.format.shape !== 'screen') return writeRows(desk, named([answer]), []);
  return desk.write(`${safeLines(fieldText(answer))}\n`);
};

/**
 * The answer of a query in the format that was named.
 * @param view the columns of what was asked
 */
export const writeAnswer = async (
  desk: Desk,
  answer: unknown,
  view: readonly Column[] = [],
): Promise<void> => {
  const { shape } = desk.options.format;
  if (isRows(answer) && answer.length > 0) return writeRows(desk, answer, view);
  if (isRecord(answer)) return writeObject(desk, answer, view);
  const lines = Array.isArray(answer) ? answer : [answer];
  if (shape === 'id-lines')
    return writeLines(
      lines.map((item) => `${typeof item === 'string' ? safeCell(item) : safeJson(item)}\n`),
      desk.write,
    );
  if (shape === 'json-lines')
    return writeLines(
      lines.map((item) => `${safeJson(item)}\n`),
      desk.write,
    );
  return shape === 'document' ? writeDocument(answer, desk.write) : writeValues(desk, answer);
};
