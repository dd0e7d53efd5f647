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
  const buffer: TextBuffer = createTextBuffer();
  const headings: (readonly string[])[] = [];
  const headingIndexes = new Map<readonly string[], number>();
  return {
    others: 0,
    get size() {
      return buffer.size;
    },
    add({ line, number, names, cells }) {
      const headingIndex = headingIndexes.get(names) ?? headings.push(names) - 1;
      headingIndexes.set(names, headingIndex);
      buffer.add(stringifyJson([line, number, headingIndex, cells]));
    },
    at(index) {
      const stored = parseJsonValue(buffer.at(index), STORED_DEPTH);
      const [line, number, headingIndex, cells] = stored as [number, number, number, unknown[]];
      return { line, number, names: headings[headingIndex] ?? [], cells };
    },
  };
};
