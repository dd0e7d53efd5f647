/** `table` is for people; the others are for programs. `ndjson`, `csv`, `tsv` and `ids` stream. */
export const FORMATS = ['table', 'json', 'ndjson', 'csv', 'tsv', 'markdown', 'ids'] as const;
export type Format = (typeof FORMATS)[number];
