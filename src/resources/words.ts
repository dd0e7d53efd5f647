import { isSameNumber, toNumber } from '../json/number.ts';

/** The word for a number of the service; one that has none stays as it is. */
export const toWord = (words: Readonly<Record<string, number>>, value: unknown): unknown =>
  Object.keys(words).find((word) => isSameNumber(toNumber(value), words[word] ?? Number.NaN)) ?? value;
