import type { Row } from '../api/page.ts';
import {
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
import { findWidest, GAP, getStatePaint, padText, prepareWidths, textWidth, wrapPieces } from './terminal.ts';

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
  const entries = columns.map((column) => {
    const value = getShownValue(column, record);
    const kind = inferKind(column, value);
    const format = (detail: Detail): string => safeLines(formatValue(value, kind, style, detail));
    return { label: safeCell(formatTitle(column)), kind, format };
  });
  const labels = entries.map(({ label }) => label);
  await prepareWidths(labels);
  const column = findWidest(labels) + GAP;
  // The most that can be told of all days and times on one line each.
  const days = entries.filter(({ kind }) => ['date', 'period', 'time'].includes(kind));
  const fits = (detail: Detail) => days.every(({ format }) => format(detail).length <= width - column);
  const detail = style.width === undefined ? 'plain' : ((['full', 'plain'] as const).find(fits) ?? 'brief');
  const texts = entries.map(({ format }) => format(detail));
  await prepareWidths(texts);
  const lines = entries.flatMap(({ label, kind }, i) => {
    const text = texts[i] ?? '';
    const head = padText(label, column);
    const isBeside = text.split(/\s+/).every((word) => textWidth(word) <= width - column);
    const indent = isBeside ? column : BELOW;
    const [first = '', ...others] = text.split('\n');
    const [top = '', ...wrapped] = wrapPieces(head, splitWhole(first), { width, indent });
    const value = top.slice(head.length);
    let paint = kind === 'state' ? getStatePaint(palette, text) : (plain: string) => plain;
    if (text === EMPTY_CELL) paint = palette.faint;
    const below = others.flatMap((line) => {
      // Each keeps its own indentation, as JSON has it, up to half of the room.
      const own = line.trimStart();
      const inner = indent + Math.floor(Math.min(line.length - own.length, (width - indent) / 2));
      return wrapPieces(' '.repeat(inner), splitWhole(own), { width, indent: inner });
    });
    const labelled = palette.faint(label) + head.slice(label.length);
    return [`${labelled}${paint(value)}`.trimEnd(), ...wrapped, ...below];
  });
  return lines.map((line) => `${line}\n`).join('');
}

/** Words that stay whole: an id, an address or a path is there to be copied. */
function splitWhole(line: string) {
  return line.split(' ').map((text, i) => ({ text, gap: i === 0 ? 0 : 1 }));
}
