import type { Row } from '../api/page.ts';
import { EXIT, Failure, OutputError } from '../errors.ts';
import { isRecord } from '../json.ts';
import {
  collectFields,
  EMPTY_CELL,
  formatTitle,
  formatValue,
  getShownValue,
  inferColumnKind,
  isNothing,
  pickFields,
} from './cell.ts';
import { formatPlainValue, writeDocument } from './formats/writers.ts';
import type { Column, OverviewSection } from './list-view.ts';
import { safeCell, safeJson, safeLines } from './safe-text.ts';
import { writeLines } from './sink.ts';
import type { Streams } from './streams.ts';
import { findWidest, GAP, getStatePaint, padText, prepareWidths, textWidth, wrapText } from './terminal.ts';

/** What is no list of the service's records: the answer of a query, one record, an overview. */

/** The answer of a query in the format that was named. @param view the columns of what was asked */
export async function writeQueryAnswer(
  streams: Streams,
  answer: unknown,
  view: readonly Column[],
): Promise<void> {
  const { format, columns } = streams.options;
  const { shape, forPeople } = format;
  // Every field of the rows; what the view keeps secret stays so.
  const isSecret = (name: string) => view.some(({ field, kind }) => field === name && kind === 'secret');
  const listColumns = (rows: readonly Row[]): readonly Column[] =>
    collectFields(rows).map((field) => (isSecret(field) ? { field, kind: 'secret' } : { field }));
  const writeRecords = (rows: readonly Row[]) =>
    streams.writeRows({ noun: 'records', columns: forPeople ? listColumns(rows) : [] }, rows);
  if (isRecord(answer)) {
    // One object: an object in JSON, lines for people, else a list of one.
    const record = columns === undefined ? answer : pickFields(answer, columns);
    if (shape === 'document') return writeDocument(record, streams);
    if (shape !== 'screen') return writeRecords([answer]);
    return writeRecordLines(streams, record, listColumns([record]));
  }
  const items: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
  if (Array.isArray(answer) && items.length > 0 && items.every(isRecord)) return writeRecords(items);
  const formatId = (item: unknown) => (typeof item === 'string' ? safeCell(item) : safeJson(item));
  if (shape === 'id-lines') return writeLines(items, (item) => `${formatId(item)}\n`, streams);
  if (shape === 'json-lines') return writeLines(items, (item) => `${safeJson(item)}\n`, streams);
  if (shape === 'document') return writeDocument(answer, streams);
  if (isNothing(answer) || items.length === 0) {
    streams.note('The query matches nothing.');
    return writeRecords([]);
  }
  if (!Array.isArray(answer) && shape === 'screen')
    return streams.write(`${safeLines(formatPlainValue(answer))}\n`);
  // What is no record has no names: lists have numbered columns, anything else is a `value`.
  const isTable = items.every(Array.isArray);
  const toRow = (item: unknown): Row =>
    isTable && Array.isArray(item)
      ? Object.fromEntries(item.map((value, index) => [`column_${index + 1}`, value]))
      : { value: item };
  return writeRecords(items.map(toRow));
}

/**
 * Writes what the query makes of the data. After a write it is too late to refuse the query: then all is written, as JSON.
 * @param view the columns of the data
 * @throws UsageError where nothing has been changed, else OutputError, for a query that cannot be used on the data
 */
export async function writeQueryResult(
  streams: Streams,
  data: unknown,
  view: readonly Column[] = [],
): Promise<void> {
  const { query, isRead } = streams.options;
  let answer: unknown;
  try {
    answer = query?.(data);
  } catch (error) {
    if (isRead === true || !(error instanceof Failure)) throw error;
    await writeDocument(data, streams);
    throw new OutputError(error.message, {
      ...{ code: error.code, exit: EXIT.fault, reason: error.reason, cause: error },
      hint: 'Only the query failed; do not run the command again. The whole result is on stdout.',
    });
  }
  return writeQueryAnswer(streams, answer, view);
}

/**
 * One record for people: `field  value` lines, aligned. Further lines of a value are indented, below its first, so that
 * none can pass for a field.
 */
export async function writeRecordLines(
  streams: Streams,
  record: Row,
  columns: readonly Column[],
): Promise<void> {
  const { style } = streams;
  const { palette, width = Number.POSITIVE_INFINITY } = style;
  const entries = columns.map((column) => {
    const kind = inferColumnKind(column, [record]);
    const text = safeLines(formatValue(getShownValue(column, record), kind, style, 'plain'));
    return { label: safeCell(formatTitle(column)), kind, text };
  });
  await prepareWidths(entries.flatMap(({ label, text }) => [label, text]));
  const indent = findWidest(entries.map(({ label }) => label)) + GAP;
  const lines = entries.flatMap(({ label, kind, text }) => {
    const [first = '', ...others] = text.split('\n');
    const head = padText(label, indent);
    const [top = '', ...wrapped] = wrapText(head, first, width, indent);
    let paint = kind === 'state' ? getStatePaint(palette, text) : (plain: string) => plain;
    if (text === EMPTY_CELL) paint = palette.faint;
    const below = others.flatMap((line) =>
      wrapText(' '.repeat(indent + line.length - line.trimStart().length), line.trimStart(), width),
    );
    const value = paint(top.slice(head.length));
    return [`${palette.faint(label)}${head.slice(label.length)}${value}`.trimEnd(), ...wrapped, ...below];
  });
  return streams.write(lines.map((line) => `${line}\n`).join(''));
}

/** Sections for people: a title, and lines with the commands behind them. */
export async function writeSections(streams: Streams, sections: readonly OverviewSection[]): Promise<void> {
  const { palette, width } = streams.style;
  const paints = { none: palette.faint, warning: palette.waiting, problem: palette.bad };
  const all = sections.flatMap(({ lines }) => lines);
  const texts = all.map(({ text }) => safeCell(text));
  await prepareWidths(texts);
  // The commands, on a terminal alone: beside the texts where there is room for all, else each below its own.
  const [indent, column] = [' '.repeat(GAP), findWidest(texts)];
  const isBeside = column + findWidest(all.map(({ command = '' }) => command)) + 2 * GAP <= (width ?? 0);
  const formatted = sections.map(({ title, lines }) => {
    const rows = lines.flatMap(({ text, command = '', state }) => {
      const paint = state === undefined ? (plain: string) => plain : paints[state];
      const wrapped = wrapText(indent, safeCell(text), width ?? Number.POSITIVE_INFINITY);
      const painted = wrapped.map((line) => indent + paint(line.slice(GAP)));
      if (command === '' || width === undefined) return painted;
      const behind = indent + palette.faint(command);
      if (!isBeside) return [...painted, indent + behind];
      return `${painted.join('')}${' '.repeat(column - textWidth(safeCell(text)))}${behind}`;
    });
    return [palette.heading(safeCell(title)), ...rows].join('\n');
  });
  return streams.write(`${formatted.join('\n\n')}\n`);
}
