import type { Call } from '../../api/client.ts';
import type { Context, Sheet, SheetRow } from '../../context.ts';
import { beforeText, sentBefore } from '../job/before.ts';
import { permit, permitUnread } from '../permit.ts';
import { runRows, type Work, type WorkRow } from '../run-rows.ts';
import { plural } from '../tally.ts';
import { checkTarget } from '../targets.ts';

/** The rows of `--from-file` as a run: one write each. */

export interface RowWork<V> extends Pick<Work, 'verb' | 'noun' | 'next'> {
  readonly asks: boolean;
  readonly facts?: readonly string[];
  /** The text of a row's record to its id. */
  readonly resolve?: ((target: string) => Promise<string>) | undefined;
  /** @param id of the row's record; its text during the check; `''` where a new one is made */
  readonly call: (id: string, values: V) => Call;
  /** What the results call a row that has no record yet. */
  readonly name?: ((values: V) => string | undefined) | undefined;
  /** Two rows with the same one are a mistake in the file. */
  readonly once?: ((row: SheetRow) => string | undefined) | undefined;
  /** Rows with the same one are the same write, sent once. Default: every row is its own. */
  readonly same?: (row: SheetRow) => string;
}

/** Characters of one cell that are shown: a whole note tells nobody more. */
const WIDEST = 40;

const shortened = (cell: string): string => {
  const line = cell.trim().replace(/\s+/g, ' ');
  return line.length > WIDEST ? `${line.slice(0, WIDEST - 1)}…` : line;
};

/** A row in a few words: its cells, what names it first. */
const wordsOf = (target: string, row: SheetRow): readonly string[] => {
  const cells = Object.values(row.columns()).filter((cell) => cell.trim() !== '' && cell !== target);
  const id = row.id === undefined || row.id === target ? [] : [`(${row.id})`];
  return [target, ...id, ...cells.map(shortened)];
};

/** A row whose request is made when it is its turn. A class: of many each takes little. */
class RowOfSheet<V> implements WorkRow {
  readonly target: string;
  readonly key: string;
  readonly #row: SheetRow;
  readonly #work: RowWork<V>;

  constructor(row: SheetRow, work: RowWork<V>) {
    this.#row = row;
    this.#work = work;
    this.target = row.target ?? work.name?.(row.values() as V) ?? `row ${row.number}`;
    this.key = work.same?.(row) ?? `row ${row.number}`;
  }

  get call(): Call {
    return this.#work.call(this.#row.id ?? '', this.#row.values() as V);
  }

  get columns(): Readonly<Record<string, string>> {
    return this.#row.columns();
  }
}

/** The first row of each key, as many as are shown. */
const distinct = (rows: readonly WorkRow[]): readonly number[] => {
  const first = new Map<string, number>();
  for (const [index, { key }] of rows.entries()) if (!first.has(key)) first.set(key, index);
  return [...first.values()];
};

/**
 * Checks every row, looks the names up, asks, sends, and prints a result for each in their order.
 * @throws UsageError that tells all that is wrong with the rows; as `runRows` after that
 */
export const runSheet = async <V>(
  context: Context,
  sheet: Sheet,
  work: RowWork<V>,
  options: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const { resolve, once, same } = work;
  const {
    rows: read,
    input,
    others,
  } = await sheet.read({
    check: (values, target) => {
      const call = (id: string) => work.call(id, values as V);
      if (target === undefined) call('').check();
      else checkTarget(work, target, call);
    },
    // Rows that are the same write are counted once, which is not known before their names are.
    ready: (count) => permitUnread(context, work, same === undefined ? count : Math.min(count, 1)),
    ...(resolve === undefined ? {} : { resolve }),
    ...(once === undefined ? {} : { once }),
  });
  if (others > 0) context.output.note(`${plural(others, ['row', 'rows'])} for other commands passed over`);
  const rows = read.map((row) => new RowOfSheet(row, work));
  const firsts = distinct(rows);
  const words = (index: number): readonly string[] => {
    const at = firsts[index] ?? 0;
    const [row, source] = [rows[at], read[at]];
    return row === undefined || source === undefined ? [] : wordsOf(row.target, source);
  };
  if (rows.length === 0) context.output.note(`${sheet.name} has no rows`);
  const sent = rows.length === 0 || input === undefined ? {} : { input };
  const before = await sentBefore(context, { ...work, ...sent });
  const again = before === undefined ? undefined : beforeText(before);
  const facts = [
    `file       ${sheet.name}`,
    ...(again === undefined ? [] : [`again      ${again}`]),
    ...(work.facts ?? []),
  ];
  const asked = await permit(
    context,
    { ...work, facts, count: firsts.length, first: rows[0]?.call, words },
    options,
  );
  if (again !== undefined && !asked) context.output.warn(again);
  await runRows(context, { ...work, rows, asked, ...(input === undefined ? {} : { input }) });
};
