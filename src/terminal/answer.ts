import type { Row } from '../api/page.ts';
import type { Desk } from './desk.ts';
import { pick } from './fields.ts';
import { jsonDocument } from './formats/json.ts';
import { openWriter } from './formats/open.ts';
import { safeJson } from './safe-text.ts';

const isRows = (value: unknown): value is readonly Row[] =>
  Array.isArray(value) &&
  value.every((item) => typeof item === 'object' && item !== null && !Array.isArray(item));

/** The answer of a query: rows where a format of rows was named and it has some, else JSON. */
export const writeAnswer = async (desk: Desk, answer: unknown): Promise<void> => {
  const { format, columns } = desk.options;
  if (isRows(answer) && answer.length > 0) {
    const writer = await openWriter(format, desk.context({ noun: 'records', columns: [] }));
    await writer.rows(answer);
    return writer.end();
  }
  const lines = Array.isArray(answer) ? answer : [answer];
  if (format === 'ids')
    return desk.write(lines.map((item) => `${typeof item === 'string' ? item : safeJson(item)}\n`).join(''));
  if (format === 'ndjson') return desk.write(lines.map((item) => `${safeJson(item)}\n`).join(''));
  const one = typeof answer === 'object' && answer !== null && !Array.isArray(answer);
  return desk.write(jsonDocument(one && columns !== undefined ? pick({ ...answer }, columns) : answer));
};
