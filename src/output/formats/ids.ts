import { toText } from '../../json/text.ts';
import { getField } from '../fields.ts';
import { safeCell } from '../safe-text.ts';
import type { FormatContext, RowWriter } from './row-writer.ts';
import { writeLines } from './write-lines.ts';

/** The id of each record on a line of its own. A control character in one is spelled out: one line stays one id. */
export const createIdsWriter = ({ view, write, note }: FormatContext): RowWriter => {
  const field = view.id ?? 'id';
  let without = 0;
  return {
    rows: async (rows) => {
      const ids = rows.map((row) => getField(row, field)).filter((id) => id !== null && id !== undefined);
      without += rows.length - ids.length;
      await writeLines(
        ids.map((id) => `${safeCell(toText(id))}\n`),
        write,
      );
    },
    end: async () => {
      if (without > 0) note(`${without} without ${field}, omitted`);
    },
  };
};
