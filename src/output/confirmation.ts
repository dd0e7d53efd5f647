import type { Confirmation } from '../context.ts';
import type { PeopleStyle } from './cell.ts';
import { isOpaqueId } from './formats/result-lines.ts';
import { GAP, type Measure, measureFor, padText, truncateText } from './layout.ts';
import { safeCell } from './safe-text.ts';
import { wrapWords } from './wrap.ts';

/** What stands above a yes-or-no question: what is meant, and some of what it is about. Fitted to the terminal. */

const INDENT = 2;
/** Later lines of one record stand further in. */
const DEEPER = 4;
/** Digits of an id that has room anywhere. */
const SHORT = 12;
const space = (count: number): string => ' '.repeat(Math.max(0, count));

interface Page {
  readonly width: number;
  readonly measure: Measure;
  readonly style: PeopleStyle;
}

const LABELLED = /^(\S+) {2,}(\S.*)$/;
/** Of `label  text`. */
const LABEL = 9;

const factLines = (fact: string, { width, measure, style }: Page): string[] => {
  const match = LABELLED.exec(fact);
  if (match === null) return wrapWords(fact, width - INDENT, measure).map((line) => space(INDENT) + line);
  const [, label = '', text = ''] = match;
  const column = INDENT + Math.max(LABEL, label.length) + GAP;
  return wrapWords(text, width - column, measure).map((line, index) =>
    index === 0
      ? `${space(INDENT)}${style.palette.faint(label)}${space(column - INDENT - label.length)}${line}`
      : space(column) + line,
  );
};

/** Nobody can use a part of an id: it stays whole. */
const whole = (cell: string, room: number, { measure, style }: Page): string =>
  isOpaqueId(cell) ? cell : truncateText(cell, room, measure, style.unicode ? '…' : '...');

/** Cells one after the other, on as many lines as they need. */
const flowing = (cells: readonly string[], page: Page): string[] => {
  const room = page.width - DEEPER;
  const lines: string[] = [];
  for (const cell of cells.map((text) => whole(text, room, page))) {
    const last = lines.at(-1);
    const longer = last === undefined ? '' : `${last}${space(GAP)}${cell}`;
    if (last === undefined || page.measure(longer) > room) lines.push(cell);
    else lines[lines.length - 1] = longer;
  }
  return lines.map((line) => space(DEEPER) + line);
};

/** How wide each column of these rows is. */
const widthsOf = (rows: readonly (readonly string[])[], page: Page): number[] => {
  const most = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: most }, (_, column) =>
    Math.max(0, ...rows.map((row) => page.measure(row[column] ?? ''))),
  );
};

/** So many columns fit beside each other. */
const besideOf = (widths: readonly number[], width: number): number => {
  let taken = INDENT - GAP;
  const over = widths.findIndex((column) => {
    taken += GAP + column;
    return taken > width;
  });
  return over < 0 ? widths.length : Math.max(1, over);
};

/** A long id after words that name the record. */
const closesWithId = (row: readonly string[]): boolean =>
  row.length > 1 && isOpaqueId(row.at(-1) ?? '') && (row.at(-1) ?? '').length > SHORT;

/** An id for which there is no room beside the words is left out: they say which record it is. */
const withoutIds = (rows: readonly (readonly string[])[], page: Page): readonly (readonly string[])[] => {
  const widths = widthsOf(rows, page);
  if (besideOf(widths, page.width) >= widths.length) return rows;
  return rows.map((row) => (closesWithId(row) ? row.slice(0, -1) : row));
};

/** Columns that some record has something in. */
const withoutEmpty = (sample: readonly (readonly string[])[]): readonly (readonly string[])[] =>
  sample.map((row) => row.filter((_, i) => sample.some((other) => (other[i] ?? '') !== '')));

/** `41:30`, `48.60`, `5 d`: digits stand below each other. */
const AMOUNT = /^(-?\d+[:.]\d\d|[\d.]+ [dh])?$/;

/** Records below each other; what does not fit beside its neighbours goes on the next line. */
const sampleLines = (sample: readonly (readonly string[])[], page: Page): string[] => {
  const room = page.width - INDENT;
  const cells = withoutEmpty(sample).map((row) => row.map((cell) => whole(cell, room, page)));
  const rows = withoutIds(cells, page);
  const widths = widthsOf(rows, page);
  const beside = besideOf(widths, page.width);
  const right = widths.map((_, i) => rows.every((row) => AMOUNT.test(row[i] ?? '')));
  return rows.flatMap((row) => {
    const first = row
      .slice(0, beside)
      .map((cell, i) => padText(cell, widths[i] ?? 0, right[i] === true, page.measure));
    const below = row.slice(beside).filter((cell) => cell !== '');
    return [space(INDENT) + first.join(space(GAP)).trimEnd(), ...flowing(below, page)];
  });
};

/** The lines before the question, each fit for the terminal but for ids and words that are wider than it. */
export const formatConfirmation = async (
  { facts, sample = [], more = 0 }: Confirmation,
  style: PeopleStyle,
): Promise<readonly string[]> => {
  const said = facts.map((fact) => safeCell(fact));
  const shown = sample.map((cells) => cells.map((cell) => safeCell(cell)));
  const measure = await measureFor([...said, ...shown.flat()]);
  const page = { width: style.width ?? 80, measure, style };
  const above = said.flatMap((fact) => factLines(fact, page));
  const below = sampleLines(shown, page);
  if (more > 0) below.push(`${space(INDENT)}${style.unicode ? '…' : '...'} and ${more} more`);
  const both = above.length > 0 && below.length > 0;
  return above.length + below.length === 0 ? [] : [...above, ...(both ? [''] : []), ...below, ''];
};
