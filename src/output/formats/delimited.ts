import type { Row } from '../../api/page.ts';
import { toText } from '../../json/stringify.ts';
import { collectFields, getField } from '../cell.ts';
import { safeJson } from '../safe-text.ts';
import { writeLines } from '../sink.ts';
import type { FormatContext, RowWriter } from './row-writer.ts';

/** What CSV and TSV share: which columns there are, and that they stream. */

/** A value as text for programs: nothing for null, JSON for what is nested. */
export const formatDelimitedValue = (value: unknown): string =>
  typeof value === 'object' && value !== null ? safeJson(value) : toText(value);

const chooseFields = async (
  { columns, view }: FormatContext,
  rows: readonly Row[],
): Promise<readonly string[]> => {
  const named = columns ?? view.cells;
  if (named !== undefined) return named;
  const documented = (await view.documented?.()) ?? [];
  const present = collectFields(rows);
  if (present.length > 0)
    return [...new Set([...documented.filter((name) => present.includes(name)), ...present])];
  if (documented.length > 0) return documented;
  return view.columns.filter(({ kind, derived }) => kind !== 'bar' && !derived).map(({ field }) => field);
};

/**
 * Columns: `--columns`, else every field of the first page (the heading goes out before the second page is there),
 * those that are documented in that order before the others; of an empty list all that are documented. Fields that
 * only later records have are named on stderr.
 */
export const createDelimitedWriter = (
  context: FormatContext,
  formatLine: (values: readonly unknown[]) => string,
): RowWriter => {
  let fields: readonly string[] | undefined;
  const omitted = new Set<string>();

  const begin = async (rows: readonly Row[]): Promise<readonly string[]> => {
    fields = await chooseFields(context, rows);
    if (context.header && fields.length > 0) await context.write(formatLine(fields));
    return fields;
  };
  const noteOmitted = (rows: readonly Row[], shown: readonly string[]): void => {
    if ((context.columns ?? context.view.cells) !== undefined) return;
    for (const field of collectFields(rows)) if (!shown.includes(field)) omitted.add(field);
  };

  return {
    rows: async (rows) => {
      if (rows.length === 0) return;
      const shown = fields ?? (await begin(rows));
      noteOmitted(rows, shown);
      await writeLines(rows, (row) => formatLine(shown.map((field) => getField(row, field))), context.write);
    },
    end: async () => {
      if (fields === undefined) await begin([]);
      if (omitted.size > 0)
        context.note(
          `Fields that only later records have were omitted (add them with --columns): ${[...omitted].join(', ')}`,
        );
    },
  };
};
