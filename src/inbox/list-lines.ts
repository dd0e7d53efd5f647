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

const WIDE_COLUMNS: readonly ReviewColumn[] = [
  { title: 'WAITING', text: ({ waits }) => waits, right: true, drop: 3 },
  { title: 'KIND', text: ({ kind }) => kind, drop: 0 },
  { title: 'MEMBER', text: ({ who }) => who, drop: 0, elastic: true },
  { title: 'WHEN', text: ({ when }) => when, drop: 0 },
  { title: 'AMOUNT', text: ({ amount }) => amount, right: true, drop: 1 },
  { title: '', text: ({ warnings }) => (warnings.length === 0 ? '' : '!'), drop: 0, warns: true },
  { title: 'DETAILS', text: formatWarnings, drop: 5, elastic: true, warns: true },
];

/** What a decision needs on a narrow terminal: who, of when, how much; the kind where there is room. */
const NARROW_COLUMNS: readonly ReviewColumn[] = [
  { title: 'KIND', text: ({ kindBrief }) => kindBrief, drop: 1 },
  { title: 'MEMBER', text: ({ who }) => who, drop: 0, elastic: true },
  { title: 'WHEN', text: ({ when }) => when, drop: 0, elastic: true },
  { title: 'AMOUNT', text: ({ amount }) => amount, right: true, drop: 0 },
];
/** Below this a terminal is narrow. */
const MIN_WIDE = 60;
/** What a name or a date is cut to there before the kind goes. */
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

const measureColumns = (
  { items, columnWidths }: State,
  layout: 'wide' | 'narrow',
  { measure }: Style,
): readonly number[] => {
  const cached = columnWidths.get(layout);
  if (cached !== undefined) return cached;
  const columns = layout === 'narrow' ? NARROW_COLUMNS : WIDE_COLUMNS;
  const measured = columns.map(({ title, text, warns }) =>
    // Warnings are found for the lines that are shown; of the others thousands of items share some hundred texts.
    warns === true
      ? 1
      : [...new Set(items.map(text))].reduce((most, each) => Math.max(most, measure(each)), title.length),
  );
  columnWidths.set(layout, measured);
  return measured;
};

const narrowColumns = (state: State, { columns }: Size, style: Style): ColumnLayout => {
  const natural = measureColumns(state, 'narrow', style);
  const { kept, widths } = fitColumns(
    NARROW_COLUMNS.map(({ drop, elastic }, index) => ({
      natural: natural[index] ?? 0,
      drop,
      ...(elastic === true ? { least: MIN_TEXT } : {}),
    })),
    columns - 2 - PREFIX,
  );
  return { columns: kept.flatMap((index) => NARROW_COLUMNS[index] ?? []), widths, narrow: true };
};

/** The remark takes what the others leave, and goes where that is too little. */
const wideColumns = (state: State, { columns }: Size, style: Style): ColumnLayout => {
  const width = columns - 1 - PREFIX;
  const natural = measureColumns(state, 'wide', style);
  const most = Math.max(12, Math.floor(columns * 0.3));
  const toColumnWidth = ({ drop, elastic }: ReviewColumn, index: number): ColumnWidth => ({
    natural: Math.min(natural[index] ?? 0, elastic === true ? most : columns),
    drop,
    ...(elastic === true ? { least: COMFORTABLE } : {}),
  });
  const main = fitColumns(WIDE_COLUMNS.slice(0, -1).map(toColumnWidth), width);
  const shown = main.kept.flatMap((index) => WIDE_COLUMNS[index] ?? []);
  const left = width - main.widths.reduce((sum, each) => sum + each + GAP, 0);
  const last = WIDE_COLUMNS.at(-1);
  if (last === undefined || left < MIN_WARNING) return { columns: shown, widths: main.widths, narrow: false };
  return { columns: [...shown, last], widths: [...main.widths, left], narrow: false };
};

const chooseLayout = (state: State, size: Size, style: Style): ColumnLayout =>
  (size.columns < MIN_WIDE ? narrowColumns : wideColumns)(state, size, style);

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
