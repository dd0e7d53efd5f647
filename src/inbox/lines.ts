import { breakWords, type Style } from './style.ts';

/** Lines of a page, made when they are shown: of thousands of items a screen shows a few. An array is some too. */
export interface Lines {
  readonly length: number;
  slice(from: number, to: number): readonly string[];
}

/** @param length how many lines `make` makes */
export const createLines = (length: number, make: () => readonly string[]): Lines => ({
  length,
  slice: (from, to) => make().slice(from, to),
});

/** All of them, one below the other. */
export const joinLines = (parts: readonly Lines[]): Lines => ({
  length: parts.reduce((sum, { length }) => sum + length, 0),
  slice(from, to) {
    const lines: (readonly string[])[] = [];
    let top = 0;
    for (const part of parts) {
      if (top >= to) break;
      if (top + part.length > from) lines.push(part.slice(Math.max(0, from - top), to - top));
      top += part.length;
    }
    return lines.flat();
  },
});

/** None of them is wider than one column: measuring all texts of thousands of items would take a while. */
const NARROW = /^[\x20-\x7e\u00a1-\u024f\u2013]*$/;

/** How many lines `breakWords` makes. */
export const countLines = (text: string, width: number, style: Style): number =>
  text.length <= width && NARROW.test(text) ? 1 : breakWords(text, width, style).length;
