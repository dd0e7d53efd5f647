import { pickFields } from '../fields.ts';
import { safeJson } from '../safe-text.ts';
import type { FormatContext, RowWriter } from './row-writer.ts';
import { writeLines } from './write-lines.ts';

/** One record a line, as the pages come. */
export const createNdjsonWriter = ({ columns, write }: FormatContext): RowWriter => ({
  rows: (rows) =>
    writeLines(
      rows.map((row) => `${safeJson(columns === undefined ? row : pickFields(row, columns))}\n`),
      write,
    ),
  end: async () => {},
});
