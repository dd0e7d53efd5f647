import type { Row } from '../../api/page.ts';
import type { Column } from '../../context.ts';
import { kindOf, NOTHING, type PeopleStyle, plainText, shownValue, titleOf } from '../cell.ts';
import { type Paint, type Palette, paintOfState } from '../palette.ts';
import { safeCell, safeLines } from '../safe-text.ts';
import { measureFor, pad } from '../width.ts';

/** One record for people: `field  value` lines, aligned. */

interface Entry {
  readonly label: string;
  /** Several lines where the value has several. */
  readonly text: string;
  readonly state: boolean;
}

/** Label and text of each column; sanitised. */
export const recordEntries = (record: Row, columns: readonly Column[], style: PeopleStyle): Entry[] =>
  columns.map((column) => {
    const value = shownValue(column, record);
    const kind = kindOf(column, value);
    const text = safeLines(
      plainText(value, kind, style, style.width === undefined ? 'plain' : 'full'),
      style.ci,
    );
    return { label: safeCell(titleOf(column), style.ci), text, state: kind === 'state' };
  });

const paintOf = (palette: Palette, text: string, state: boolean): Paint => {
  if (text === NOTHING) return palette.faint;
  return state ? paintOfState(palette, text) : (shown) => shown;
};

/** Further lines of a value are indented below its first, so that none can pass for a field. */
export const recordLines = async (
  record: Row,
  columns: readonly Column[],
  style: PeopleStyle,
): Promise<string> => {
  const entries = recordEntries(record, columns, style);
  const measure = await measureFor(entries.map((entry) => entry.label));
  const width = Math.max(0, ...entries.map((entry) => measure(entry.label)));
  const indent = ' '.repeat(width + 2);
  return entries
    .map(({ label, text, state }) => {
      const shown = paintOf(style.palette, text, state)(text);
      return `${style.palette.faint(pad(label, width, false, measure))}  ${shown.replaceAll('\n', `\n${indent}`)}\n`;
    })
    .join('');
};
