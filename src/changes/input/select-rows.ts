import type { Context, InputFile, InputRow } from '../../context.ts';
import { type ChangeOfRun, SelectedChange, type Selection, type Write } from '../change.ts';
import { checkAnswerable } from '../confirm.ts';
import { describeEarlierJob, findEarlierJob } from '../job/earlier-job.ts';
import { pluralize } from '../run-summary.ts';
import { checkTarget } from '../select.ts';

/** The rows of `--from-file`: one write each. */

interface RowRules<V> {
  /** What the results call a row that has no record yet. */
  readonly name?: ((values: V) => string | undefined) | undefined;
  /** Two rows with the same one are a mistake in the file. */
  readonly once?: ((row: InputRow) => string | undefined) | undefined;
  /** Rows with the same one are the same write, sent once. Default: every row is its own. */
  readonly same?: ((row: InputRow) => string) | undefined;
}

/** Characters of one cell that are shown: a whole note tells nobody more. */
const MAX_CELL_LENGTH = 40;

const shortenCell = (cell: string): string => {
  const line = cell.trim().replace(/\s+/g, ' ');
  return line.length > MAX_CELL_LENGTH ? `${line.slice(0, MAX_CELL_LENGTH - 1)}…` : line;
};

/** A row in a few words: its cells, what names it first. */
const describeRow = ({ target, columns }: ChangeOfRun, row: InputRow | undefined): readonly string[] => {
  const cells = Object.values(columns).filter((cell) => cell.trim() !== '' && cell !== target);
  const id = row?.id === undefined || row.id === target ? [] : [`(${row.id})`];
  return [target, ...id, ...cells.map(shortenCell)];
};

/**
 * Checks every row, and looks the names up.
 * @throws UsageError that tells all that is wrong with the rows
 */
export const selectRows = async <V>(
  context: Context,
  inputFile: InputFile,
  work: Write<V>,
  { name, once, same }: RowRules<V>,
): Promise<Selection> => {
  const { resolve } = work;
  const { rows, input, others } = await inputFile.read({
    check: (values, target) => {
      const call = (id: string) => work.call(id, values as V);
      if (target === undefined) call('').check();
      else checkTarget(work, target, call);
    },
    // Rows that are the same write are counted once, which is not known before their names are.
    ready: (count) => checkAnswerable(context, work, same === undefined ? count : Math.min(count, 1)),
    ...(resolve === undefined ? {} : { resolve }),
    ...(once === undefined ? {} : { once }),
  });
  if (others > 0) context.output.note(`Skipped ${pluralize(others, ['row', 'rows'])} for other commands.`);
  const changes = rows.map((row, n) => {
    const place = `row ${row.number}`;
    const target = row.target ?? name?.(row.values() as V) ?? place;
    return new SelectedChange(work, { n, target, id: row.id ?? '', key: same?.(row) ?? place, row });
  });
  const before = await findEarlierJob(context, work.verb, rows.length === 0 ? undefined : input);
  const repeatWarning = before === undefined ? undefined : describeEarlierJob(before);
  return {
    changes,
    words: (change) => describeRow(change, rows[change.n]),
    facts: [
      `file       ${inputFile.name}`,
      ...(repeatWarning === undefined ? [] : [`again      ${repeatWarning}`]),
      ...(work.facts ?? []),
    ],
    noneMessage: `${inputFile.name} has no rows.`,
    input,
    repeatWarning,
  };
};
