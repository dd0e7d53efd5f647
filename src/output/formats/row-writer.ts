import type { Row } from '../../api/page.ts';
import type { PeopleStyle } from '../cell.ts';
import type { ListView } from '../list-view.ts';
import type { TextSink } from '../sink.ts';

export interface RowWriter {
  rows(rows: readonly Row[]): Promise<void>;
  end(): Promise<void>;
}

/** What is written: to stdout, as the options of the run have it. */
export interface FormatContext extends TextSink {
  note(text: string): void;
  hint(text: string): void;
  readonly columns: readonly string[] | undefined;
  /** Which columns are fields of other records. */
  readonly joined?: readonly string[];
  readonly view: ListView;
  /** A list without an end: no format holds its rows back. */
  readonly live?: true;
  readonly header: boolean;
  /** Whether stdout is a terminal: then controls in data are made visible in every format. */
  readonly terminal: boolean;
  readonly style: PeopleStyle;
}
