import type { Row } from '../api/page.ts';
import { collectFields, pickFields } from './cell.ts';
import { resolveFields, selectColumns, showView, toColumns } from './columns.ts';
import { writeDocument } from './formats/writers.ts';
import { writeColumnList, writeQueryResult } from './list.ts';
import type { Column, OverviewLine, OverviewSection } from './list-view.ts';
import { formatRecordLines } from './record-lines.ts';
import { safeCell } from './safe-text.ts';
import type { Streams } from './streams.ts';
import { findWidest, GAP, type Paint, padText, prepareWidths, wrapWords } from './terminal.ts';

/** One record: an object in JSON, lines for people, else a list of one. */
export async function writeRecord(
  streams: Streams,
  record: Row,
  columns: readonly Column[] = [],
): Promise<void> {
  const { format, query, listsColumns } = streams.options;
  if (listsColumns === true) {
    const documented = async () => Object.keys(record);
    return writeColumnList(streams, { noun: 'columns', columns, documented });
  }
  if (query !== undefined)
    return writeQueryResult(streams, record, (plain) => writeRecord(plain, record, columns), columns);
  const listed = columns.length > 0 ? columns : toColumns(collectFields([record]));
  // Lists end with the id, a record begins with it.
  const id = listed.filter(({ field }) => field === 'id');
  const ordered = format.shape === 'screen' ? [...id, ...listed.filter((one) => !id.includes(one))] : listed;
  const names = await resolveColumns(streams, record, columns);
  const shown = showView({ noun: 'records', columns: ordered }, names, format);
  if (format.shape === 'document') {
    const whole = shown.toShown(record);
    return writeDocument(shown.columns === undefined ? whole : pickFields(whole, shown.columns), streams);
  }
  const chosen = selectColumns(shown, [record]);
  if (format.forPeople) await Promise.all(chosen.map(({ load }) => load?.([record])));
  if (format.shape === 'screen') return streams.write(await formatRecordLines(record, chosen, streams.style));
  return streams.writeRows(shown.view, [shown.toShown(record)], { columns: shown.columns });
}

/** `--columns` as fields. A read is refused for a name of nothing; after a write it is too late. */
async function resolveColumns(
  streams: Streams,
  record: Row,
  columns: readonly Column[],
): Promise<readonly string[] | undefined> {
  const { columns: names, documented = async () => [], isRead } = streams.options;
  if (names === undefined) return undefined;
  async function* page() {
    yield { rows: [record], total: 1 };
  }
  const { fields, problem } = await resolveFields(page(), columns, documented, { '--columns': names });
  if (problem !== undefined && isRead === true) throw problem;
  if (problem !== undefined) streams.warn(problem.message);
  return fields['--columns'];
}

/** One record as sections for people: a title, and lines with the commands behind them. @param cells without nesting */
export async function writeOverview(
  streams: Streams,
  record: Row,
  sections: readonly OverviewSection[],
  cells: Row,
): Promise<void> {
  const { query, columns, format } = streams.options;
  const { shape, forPeople } = format;
  if (query === undefined && shape === 'cells' && (!forPeople || columns !== undefined)) {
    const isWhole = columns?.some((name) => Object.hasOwn(record, name)) === true;
    return writeRecord(streams, isWhole ? { ...record, ...cells } : cells);
  }
  if (query !== undefined || columns !== undefined || !forPeople) return writeRecord(streams, record);
  if (shape === 'screen') return streams.write(`${await formatSections(streams, sections)}\n`);
  const texts = sections.map(({ title, lines }) => [title, lines.map(({ text }) => text).join('; ')]);
  return writeRecord(streams, Object.fromEntries(texts));
}

const INDENT = ' '.repeat(GAP);
/** A text needs so many columns beside its command; else the command is below. */
const LEAST_BESIDE = 30;

/** Commands are for a terminal alone. */
async function formatSections({ style }: Streams, sections: readonly OverviewSection[]): Promise<string> {
  const { palette, width } = style;
  const lines = sections.flatMap((section) => section.lines);
  const texts = lines.map(({ text }) => safeCell(text));
  const commands = lines.map(({ command = '' }) => (width === undefined ? '' : command));
  await prepareWidths([...texts, ...commands]);
  const total = (width ?? Number.POSITIVE_INFINITY) - GAP;
  const room = total - GAP - findWidest(commands);
  const isBeside = room >= LEAST_BESIDE;
  const column = Math.min(findWidest(texts), isBeside ? room : total);
  const formatLine = (line: OverviewLine): string => {
    const command = width === undefined ? '' : (line.command ?? '');
    const paint = getPaint(line);
    const [first = '', ...others] = wrapWords(safeCell(line.text), column);
    const more = others.map((text) => INDENT + paint(text));
    if (command === '') return [INDENT + paint(first), ...more].join('\n');
    if (!isBeside)
      return [INDENT + paint(first), ...more, INDENT + INDENT + palette.faint(command)].join('\n');
    const space = padText(first, column).slice(first.length) + INDENT;
    return [`${INDENT}${paint(first)}${space}${palette.faint(command)}`, ...more].join('\n');
  };
  const getPaint = ({ state }: OverviewLine): Paint => {
    if (state === 'none') return palette.faint;
    if (state === 'warning') return palette.waiting;
    return state === 'problem' ? palette.bad : (text) => text;
  };
  return sections
    .map(({ title, lines: own }) => [palette.heading(safeCell(title)), ...own.map(formatLine)].join('\n'))
    .join('\n\n');
}
