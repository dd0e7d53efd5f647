/** So much of an id is always shown. */
const LEAST = 8;

const countCommon = (one: string, other = ''): number => {
  let count = 0;
  while (count < one.length && one[count] === other[count]) count += 1;
  return count;
};

/** Where a number at the end of an id begins, with the hyphen before it: `-3`; its length where it has none. */
const findNumber = (id: string): number => {
  let start = id.length;
  while (/\d/.test(id[start - 1] ?? '')) start -= 1;
  return start < id.length && id[start - 1] === '-' ? start - 1 : start;
};

/**
 * Each id with the shortest beginning of at least eight characters that no other of these has: they are what is printed
 * together, a page of a long list, because its first rows are on the screen before the last ones are known. An id that
 * is a number stays whole, and so does one that would be cut in the number at its end: the beginning could be another
 * one. A beginning has a digit: a word is no id.
 */
export const shortenIds = (ids: readonly string[]): ReadonlyMap<string, string> => {
  const sorted = [...new Set(ids)].sort();
  return new Map(
    sorted.map((id, i) => {
      const common = Math.max(countCommon(id, sorted[i - 1]), countCommon(id, sorted[i + 1]));
      const length = Math.max(LEAST, common + 1, id.search(/\d/) + 1);
      return [id, length < findNumber(id) ? id.slice(0, length) : id];
    }),
  );
};
