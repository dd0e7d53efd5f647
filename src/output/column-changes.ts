import { formatTitle } from './cell.ts';
import type { Column, ListView } from './list-view.ts';
import type { OutputContext } from './output-context.ts';

/** `--columns +rate,-status`: the columns that a list has by itself, with one more and without another. */

const SIGN = /^[+-]/;

export const stripSign = (name: string): string => name.replace(SIGN, '');

const hasSigns = (names: readonly string[] | undefined): names is readonly string[] =>
  names?.some((name) => SIGN.test(name)) === true;

/** What is added stands before the id, which is last, and stays though it is empty or wide. */
const changeColumns = (view: readonly Column[], changes: readonly string[]): readonly Column[] => {
  const listNames = (sign: string) => changes.filter((name) => name.startsWith(sign)).map(stripSign);
  const [added, removed] = [listNames('+'), listNames('-')];
  const kept = view.filter(({ field, onRequest }) => onRequest !== true && !removed.includes(field));
  const more = added
    .filter((name) => !kept.some(({ field }) => field === name))
    .map((name): Column => {
      const { onRequest, sparse, drop, ...column } = view.find(({ field }) => field === name) ?? {
        field: name,
      };
      return column;
    });
  const end = kept.at(-1)?.field === 'id' ? kept.length - 1 : kept.length;
  return [...kept.slice(0, end), ...more, ...kept.slice(end)];
};

/** The names of `--columns`, with changes of these columns spelled out. */
export const expandNames = (
  columns: readonly Column[],
  names: readonly string[] | undefined,
): readonly string[] | undefined =>
  hasSigns(names) ? changeColumns(columns, names).map(({ field }) => field) : names;

/** The output and the view with columns that are named one by one. People have them in place of the view's own. */
export const applyColumnChanges = <V extends ListView>(
  service: OutputContext,
  view: V,
): readonly [OutputContext, V] => {
  const { columns: names, format } = service.options;
  if (!hasSigns(names)) return [service, view];
  const columns = changeColumns(view.columns, names);
  const fields = format.forPeople
    ? undefined
    : columns.filter(({ kind }) => kind !== 'bar').map(({ field }) => field);
  const { columns: _changes, ...others } = service.options;
  const options = fields === undefined ? others : { ...others, columns: fields };
  return [
    { ...service, options, context: (shown) => ({ ...service.context(shown), columns: fields }) },
    { ...view, columns },
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
