import { UsageError } from '../../errors.ts';
import { isNumber, isRounded, toText } from '../../json.ts';
import { getField } from '../cell.ts';
import { safeCell } from '../safe-text.ts';
import { writeLines } from '../sink.ts';
import type { FormatContext, RowWriter } from './row-writer.ts';

/** The id of each record on a line of its own. A control character in one is spelled out: one line stays one id. */
export const createIdsWriter = (context: FormatContext): RowWriter => {
  const { view } = context;
  const field = view.id ?? 'id';
  let missing = 0;
  const printed = new Set<string>();
  return {
    rows: async (rows) => {
      const ids = rows.map((row) => getField(row, field)).filter((id) => id !== null && id !== undefined);
      missing += rows.length - ids.length;
      const lost = ids.find((id) => isNumber(id) && isRounded(id));
      if (lost !== undefined)
        throw new UsageError(`the id ${lost} was not read exactly: it has more digits than can be kept`, {
          hint: 'Use another format: -o json shows the records.',
        });
      const lines = ids.map((id) => `${safeCell(toText(id))}\n`).filter((line) => !printed.has(line));
      if (view.once === true) for (const line of lines) printed.add(line);
      await writeLines(view.once === true ? [...new Set(lines)] : lines, (line) => line, context);
    },
    end: async () => {
      if (missing > 0) context.note(`Omitted ${missing} ${missing === 1 ? 'row' : 'rows'} without ${field}.`);
    },
  };
};
