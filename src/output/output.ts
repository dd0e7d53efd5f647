import type { Output } from '../context.ts';
import type { PeopleStyle } from './cell.ts';
import type { Format } from './formats/formats.ts';
import { writeDocument } from './formats/json.ts';
import { writeList } from './list.ts';
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
  setStyle(palette: Palette, fold?: (text: string) => string): void;
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
  const writeLine = (text: string): void => {
    progress?.clear();
    void stderr.write(`${fold(text)}\n`).catch(() => undefined);
  };
  const notes = !quiet && !format.errorsAsJson;
  return {
    note: (text) => {
      if (notes) writeLine(safeLines(text));
    },
    hint: (text) => {
      if (notes && stderr.isTTY) writeLine(palette.faint(safeLines(text)));
    },
    warn: (text) => {
      if (!quiet) writeLine(`${palette.waiting('warning:')} ${safeLines(text)}`);
    },
    setStyle: (chosen, folded = fold) => {
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

const loadFold = async ({ stderrWidth }: OutputOptions) => {
  if (stderrWidth === undefined) return undefined;
  const { wrapIndented } = await import('./wrap.ts');
  return (text: string): string => wrapIndented(text, stderrWidth);
};

const openContext = async (options: OutputOptions, messages: Messages): Promise<OutputContext> => {
  const query =
    options.query === undefined
      ? undefined
      : await (await import('../query/compile.ts')).compileQuery(options.query);
  const style: PeopleStyle = {
    unicode: options.unicode,
    get timeZone() {
      return options.timeZone();
    },
    now: () => options.clock.now(),
    showSecrets: options.showSecrets,
    palette: await loadPalette(options.colour.stdout),
    width: options.width,
  };
  messages.setStyle(await loadPalette(options.colour.stderr), await loadFold(options));
  const { note, hint, warn } = messages;
  const write = (text: string): Promise<void> => {
    options.progress?.clear();
    return options.stdout.write(text);
  };
  return { options, query, style, write, note, hint, warn };
};

/** Data to stdout in the chosen format, notes to stderr. */
export const createOutput = (options: OutputOptions): TerminalOutput => {
  const messages = createMessages(options);
  let opened: Promise<OutputContext> | undefined;
  const openOnce = (): Promise<OutputContext> => {
    opened ??= openContext(options, messages);
    return opened;
  };
  return {
    prepare: async () => void (await openOnce()),
    list: async (pages, view) => writeList(await openOnce(), pages, view),
    follow: async (rows, view) => (await import('./follow.ts')).writeLiveRows(await openOnce(), rows, view),
    record: async (record, columns = []) =>
      (await import('./results.ts')).writeRecord(await openOnce(), record, columns),
    overview: async (record, sections, cells) =>
      (await import('./overview.ts')).writeOverview(await openOnce(), record, sections, cells),
    results: async (results, about = {}) =>
      (await import('./results.ts')).writeResults(await openOnce(), results, about),
    checkNames: async (columns) => {
      const { columns: names = [], sort = [] } = options;
      if (names.length + sort.length > 0)
        await (await import('./results.ts')).checkNames(await openOnce(), columns);
    },
    document: async (value, asIs = false) => {
      const open = await openOnce();
      if (asIs || open.query === undefined) return writeDocument(value, open.write);
      const { writeQueryResult } = await import('./answer.ts');
      return writeQueryResult(open, value, ({ write }) => writeDocument(value, write));
    },
    result: async (result, about = {}) =>
      (await import('./results.ts')).writeResult(await openOnce(), result, about),
    inWords: async (rows, columns, style) => {
      const [{ describeRows }, open] = await Promise.all([import('./describe-rows.ts'), openOnce()]);
      return describeRows(rows, columns, { ...open.style, ...style });
    },
    text: async (text) => (await openOnce()).write(text.endsWith('\n') ? text : `${text}\n`),
    bytes: async (bytes) => {
      const { stdout, progress } = options;
      progress?.clear();
      await stdout.write(stdout.isTTY ? `${safeLines(Buffer.from(bytes).toString())}\n` : bytes);
    },
    note: messages.note,
    hint: messages.hint,
    warn: messages.warn,
  };
};
