import type { Row } from '../api/page.ts';

/** What is typed and marked while a person picks from records: plain state, no terminal. */

export interface Item {
  readonly row: Row;
  /** One sanitised text for each column; `''` for nothing. */
  readonly cells: readonly string[];
  /** What a search looks in: `folded`. */
  readonly text: string;
}

export interface PickState {
  readonly search: string;
  /** The item that Enter would pick; `undefined`: the first that is found. */
  readonly at: Item | undefined;
  readonly marked: ReadonlySet<Item>;
  /** Why the last key did nothing. */
  readonly complaint: string;
}

export const START: PickState = { search: '', at: undefined, marked: new Set(), complaint: '' };

/** Case, accents and vowel points aside. */
export const folded = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

const termsOf = (search: string): readonly string[] => folded(search).split(/\s+/).filter(Boolean);

/** The items that have every word of the search, those first that have its first word at the beginning of one. */
export const found = (items: readonly Item[], search: string): readonly Item[] => {
  const terms = termsOf(search);
  const [first] = terms;
  if (first === undefined) return items;
  const hits = items.filter(({ text }) => terms.every((term) => text.includes(term)));
  const begins = ({ text }: Item): boolean => text.startsWith(first) || text.includes(` ${first}`);
  return [...hits.filter(begins), ...hits.filter((item) => !begins(item))];
};

/** Where Enter would pick: an item that is no longer found gives way to the first. */
export const positionOf = (shown: readonly Item[], { at }: PickState): number =>
  at === undefined ? 0 : Math.max(0, shown.indexOf(at));

export const typed = (state: PickState, search: string): PickState =>
  search === state.search ? { ...state, complaint: '' } : { ...state, search, at: undefined, complaint: '' };

/** Goes up and down; it stops at both ends. */
export const moved = (state: PickState, shown: readonly Item[], step: number): PickState => {
  const last = Math.max(0, shown.length - 1);
  const next = Math.min(last, Math.max(0, positionOf(shown, state) + step));
  return { ...state, at: shown[next], complaint: '' };
};

/** Marks the item or takes the mark away, and goes on to the next. */
export const toggled = (state: PickState, shown: readonly Item[]): PickState => {
  const item = shown[positionOf(shown, state)];
  if (item === undefined) return { ...state, complaint: 'No matches.' };
  const marked = new Set(state.marked);
  if (!marked.delete(item)) marked.add(item);
  return moved({ ...state, marked }, shown, 1);
};

/** What Enter picks: the marked ones in their order, else the one that is pointed at. */
export const picked = (state: PickState, items: readonly Item[], shown: readonly Item[]): readonly Item[] => {
  if (state.marked.size > 0) return items.filter((item) => state.marked.has(item));
  const item = shown[positionOf(shown, state)];
  return item === undefined ? [] : [item];
};

/** The part of a long list that is on the screen, the position near its middle. */
export const windowOf = (
  count: number,
  position: number,
  height: number,
): readonly [from: number, to: number] => {
  const from = Math.max(0, Math.min(position - Math.floor(height / 2), count - height));
  return [from, Math.min(count, from + height)];
};
