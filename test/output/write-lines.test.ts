import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeLines } from '../../src/output/sink.ts';
import { capture, MEMBERS, pagesOf } from './capture.ts';

/** Lines of processes that share a pipe are not mixed: a pipe takes 4096 bytes whole (POSIX, `PIPE_BUF` on Linux). */

const PIPE_BUF = 4096;

const writesOf = async (lines: readonly string[]): Promise<readonly string[]> => {
  const writes: string[] = [];
  await writeLines(lines, (text) => text, { write: async (text) => void writes.push(String(text)) });
  return writes;
};

const line = fc
  .tuple(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.integer({ min: 1, max: 300 }))
  .map(([text, times]) => `${text.repeat(times)}\r\n`);

describe('writeLines', () => {
  it('never parts a line, and writes no more at once than a pipe takes whole', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 30 }), async (lines) => {
        const writes = await writesOf(lines);
        expect(writes.join('')).toBe(lines.join(''));
        let at = 0;
        for (const write of writes) {
          const held: string[] = [];
          while (held.join('').length < write.length) held.push(lines[at++] ?? 'none is left');
          expect(held.join('')).toBe(write);
          if (held.length > 1) expect(Buffer.byteLength(write)).toBeLessThanOrEqual(PIPE_BUF);
        }
      }),
    );
  });
});

describe('a page of many rows', () => {
  const rows = Array.from({ length: 100 }, (_, id) => ({ id, name: `${id}:${'né'.repeat(id * 5)}\nnext` }));

  it.each(['ids', 'ndjson', 'csv', 'tsv'] as const)('leaves as whole rows in %s', async (format) => {
    const { output, writes, stdout } = capture(format, { header: false });
    await output.list(pagesOf([rows]), MEMBERS);
    const count = (text: string) => text.match(/^"?\{?(?:"id":)?\d+\b/gm)?.length ?? 0;
    expect(count(stdout())).toBe(100);
    for (const write of writes) {
      expect(write).toMatch(/\n$/);
      expect(write).toMatch(/^"?\{?(?:"id":)?\d+\b/);
      if (count(write) > 1) expect(Buffer.byteLength(write)).toBeLessThanOrEqual(PIPE_BUF);
    }
  });
});
