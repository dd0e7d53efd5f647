import type { Row } from '../../api/page.ts';
import { inParts } from '../../clock.ts';
import { pickNested } from '../cell.ts';
import { safeJson } from '../safe-text.ts';
import { type TextSink, writeLines } from '../sink.ts';
import type { FormatContext, RowWriter } from './row-writer.ts';

/** One record a line, as the pages come. */
export const createNdjsonWriter = (context: FormatContext): RowWriter => ({
  rows: (rows) =>
    writeLines(
      rows,
      (row) => `${safeJson(pickNested(row, context.columns, context.joined ?? []))}\n`,
      context,
    ),
  end: async () => {},
});

/** One JSON document, two spaces of indent, a newline at its end. Records as they came, unknown fields kept. */

/** Characters from which on a text is not copied to be written in one piece with what is around it. */
const LARGE = 1 << 20;

const writePieces = async (before: string, text: string, after: string, sink: TextSink): Promise<void> => {
  if (text.length < LARGE) return sink.write(before + text + after);
  for (const piece of [before, text, after]) if (piece !== '') await sink.write(piece);
};

export const writeDocument = (value: unknown, sink: TextSink): Promise<void> =>
  Array.isArray(value) ? writeArray(value, sink) : writePieces('', safeJson(value, 2), '\n', sink);

const writeArray = async (values: readonly unknown[], sink: TextSink): Promise<void> => {
  if (values.length === 0) return sink.write('[]\n');
  let remaining = values.length;
  for await (const part of inParts(values)) {
    const text = safeJson(part, 2).slice('[\n'.length, -'\n]'.length);
    const before = remaining === values.length ? '[\n' : '';
    remaining -= part.length;
    await writePieces(before, text, remaining === 0 ? '\n]\n' : ',\n', sink);
  }
};

/**
 * Holds all rows back: the document is whole, or a failure on a later page leaves stdout empty. A list without an end is
 * no document: its records are written as NDJSON.
 */
export const createJsonWriter = (context: FormatContext): RowWriter => {
  if (context.live === true) return createNdjsonWriter(context);
  const { columns, joined = [] } = context;
  const collected: Row[] = [];
  return {
    rows: async (rows) => {
      for (const row of rows) collected.push(pickNested(row, columns, joined));
    },
    end: () => writeArray(collected, context),
  };
};
