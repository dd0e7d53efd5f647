import type { PickOptions } from '../context.ts';
import type { PeopleStyle } from './cell.ts';
import { COMFORTABLE, type ColumnWidth, fitColumns, GAP, padText, truncateText } from './layout.ts';
import type { PickFeed } from './pick-feed.ts';
import { getPosition, getVisibleRange, type PickItem, type PickState } from './pick-list.ts';

/** What is on the screen while records are picked. Pure: a state in, lines out. */

/** So many records are on the screen at most. */
export const MAX_PICKER_HEIGHT = 10;
/** Lines of the screen that are not records: the question, the help, and one to breathe. */
const OTHER_LINES = 3;

/** How the question is asked, and on what screen. */
export interface PickerLayout {
  readonly message: string;
  readonly several: boolean;
  readonly style: PeopleStyle;
  /** Lines of the terminal. */
  readonly height: () => number;
}

/** Columns that may be used: the last one would make some terminals wrap. */
export const getPickerWidth = ({ style }: PickerLayout): number => Math.max(20, (style.width ?? 80) - 1);

export const getEllipsis = ({ style }: PickerLayout): string => (style.unicode ? '…' : '...');

/** Columns → the cells of each item, cut and filled so that they stand below each other. */
const createLineFormatter = (
  feed: PickFeed,
  layout: PickerLayout,
  columns: readonly { readonly drop: number; readonly text: boolean }[],
) => {
  const used = columns.map((column, index) => ({ ...column, index, natural: feed.widths[index] ?? 0 }));
  const shown = used.filter(({ natural }) => natural > 0);
  const columnWidths: readonly ColumnWidth[] = shown.map(({ natural, drop, text }) => ({
    natural,
    drop,
    ...(text ? { least: COMFORTABLE } : {}),
  }));
  const { kept, widths } = fitColumns(columnWidths, getPickerWidth(layout) - (layout.several ? 6 : 2));
  return ({ cells }: PickItem): string =>
    kept
      .map((index, i) => {
        const text = truncateText(
          cells[shown[index]?.index ?? 0] ?? '',
          widths[i] ?? 0,
          feed.measure,
          getEllipsis(layout),
        );
        return padText(text, widths[i] ?? 0, false, feed.measure);
      })
      .join(' '.repeat(GAP))
      .trimEnd();
};

const formatHelp = (
  state: PickState,
  feed: PickFeed,
  shown: readonly PickItem[],
  layout: PickerLayout,
): string => {
  if (state.message !== '') return state.message;
  if (feed.problem !== '') return `the list is incomplete: ${feed.problem}`;
  const some = shown.length < feed.items.length ? `${shown.length} of ` : '';
  const marked = state.marked.size > 0 ? `, ${state.marked.size} selected` : '';
  const count = `${some}${feed.items.length}${feed.reading ? ' so far' : ''}${marked}`;
  // A space belongs to what is searched for, once something is.
  const mark = state.search === '' ? 'Space or Tab' : 'Tab';
  const enter = state.marked.size > 0 ? 'continue' : 'choose it';
  const keys = layout.several ? `${mark} to select, Enter to ${enter}` : 'Enter to select';
  const long = `${count}; type to search, ${keys}`;
  return long.length > getPickerWidth(layout) ? `${count}; ${keys}` : long;
};

type Columns = PickOptions['columns'];

/** The records around the one that is pointed at, and what the keys do: the lines below the question. */
export const renderPicker = (
  state: PickState,
  feed: PickFeed,
  shown: readonly PickItem[],
  layout: PickerLayout,
  columns: Columns,
): string => {
  const { palette } = layout.style;
  const lineColumns = columns.map(({ kind = 'text', drop = 0 }, i) => ({
    drop: i === 0 ? 0 : drop,
    text: kind === 'text' || kind === 'list',
  }));
  const lineOf = createLineFormatter(feed, layout, lineColumns);
  const position = getPosition(shown, state);
  const height = Math.max(3, Math.min(MAX_PICKER_HEIGHT, layout.height() - OTHER_LINES));
  const [from, to] = getVisibleRange(shown.length, position, height);
  const lines = shown.slice(from, to).map((item, i) => {
    const mark = layout.several ? (state.marked.has(item) ? '[x] ' : '[ ] ') : '';
    const text = `${mark}${lineOf(item)}`;
    return from + i === position ? palette.heading(`> ${text}`) : `  ${text}`;
  });
  if (shown.length === 0) lines.push('  no matches');
  const help = truncateText(
    formatHelp(state, feed, shown, layout),
    getPickerWidth(layout),
    feed.measure,
    getEllipsis(layout),
  );
  return [...lines, palette.faint(help)].join('\n');
};
