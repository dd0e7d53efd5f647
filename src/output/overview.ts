import type { Row } from '../api/page.ts';
import { GAP, measureFor, padText } from './layout.ts';
import type { OverviewLine, OverviewSection } from './list-view.ts';
import type { Paint, Palette } from './palette.ts';
import { writeRecord } from './results.ts';
import { safeCell } from './safe-text.ts';
import type { Streams } from './streams.ts';
import { wrapWords } from './wrap.ts';

/** A record as sections for people: a title, and lines with the commands behind them. */

const INDENT = ' '.repeat(GAP);
/** A text needs so many columns beside its command; else the command is below. */
const LEAST = 30;

const getPaint = ({ faint, waiting, bad }: Palette, { state }: OverviewLine): Paint => {
  if (state === 'none') return faint;
  if (state === 'warning') return waiting;
  return state === 'problem' ? bad : (text) => text;
};

interface Style {
  readonly palette: Palette;
  /** Undefined: no terminal, and no commands. */
  readonly width: number | undefined;
}

const formatSections = async (
  sections: readonly OverviewSection[],
  { palette, width }: Style,
): Promise<string> => {
  const lines = sections.flatMap((section) => section.lines);
  const texts = lines.map(({ text }) => safeCell(text));
  const commands = lines.map(({ command = '' }) => (width === undefined ? '' : command));
  const measure = await measureFor([...texts, ...commands]);
  const findWidest = (cells: readonly string[]) =>
    cells.reduce((most, cell) => Math.max(most, measure(cell)), 0);
  const total = (width ?? Number.POSITIVE_INFINITY) - GAP;
  const room = total - GAP - findWidest(commands);
  const isBeside = room >= LEAST;
  const column = Math.min(findWidest(texts), isBeside ? room : total);
  const formatLine = (line: OverviewLine): string => {
    const command = width === undefined ? '' : (line.command ?? '');
    const paint = getPaint(palette, line);
    const [first = '', ...others] = wrapWords(safeCell(line.text), column, measure);
    const beside = isBeside && command !== '' ? INDENT + palette.faint(command) : '';
    const padding = beside === '' ? first : padText(first, column, false, measure);
    const below = isBeside || command === '' ? [] : [INDENT + INDENT + palette.faint(command)];
    return [
      `${INDENT}${paint(first)}${padding.slice(first.length)}${beside}`,
      ...others.map((text) => INDENT + paint(text)),
      ...below,
    ].join('\n');
  };
  return sections
    .map(({ title, lines: own }) => [palette.heading(safeCell(title)), ...own.map(formatLine)].join('\n'))
    .join('\n\n');
};

export const writeOverview = async (
  streams: Streams,
  record: Row,
  sections: readonly OverviewSection[],
  cells: Row,
): Promise<void> => {
  const { options } = streams;
  const { query } = options;
  const { shape, forPeople } = options.format;
  if (query === undefined && shape === 'cells' && (!forPeople || options.columns !== undefined)) {
    const isWhole = options.columns?.some((name) => Object.hasOwn(record, name)) === true;
    return writeRecord(streams, isWhole ? { ...record, ...cells } : cells, []);
  }
  if (query !== undefined || options.columns !== undefined || !forPeople)
    return writeRecord(streams, record, []);
  if (shape !== 'screen') {
    const texts = sections.map(({ title, lines }) => [title, lines.map(({ text }) => text).join('; ')]);
    return writeRecord(streams, Object.fromEntries(texts), []);
  }
  return streams.write(`${await formatSections(sections, streams.style)}\n`);
};
