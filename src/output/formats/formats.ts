import type { FormatContext, RowWriter } from './row-writer.ts';

/** The formats of stdout: one record each, and the only place that knows their names. */

/**
 * What is printed: `screen` a table that is fitted to a terminal, and one record as `field  value` lines; `document` one
 * JSON value, whatever the writer is; `json-lines` one a line; `cells` rows below a heading; `id-lines` the id of each record.
 */
type Shape = 'screen' | 'document' | 'json-lines' | 'cells' | 'id-lines';

export interface Format {
  readonly name: string;
  readonly about: string;
  readonly shape: Shape;
  /** Names in place of ids, and no secrets. */
  readonly forPeople: boolean;
  /** Whether rows are written before the last page is there, wherever stdout leads. */
  readonly streams: boolean;
  /** Whether stderr has errors as one line of JSON, and no notes. */
  readonly errorsAsJson: boolean;
  /** What writes a list, a record or results. */
  readonly open: (context: FormatContext) => Promise<RowWriter>;
}

function loadWriters() {
  return import('./writers.ts');
}

const FOR_PROGRAMS = { forPeople: false, streams: true, errorsAsJson: false } as const;
const FOR_PEOPLE = { forPeople: true, streams: false, errorsAsJson: false } as const;

/** What people read where nothing else is asked for. */
const TABLE: Format = {
  ...FOR_PEOPLE,
  name: 'table',
  about: 'for people: one row per record, fitted to the terminal, never cut in a pipe',
  shape: 'screen',
  open: async (context) => (await import('./table.ts')).createTableWriter(context),
};

/** What `--json` and `--query` mean. */
export const JSON_FORMAT: Format = {
  name: 'json',
  about: 'one JSON document: an array for a list, an object for a record, with all fields',
  shape: 'document',
  forPeople: false,
  streams: false,
  errorsAsJson: true,
  open: async (context) => (await loadWriters()).createJsonWriter(context),
};

/** In the order in which they are listed. */
export const FORMATS: readonly Format[] = [
  TABLE,
  JSON_FORMAT,
  {
    ...FOR_PROGRAMS,
    name: 'ndjson',
    about: 'one JSON object per line, as pages arrive',
    shape: 'json-lines',
    errorsAsJson: true,
    open: async (context) => (await loadWriters()).createNdjsonWriter(context),
  },
  {
    ...FOR_PROGRAMS,
    name: 'csv',
    about: 'RFC 4180 with a heading; an apostrophe prevents spreadsheets and CI runners from executing cells',
    shape: 'cells',
    open: async (context) => (await loadWriters()).createCsvWriter(context),
  },
  {
    ...FOR_PROGRAMS,
    name: 'tsv',
    about: 'tab-separated values, with a heading',
    shape: 'cells',
    open: async (context) => (await loadWriters()).createTsvWriter(context),
  },
  {
    ...FOR_PEOPLE,
    name: 'markdown',
    about: 'a table to paste into a document',
    shape: 'cells',
    open: async (context) => (await loadWriters()).createMarkdownWriter(context),
  },
  {
    ...FOR_PROGRAMS,
    name: 'ids',
    about: 'one id per line, to pipe into another command',
    shape: 'id-lines',
    open: async (context) => (await loadWriters()).createIdsWriter(context),
  },
];

export const DEFAULT_FORMAT = TABLE;

export const FORMAT_NAMES: readonly string[] = FORMATS.map(({ name }) => name);

export function findFormat(name: string | undefined): Format | undefined {
  return FORMATS.find((format) => format.name === name);
}
