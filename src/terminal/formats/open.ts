import type { Format } from '../../format.ts';
import { csvWriter } from './csv.ts';
import { idsWriter } from './ids.ts';
import { jsonWriter } from './json.ts';
import { markdownWriter } from './markdown.ts';
import { ndjsonWriter } from './ndjson.ts';
import type { FormatContext, RowWriter } from './row-writer.ts';
import { tableWriter } from './table.ts';
import { tsvWriter } from './tsv.ts';

const WRITERS: Readonly<Record<Format, (context: FormatContext) => RowWriter>> = {
  table: tableWriter,
  json: jsonWriter,
  ndjson: ndjsonWriter,
  csv: csvWriter,
  tsv: tsvWriter,
  markdown: markdownWriter,
  ids: idsWriter,
};

/** The writer of one list, record or run of results. */
export const openWriter = (format: Format, context: FormatContext): RowWriter => WRITERS[format](context);
