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

const fieldsToShow = async (
  { columns, view }: FormatContext,
  rows: readonly Row[],
): Promise<readonly string[]> => {
  if (columns !== undefined) return columns;
  const documented = (await view.documented?.()) ?? [];
  const found = collectFields(rows);
  if (found.length > 0) return [...new Set([...documented.filter((name) => found.includes(name)), ...found])];
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
  line: (values: readonly unknown[]) => string,
): RowWriter => {
  let fields: readonly string[] | undefined;
  const late = new Set<string>();

  const open = async (rows: readonly Row[]): Promise<readonly string[]> => {
    fields = await fieldsToShow(context, rows);
    if (context.header && fields.length > 0) await context.write(line(fields));
    return fields;
  };
  const watch = (rows: readonly Row[], shown: readonly string[]): void => {
    if (context.columns !== undefined) return;
    for (const field of collectFields(rows)) if (!shown.includes(field)) late.add(field);
  };

  return {
    rows: async (rows) => {
      if (rows.length === 0) return;
      const shown = fields ?? (await open(rows));
      watch(rows, shown);
      await writeLines(
        rows.map((row) => line(shown.map((field) => getField(row, field)))),
        context.write,
      );
    },
    end: async () => {
      if (fields === undefined) await open([]);
      if (late.size > 0)
        context.note(
          `Fields that only later records have were omitted (add them with --columns): ${[...late].join(', ')}`,
        );
    },
  };
};
