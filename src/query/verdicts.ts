const MAX_REASONS = 3;

/** What is left out because a condition could not be decided. @param flag `--where` @param reasons perhaps with doubles */
export const describeUndecided = (flag: string, count: number, reasons: readonly string[]): string => {
  const distinct = [...new Set(reasons)].slice(0, MAX_REASONS).join('; ');
  return `${flag} left out ${count === 1 ? '1 row' : `${count} rows`} that it could not evaluate: ${distinct}`;
};
