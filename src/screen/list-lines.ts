import { COMFORTABLE, type ColumnWidth, fitColumns, GAP, padText } from '../output/layout.ts';
import type { Paint } from '../output/palette.ts';
import type { ReviewItem } from '../review.ts';
import { listVisible, type State } from './state.ts';
import { breakWords, fitText, getGlyph, getVerdictPaint, type Size, type Style } from './style.ts';

/** The list of a review: one line an item, fitted to the terminal. */

interface ReviewColumn {
  readonly title: string;
  readonly text: (item: ReviewItem) => string;
  readonly right?: true;
  readonly drop: number;
  readonly elastic?: true;
  readonly warns?: true;
}

/** What matters, else what it is about and what was written. */
const formatWarnings = ({ warnings, note, about }: ReviewItem): string => {
  const [first, ...more] = warnings;
  if (first === undefined) return [about, note && `"${note}"`].filter(Boolean).join(': ');
  return `${first}${more.length === 0 ? '' : ` (+${more.length})`}`;
};

const WAITING: ReviewColumn = { title: 'WAITING', text: ({ waits }) => waits, right: true, drop: 3 };
const MEMBER: ReviewColumn = { title: 'MEMBER', text: ({ who }) => who, drop: 0, elastic: true };
const WHEN: ReviewColumn = { title: 'WHEN', text: ({ when }) => when, drop: 0 };
const AMOUNT: ReviewColumn = { title: 'AMOUNT', text: ({ amount }) => amount, right: true, drop: 1 };

const WIDE_COLUMNS: readonly ReviewColumn[] = [
  WAITING,
  { title: 'KIND', text: ({ kind }) => kind, drop: 0 },
  MEMBER,
  WHEN,
  AMOUNT,
  { title: '', text: ({ warnings }) => (warnings.length === 0 ? '' : '!'), drop: 0, warns: true },
];
const REMARK: ReviewColumn = { title: 'DETAILS', text: formatWarnings, drop: 0, warns: true };

/** What a decision needs on a narrow terminal: who, of when, how much; the rest where there is room. */
const NARROW_COLUMNS: readonly ReviewColumn[] = [
  { ...WAITING, drop: 2 },
  { title: 'KIND', text: ({ kindBrief }) => kindBrief, drop: 1 },
  MEMBER,
  { ...WHEN, elastic: true },
  { ...AMOUNT, drop: 0 },
];
/** What a name or a date is cut to there before another column goes. */
const MIN_TEXT = 8;

/** Cursor, selection, decision, a space; on a narrow terminal the warning before the space. */
const PREFIX = 4;
/** A remark is of use from here on. */
const MIN_WARNING = 16;

interface ColumnLayout {
  readonly columns: readonly ReviewColumn[];
  readonly widths: readonly number[];
  readonly narrow: boolean;
}

const measureColumn = ({ title, text, warns }: ReviewColumn, state: State, { measure }: Style): number => {
  // Warnings are found for the lines that are shown; of the others thousands of items share some hundred texts.
  if (warns === true) return 1;
  const cached = state.columnWidths.get(text);
  if (cached !== undefined) return cached;
  const texts = [...new Set(state.items.map(text))];
  const width = texts.reduce((most, each) => Math.max(most, measure(each)), title.length);
  state.columnWidths.set(text, width);
  return width;
};

/** In brief where a column would have to go; else the remark takes what the others leave, if that is of use. */
const chooseLayout = (state: State, { columns }: Size, style: Style): ColumnLayout => {
  const layOut = (all: readonly ReviewColumn[], width: number, least: number, most: number) => {
    const toColumnWidth = (column: ReviewColumn): ColumnWidth => {
      const natural = measureColumn(column, state, style);
      const isElastic = column.elastic === true;
      return isElastic
        ? { natural: Math.min(natural, most), drop: column.drop, least }
        : { natural, drop: column.drop };
    };
    const { kept, widths } = fitColumns(all.map(toColumnWidth), width);
    return { columns: kept.flatMap((index) => all[index] ?? []), widths };
  };
  const width = columns - 1 - PREFIX;
  const wide = layOut(WIDE_COLUMNS, width, COMFORTABLE, Math.max(12, Math.floor(columns * 0.3)));
  if (wide.columns.length < WIDE_COLUMNS.length)
    return { ...layOut(NARROW_COLUMNS, width - 1, MIN_TEXT, columns), narrow: true };
  const left = width - wide.widths.reduce((sum, each) => sum + each + GAP, 0);
  if (left < MIN_WARNING) return { ...wide, narrow: false };
  return { columns: [...wide.columns, REMARK], widths: [...wide.widths, left], narrow: false };
};

const fitCells = ({ columns, widths }: ColumnLayout, texts: readonly string[], style: Style): string[] =>
  columns.map(({ right }, i) => {
    const width = widths[i] ?? 0;
    return padText(fitText(texts[i] ?? '', width, style), width, right === true, style.measure);
  });

const itemLine = (item: ReviewItem, state: State, layout: ColumnLayout, style: Style): string => {
  const { palette } = style;
  const current = item.key === state.currentKey;
  const verdict = state.decisions.get(item.key)?.verdict;
  const texts = layout.columns.map(({ text }) => text(item));
  // One colour for the whole line of the cursor.
  const paint = (painted: Paint): Paint => (current ? (text) => text : painted);
  const cells = fitCells(layout, texts, style).map((text, i) =>
    layout.columns[i]?.warns === true && item.warnings.length > 0 ? paint(palette.waiting)(text) : text,
  );
  const marks = [
    current ? getGlyph(style, 'cursor') : ' ',
    state.selected.has(item.key) ? getGlyph(style, 'selected') : ' ',
    verdict === undefined ? ' ' : paint(getVerdictPaint(style, verdict))(getGlyph(style, verdict)),
    ...(layout.narrow ? [item.warnings.length === 0 ? ' ' : paint(palette.waiting)('!')] : []),
  ];
  return `${marks.join('')} ${cells.join(' '.repeat(GAP))}`;
};

/** The first line that is shown: the current one stays in the middle. */
const findFirstRow = (at: number, count: number, height: number): number =>
  Math.max(0, Math.min(at - Math.floor(height / 2), count - height));

const findCurrentRow = (visible: readonly ReviewItem[], { currentKey }: State): number =>
  Math.max(
    0,
    visible.findIndex(({ key }) => key === currentKey),
  );

/** `11–29 of 60`; empty where all is shown. */
export const formatRange = (state: State, height: number, style: Style): string => {
  const visible = listVisible(state);
  if (visible.length <= height) return '';
  const top = findFirstRow(findCurrentRow(visible, state), visible.length, height);
  return `${top + 1}${getGlyph(style, 'range')}${top + height} of ${visible.length}`;
};

/** The heading and so many lines of items below it, each as wide as the list. */
export const renderListLines = (
  state: State,
  size: Size,
  height: number,
  style: Style,
): readonly string[] => {
  const visible = listVisible(state);
  const width = size.columns - 1;
  const fill = (text: string) => padText(text, width, false, style.measure);
  if (visible.length === 0)
    return ['', ...breakWords('No matches. Press Esc to clear the filter.', width, style)].map(fill);
  const layout = chooseLayout(state, size, style);
  const titles = fitCells(
    layout,
    layout.columns.map(({ title }) => title),
    style,
  );
  const prefix = PREFIX + (layout.narrow ? 1 : 0);
  const used = prefix + layout.widths.reduce((sum, each) => sum + each + GAP, -GAP);
  const rest = ' '.repeat(Math.max(0, width - used));
  const top = findFirstRow(findCurrentRow(visible, state), visible.length, height);
  return [
    style.palette.faint(fill(' '.repeat(prefix) + titles.join(' '.repeat(GAP)))),
    ...visible.slice(top, top + height).map((item) => {
      const line = itemLine(item, state, layout, style) + rest;
      return item.key === state.currentKey ? style.palette.cursor(line) : line;
    }),
  ];
};
