/** How many letters have to change; two that have changed places are one. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  let before: readonly number[] = [];
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const swapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1] && i > 1 && j > 1;
      const swap = swapped ? (before[j - 2] ?? 0) + 1 : change;
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[other.length] ?? 0;
};

/** The word that was most likely meant, if one is near. */
export const findNearest = (word: string, words: readonly string[]): string | undefined => {
  const most = Math.max(2, Math.floor(word.length / 3));
  const [best] = words
    .map((candidate) => ({ candidate, far: distance(word.slice(0, 50), candidate) }))
    .sort((one, other) => one.far - other.far);
  if (best === undefined || best.far > most || best.far >= best.candidate.length) return undefined;
  // Half of a short word says little: "ls" is "list", but "nope" is not "open".
  const alike = best.far < 2 || word.length > 4 || word[0] === best.candidate[0];
  return alike ? best.candidate : undefined;
};
