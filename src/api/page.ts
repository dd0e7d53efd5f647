/** A record as it came, seen as fields. */
export type Row = Readonly<Record<string, unknown>>;

/** One page of a list, in order. */
export interface ListPage<T = Row> {
  readonly rows: readonly T[];
  /** Rows of the whole list, where the service tells. */
  readonly total: number | undefined;
  /** Whether the list goes on after the rows that were asked for (`--limit`, `--page`). */
  readonly shortened?: boolean;
}
