import { ApiError, EXIT, Failure, UsageError } from '../../errors.ts';

/** All that is wrong with the rows of a file, or with targets, told together. */

export interface RowProblems {
  readonly count: number;
  /** @param exit what it would be alone, where that is not wrong usage */
  add(line: number | undefined, what: string, hint?: string, exit?: Failure['exit']): void;
  /** The same for another file of several that are told together. */
  in(place: string): RowProblems;
  /** @throws UsageError; Failure (exit 5) where every fault is a name that nothing has */
  throwIfAny(): void;
}

/** Problems that are listed; the rest is counted. */
const MAX_LISTED = 1000;

/** @param file as messages name it: `people.csv`, `stdin`; undefined for the words of the command line */
export function createRowProblems(file: string | undefined): RowProblems {
  const kept: string[] = [];
  const exits = new Set<Failure['exit']>();
  let count = 0;
  let hint: string | undefined;
  const createFor = (place: string | undefined): RowProblems => ({
    get count() {
      return count;
    },
    add(line, what, more, exit = EXIT.usage) {
      count += 1;
      exits.add(exit);
      hint ??= more;
      const where = place === undefined ? '' : `${place}:${line === undefined ? '' : `${line}:`} `;
      if (kept.length < MAX_LISTED) kept.push(`${where}${what}`);
    },
    in: createFor,
    throwIfAny() {
      if (count === 0) return;
      const message = `${file ?? 'the command line'} has ${count} mistake${count === 1 ? '' : 's'}; nothing was sent`;
      const details = { errors: kept, ...(count > MAX_LISTED ? { error_count: count } : {}) };
      if (exits.size === 1 && exits.has(EXIT.notFound)) {
        throw new Failure(message, { code: 'not_found', exit: EXIT.notFound, details, hint });
      }
      throw new UsageError(message, { code: 'invalid_input', details, hint });
    },
  });
  return createFor(file);
}

const NAME_ERROR_CODES: ReadonlySet<string> = new Set(['not_found', 'ambiguous', 'not_an_address']);

/** Whether it is a name that is wrong, and not the service, or the run. */
export function isNameError(error: unknown): error is Failure {
  return error instanceof Failure && !(error instanceof ApiError) && NAME_ERROR_CODES.has(error.code);
}
