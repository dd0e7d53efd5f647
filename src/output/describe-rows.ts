import type { Row } from '../api/page.ts';
import { type Detail, EMPTY_CELL, formatCell, getShownValue, inferKind, type PeopleStyle } from './cell.ts';
import type { Column } from './list-view.ts';

/** Records in a few words, for questions and for what became of them: as the cells of a narrow table. */

/** A record whose names have been fetched: one sanitised text for each column, `''` for nothing. */
export const formatInWords = (
  row: Row,
  columns: readonly Column[],
  style: PeopleStyle,
  detail: Detail = 'brief',
): readonly string[] =>
  columns.map((column) => {
    const value = getShownValue(column, row);
    const text = formatCell(value, inferKind(column, value), style, detail);
    return text === EMPTY_CELL ? '' : text;
  });

export const describeRows = async (
  rows: readonly Row[],
  columns: readonly Column[],
  style: PeopleStyle,
): Promise<readonly (readonly string[])[]> => {
  await Promise.all(columns.map(({ load }) => load?.(rows)));
  return rows.map((row) => formatInWords(row, columns, style));
};
