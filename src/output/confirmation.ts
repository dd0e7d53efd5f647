import { collapseBlanks } from '../parsing/text.ts';
import type { PeopleStyle } from './cell.ts';
import { isOpaqueId } from './formats/result-lines.ts';
import { GAP, type Measure, measureFor, padText, truncateText } from './layout.ts';
import { safeCell, safeName } from './safe-text.ts';
import { wrapWords } from './wrap.ts';

/** What stands above a yes-or-no question: what is meant, and some of what it is about. Fitted to the terminal. */

/** A yes-or-no question before something is sent. */
export interface Confirmation {
  /** Verb phrase: `approve 3 timesheets`. */
  readonly question: string;
  /** Lines of what is meant: `label  text` with two spaces or more between them, or a sentence. */
  readonly facts: readonly string[];
  /** Some of the targets, each in a few words that stay whole: what names it first, its id last. */
  readonly sample?: readonly (readonly string[])[];
  /** What has to be heeded of each of the sample, a sentence each. */
  readonly warnings?: readonly (readonly string[])[];
  readonly more?: number;
  readonly summary?: string;
  /** Nothing of the service is touched: its account and workspace are not shown. */
  readonly local?: true;
}

const INDENT = 2;
/** Later lines of one record stand further in. */
const CONTINUATION_INDENT = 4;
/** Digits of an id that has room anywhere. */
const SHORT_ID = 12;
const spaces = (count: number): string => ' '.repeat(Math.max(0, count));

interface TextLayout {
  readonly width: number;
  readonly measure: Measure;
  readonly style: PeopleStyle;
}

const LABELLED_FACT = /^(\S+) {2,}(\S.*)$/;
/** Of `label  text`. */
const LABEL_WIDTH = 9;

const wrapFact = (fact: string, { width, measure, style }: TextLayout): string[] => {
  const match = LABELLED_FACT.exec(fact);
  if (match === null) return wrapWords(fact, width - INDENT, measure).map((line) => spaces(INDENT) + line);
  const [, label = '', text = ''] = match;
  const column = INDENT + Math.max(LABEL_WIDTH, label.length) + GAP;
  return wrapWords(collapseBlanks(text), width - column, measure).map((line, index) =>
    index === 0
      ? `${spaces(INDENT)}${style.palette.faint(label)}${spaces(column - INDENT - label.length)}${line}`
      : spaces(column) + line,
  );
};

/** Nobody can use a part of an id: it stays whole. */
const truncateCell = (cell: string, room: number, { measure, style }: TextLayout): string =>
  isOpaqueId(cell) ? cell : truncateText(cell, room, measure, style.unicode ? '…' : '...');

/** Cells one after the other, on as many lines as they need. */
const flowCells = (cells: readonly string[], layout: TextLayout): string[] => {
  const room = layout.width - CONTINUATION_INDENT;
  const lines: string[] = [];
  for (const cell of cells.map((text) => truncateCell(text, room, layout))) {
    const last = lines.at(-1);
    const longer = last === undefined ? '' : `${last}${spaces(GAP)}${cell}`;
    if (last === undefined || layout.measure(longer) > room) lines.push(cell);
    else lines[lines.length - 1] = longer;
  }
  return lines.map((line) => spaces(CONTINUATION_INDENT) + line);
};

const measureColumns = (rows: readonly (readonly string[])[], layout: TextLayout): number[] => {
  const count = rows.reduce((most, row) => Math.max(most, row.length), 0);
  return Array.from({ length: count }, (_, column) =>
    rows.reduce((widest, row) => Math.max(widest, layout.measure(row[column] ?? '')), 0),
  );
};

const countFitting = (widths: readonly number[], width: number): number => {
  let taken = INDENT - GAP;
  const over = widths.findIndex((column) => {
    taken += GAP + column;
    return taken > width;
  });
  return over < 0 ? widths.length : Math.max(1, over);
};

/** A long id after words that name the record. */
const closesWithId = (row: readonly string[]): boolean =>
  row.length > 1 && isOpaqueId(row.at(-1) ?? '') && (row.at(-1) ?? '').length > SHORT_ID;

/** An id for which there is no room beside the words is left out: they say which record it is. */
const removeIds = (
  rows: readonly (readonly string[])[],
  layout: TextLayout,
): readonly (readonly string[])[] => {
  const widths = measureColumns(rows, layout);
  if (countFitting(widths, layout.width) >= widths.length) return rows;
  return rows.map((row) => (closesWithId(row) ? row.slice(0, -1) : row));
};

const removeEmpty = (sample: readonly (readonly string[])[]): readonly (readonly string[])[] =>
  sample.map((row) => row.filter((_, i) => sample.some((other) => (other[i] ?? '') !== '')));

/** `41:30`, `48.60`, `5 d`: digits stand below each other. */
const AMOUNT = /^(-?\d+[:.]\d\d|[\d.]+ [dh])?$/;

const formatWarning = (text: string, { width, measure, style }: TextLayout): readonly string[] =>
  wrapWords(text, width - CONTINUATION_INDENT - GAP, measure).map((line, i) =>
    style.palette.waiting(`${spaces(CONTINUATION_INDENT)}${i === 0 ? '! ' : '  '}${line}`),
  );

/** Records below each other; what does not fit beside its neighbours goes on the next line. */
const formatSample = (
  sample: readonly (readonly string[])[],
  warnings: readonly (readonly string[])[],
  layout: TextLayout,
): string[] => {
  const room = layout.width - INDENT;
  const cells = removeEmpty(sample).map((row) => row.map((cell) => truncateCell(cell, room, layout)));
  const rows = removeIds(cells, layout);
  const widths = measureColumns(rows, layout);
  const beside = countFitting(widths, layout.width);
  const right = widths.map((_, i) => rows.every((row) => AMOUNT.test(row[i] ?? '')));
  return rows.flatMap((row, n) => {
    const first = row
      .slice(0, beside)
      .map((cell, i) => padText(cell, widths[i] ?? 0, right[i] === true, layout.measure));
    const below = row.slice(beside).filter((cell) => cell !== '');
    const heeded = (warnings[n] ?? []).flatMap((text) => formatWarning(text, layout));
    return [spaces(INDENT) + first.join(spaces(GAP)).trimEnd(), ...flowCells(below, layout), ...heeded];
  });
};

/** The lines before the question, each fit for the terminal but for ids and words that are wider than it. */
export const formatConfirmation = async (
  { facts, sample = [], warnings = [], more = 0, summary }: Confirmation,
  style: PeopleStyle,
): Promise<readonly string[]> => {
  const texts = facts.map((fact) => safeCell(fact));
  const shown = sample.map((cells) => cells.map((cell) => safeName(cell)));
  const measure = await measureFor([...texts, ...shown.flat(), ...warnings.flat()]);
  const layout = { width: style.width ?? 80, measure, style };
  const above = texts.flatMap((fact) => wrapFact(fact, layout));
  const heeded = warnings.map((lines) => lines.map((text) => safeCell(text)));
  const rest = more > 0 ? [`${spaces(INDENT)}${style.unicode ? '…' : '...'} and ${more} more`] : [];
  const counts = summary === undefined ? [] : ['', ...wrapFact(summary, layout)];
  const below = [...formatSample(shown, heeded, layout), ...rest, ...counts];
  const both = above.length > 0 && below.length > 0;
  return above.length + below.length === 0 ? [] : [...above, ...(both ? [''] : []), ...below, ''];
};
