/** How many letters have to change. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (let j = 1; j <= other.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (letter === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
};

/** The word that was most likely meant, if one is near. */
export const nearest = (word: string, words: readonly string[]): string | undefined => {
  const most = Math.max(2, Math.floor(word.length / 3));
  const [best] = words
    .map((candidate) => ({ candidate, far: distance(word.slice(0, 50), candidate) }))
    .sort((one, other) => one.far - other.far);
  return best !== undefined && best.far <= most && best.far < best.candidate.length
    ? best.candidate
    : undefined;
};
