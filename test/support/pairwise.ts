/** Few combinations in which every two values of different parameters meet at least once. */

type Choices = Readonly<Record<string, readonly string[]>>;
export type Combination = Readonly<Record<string, string>>;

const keyOf = (a: string, x: string, b: string, y: string): string => `${a}=${x} ${b}=${y}`;

/** Every pair, by name in the order of `choices`. */
export const allPairs = (choices: Choices): string[] => {
  const names = Object.keys(choices);
  return names.flatMap((a, index) =>
    names
      .slice(index + 1)
      .flatMap((b) => (choices[a] ?? []).flatMap((x) => (choices[b] ?? []).map((y) => keyOf(a, x, b, y)))),
  );
};

/** The pairs of a combination, or of a part of one. */
export const pairsOf = (choices: Choices, row: Combination): string[] => {
  const names = Object.keys(choices).filter((name) => row[name] !== undefined);
  return names.flatMap((a, index) =>
    names.slice(index + 1).map((b) => keyOf(a, row[a] ?? '', b, row[b] ?? '')),
  );
};

/** Greedy: each row begins with a pair that is still missing and takes the value that adds most. */
export const pairwise = (choices: Choices): Combination[] => {
  const missing = new Set(allPairs(choices));
  const gain = (row: Combination): number => pairsOf(choices, row).filter((pair) => missing.has(pair)).length;
  const rows: Combination[] = [];
  for (let [first] = missing; first !== undefined; [first] = missing) {
    let row: Combination = Object.fromEntries(first.split(' ').map((part) => part.split('=')));
    for (const name of Object.keys(choices)) {
      if (row[name] !== undefined) continue;
      const options = (choices[name] ?? []).map((value) => ({ ...row, [name]: value }));
      row = options.reduce((best, next) => (gain(next) > gain(best) ? next : best));
    }
    for (const pair of pairsOf(choices, row)) missing.delete(pair);
    rows.push(row);
  }
  return rows;
};
