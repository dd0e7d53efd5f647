import type { Row } from '../api/page.ts';
import {
  type ColumnKind,
  type Detail,
  EMPTY_CELL,
  formatTitle,
  formatValue,
  getShownValue,
  inferKind,
  type PeopleStyle,
} from './cell.ts';
import type { Column } from './list-view.ts';
import { safeCell, safeLines } from './safe-text.ts';
import {
  findWidest,
  GAP,
  getStatePaint,
  padText,
  prepareWidths,
  type TextPiece,
  textWidth,
  wrapPieces,
} from './terminal.ts';

/** A value with a word for which there is no room beside the labels begins below its own. */
const BELOW = 4;

/**
 * One record for people: `field  value` lines, aligned. Further lines of a value are indented, below its first where
 * there is room, so that none can pass for a field.
 */
export async function formatRecordLines(
  record: Row,
  columns: readonly Column[],
  style: PeopleStyle,
): Promise<string> {
  const { palette, width = Number.POSITIVE_INFINITY } = style;
  const entries = columns.map((column): Entry => {
    const value = getShownValue(column, record);
    return { label: safeCell(formatTitle(column)), kind: inferKind(column, value), value };
  });
  const labels = entries.map(({ label }) => label);
  await prepareWidths(labels);
  const column = findWidest(labels) + GAP;
  const detail = chooseDetail(entries, width - column, style);
  const texts = entries.map((entry) => formatEntry(entry, style, detail));
  await prepareWidths(texts);
  const lines = entries.flatMap(({ label, kind }, i) => {
    const text = texts[i] ?? '';
    const head = padText(label, column);
    const fits = text.split(/\s+/).every((word) => textWidth(word) <= width - column);
    const layout = { width, indent: fits ? column : BELOW };
    const [first = '', ...others] = text.split('\n');
    const [top = '', ...wrapped] = wrapPieces(head, splitPieces(first), layout);
    const labelled = palette.faint(label) + head.slice(label.length);
    const value = top.slice(head.length);
    return [
      `${labelled}${paintValue(value, text, kind, style)}`.trimEnd(),
      ...wrapped,
      ...others.flatMap((line) => wrapLine(line, layout)),
    ];
  });
  return lines.map((line) => `${line}\n`).join('');
}

interface Entry {
  readonly label: string;
  readonly kind: ColumnKind;
  readonly value: unknown;
}

/** Several lines where the value has several; sanitised. */
function formatEntry({ value, kind }: Entry, style: PeopleStyle, detail: Detail): string {
  return safeLines(formatValue(value, kind, style, detail));
}

/** The most that can be told of all days and times on one line each. */
function chooseDetail(entries: readonly Entry[], room: number, style: PeopleStyle): Detail {
  if (style.width === undefined) return 'plain';
  const days = entries.filter(({ kind }) => kind === 'date' || kind === 'period' || kind === 'time');
  const fits = (detail: Detail) => days.every((entry) => formatEntry(entry, style, detail).length <= room);
  return (['full', 'plain'] as const).find(fits) ?? 'brief';
}

function paintValue(value: string, text: string, kind: ColumnKind, { palette }: PeopleStyle): string {
  if (text === EMPTY_CELL) return palette.faint(value);
  return kind === 'state' ? getStatePaint(palette, text)(value) : value;
}

/** Words that stay whole: an id, an address or a path is there to be copied. */
function splitPieces(line: string): readonly TextPiece[] {
  return line.split(' ').map((text, i) => ({ text, gap: i === 0 ? 0 : 1 }));
}

/** A line below the first keeps its own indentation, as JSON has it, up to half of the room. */
function wrapLine(
  line: string,
  { width, indent }: { readonly width: number; readonly indent: number },
): readonly string[] {
  const text = line.trimStart();
  const own = Math.floor(Math.min(line.length - text.length, (width - indent) / 2));
  return wrapPieces(' '.repeat(indent + own), splitPieces(text), { width, indent: indent + own });
}
