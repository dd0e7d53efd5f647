import type { ListPage } from '../api/page.ts';
import type { Clock } from '../clock.ts';
import type { CompiledQuery } from '../query/compile.ts';
import type { PeopleStyle } from './cell.ts';
import type { Format } from './formats/formats.ts';
import type { FormatContext } from './formats/row-writer.ts';
import type { ListView, RowJoins } from './list-view.ts';
import type { Progress, ProgressIndicator } from './progress.ts';
import type { Sink } from './sink.ts';
import type { SortKey } from './sort.ts';

export interface Grouping {
  readonly by: readonly string[];
  readonly sums: readonly string[];
}

export interface OutputOptions {
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** With `--query` and no named format: JSON. */
  readonly format: Format;
  readonly columns?: readonly string[];
  /** `--columns` without a value: which there are, in place of the rows. */
  readonly listsColumns?: boolean;
  readonly sort?: readonly SortKey[];
  /** Rows of a list that is sorted or grouped: the first so many of all. */
  readonly limit?: number;
  /** Fields that the records may have, in the order of their documentation. */
  readonly documented?: () => Promise<readonly string[]>;
  /** Leaves out the rows of a list that are not meant. */
  readonly choose?: (pages: AsyncIterable<ListPage>) => AsyncIterable<ListPage>;
  /** What the rows can be joined with: `member.email`. */
  readonly joins?: () => Promise<RowJoins>;
  /** Whether nothing has been changed when the answer is there: it may be refused. */
  readonly isRead?: boolean;
  readonly grouping?: Grouping;
  readonly query?: string;
  readonly header: boolean;
  readonly quiet: boolean;
  readonly colour: { readonly stdout: boolean; readonly stderr: boolean };
  /** Columns of the terminal; `undefined`: not a terminal, nothing is cut. */
  readonly width: number | undefined;
  /** The same of stderr. */
  readonly stderrWidth?: number | undefined;
  readonly showSecrets: boolean;
  /** IANA name, for the times that people read. Asking the system for its zone costs 20 ms. */
  readonly timeZone: () => string;
  /** Whether the terminal shows UTF-8. */
  readonly unicode: boolean;
  readonly clock: Clock;
  /** Taken away before anything is written. */
  readonly progress?: Progress;
  /** Tells how far a long list has come. */
  readonly watch?: ProgressIndicator;
}

export interface OutputContext {
  readonly options: OutputOptions;
  readonly query: CompiledQuery | undefined;
  readonly style: PeopleStyle;
  write(text: string): Promise<void>;
  note(text: string): void;
  hint(text: string): void;
  warn(text: string): void;
}

/** What the writer of a format works with. @param more what is not as the options have it */
export const createFormatContext = (
  { options, style, write, note, hint }: OutputContext,
  view: ListView,
  more: Partial<FormatContext> = {},
): FormatContext => {
  const { columns, header, stdout } = options;
  return { write, note, hint, columns, view, header, terminal: stdout.isTTY, style, ...more };
};
