import type { Row } from '../api/page.ts';
import type { Column } from '../context.ts';
import { writeAnswer } from './answer.ts';
import { humanColumns, isForPeople, withoutEmpty } from './columns.ts';
import type { Desk } from './desk.ts';
import { fieldsOf, pick, watchFields } from './fields.ts';
import { jsonDocument } from './formats/json.ts';
import { openWriter } from './formats/open.ts';

/** One record: an object in JSON, lines for people, else a list of one. */
export const writeRecord = async (desk: Desk, record: Row, columns: readonly Column[]): Promise<void> => {
  if (desk.query !== undefined) return writeAnswer(desk, desk.query(record));
  const { format, columns: names } = desk.options;
  const watch = watchFields(names ?? [], []);
  watch.see([record]);
  const complaint = watch.complaint();
  if (complaint !== undefined) desk.note(complaint);
  if (format === 'json') return desk.write(jsonDocument(names === undefined ? record : pick(record, names)));
  const context = desk.context({ noun: 'records', columns });
  const chosen = humanColumns(columns, names);
  const known = names === undefined ? withoutEmpty(chosen, [record]) : chosen;
  if (isForPeople(format)) await Promise.all(known.map(({ load }) => load?.([record])));
  if (format === 'table') {
    const shown = known.length > 0 ? known : fieldsOf([record]).map((field) => ({ field }));
    const { recordLines } = await import('./formats/record-lines.ts');
    return desk.write(await recordLines(record, shown, context.style));
  }
  const writer = await openWriter(format, context);
  await writer.rows([record]);
  return writer.end();
};
