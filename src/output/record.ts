import type { Row } from '../api/page.ts';
import { chooseColumns, removeEmptyColumns } from './columns.ts';
import { collectFields, pickFields } from './fields.ts';
import { writeDocument } from './formats/json.ts';
import type { Column } from './list-view.ts';
import type { OutputContext } from './output-context.ts';

/** `--columns` as fields. A read is refused for a name of nothing; after a write it is too late. */
const namesFor = async (
  { options, warn }: OutputContext,
  record: Row,
  columns: readonly Column[],
): Promise<readonly string[] | undefined> => {
  const { columns: names, documented = async () => [], reads } = options;
  if (names === undefined || names.every((name) => Object.hasOwn(record, name))) return names;
  const { resolveFieldNames } = await import('./field-names.ts');
  async function* page() {
    yield { rows: [record], total: 1 };
  }
  const named = [{ flag: '--columns', names }];
  const { meant, problem } = await resolveFieldNames(page(), { columns, documented }, named);
  if (problem !== undefined && reads === true) throw problem;
  if (problem !== undefined) warn(problem.message);
  return names.map(meant);
};

/** One record: an object in JSON, lines for people, else a list of one. */
export const writeRecord = async (
  service: OutputContext,
  record: Row,
  columns: readonly Column[],
): Promise<void> => {
  if (service.query !== undefined) {
    const { writeQueryResult } = await import('./query-result.ts');
    return writeQueryResult(service, record, (whole) => writeRecord(whole, record, columns), columns);
  }
  const { format } = service.options;
  const names = await namesFor(service, record, columns);
  if (format.shape === 'document')
    return writeDocument(names === undefined ? record : pickFields(record, names), service.write);
  const context = { ...service.context({ noun: 'records', columns }), columns: names };
  const chosen = chooseColumns(columns, names);
  const known = names === undefined ? removeEmptyColumns(chosen, [record]) : chosen;
  if (format.forPeople) await Promise.all(known.map(({ load }) => load?.([record])));
  if (format.shape === 'screen') {
    const shown = known.length > 0 ? known : collectFields([record]).map((field) => ({ field }));
    const { formatRecordLines } = await import('./formats/record-lines.ts');
    return service.write(await formatRecordLines(record, shown, context.style));
  }
  const writer = (await format.write())(context);
  await writer.rows([record]);
  return writer.end();
};
