import { EXIT, Failure, UsageError } from '../../outcome.ts';

/** All that is wrong with the rows of a file, told together. */

export interface Faults {
  readonly count: number;
  /** @param exit what it would be alone, where that is not wrong usage */
  add(line: number | undefined, what: string, hint?: string, exit?: Failure['exit']): void;
  /** @throws UsageError; Failure (exit 5) where every fault is a name that nothing has */
  throwIfAny(): void;
}

/** So many are kept; the rest is counted. */
const MOST = 1000;

/** @param file as messages name it: `people.csv`, `stdin` */
export const createFaults = (file: string): Faults => {
  const kept: string[] = [];
  const exits = new Set<Failure['exit']>();
  let count = 0;
  let hint: string | undefined;
  return {
    get count() {
      return count;
    },
    add(line, what, more, exit = EXIT.usage) {
      count += 1;
      exits.add(exit);
      hint ??= more;
      if (kept.length < MOST) kept.push(`${file}:${line === undefined ? '' : `${line}:`} ${what}`);
    },
    throwIfAny() {
      if (count === 0) return;
      const message = `${file} has ${count} mistake${count === 1 ? '' : 's'}; nothing was sent`;
      const details = { errors: kept, ...(count > MOST ? { error_count: count } : {}) };
      if (exits.size === 1 && exits.has(EXIT.notFound)) {
        throw new Failure(message, { code: 'not_found', exit: EXIT.notFound, details, hint });
      }
      throw new UsageError(message, { code: 'invalid_input', details, hint });
    },
  };
};
