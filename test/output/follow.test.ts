import { describe, expect, it } from 'vitest';
import type { Row } from '../../src/api/page.ts';
import type { ListView } from '../../src/output/list-view.ts';
import { compileQuery } from '../../src/query/run.ts';
import { capture } from './capture.ts';

const view: ListView = {
  noun: 'deliveries',
  columns: [
    { field: 'at', title: 'time', kind: 'clock', width: 8 },
    { field: 'event', width: 8 },
    { field: 'size', kind: 'number', width: 6, drop: 1 },
    { field: 'data' },
  ],
};

const ROWS: readonly Row[] = [
  { at: '2026-11-20T09:00:07Z', event: 'a.b', size: 12, data: 'id 7, name \u001b[31mred' },
  {
    at: '2026-11-20T23:59:59Z',
    event: 'much.longer',
    size: 1234,
    data: '測試 of what is wider than there is room',
  },
  { at: null, event: null, size: 1, data: null },
];

/** Tells how much had been written when each row was asked for. */
async function* coming(rows: readonly Row[], look: () => void): AsyncGenerator<Row> {
  for (const row of rows) {
    look();
    yield row;
  }
  look();
}

const followed = async (...[format, options]: Parameters<typeof capture>) => {
  const captured = capture(format, options);
  const lengths: number[] = [];
  await captured.output.follow(
    coming(ROWS, () => lengths.push(captured.stdout().split('\n').length - 1)),
    view,
  );
  return { stdout: captured.stdout(), lengths };
};

describe('a list without an end', () => {
  it('is a line for each row, without a heading, written when it comes', async () => {
    const { stdout, lengths } = await followed('table', { width: 34 });
    expect(stdout).toBe(
      [
        '09:00:07  a.b       12      id 7, name \\x1b[31mred',
        '23:59:59  much.longer  1234    測試 of what is wider than there is room',
        '-         -         1       -',
        '',
      ].join('\n'),
    );
    expect(lengths).toEqual([0, 1, 2, 3]);
  });

  it('alone asks for room: a list that ends is as wide as its cells', async () => {
    const { output, stdout } = capture('table');
    await output.list(
      (async function* () {
        yield { rows: [{ size: 1, event: 'a' }], total: 1, shortened: false };
      })(),
      view,
    );
    expect(stdout().split('\n')[0]).toBe('TIME  EVENT  SIZE  DATA');
  });

  it.each(['json', 'ndjson'] as const)('is one line each in %s', async (format) => {
    const { stdout, lengths } = await followed(format);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(ROWS);
    expect(lengths).toEqual([0, 1, 2, 3]);
  });

  it('takes columns and a query', async () => {
    expect((await followed('csv', { columns: ['event', 'size'] })).stdout).toBe(
      'event,size\r\na.b,12\r\nmuch.longer,1234\r\n,1\r\n',
    );
    expect((await followed('json', { query: await compileQuery('size') })).stdout).toBe('12\n1234\n1\n');
  });
});
