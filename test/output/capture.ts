import type { ListPage, Row } from '../../src/api/page.ts';
import { type Format, findFormat } from '../../src/output/formats/formats.ts';
import type { ListView } from '../../src/output/list-view.ts';
import { Output } from '../../src/output/output.ts';
import type { Result } from '../../src/output/results.ts';
import type { Sink } from '../../src/output/sink.ts';
import type { OutputOptions } from '../../src/output/streams.ts';
import { PLAIN_PALETTE } from '../../src/output/terminal.ts';

/** An output whose streams are texts. */

export const NOW = Date.UTC(2026, 10, 20, 12);

export interface Captured {
  readonly output: Output;
  stdout(): string;
  stderr(): string;
  /** Each text that was written to stdout. */
  readonly writes: readonly string[];
}

const formatOf = (name: string): Format => {
  const format = findFormat(name);
  if (format === undefined) throw new Error(`no format ${name}`);
  return format;
};

export const memorySink = (isTTY = false): Sink & { readonly writes: string[] } => {
  const writes: string[] = [];
  return { isTTY, writes, write: async (text) => void writes.push(String(text)) };
};

/** @param name of the format */
export const capture = (name: string, options: Partial<OutputOptions> = {}): Captured => {
  const stdout = memorySink(options.width !== undefined);
  const stderr = memorySink();
  const output = new Output({
    stdout,
    stderr,
    format: formatOf(name),
    header: true,
    quiet: false,
    palettes: { stdout: PLAIN_PALETTE, stderr: PLAIN_PALETTE },
    width: undefined,
    showSecrets: false,
    timeZone: () => 'UTC',
    unicode: true,
    clock: { now: () => NOW, sleep: async () => {}, random: () => 0 },
    ...options,
  });
  return {
    output,
    stdout: () => stdout.writes.join(''),
    stderr: () => stderr.writes.join(''),
    writes: stdout.writes,
  };
};

/** Pages as the API gives them. */
export async function* pagesOf(
  pages: readonly (readonly Row[])[],
  facts: Partial<ListPage> = {},
): AsyncGenerator<ListPage> {
  for (const rows of pages) yield { rows, total: undefined, ...facts };
}

export async function* resultsOf(results: readonly Result[]): AsyncGenerator<Result> {
  yield* results;
}

export const MEMBERS: ListView = {
  noun: 'members',
  columns: [
    { field: 'id' },
    { field: 'name' },
    { field: 'status', kind: 'state' },
    { field: 'worked', kind: 'hours', drop: 1 },
    { field: 'updated_at', kind: 'time', drop: 2 },
  ],
};

/** What a list of these pages prints. */
export const printList = async (
  format: string,
  pages: readonly (readonly Row[])[],
  options: Partial<OutputOptions> = {},
  view = MEMBERS,
) => {
  const { output, stdout, stderr } = capture(format, options);
  await output.list(pagesOf(pages), view);
  return { stdout: stdout(), stderr: stderr() };
};
