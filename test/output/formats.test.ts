import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Row } from '../../src/api/page.ts';
import type { ListView } from '../../src/output/list-view.ts';
import { safeJson, unescapeSpreadsheetCell } from '../../src/output/safe-text.ts';
import type { OutputOptions } from '../../src/output/streams.ts';
import { compileQuery } from '../../src/query/run.ts';
import { capture, MEMBERS, printList } from './capture.ts';

const ANN = { id: 1, name: 'Ann', extra: { deep: [1] } };
const BOB = { id: 2, name: 'Bob', extra: null };

it('json leaves stdout empty when a later page fails', async () => {
  const { output, stdout } = capture('json');
  const pages = async function* () {
    yield { rows: [ANN], total: 2 };
    throw new Error('page 2');
  };
  await expect(output.list(pages(), MEMBERS)).rejects.toThrow('page 2');
  expect(stdout()).toBe('');
});

it.each(['ndjson', 'ids', 'csv', 'tsv'])(
  '%s has the first page before the second is there',
  async (format) => {
    const { output, stdout } = capture(format);
    let seen = '';
    const pages = async function* () {
      yield { rows: [ANN], total: 2 };
      seen = stdout();
      yield { rows: [BOB], total: 2 };
    };
    await output.list(pages(), MEMBERS);
    expect(seen).toContain('1');
    expect(stdout().startsWith(seen)).toBe(true);
  },
);

it('ids are one a line, and rows without one are counted', async () => {
  expect(await printList('ids', [[ANN, { id: 'a\nb' }, {}]], { columns: ['name'] })).toEqual({
    stdout: '1\na\\nb\n',
    stderr: 'Omitted 1 row without id.\n',
  });
});

it('csv has the fields of the first page, and names those that come later', async () => {
  const { stdout, stderr } = await printList('csv', [[ANN], [{ ...BOB, late: 1 }]]);
  expect(stdout).toBe('id,name,extra\r\n1,Ann,"{""deep"":[1]}"\r\n2,Bob,\r\n');
  expect(stderr).toContain('late');
});

it('csv makes formulas harmless and leaves numbers alone', async () => {
  const row = { a: '=1+1', b: -5, c: '-5', d: "'=x", e: 'a;=b' };
  expect((await printList('csv', [[row]], { header: false })).stdout).toBe(`'=1+1,-5,'-5,''=x,"a;=b"\r\n`);
});

it('csv comes back whole through a parser', async () => {
  const cell = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('=a', "'=a", 'x"y', 'a,b', 'l1\r\nl2', '\t'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), async (cells) => {
      const { stdout } = await printList('csv', [cells.map(([a, b]) => ({ a, b }))]);
      const read: string[][] = parse(stdout, { record_delimiter: '\r\n', from: 2 });
      expect(read.map((row) => row.map(unescapeSpreadsheetCell))).toEqual(cells);
    }),
    { numRuns: 50 },
  );
});

it('csv is made visible on a terminal, and not in a pipe', async () => {
  const row = { a: '\x1b[2J' };
  expect((await printList('csv', [[row]])).stdout).toContain('\x1b[2J');
  expect((await printList('csv', [[row]], { width: 80 })).stdout).toBe('a\r\n\\x1b[2J\r\n');
});

it('tsv keeps one line a record', async () => {
  const { stdout } = await printList('tsv', [[{ a: 'x\ty\nz\\', b: null, c: { d: 1 } }]]);
  expect(stdout).toBe('a\tb\tc\nx\\ty\\nz\\\\\t\t{"d":1}\n');
});

it('markdown escapes what would be markup', async () => {
  const rows = [{ name: 'a|b <i>\n', worked: 1.5 }];
  const { stdout } = await printList('markdown', [rows], { columns: ['name', 'worked'] });
  expect(stdout).toBe('| name | worked |\n| --- | ---: |\n| a\\|b \\<i>\\\\n | 1:30 |\n');
});

const DELIVERIES: ListView = {
  noun: 'deliveries',
  columns: [
    { field: 'at', title: 'time', kind: 'clock', width: 8 },
    ...[{ field: 'event', width: 8 }, { field: 'size', width: 6, drop: 1 }, { field: 'data' }],
  ],
};
const LONG = '測試 of what is wider than there is room';
const COMING: readonly Row[] = [
  { at: '2026-11-20T09:00:07Z', event: 'a.b', size: 12, data: 'id 7, name \u001b[31mred' },
  { at: '2026-11-20T23:59:59Z', event: 'much.longer', size: 1234, data: LONG },
  { at: null, event: null, size: 1, data: null },
];

const JSON_LINES = COMING.map((row) => `${safeJson(row)}\n`).join('');
const bySize = await compileQuery('size');

it.each<[format: string, options: Partial<OutputOptions>, text: string, lines?: readonly number[]]>([
  [
    'table',
    { width: 34 },
    '09:00:07  a.b       12      id 7, name \\x1b[31mred\n' +
      `23:59:59  much.longer  1234    ${LONG}\n` +
      '-         -         1       -\n',
  ],
  ['json', {}, JSON_LINES],
  ['ndjson', {}, JSON_LINES],
  ['json', { query: bySize }, '12\n1234\n1\n'],
  ['csv', { columns: ['event', 'size'] }, 'event,size\r\na.b,12\r\nmuch.longer,1234\r\n,1\r\n', [0, 2, 3, 4]],
])(
  'a list without an end is written row by row: %s %o',
  async (format, options, text, lines = [0, 1, 2, 3]) => {
    const { output, stdout } = capture(format, options);
    const count = () => stdout().split('\n').length - 1;
    const seen: number[] = [];
    const coming = async function* () {
      for (const row of COMING) {
        seen.push(count());
        yield row;
      }
    };
    await output.follow(coming(), DELIVERIES);
    expect([stdout(), [...seen, count()]]).toEqual([text, lines]);
  },
);

it('a list without an end alone asks for room: a list that ends is as wide as its cells', async () => {
  const { stdout } = await printList('table', [[{ size: 1, event: 'a' }]], {}, DELIVERIES);
  expect(stdout.split('\n')[0]).toBe('TIME  EVENT  SIZE  DATA');
});
