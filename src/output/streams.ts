import type { ListPage, Row } from '../api/page.ts';
import type { Clock } from '../clock.ts';
import type { ColumnExpression } from '../query/condition.ts';
import type { CompiledQuery } from '../query/run.ts';
import type { PeopleStyle } from './cell.ts';
import type { FormatContext, RowWriter, SortKey } from './columns.ts';
import type { Format } from './formats/formats.ts';
import { createWriter } from './formats/writers.ts';
import type { ListView, RowJoins } from './list-view.ts';
import type { ProgressIndicator } from './progress.ts';
import { safeLines } from './safe-text.ts';
import type { Sink } from './sink.ts';
import { type Palette, wrapIndented } from './terminal.ts';

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
  readonly expressions?: readonly ColumnExpression[];
  /** `--columns` without a value: which there are, in place of the rows. */
  readonly listsColumns?: boolean;
  readonly sort?: readonly SortKey[];
  /** Rows of a list that is sorted or grouped: the first so many of all. */
  readonly limit?: number;
  readonly grouping?: Grouping;
  readonly query?: CompiledQuery;
  readonly header: boolean;
  readonly quiet: boolean;
  readonly showSecrets: boolean;
  /** Fields that the records may have, in the order of their documentation. */
  readonly documented?: () => Promise<readonly string[]>;
  readonly isNumber?: FormatContext['isNumber'];
  readonly choose?: (pages: AsyncIterable<ListPage>) => AsyncIterable<ListPage>;
  readonly joins?: () => Promise<RowJoins>;
  /** Whether nothing has been changed when the answer is there: it may be refused. */
  readonly isRead?: boolean;
  readonly palettes: { readonly stdout: Palette; readonly stderr: Palette };
  /** Columns of the terminal of stdout, and of stderr; `undefined`: none, nothing is cut. */
  readonly width: number | undefined;
  readonly stderrWidth?: number | undefined;
  readonly unicode: boolean;
  /** IANA name, for the times that people read. Asking the system for its zone costs 20 ms. */
  readonly timeZone: () => string;
  readonly clock: Clock;
  /** Tells how far a long list has come. Taken away before anything is written. */
  readonly progress?: ProgressIndicator;
}

/** The two streams of a run: data goes to stdout, what is said beside it to stderr. */
export class Streams {
  readonly options: OutputOptions;
  readonly style: PeopleStyle;
  #said: Promise<void> = Promise.resolve();

  constructor(options: OutputOptions) {
    this.options = options;
    const { unicode, showSecrets, palettes, width, clock, timeZone } = options;
    this.style = {
      ...{ unicode, showSecrets, palette: palettes.stdout, width, now: () => clock.now() },
      get timeZone() {
        return timeZone();
      },
    };
  }

  /** Data, as it is; in a terminal after the notes before it, which wait in a queue of their own. */
  async write(text: string | Uint8Array): Promise<void> {
    const { stdout, progress } = this.options;
    if (stdout.isTTY) await this.#said;
    progress?.clear();
    await stdout.write(text);
  }

  /** For people, on stderr; not with `--quiet`, not with a JSON format. */
  readonly note = (text: string): void => {
    const { quiet, format } = this.options;
    if (!quiet && !format.errorsAsJson) this.#say(safeLines(text));
  };

  /** A faint note for a terminal alone: the next useful command. */
  hint(text: string): void {
    const { stderr, palettes, quiet, format } = this.options;
    if (!quiet && !format.errorsAsJson && stderr.isTTY) this.#say(palettes.stderr.faint(safeLines(text)));
  }

  /** On stderr; not with `--quiet`. */
  readonly warn = (text: string): void => {
    const { quiet, palettes } = this.options;
    if (!quiet) this.#say(`${palettes.stderr.waiting('warning:')} ${safeLines(text)}`);
  };

  /** A stderr that cannot be written to is no reason to fail: what matters went to stdout. */
  #say(text: string): void {
    const { stderr, stderrWidth, progress } = this.options;
    progress?.clear();
    const lines = stderrWidth === undefined ? text : wrapIndented(text, stderrWidth);
    this.#said = stderr.write(`${lines}\n`).catch(() => undefined);
  }

  /** What writes rows in the format of this run. @param more what is not as the options have it */
  async openWriter(view: ListView, more: Partial<FormatContext> = {}): Promise<RowWriter> {
    const { columns, header, stdout, format, isNumber } = this.options;
    const context: FormatContext = {
      write: (text) => this.write(text),
      note: (text) => this.note(text),
      ...{ columns, view, header, terminal: stdout.isTTY, style: this.style, isNumber, ...more },
    };
    if (format.shape === 'screen') return (await import('./formats/table.ts')).createTableWriter(context);
    return createWriter(format, context);
  }

  async writeRows(view: ListView, rows: readonly Row[], more?: Partial<FormatContext>): Promise<void> {
    const writer = await this.openWriter(view, more);
    await writer.rows(rows);
    await writer.end();
  }
}
