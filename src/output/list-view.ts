import type { Row } from '../api/page.ts';

/** How a column of a table is shown to people. The other formats give the value as the service sent it. */
export interface Column {
  /** The API's name; `total.days` reaches into an object. */
  readonly field: string;
  readonly title?: string;
  /**
   * `period`: two days as an ISO 8601 interval (`2026-11-09/2026-11-15`); `address`: a web address, which may have
   * secrets in it.
   */
  readonly kind?:
    | ('text' | 'number' | 'hours' | 'money' | 'date' | 'period' | 'time' | 'clock' | 'age')
    | ('state' | 'list' | 'secret' | 'address');
  /** The higher, the earlier it is dropped on a narrow terminal. Default 0: only when nothing else helps. */
  readonly drop?: number;
  /** Room that is kept for it where rows come one by one (`Output.follow`). */
  readonly width?: number;
  /** A text may be cut to so many columns before another column is dropped for it. Default 28. */
  readonly least?: number;
  /** Nor to less than this for a column that is less important. Default 20. */
  readonly whole?: number;
  /** On a terminal goes on below where a cut would lose what matters, as texts do that somebody asks for. */
  readonly wrap?: true;
  /** Left out where no record has a value: what only some roles may see, or few records have. */
  readonly sparse?: true;
  /** No field of the record: `show` makes it from others. Named in an option, every format has it. */
  readonly derived?: true;
  /** An id: on a terminal shortened to a beginning that tells it apart, unless `--columns` names it. */
  readonly short?: true;
  readonly onRequest?: true;
  /** What a person reads in place of the raw value: a name for an id. Table and markdown only. */
  readonly show?: (row: Row) => unknown;
  /** Fetches what `show` needs for these rows; called only where the column is shown to people. */
  readonly load?: (rows: readonly Row[]) => Promise<void>;
}

export interface ListView {
  readonly noun: string;
  readonly columns: readonly Column[];
  /** What people are told of an empty list; default `No <noun> found.`. */
  readonly emptyMessage?: string;
  readonly id?: string;
  /** Whether several rows can have the same one, which is printed once. */
  readonly once?: true;
  /** What spreadsheets have where nothing is named; default: every field of the rows. */
  readonly cells?: readonly string[];
  readonly joins?: () => Promise<RowJoins>;
  readonly chosen?: true;
  /** Fields that a record may have, in the documented order. Default: what the command says that it prints. */
  readonly documented?: () => Promise<readonly string[]>;
}

export interface RowJoins {
  readonly fields: readonly string[];
  /** Those of them that rest on all rows together. */
  readonly ofAll?: readonly string[];
  /** The joined records of each row by their names. @throws Failure where they may not be read */
  readonly find: (rows: readonly Row[], fields: readonly string[]) => Promise<readonly Row[]>;
}

export interface OverviewSection {
  readonly title: string;
  readonly lines: readonly OverviewLine[];
}

export interface OverviewLine {
  readonly text: string;
  /** The command that shows or mends it; on a terminal. */
  readonly command?: string;
  /** `none`: nothing is to be done. */
  readonly state?: 'none' | 'warning' | 'problem';
}
