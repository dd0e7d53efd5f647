import type { ListPage, Row } from '../../src/api/page.ts';
import { type Format, findFormat } from '../../src/output/formats/formats.ts';
import type { ListView } from '../../src/output/list-view.ts';
import { Output } from '../../src/output/output.ts';
import type { OutputOptions } from '../../src/output/streams.ts';
import { PLAIN_PALETTE } from '../../src/output/terminal.ts';

/** An output whose streams are texts. */

export const NOW = Date.UTC(2026, 10, 20, 12);

export const memorySink = (isTTY = false) => {
  const writes: string[] = [];
  return { isTTY, writes, write: async (text: string | Uint8Array) => void writes.push(String(text)) };
};

export const capture = (format: string, options: Partial<OutputOptions> = {}) => {
  const [stdout, stderr] = [memorySink(options.width !== undefined), memorySink()];
  const output = new Output({
    ...{ stdout, stderr, format: findFormat(format) as Format, header: true, quiet: false },
    ...{ palettes: { stdout: PLAIN_PALETTE, stderr: PLAIN_PALETTE }, width: undefined, unicode: true },
    ...{ showSecrets: false, timeZone: () => 'UTC' },
    clock: { now: () => NOW, sleep: async () => {}, random: () => 0 },
    ...options,
  });
  return { output, stdout: () => stdout.writes.join(''), stderr: () => stderr.writes.join('') };
};

/** Pages as the API gives them. */
export async function* pagesOf(pages: readonly (readonly Row[])[], facts: Partial<ListPage> = {}) {
  for (const rows of pages) yield { rows, total: undefined, ...facts };
}

export const MEMBERS: ListView = {
  noun: 'members',
  columns: [
    ...[{ field: 'id' }, { field: 'name' }, { field: 'status', kind: 'state' as const }],
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
