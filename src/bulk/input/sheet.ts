import type { LookUps, Lookup, Sheet, SheetRow, SheetRows, SheetWork } from '../../context.ts';
import { UsageError } from '../../outcome.ts';
import { createFaults, type Faults, isAboutName } from './faults.ts';
import { createHeld, type Held } from './held.ts';
import type { CheckedValue, RawRow, ReadRow, Schema, Wanted } from './row.ts';

/**
 * The rows of `--from-file`: all are checked, all names in them looked up, each once, and all that is wrong is told
 * together before the first write. Between the steps a row is held as its text alone, so that many take little memory.
 */

interface Source {
  /** As messages name it: `people.csv`, `stdin`. */
  readonly name: string;
  readonly rows: () => AsyncIterable<ReadRow>;
  readonly schema: Schema;
  readonly lookUps: LookUps;
  /** The file, once all of it has been read. */
  readonly input?: () => SheetRows['input'];
}

type IdsOf = (wanted: Wanted) => readonly string[];

const valuesOf = (values: readonly CheckedValue[], ids: IdsOf): Record<string, unknown> =>
  Object.fromEntries(
    values.map(({ name, known, wanted }) => [
      name,
      wanted === undefined ? known : wanted.toValue(ids(wanted)),
    ]),
  );

const attempt = (faults: Faults, line: number, work: () => void): void => {
  try {
    work();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    faults.add(line, error.message, error.hint);
  }
};

/** Reads and checks every row; held are those that can be read. @throws UsageError for a file all of whose rows are for others */
const readAll = async ({ name, rows, schema }: Source, work: SheetWork, faults: Faults): Promise<Held> => {
  const held = createHeld();
  const seen = new Set<readonly string[]>();
  const take = (row: RawRow): void => {
    const { line, heading = line, names, cells } = row;
    if (!seen.has(names)) for (const problem of schema.headingProblems(names)) faults.add(heading, problem);
    seen.add(names);
    const { target, values, problems, other } = schema.check(names, cells);
    if (other === true) {
      held.others += 1;
      return;
    }
    for (const problem of problems) faults.add(line, problem);
    if (problems.length === 0 && schema.headingProblems(names).length === 0) {
      // Names stand where their ids will.
      work.check(
        valuesOf(values, ({ texts }) => texts),
        target,
      );
    }
    held.add(row);
  };
  try {
    for await (const row of rows()) {
      if ('problem' in row) faults.add(row.line, row.problem);
      else attempt(faults, row.line, () => take(row));
    }
  } catch (error) {
    if (!(error instanceof UsageError) || error.code === 'unreadable') throw error;
    const { line } = error.details;
    const rest = line === undefined ? '' : '; the rest was not read';
    faults.add(typeof line === 'number' ? line : undefined, `${error.message}${rest}`, error.hint);
  }
  if (held.size === 0) {
    faults.throwIfAny();
    if (held.others > 0)
      throw new UsageError(`${name} has no rows for this command`, { code: 'invalid_input' });
  }
  return held;
};

const TARGET = 'target';
const keyOf = (kind: string, text: string): string => `${kind}\n${text}`;

/** Names and addresses that have been looked up; what is not among them is an id already. */
interface Found {
  idOf(kind: string, text: string): string;
}

/** Of a file that is wrong anyway so many names are looked up: each may be a request, and nothing will be sent. */
const FEW = 40;
/** Rows of a long file. */
const LONG = 20_000;

/** @throws what is not about a name: no network, not signed in; but what is wrong with the file comes before it */
const lookUpAll = async (
  held: Held,
  { schema, lookUps }: Source,
  { resolve }: SheetWork,
  faults: Faults,
): Promise<Found> => {
  const found = new Map<string, string | undefined>();
  const wrong = faults.count > 0;
  let looked = 0;
  const look = async (line: number, kind: string, text: string, find: () => Promise<string>) => {
    const key = keyOf(kind, text);
    if (found.has(key) || (wrong && looked >= FEW)) return;
    try {
      const id = await find();
      if (id === text) return;
      found.set(key, id);
      looked += 1;
    } catch (error) {
      if (!isAboutName(error)) {
        faults.throwIfAny();
        throw error;
      }
      found.set(key, undefined);
      looked += 1;
      faults.add(line, [error.message, error.reason].filter(Boolean).join('\n'), error.hint, error.exit);
    }
  };
  for (let index = 0; index < held.size; index += 1) {
    const { line, names, cells } = held.at(index);
    const { target, values } = schema.check(names, cells);
    if (target !== undefined && resolve !== undefined)
      await look(line, TARGET, target, () => resolve(target));
    for (const { wanted } of values) {
      if (wanted === undefined) continue;
      const kind: Lookup = wanted.kind;
      for (const text of wanted.texts) await look(line, kind, text, () => lookUps.find(kind, text));
    }
  }
  return { idOf: (kind, text) => found.get(keyOf(kind, text)) ?? text };
};

/** A checked row, made again from its text whenever its values are asked for. */
const reopened = (held: Held, index: number, { schema }: Source, { idOf }: Found): SheetRow => {
  const check = () => {
    const { names, cells } = held.at(index);
    return schema.check(names, cells);
  };
  const { target } = check();
  const idsOf: IdsOf = ({ kind, texts }) => texts.map((text) => idOf(kind, text));
  return {
    number: held.at(index).number,
    target,
    id: target === undefined ? undefined : idOf(TARGET, target),
    values: () => valuesOf(check().values, idsOf),
    columns() {
      const { names, cells } = held.at(index);
      return schema.texts(names, cells);
    },
  };
};

/** Two rows may not say different things of one record. */
const checkOnce = (rows: readonly SheetRow[], held: Held, { once }: SheetWork, faults: Faults): void => {
  if (once === undefined) return;
  const first = new Map<string, number>();
  for (const [index, row] of rows.entries()) {
    const key = once(row);
    if (key === undefined) continue;
    const { line } = held.at(index);
    const before = first.get(key);
    if (before === undefined) first.set(key, line);
    else faults.add(line, `${row.target ?? key} is in line ${before} already`);
  }
};

export const openSheet = (source: Source): Sheet => ({
  name: source.name,
  async read(work) {
    const faults = createFaults(source.name);
    const held = await readAll(source, work, faults);
    // The memory for the further steps is not taken for a long file that is wrong anyway.
    if (held.size > LONG) faults.throwIfAny();
    if (faults.count === 0) await work.ready?.(held.size);
    const found = await lookUpAll(held, source, work, faults);
    const rows = Array.from({ length: held.size }, (_, index) => reopened(held, index, source, found));
    checkOnce(rows, held, work, faults);
    faults.throwIfAny();
    const input = source.input?.();
    return { rows, others: held.others, ...(input === undefined ? {} : { input }) };
  },
});
