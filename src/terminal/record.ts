import type { Row } from '../api/page.ts';
import { humanColumns, withoutEmpty } from './columns.ts';
import type { Desk } from './desk.ts';
import { fieldsOf, pick } from './fields.ts';
import { writeDocument } from './formats/json.ts';
import type { Column } from './list-view.ts';

/** `--columns` as fields. A read is refused for a name of nothing; after a write it is too late. */
const namesFor = async (
  { options, warn }: Desk,
  record: Row,
  columns: readonly Column[],
): Promise<readonly string[] | undefined> => {
  const { columns: names, documented = async () => [], reads } = options;
  if (names === undefined || names.every((name) => Object.hasOwn(record, name))) return names;
  const { settleNames } = await import('./named.ts');
  async function* page() {
    yield { rows: [record], total: 1 };
  }
  const named = [{ flag: '--columns', names }];
  const { meant, problem } = await settleNames(page(), { columns, documented }, named);
  if (problem !== undefined && reads === true) throw problem;
  if (problem !== undefined) warn(problem.message);
  return names.map(meant);
};

/** One record: an object in JSON, lines for people, else a list of one. */
export const writeRecord = async (desk: Desk, record: Row, columns: readonly Column[]): Promise<void> => {
  if (desk.query !== undefined) {
    const { writeQueried } = await import('./queried.ts');
    return writeQueried(desk, record, (whole) => writeRecord(whole, record, columns), columns);
  }
  const { format } = desk.options;
  const names = await namesFor(desk, record, columns);
  if (format.shape === 'document')
    return writeDocument(names === undefined ? record : pick(record, names), desk.write);
  const context = { ...desk.context({ noun: 'records', columns }), columns: names };
  const chosen = humanColumns(columns, names);
  const known = names === undefined ? withoutEmpty(chosen, [record]) : chosen;
  if (format.forPeople) await Promise.all(known.map(({ load }) => load?.([record])));
  if (format.shape === 'screen') {
    const shown = known.length > 0 ? known : fieldsOf([record]).map((field) => ({ field }));
    const { recordLines } = await import('./formats/record-lines.ts');
    return desk.write(await recordLines(record, shown, context.style));
  }
  const writer = (await format.write())(context);
  await writer.rows([record]);
  return writer.end();
};
