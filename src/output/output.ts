import type { Output } from '../context.ts';
import type { PeopleStyle } from './cell.ts';
import type { Format } from './formats/formats.ts';
import { writeDocument } from './formats/json.ts';
import type { FormatContext } from './formats/row-writer.ts';
import { writeList } from './list.ts';
import type { ListView } from './list-view.ts';
import type { OutputContext, OutputOptions } from './output-context.ts';
import { loadPalette, type Palette, PLAIN_PALETTE } from './palette.ts';
import type { Progress } from './progress.ts';
import { safeLines } from './safe-text.ts';
import type { Sink } from './sink.ts';

/** What is said on stderr beside the data. */
interface Messages {
  /** Not with `--quiet`, not with a JSON format. */
  note(text: string): void;
  /** A faint note, for a terminal alone. */
  hint(text: string): void;
  /** Not with `--quiet`. */
  warn(text: string): void;
  /** Sets the colours of stderr, and what breaks its lines where it is a terminal. */
  dress(palette: Palette, fold?: (text: string) => string): void;
}

interface MessageOptions {
  readonly stderr: Sink;
  readonly format: Format;
  readonly quiet: boolean;
  readonly progress?: Progress;
}

/** A stderr that cannot be written to is no reason to fail: what matters went to stdout. */
const createMessages = ({ stderr, format, quiet, progress }: MessageOptions): Messages => {
  let palette = PLAIN_PALETTE;
  let fold = (text: string): string => text;
  const say = (text: string): void => {
    progress?.clear();
    void stderr.write(`${fold(text)}\n`).catch(() => undefined);
  };
  const notes = !quiet && !format.errorsAsJson;
  return {
    note: (text) => {
      if (notes) say(safeLines(text));
    },
    hint: (text) => {
      if (notes && stderr.isTTY) say(palette.faint(safeLines(text)));
    },
    warn: (text) => {
      if (!quiet) say(`${palette.waiting('warning:')} ${safeLines(text)}`);
    },
    dress: (chosen, folded = fold) => {
      palette = chosen;
      fold = folded;
    },
  };
};

export interface TerminalOutput extends Output {
  /**
   * Loads what the options need. To be called before the first request: a `--query` that is not JMESPath is a
   * `UsageError` here. The other methods call it themselves.
   */
  prepare(): Promise<void>;
}

const styleOf = (options: OutputOptions, palette: Palette): PeopleStyle => ({
  unicode: options.unicode,
  get timeZone() {
    return options.timeZone; // asking the system for its zone costs 20 ms
  },
  now: () => options.clock.now(),
  showSecrets: options.showSecrets,
  palette,
  width: options.width,
});

/** Loaded for a terminal alone. */
const foldFor = async ({ stderrWidth }: OutputOptions) => {
  if (stderrWidth === undefined) return undefined;
  const { wrapIndented } = await import('./wrap.ts');
  return (text: string): string => wrapIndented(text, stderrWidth);
};

/** Loads what the options need, and puts the pieces together. */
const openDesk = async (options: OutputOptions, messages: Messages): Promise<OutputContext> => {
  const query =
    options.query === undefined ? undefined : await (await import('./query.ts')).compileQuery(options.query);
  const style = styleOf(options, await loadPalette(options.colour.stdout));
  messages.dress(await loadPalette(options.colour.stderr), await foldFor(options));
  const { columns, header, stdout } = options;
  const { note, hint, warn } = messages;
  const write = (text: string): Promise<void> => {
    options.progress?.clear();
    return stdout.write(text);
  };
  const context = (view: ListView): FormatContext => ({
    write,
    note,
    hint,
    columns,
    view,
    header,
    terminal: stdout.isTTY,
    style,
  });
  return { options, query, write, note, hint, warn, context };
};

/** Data to stdout in the chosen format, notes to stderr (docs/requirements.md, CLI-3). */
export const createOutput = (options: OutputOptions): TerminalOutput => {
  const messages = createMessages(options);
  let opened: Promise<OutputContext> | undefined;
  const service = (): Promise<OutputContext> => {
    opened ??= openDesk(options, messages);
    return opened;
  };
  return {
    prepare: async () => void (await service()),
    list: async (pages, view) => writeList(await service(), pages, view),
    follow: async (rows, view) => (await import('./follow.ts')).writeLiveRows(await service(), rows, view),
    record: async (record, columns = []) =>
      (await import('./results.ts')).writeRecord(await service(), record, columns),
    results: async (results, about = {}) =>
      (await import('./results.ts')).writeResults(await service(), results, about),
    checkNames: async (columns) => {
      const { columns: names = [], sort = [] } = options;
      if (names.length + sort.length > 0)
        await (await import('./results.ts')).checkNames(await service(), columns);
    },
    document: async (value) => {
      const open = await service();
      if (open.query === undefined) return writeDocument(value, open.write);
      const { writeQueryResult } = await import('./query-result.ts');
      return writeQueryResult(open, value, ({ write }) => writeDocument(value, write));
    },
    result: async (result, about = {}) =>
      (await import('./results.ts')).writeResult(await service(), result, about),
    inWords: async (rows, columns) => {
      const [{ describeRows }, { context }] = await Promise.all([import('./describe-rows.ts'), service()]);
      return describeRows(rows, columns, context({ noun: 'records', columns }).style);
    },
    text: async (text) => (await service()).write(text.endsWith('\n') ? text : `${text}\n`),
    note: messages.note,
    hint: messages.hint,
    warn: messages.warn,
  };
};
