import type { Format } from '../../notation/format.ts';
import type { FormatContext, RowWriter } from './row-writer.ts';

/** Each is loaded when it is asked for. */
const WRITERS: Readonly<Record<Format, () => Promise<(context: FormatContext) => RowWriter>>> = {
  table: async () => (await import('./table.ts')).tableWriter,
  json: async () => (await import('./json.ts')).jsonWriter,
  ndjson: async () => (await import('./ndjson.ts')).ndjsonWriter,
  csv: async () => (await import('./csv.ts')).csvWriter,
  tsv: async () => (await import('./tsv.ts')).tsvWriter,
  markdown: async () => (await import('./markdown.ts')).markdownWriter,
  ids: async () => (await import('./ids.ts')).idsWriter,
};

/** The writer of one list, record or run of results. */
export const openWriter = async (format: Format, context: FormatContext): Promise<RowWriter> =>
  (await WRITERS[format]())(context);
