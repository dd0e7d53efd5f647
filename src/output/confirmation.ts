import { collapseBlanks } from '../parsing/text.ts';
import { isOpaqueId, type PeopleStyle } from './cell.ts';
import { safeCell, safeName } from './safe-text.ts';
import {
  findWidest,
  GAP,
  getEllipsis,
  padText,
  prepareWidths,
  textWidth,
  truncateText,
  wrapWords,
} from './terminal.ts';

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

type Cells = readonly string[];

/** The lines before the question, each fit for the terminal but for ids and words that are wider than it. */
export async function formatConfirmation(
  { facts, sample = [], warnings = [], more = 0, summary }: Confirmation,
  style: PeopleStyle,
): Promise<readonly string[]> {
  const texts = facts.map((fact) => safeCell(fact));
  const shown = sample.map((cells) => cells.map((cell) => safeName(cell)));
  const heeded = warnings.map((lines) => lines.map((text) => safeCell(text)));
  await prepareWidths([...texts, ...shown.flat(), ...heeded.flat()]);
  const { width = 80 } = style;
  const above = texts.flatMap((fact) => wrapFact(fact, width, style));
  const rest = more > 0 ? [`${spaces(INDENT)}${getEllipsis(style)} and ${more} more`] : [];
  const counts = summary === undefined ? [] : ['', ...wrapFact(summary, width, style)];
  const below = [...formatSample(shown, heeded, width, style), ...rest, ...counts];
  const both = above.length > 0 && below.length > 0;
  return above.length + below.length === 0 ? [] : [...above, ...(both ? [''] : []), ...below, ''];
}

function spaces(count: number): string {
  return ' '.repeat(Math.max(0, count));
}

const LABELLED_FACT = /^(\S+) {2,}(\S.*)$/;
/** Of `label  text`. */
const LABEL_WIDTH = 9;

function wrapFact(fact: string, width: number, { palette }: PeopleStyle): string[] {
  const match = LABELLED_FACT.exec(fact);
  if (match === null) return wrapWords(fact, width - INDENT).map((line) => spaces(INDENT) + line);
  const [, label = '', text = ''] = match;
  const column = INDENT + Math.max(LABEL_WIDTH, label.length) + GAP;
  const head = spaces(INDENT) + palette.faint(label) + spaces(column - INDENT - label.length);
  const lines = wrapWords(collapseBlanks(text), width - column);
  return lines.map((line, i) => (i === 0 ? head : spaces(column)) + line);
}

/** `41:30`, `48.60`, `5 d`: digits stand below each other. */
const AMOUNT = /^(-?\d+[:.]\d\d|[\d.]+ [dh])?$/;

/** Records below each other; what does not fit beside its neighbours goes on the next line. */
function formatSample(
  sample: readonly Cells[],
  warnings: readonly Cells[],
  width: number,
  style: PeopleStyle,
): string[] {
  const filled = sample.map((row) => row.filter((_, i) => sample.some((other) => (other[i] ?? '') !== '')));
  const rows = removeIds(
    filled.map((row) => row.map((cell) => truncateCell(cell, width - INDENT, style))),
    width,
  );
  const widths = measureColumns(rows);
  const beside = countFitting(widths, width);
  const right = widths.map((_, i) => rows.every((row) => AMOUNT.test(row[i] ?? '')));
  return rows.flatMap((row, n) => {
    const first = row.slice(0, beside).map((cell, i) => padText(cell, widths[i] ?? 0, right[i]));
    const below = row.slice(beside).filter((cell) => cell !== '');
    return [
      spaces(INDENT) + first.join(spaces(GAP)).trimEnd(),
      ...flowCells(below, width - CONTINUATION_INDENT, style),
      ...(warnings[n] ?? []).flatMap((text) => formatWarning(text, width, style)),
    ];
  });
}

function formatWarning(text: string, width: number, { palette }: PeopleStyle): string[] {
  return wrapWords(text, width - CONTINUATION_INDENT - GAP).map((line, i) =>
    palette.waiting(`${spaces(CONTINUATION_INDENT)}${i === 0 ? '! ' : '  '}${line}`),
  );
}

/** Nobody can use a part of an id: it stays whole. */
function truncateCell(cell: string, room: number, style: PeopleStyle): string {
  return isOpaqueId(cell) ? cell : truncateText(cell, room, style);
}

/** Cells one after the other, on as many lines as they need. */
function flowCells(cells: Cells, room: number, style: PeopleStyle): string[] {
  const lines: string[] = [];
  for (const cell of cells.map((text) => truncateCell(text, room, style))) {
    const last = lines.at(-1);
    const longer = `${last}${spaces(GAP)}${cell}`;
    if (last === undefined || textWidth(longer) > room) lines.push(cell);
    else lines[lines.length - 1] = longer;
  }
  return lines.map((line) => spaces(CONTINUATION_INDENT) + line);
}

function measureColumns(rows: readonly Cells[]): number[] {
  const count = rows.reduce((most, row) => Math.max(most, row.length), 0);
  return Array.from({ length: count }, (_, column) => findWidest(rows.map((row) => row[column] ?? '')));
}

function countFitting(widths: readonly number[], width: number): number {
  let taken = INDENT - GAP;
  const over = widths.findIndex((column) => {
    taken += GAP + column;
    return taken > width;
  });
  return over < 0 ? widths.length : Math.max(1, over);
}

/** A long id for which there is no room beside the words is left out: they say which record it is. */
function removeIds(rows: readonly Cells[], width: number): readonly Cells[] {
  const widths = measureColumns(rows);
  if (countFitting(widths, width) >= widths.length) return rows;
  return rows.map((row) => {
    const last = row.at(-1) ?? '';
    return row.length > 1 && isOpaqueId(last) && last.length > SHORT_ID ? row.slice(0, -1) : row;
  });
}

/** `submit 2 timesheets` → `submitting 2 timesheets` */
export function toGerund(question: string): string {
  return question.replace(/^\w+/, (verb) => `${verb.replace(/e$/, '').replace(/mit$/, 'mitt')}ing`);
}
