/** The formats of stdout: one record each, and the only place that knows their names. */

export interface Format {
  readonly name: string;
  readonly about: string;
  /**
   * What is printed: `screen` a table that is fitted to a terminal, and one record as `field  value` lines; `document`
   * one JSON value, whatever the writer is; `json-lines` one a line; `cells` rows below a heading; `id-lines` the id of
   * each record.
   */
  readonly shape: 'screen' | 'document' | 'json-lines' | 'cells' | 'id-lines';
  readonly forPeople: boolean;
  /** Whether rows are written before the last page is there, wherever stdout leads. */
  readonly streams: boolean;
  /** Whether stderr has errors as one line of JSON, and no notes. */
  readonly errorsAsJson: boolean;
  /** CSV as a spreadsheet opens it where the comma is decimal. */
  readonly excel?: true;
}

const FOR_PROGRAMS = { forPeople: false, streams: true, errorsAsJson: false } as const;
const FOR_PEOPLE = { forPeople: true, streams: false, errorsAsJson: false } as const;

export const DEFAULT_FORMAT: Format = {
  name: 'table',
  about: 'for people: one row per record, fitted to the terminal, never cut in a pipe',
  ...{ shape: 'screen', ...FOR_PEOPLE },
};

/** What `--json` and `--query` mean. */
export const JSON_FORMAT: Format = {
  name: 'json',
  about: 'one JSON document: an array for a list, an object for a record, with all fields',
  ...{ shape: 'document', forPeople: false, streams: false, errorsAsJson: true },
};

const CSV: Format = {
  name: 'csv',
  about: 'RFC 4180 with a heading; an apostrophe prevents spreadsheets and CI runners from executing cells',
  ...{ shape: 'cells', ...FOR_PROGRAMS },
};

export const EXCEL_FORMAT: Format = { ...CSV, excel: true };

export const FORMATS: readonly Format[] = [
  DEFAULT_FORMAT,
  JSON_FORMAT,
  {
    name: 'ndjson',
    about: 'one JSON object per line, as pages arrive',
    ...{ ...FOR_PROGRAMS, shape: 'json-lines', errorsAsJson: true },
  },
  CSV,
  { name: 'tsv', about: 'tab-separated values, with a heading', shape: 'cells', ...FOR_PROGRAMS },
  { name: 'markdown', about: 'a table to paste into a document', shape: 'cells', ...FOR_PEOPLE },
  { name: 'ids', about: 'one id per line, to pipe into another command', shape: 'id-lines', ...FOR_PROGRAMS },
];

export const FORMAT_NAMES: readonly string[] = FORMATS.map(({ name }) => name);

export function findFormat(name: string | undefined): Format | undefined {
  return FORMATS.find((format) => format.name === name);
}
