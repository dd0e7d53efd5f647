import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unescapeSpreadsheetCell } from '../../src/output/safe-text.ts';
import { capture, MEMBERS, pagesOf } from './capture.ts';

const ANN = { id: 1, name: 'Ann', extra: { deep: [1] } };
const BOB = { id: 2, name: 'Bob', extra: null };

describe('json', () => {
  it('is one document with the records as they came', async () => {
    const { output, stdout, stderr } = capture('json');
    await output.list(pagesOf([[ANN], [BOB]], { total: 9, shortened: true }), MEMBERS);
    expect(stdout()).toBe(`${JSON.stringify([ANN, BOB], undefined, 2)}\n`);
    expect(stderr()).toBe('');
  });

  it('leaves stdout empty when a later page fails', async () => {
    const { output, stdout } = capture('json');
    const pages = async function* () {
      yield { rows: [ANN], total: 2 };
      throw new Error('page 2');
    };
    await expect(output.list(pages(), MEMBERS)).rejects.toThrow('page 2');
    expect(stdout()).toBe('');
  });
});

describe('ndjson, ids', () => {
  it('write the first page before the second is there', async () => {
    for (const format of ['ndjson', 'ids', 'csv', 'tsv'] as const) {
      const { output, stdout } = capture(format);
      const seen: string[] = [];
      const pages = async function* () {
        yield { rows: [ANN], total: 2 };
        seen.push(stdout());
        yield { rows: [BOB], total: 2 };
      };
      await output.list(pages(), MEMBERS);
      expect(seen[0], format).toContain('1');
      expect(stdout().startsWith(seen[0] ?? ''), format).toBe(true);
    }
  });

  it('give one record, one id a line', async () => {
    const lines = capture('ndjson');
    await lines.output.list(pagesOf([[ANN], [BOB]]), MEMBERS);
    expect(lines.stdout()).toBe(`${JSON.stringify(ANN)}\n${JSON.stringify(BOB)}\n`);
    const ids = capture('ids', { columns: ['name'] });
    await ids.output.list(pagesOf([[ANN, { id: 'a\nb' }, {}]]), MEMBERS);
    expect(ids.stdout()).toBe('1\na\\nb\n');
    expect(ids.stderr()).toBe('Omitted 1 row without id.\n');
  });
});

describe('csv', () => {
  it('has the fields of the first page, and names those that come later', async () => {
    const { output, stdout, stderr } = capture('csv');
    await output.list(pagesOf([[ANN], [{ ...BOB, late: 1 }]]), MEMBERS);
    expect(stdout()).toBe('id,name,extra\r\n1,Ann,"{""deep"":[1]}"\r\n2,Bob,\r\n');
    expect(stderr()).toContain('late');
  });

  it('makes formulas harmless and leaves numbers alone', async () => {
    const { output, stdout } = capture('csv', { header: false });
    await output.list(pagesOf([[{ a: '=1+1', b: -5, c: '-5', d: "'=x", e: 'a;=b' }]]), MEMBERS);
    expect(stdout()).toBe(`'=1+1,-5,'-5,''=x,"a;=b"\r\n`);
  });

  it('comes back whole through a parser', async () => {
    const cell = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('=a', "'=a", 'x"y', 'a,b', 'l1\r\nl2', '\t'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), async (cells) => {
        const { output, stdout } = capture('csv');
        await output.list(pagesOf([cells.map(([a, b]) => ({ a, b }))]), MEMBERS);
        const read: string[][] = parse(stdout(), { record_delimiter: '\r\n', from: 2 });
        expect(read.map((row) => row.map(unescapeSpreadsheetCell))).toEqual(cells);
      }),
      { numRuns: 50 },
    );
  });

  it('is made visible on a terminal, and not in a pipe', async () => {
    const row = { a: '\x1b[2J' };
    const pipe = capture('csv');
    await pipe.output.list(pagesOf([[row]]), MEMBERS);
    expect(pipe.stdout()).toContain('\x1b[2J');
    const terminal = capture('csv', { width: 80 });
    await terminal.output.list(pagesOf([[row]]), MEMBERS);
    expect(terminal.stdout()).toBe('a\r\n\\x1b[2J\r\n');
  });
});

describe('tsv, markdown', () => {
  it('tsv keeps one line a record', async () => {
    const { output, stdout } = capture('tsv');
    await output.list(pagesOf([[{ a: 'x\ty\nz\\', b: null, c: { d: 1 } }]]), MEMBERS);
    expect(stdout()).toBe('a\tb\tc\nx\\ty\\nz\\\\\t\t{"d":1}\n');
  });

  it('markdown escapes what would be markup', async () => {
    const { output, stdout } = capture('markdown', { columns: ['name', 'worked'] });
    await output.list(pagesOf([[{ name: 'a|b <i>\n', worked: 1.5 }]]), MEMBERS);
    expect(stdout()).toBe('| name | worked |\n| --- | ---: |\n| a\\|b \\<i>\\\\n | 1:30 |\n');
  });
});
