import { formatTitle, pickFields } from './cell.ts';
import type { Format } from './formats/formats.ts';
import type { Column, ListView } from './list-view.ts';
import type { OutputContext } from './output-context.ts';

/** `--columns +rate,-status`: the columns that a list has by itself, with one more and without another. */

const SIGN = /^[+-]/;

export const stripSign = (name: string): string => name.replace(SIGN, '');

const hasSigns = (names: readonly string[] | undefined): names is readonly string[] =>
  names?.some((name) => SIGN.test(name)) === true;

/** Of changes of one column the last one counts. */
const takeLast = (changes: readonly string[]): readonly string[] => [
  ...new Map(changes.map((name) => [stripSign(name), name])).values(),
];

/** What is added stands before the id, which is last, and stays though it is empty or wide. */
const changeColumns = (view: readonly Column[], changes: readonly string[]): readonly Column[] => {
  const listNames = (sign: string) =>
    takeLast(changes)
      .filter((name) => name.startsWith(sign))
      .map(stripSign);
  const [added, removed] = [listNames('+'), listNames('-')];
  const keep = ({ onRequest, sparse, drop, ...column }: Column): Column => column;
  const kept = view
    .filter(({ field, onRequest }) => onRequest !== true && !removed.includes(field))
    .map((column) => (added.includes(column.field) ? keep(column) : column));
  const more = added
    .filter((name) => !kept.some(({ field }) => field === name))
    .map((name) => keep(view.find(({ field }) => field === name) ?? { field: name }));
  const end = kept.at(-1)?.field === 'id' ? kept.length - 1 : kept.length;
  return [...kept.slice(0, end), ...more, ...kept.slice(end)];
};

/** The same of the fields of a record. */
const changeFields = (fields: readonly string[], changes: readonly string[]): readonly string[] =>
  changeColumns(
    fields.map((field) => ({ field })),
    changes,
  ).map(({ field }) => field);

/** The names of `--columns`, with changes of these columns spelled out. */
export const expandNames = (
  columns: readonly Column[],
  names: readonly string[] | undefined,
): readonly string[] | undefined =>
  hasSigns(names)
    ? changeFields(
        columns.filter(({ onRequest }) => onRequest !== true).map(({ field }) => field),
        names,
      )
    : names;

/** The format for programs, which has the fields of each record, with one more and without another. */
const withChangedRows = (format: Format, changes: readonly string[]): Format => ({
  ...format,
  write: async () => {
    const create = await format.write();
    return (context) => {
      const { rows, end } = create(context);
      return {
        rows: (all) => rows(all.map((row) => pickFields(row, changeFields(Object.keys(row), changes)))),
        end,
      };
    };
  },
});

/** The names of `--columns` that are printed. */
export const listPrinted = (names: readonly string[]): string[] =>
  takeLast(names)
    .filter((name) => !name.startsWith('-'))
    .map(stripSign);

/**
 * The output and the view with other columns than the format has by itself: people those of the view, programs the
 * record's own.
 */
export const applyColumnChanges = <V extends ListView>(
  service: OutputContext,
  view: V,
): readonly [OutputContext, V] => {
  const { columns: names, format } = service.options;
  if (!hasSigns(names)) return [service, view];
  // Not before it is needed: a copy looks up the time zone.
  const { columns: _changes, ...others } = service.options;
  const context: OutputContext['context'] = (shown) => ({ ...service.context(shown), columns: undefined });
  if (format.forPeople)
    return [
      { ...service, options: others, context },
      { ...view, columns: changeColumns(view.columns, names) },
    ];
  const options =
    format.shape === 'id-lines' ? others : { ...others, format: withChangedRows(format, names) };
  const cells = view.cells && changeFields(view.cells, names);
  const documented = async () => {
    const fields = (await view.documented?.()) ?? [];
    return fields.length === 0 ? fields : changeFields(fields, names);
  };
  return [
    { ...service, options, context },
    { ...view, documented, ...(cells && { cells }) },
  ];
};

/** A list of the columns that `--columns` may name: those of the view, then the other fields. */
export const createColumnList = async ({ columns, documented }: ListView) => {
  const shown = columns.filter(({ kind }) => kind !== 'bar');
  const fields = ((await documented?.()) ?? []).filter((name) => !shown.some(({ field }) => field === name));
  const rows = [...shown, ...fields.map((field): Column => ({ field, onRequest: true }))].map((column) => ({
    column: column.field,
    heading: formatTitle(column),
    default: column.onRequest !== true,
  }));
  const view: ListView = {
    noun: 'columns',
    id: 'column',
    columns: [{ field: 'column' }, { field: 'heading' }, { field: 'default' }],
  };
  return { rows, view };
};
