import type { Row } from '../../api/page.ts';
import {
  type ColumnKind,
  type Detail,
  EMPTY_CELL,
  formatTitle,
  formatValue,
  getShownValue,
  inferKind,
  type PeopleStyle,
} from '../cell.ts';
import { GAP, measureFor, padText } from '../layout.ts';
import type { Column } from '../list-view.ts';
import { getStatePaint, type Paint, type Palette } from '../palette.ts';
import { safeCell, safeLines } from '../safe-text.ts';
import { type TextPiece, wrapPieces } from '../wrap.ts';

/** One record for people: `field  value` lines, aligned. */

interface Entry {
  readonly label: string;
  readonly kind: ColumnKind;
  readonly value: unknown;
}

const listEntries = (record: Row, columns: readonly Column[]): readonly Entry[] =>
  columns.map((column) => {
    const value = getShownValue(column, record);
    return { label: safeCell(formatTitle(column)), kind: inferKind(column, value), value };
  });

/** Several lines where the value has several; sanitised. */
const formatEntry = ({ value, kind }: Entry, style: PeopleStyle, detail: Detail): string =>
  safeLines(formatValue(value, kind, style, detail));

const DAYS = new Set<ColumnKind>(['date', 'period', 'time']);
const DETAILS: readonly Detail[] = ['full', 'plain', 'brief'];

/** The most that can be told of all days and times on one line each. */
const chooseDetail = (entries: readonly Entry[], room: number, style: PeopleStyle): Detail => {
  if (style.width === undefined) return 'plain';
  const days = entries.filter(({ kind }) => DAYS.has(kind));
  const fits = (detail: Detail) => days.every((entry) => formatEntry(entry, style, detail).length <= room);
  return DETAILS.find(fits) ?? 'brief';
};

const choosePaint = (palette: Palette, text: string, kind: ColumnKind): Paint => {
  if (text === EMPTY_CELL) return palette.faint;
  return kind === 'state' ? getStatePaint(palette, text) : (shown) => shown;
};

/** A value with a word for which there is no room beside the labels begins below its own. */
const BELOW = 4;

/** Words that stay whole: an id, an address or a path is there to be copied. */
const splitPieces = (line: string): readonly TextPiece[] =>
  line.split(' ').map((text, i) => ({ text, gap: i === 0 ? 0 : 1 }));

/** A line below the first keeps its own indentation, as JSON has it, up to half of the room. */
const wrapLine = (line: string, layout: Parameters<typeof wrapPieces>[2]): readonly string[] => {
  const text = line.trimStart();
  const indent =
    layout.indent + Math.floor(Math.min(line.length - text.length, (layout.width - layout.indent) / 2));
  return wrapPieces(' '.repeat(indent), splitPieces(text), { ...layout, indent });
};

/** Further lines of a value are indented, below its first where there is room, so that none can pass for a field. */
export const formatRecordLines = async (
  record: Row,
  columns: readonly Column[],
  style: PeopleStyle,
): Promise<string> => {
  const { palette, width = Number.POSITIVE_INFINITY } = style;
  const entries = listEntries(record, columns);
  const measureLabel = await measureFor(entries.map(({ label }) => label));
  const column = entries.reduce((most, { label }) => Math.max(most, measureLabel(label)), 0) + GAP;
  const detail = chooseDetail(entries, width - column, style);
  const texts = entries.map((entry) => formatEntry(entry, style, detail));
  const measure = await measureFor([...entries.map(({ label }) => label), ...texts]);
  const fits = (text: string) => text.split(/\s+/).every((word) => measure(word) <= width - column);
  return entries
    .map(({ label, kind }, i) => {
      const text = texts[i] ?? '';
      const paint = choosePaint(palette, text, kind);
      const head = padText(label, column, false, measure);
      const layout = { width, indent: fits(text) ? column : BELOW, measure };
      const [first = '', ...others] = text.split('\n');
      const [top = '', ...wrapped] = wrapPieces(head, splitPieces(first), layout);
      const below = [...wrapped, ...others.flatMap((line) => wrapLine(line, layout))];
      const labelled = `${palette.faint(head.trimEnd())}${' '.repeat(head.length - head.trimEnd().length)}`;
      return [`${labelled}${paint(top.slice(head.length))}`.trimEnd(), ...below]
        .map((line) => `${line}\n`)
        .join('');
    })
    .join('');
};
