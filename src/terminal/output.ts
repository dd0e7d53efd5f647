import type { Output } from '../context.ts';
import type { PeopleStyle } from './cell.ts';
import type { Desk, OutputOptions } from './desk.ts';
import { writeDocument } from './formats/json.ts';
import type { FormatContext } from './formats/row-writer.ts';
import { writeList } from './list.ts';
import type { ListView } from './list-view.ts';
import { createMessages, type Messages } from './messages.ts';
import { loadPalette, type Palette } from './palette.ts';

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
  const { folded } = await import('./fold.ts');
  return (text: string): string => folded(text, stderrWidth);
};

/** Loads what the options need, and puts the pieces together. */
const openDesk = async (options: OutputOptions, messages: Messages): Promise<Desk> => {
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
  let opened: Promise<Desk> | undefined;
  const desk = (): Promise<Desk> => {
    opened ??= openDesk(options, messages);
    return opened;
  };
  return {
    prepare: async () => void (await desk()),
    list: async (pages, view) => writeList(await desk(), pages, view),
    follow: async (rows, view) => (await import('./follow.ts')).writeFollowed(await desk(), rows, view),
    record: async (record, columns = []) =>
      (await import('./record.ts')).writeRecord(await desk(), record, columns),
    results: async (results, about = {}) =>
      (await import('./results.ts')).writeResults(await desk(), results, about),
    checkNames: async (columns) => {
      const { columns: names = [], sort = [] } = options;
      if (names.length + sort.length > 0)
        await (await import('./foreseen.ts')).checkNames(await desk(), columns);
    },
    document: async (value) => {
      const open = await desk();
      if (open.query === undefined) return writeDocument(value, open.write);
      const { writeQueried } = await import('./queried.ts');
      return writeQueried(open, value, ({ write }) => writeDocument(value, write));
    },
    result: async (result, about = {}) =>
      (await import('./results.ts')).writeResult(await desk(), result, about),
    inWords: async (rows, columns) => {
      const [{ inWords }, { context }] = await Promise.all([import('./in-words.ts'), desk()]);
      return inWords(rows, columns, context({ noun: 'records', columns }).style);
    },
    text: async (text) => (await desk()).write(text.endsWith('\n') ? text : `${text}\n`),
    note: messages.note,
    hint: messages.hint,
    warn: messages.warn,
  };
};
