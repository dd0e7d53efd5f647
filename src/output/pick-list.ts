import type { Row } from '../api/page.ts';

/** What is typed and marked while a person picks from records: plain state, no terminal. */

export interface PickItem {
  readonly row: Row;
  /** One sanitised text for each column; `''` for nothing. */
  readonly cells: readonly string[];
  /** What a search looks in: `foldCase`. */
  readonly text: string;
}

export interface PickState {
  readonly search: string;
  /** The item that Enter would pick; `undefined`: the first that is found. */
  readonly current: PickItem | undefined;
  readonly marked: ReadonlySet<PickItem>;
  /** Why the last key did nothing. */
  readonly message: string;
}

export const INITIAL_PICK_STATE: PickState = {
  search: '',
  current: undefined,
  marked: new Set(),
  message: '',
};

/** Case, accents and vowel points aside. */
export const foldCase = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

const splitTerms = (search: string): readonly string[] => foldCase(search).split(/\s+/).filter(Boolean);

/** The items that have every word of the search, those first that have its first word at the beginning of one. */
export const findItems = (items: readonly PickItem[], search: string): readonly PickItem[] => {
  const terms = splitTerms(search);
  const [first] = terms;
  if (first === undefined) return items;
  const hits = items.filter(({ text }) => terms.every((term) => text.includes(term)));
  const begins = ({ text }: PickItem): boolean => text.startsWith(first) || text.includes(` ${first}`);
  return [...hits.filter(begins), ...hits.filter((item) => !begins(item))];
};

/** Where Enter would pick: an item that is no longer found gives way to the first. */
export const getPosition = (shown: readonly PickItem[], { current }: PickState): number =>
  current === undefined ? 0 : Math.max(0, shown.indexOf(current));

export const typeSearch = (state: PickState, search: string): PickState =>
  search === state.search ? { ...state, message: '' } : { ...state, search, current: undefined, message: '' };

/** Goes up and down; it stops at both ends. */
export const movePosition = (state: PickState, shown: readonly PickItem[], step: number): PickState => {
  const last = Math.max(0, shown.length - 1);
  const next = Math.min(last, Math.max(0, getPosition(shown, state) + step));
  return { ...state, current: shown[next], message: '' };
};

/** Marks the item or takes the mark away, and goes on to the next. */
export const toggleItem = (state: PickState, shown: readonly PickItem[]): PickState => {
  const item = shown[getPosition(shown, state)];
  if (item === undefined) return { ...state, message: 'No matches.' };
  const marked = new Set(state.marked);
  if (!marked.delete(item)) marked.add(item);
  return movePosition({ ...state, marked }, shown, 1);
};

/** What Enter picks: the marked ones in their order, else the one that is pointed at. */
export const listPicked = (
  state: PickState,
  items: readonly PickItem[],
  shown: readonly PickItem[],
): readonly PickItem[] => {
  if (state.marked.size > 0) return items.filter((item) => state.marked.has(item));
  const item = shown[getPosition(shown, state)];
  return item === undefined ? [] : [item];
};

/** The part of a long list that is on the screen, the position near its middle. */
export const getVisibleRange = (
  count: number,
  position: number,
  height: number,
): readonly [from: number, to: number] => {
  const from = Math.max(0, Math.min(position - Math.floor(height / 2), count - height));
  return [from, Math.min(count, from + height)];
};
