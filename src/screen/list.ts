import { COMFORTABLE, fitColumns } from '../output/fit.ts';
import { findWidest, GAP, type Paint, padText } from '../output/terminal.ts';
import { listVisible, type ReviewItem, type State } from './state.ts';
import { breakWords, fitText, getGlyph, getVerdictPaint, type Style } from './style.ts';

/** The list of a review: one line an item, fitted to the terminal. */

/** The heading and so many lines of items below it, each as wide as the list. */
export function renderList(state: State, width: number, height: number, style: Style): readonly string[] {
  const visible = listVisible(state);
  const fill = (text: string) => padText(text, width);
  if (visible.length === 0)
    return ['', ...breakWords('No matches. Press Esc to clear the filter.', width)].map(fill);
  const layout = chooseLayout(state, width);
  const titles = layout.columns.map(({ title }) => title);
  const used = layout.prefix + layout.widths.reduce((sum, each) => sum + each + GAP, -GAP);
  const rest = ' '.repeat(Math.max(0, width - used));
  const top = findTop(state, height);
  return [
    style.palette.faint(fill(' '.repeat(layout.prefix) + formatCells(layout, titles, style).join(SPACE))),
    ...visible.slice(top, top + height).map((item) => {
      const line = renderItem(item, state, layout, style) + rest;
      return item.key === state.currentKey ? style.palette.cursor(line) : line;
    }),
  ];
}

/** `11–29 of 60`; empty where all is shown. */
export function formatRange(state: State, height: number, style: Style): string {
  const { length } = listVisible(state);
  const top = findTop(state, height);
  return length <= height ? '' : `${top + 1}${getGlyph(style, 'range')}${top + height} of ${length}`;
}

/** The first item that is shown: the current one stays in the middle. */
function findTop(state: State, height: number): number {
  const visible = listVisible(state);
  const at = visible.findIndex(({ key }) => key === state.currentKey);
  return Math.max(0, Math.min(Math.max(0, at) - Math.floor(height / 2), visible.length - height));
}

interface Column {
  readonly title: string;
  readonly text: (item: ReviewItem) => string;
  readonly right?: true;
  readonly drop: number;
  readonly elastic?: true;
  /** Of the warnings: found for the lines that are shown. */
  readonly warns?: true;
}

const WAITING: Column = { title: 'WAITING', text: ({ waits }) => waits, right: true, drop: 3 };
const MEMBER: Column = { title: 'MEMBER', text: ({ who }) => who, drop: 0, elastic: true };
const WHEN: Column = { title: 'WHEN', text: ({ when }) => when, drop: 0 };
const AMOUNT: Column = { title: 'AMOUNT', text: ({ amount }) => amount, right: true, drop: 1 };

const WIDE_COLUMNS: readonly Column[] = [
  WAITING,
  { title: 'KIND', text: ({ kind }) => kind, drop: 0 },
  MEMBER,
  WHEN,
  AMOUNT,
  { title: '', text: ({ warnings }) => (warnings.length === 0 ? '' : '!'), drop: 0, warns: true },
];
const DETAILS: Column = { title: 'DETAILS', text: formatDetails, drop: 0, warns: true };

const BRIEF_KINDS: Readonly<Record<string, string>> = { timesheet: 'sheet', 'time-request': 'time' };

/** What a decision needs on a narrow terminal: who, of when, how much; the rest where there is room. */
const NARROW_COLUMNS: readonly Column[] = [
  { ...WAITING, drop: 2 },
  { title: 'KIND', text: ({ kind }) => BRIEF_KINDS[kind] ?? kind, drop: 1 },
  MEMBER,
  { ...WHEN, elastic: true },
  { ...AMOUNT, drop: 0 },
];
/** What a name or a date is cut to there before another column goes. */
const MIN_TEXT = 8;
/** Details are of use from here on. */
const MIN_DETAILS = 16;
/** Cursor, selection, decision, a space; on a narrow terminal the warning before the space. */
const PREFIX = 4;
const SPACE = ' '.repeat(GAP);

/** What matters, else what it is about and what was written. */
function formatDetails({ warnings, note, about }: ReviewItem): string {
  const [first, ...more] = warnings;
  if (first === undefined) return [about, note && `"${note}"`].filter(Boolean).join(': ');
  return `${first}${more.length === 0 ? '' : ` (+${more.length})`}`;
}

interface Layout {
  readonly columns: readonly Column[];
  readonly widths: readonly number[];
  readonly prefix: number;
}

/** In brief where a column would have to go; else the details take what the others leave, if that is of use. */
function chooseLayout(state: State, width: number): Layout {
  const fitInto = (all: readonly Column[], prefix: number, least: number, most: number): Layout => {
    const sizes = all.map((column) => {
      const natural = measureColumn(column, state);
      const { drop } = column;
      return column.elastic === true ? { natural: Math.min(natural, most), drop, least } : { natural, drop };
    });
    const { kept, widths } = fitColumns(sizes, width - prefix);
    return { columns: kept.flatMap((index) => all[index] ?? []), widths, prefix };
  };
  const wide = fitInto(WIDE_COLUMNS, PREFIX, COMFORTABLE, Math.max(12, Math.floor((width + 1) * 0.3)));
  if (wide.columns.length < WIDE_COLUMNS.length)
    return fitInto(NARROW_COLUMNS, PREFIX + 1, MIN_TEXT, width + 1);
  const left = width - PREFIX - wide.widths.reduce((sum, each) => sum + each + GAP, 0);
  if (left < MIN_DETAILS) return wide;
  return { ...wide, columns: [...wide.columns, DETAILS], widths: [...wide.widths, left] };
}

/** Of the warnings one column: they are found for the lines that are shown alone. */
function measureColumn({ title, text, warns }: Column, { items }: State): number {
  return warns === true ? 1 : findWidest([title, ...new Set(items.map(text))]);
}

function formatCells({ columns, widths }: Layout, texts: readonly string[], style: Style): readonly string[] {
  return columns.map(({ right }, i) => {
    const width = widths[i] ?? 0;
    return padText(fitText(texts[i] ?? '', width, style), width, right === true);
  });
}

function renderItem(item: ReviewItem, state: State, layout: Layout, style: Style): string {
  const { palette } = style;
  const isCurrent = item.key === state.currentKey;
  const isWarned = item.warnings.length > 0;
  // One colour for the whole line of the cursor.
  const paint = (text: string, painted: Paint): string => (isCurrent ? text : painted(text));
  const texts = layout.columns.map(({ text }) => text(item));
  const cells = formatCells(layout, texts, style).map((text, i) =>
    isWarned && layout.columns[i]?.warns === true ? paint(text, palette.waiting) : text,
  );
  const verdict = state.decisions.get(item.key)?.verdict;
  const marks = [
    isCurrent ? getGlyph(style, 'cursor') : ' ',
    state.selected.has(item.key) ? getGlyph(style, 'selected') : ' ',
    verdict === undefined ? ' ' : paint(getGlyph(style, verdict), getVerdictPaint(style, verdict)),
  ];
  if (layout.prefix > PREFIX) marks.push(isWarned ? paint('!', palette.waiting) : ' ');
  return `${marks.join('')} ${cells.join(SPACE)}`;
}
