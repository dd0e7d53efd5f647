import { parseJsonValue, STORED_DEPTH } from '../../json/parse.ts';
import { stringifyJson } from '../../json/stringify.ts';
import type { RawRow } from './row.ts';
import { createTextBuffer, type TextBuffer } from './text-buffer.ts';

/** Rows that are right, in their order. */
export interface CompactRows {
  readonly size: number;
  /** Rows that were passed over. */
  others: number;
  add(row: RawRow): void;
  at(index: number): Omit<RawRow, 'heading'>;
}

export const createCompactRows = (): CompactRows => {
  const pack: TextBuffer = createTextBuffer();
  const headings: (readonly string[])[] = [];
  const places = new Map<readonly string[], number>();
  return {
    others: 0,
    get size() {
      return pack.size;
    },
    add({ line, number, names, cells }) {
      const place = places.get(names) ?? headings.push(names) - 1;
      places.set(names, place);
      pack.add(stringifyJson([line, number, place, cells]));
    },
    at(index) {
      const kept = parseJsonValue(pack.at(index), STORED_DEPTH);
      const [line, number, place, cells] = kept as [number, number, number, unknown[]];
      return { line, number, names: headings[place] ?? [], cells };
    },
  };
};
