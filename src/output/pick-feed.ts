import type { ListPage, Row } from '../api/page.ts';
import type { PickOptions } from '../context.ts';
import { Failure } from '../outcome.ts';
import type { PeopleStyle } from './cell.ts';
import { formatInWords } from './describe-rows.ts';
import { type Measure, measureFor } from './layout.ts';
import type { Column } from './list-view.ts';
import { foldCase, type PickItem } from './pick-list.ts';
import { safeCell } from './safe-text.ts';

/** The records of a picker as they come: in their order, with the widths of their columns. */

export interface PickFeed {
  readonly items: readonly PickItem[];
  /** Width of the widest cell of each column so far. */
  readonly widths: readonly number[];
  readonly measure: Measure;
  /** Whether more may come. */
  readonly reading: boolean;
  /** Why the list is not whole. */
  readonly problem: string;
  /** The item of a text that is in no list. */
  other(text: string): PickItem | undefined;
  /** Puts it among the others. */
  keep(item: PickItem): void;
  /** Called whenever there is more to see; the answer ends that. */
  watch(onChange: () => void): () => void;
  /** Reads no more. */
  stop(): void;
}

/** Narrower than this, days are told as shortly as they can be. */
const NARROW = 60;

const toItem = (row: Row, columns: readonly Column[], style: PeopleStyle): PickItem => {
  const cells = formatInWords(row, columns, style, (style.width ?? NARROW) < NARROW ? 'brief' : 'plain');
  return { row, cells, text: foldCase([...cells, row.id ?? ''].join(' ')) };
};

/** Items as they come, and how wide they are. */
const createStore = ({ columns, order }: PickOptions, style: PeopleStyle) => {
  let items: readonly PickItem[] = [];
  const widths = columns.map(() => 0);
  let measure: Measure = (text) => text.length;
  let plain = true;
  const add = async (rows: readonly Row[]): Promise<void> => {
    for (const column of columns) await column.load?.(rows);
    const more = rows.map((row) => toItem(row, columns, style));
    const texts = more.flatMap(({ cells }) => cells);
    plain &&= texts.every((text) => /^[\x20-\x7e]*$/.test(text));
    if (!plain) measure = await measureFor(texts.length === 0 ? ['\u00e9'] : [...texts, '\u00e9']);
    for (const { cells } of more)
      for (const [i, cell] of cells.entries()) widths[i] = Math.max(widths[i] ?? 0, measure(cell));
    const all = [...items, ...more];
    items = order === undefined ? all : all.sort((one, next) => order(one.row, next.row));
  };
  return {
    add,
    put: (item: PickItem) => {
      items = [...items, item];
    },
    items: () => items,
    measure: () => measure,
    widths,
  };
};

/** Pages one after the other; `changed` is called after each that comes by itself. */
const createPageReader = (
  picking: PickOptions,
  add: (rows: readonly Row[]) => Promise<void>,
  changed: () => void,
) => {
  const pages: AsyncIterator<ListPage> = picking.pages[Symbol.asyncIterator]();
  let [reading, stopped, trouble] = [true, false, ''];
  const next = async (): Promise<void> => {
    const page = await pages.next();
    if (page.done === true) reading = false;
    else await add(page.value.rows);
  };
  return {
    next,
    reading: () => reading,
    trouble: () => safeCell(trouble),
    async readRest(): Promise<void> {
      try {
        while (reading && !stopped) {
          await next();
          changed();
        }
      } catch (error) {
        reading = false;
        trouble = error instanceof Failure ? error.message : String(error);
        changed();
      }
    },
    stop(): void {
      stopped = true;
      void pages.return?.()?.catch(() => undefined);
    },
  };
};

/** Items of texts that are in no list; the same one for the same text. */
const createOtherItems = ({ other, columns }: PickOptions, style: PeopleStyle): PickFeed['other'] => {
  const others = new Map<string, PickItem>();
  return (text) => {
    const row = others.get(text)?.row ?? other?.(text);
    if (row === undefined) return undefined;
    const item = others.get(text) ?? toItem(row, columns, style);
    others.set(text, item);
    return item;
  };
};

/**
 * Reads the first rows, and goes on beside the question.
 * @throws what the first page throws
 */
export const openPickFeed = async (picking: PickOptions, style: PeopleStyle): Promise<PickFeed> => {
  const store = createStore(picking, style);
  const watchers = new Set<() => void>();
  const pages = createPageReader(picking, store.add, () => {
    for (const look of watchers) look();
  });
  while (pages.reading() && store.items().length === 0) await pages.next();
  void pages.readRest();
  return {
    get items() {
      return store.items();
    },
    get measure() {
      return store.measure();
    },
    get reading() {
      return pages.reading();
    },
    get problem() {
      return pages.trouble();
    },
    widths: store.widths,
    other: createOtherItems(picking, style),
    keep(item) {
      if (!store.items().includes(item)) store.put(item);
    },
    watch(look) {
      watchers.add(look);
      return () => watchers.delete(look);
    },
    stop() {
      watchers.clear();
      pages.stop();
    },
  };
};
