import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Row } from '../../src/api/page.ts';
import type { ListView } from '../../src/output/list-view.ts';
import type { OutputOptions } from '../../src/output/streams.ts';
import { capture, pagesOf } from './capture.ts';

const SHEETS: ListView = {
  noun: 'timesheets',
  columns: [
    { field: 'id' },
    { field: 'user_id', title: 'member', load: async () => {}, show: (row) => `Ann ${row.user_id}` },
    { field: 'total_hours', title: 'hours', kind: 'hours' },
    { field: 'status', kind: 'state' },
    { field: 'length', kind: 'hours', derived: true, show: ({ end, start }) => Number(end) - Number(start) },
  ],
};

const ROWS = [
  { id: 'a', user_id: 7, status: 'open', total_hours: 0.1, total: { days: 1 }, start: 1, end: 3 },
  { id: 'b', user_id: 8, status: 'open', total_hours: 0.2, total: { days: 2 }, start: 1, end: 2 },
  { id: 'c', user_id: 7, status: null, total_hours: '1.05', total: null, start: 1, end: 5 },
];

const grouped = async (
  format: string,
  by: readonly string[],
  sums: readonly string[] = [],
  options: Partial<OutputOptions> = {},
  rows: readonly Row[] = ROWS,
) => {
  const captured = capture(format, { grouping: { by, sums }, ...options });
  await captured.output.list(pagesOf([rows.slice(0, 2), rows.slice(2)]), SHEETS);
  return { stdout: captured.stdout(), stderr: captured.stderr() };
};

describe('groups', () => {
  it('are counts and sums for people, the names of ids among them', async () => {
    const { stdout, stderr } = await grouped('table', ['user_id'], ['total_hours'], { width: 40 });
    expect(stdout).toBe(
      ['MEMBER  COUNT  HOURS', 'Ann 7       2   1:09', 'Ann 8       1   0:12', ''].join('\n'),
    );
    expect(stderr).toBe('timesheets: 3 in 2 groups; hours 1:21\n');
  });

  it('have exact sums, of numbers and of texts', async () => {
    const sum = async (...values: readonly unknown[]) => {
      const rows = values.map((total_hours) => ({ status: 'open', total_hours }));
      const { stdout } = await grouped('json', ['status'], ['total_hours'], {}, rows);
      return JSON.parse(stdout)[0].sum_total_hours;
    };
    expect(await sum('0.10', 1e-7, 1e5)).toBe(100000.1000001);
    expect(await sum(-0.5, '0.5')).toBe(0);
    expect(await sum(-1, 0.25)).toBe(-0.75);
    expect(await sum(...Array(3000).fill(0.1), 1_234_567_890.12)).toBe(1_234_568_190.12);
  });

  it('are in every format, null where there is no value', async () => {
    const of = async (format: string) => (await grouped(format, ['status'], ['total_hours'])).stdout;
    expect(JSON.parse(await of('json'))).toEqual([
      { status: 'open', count: 2, sum_total_hours: 0.3 },
      { status: null, count: 1, sum_total_hours: 1.05 },
    ]);
    expect(await of('ndjson')).toBe(
      '{"status":"open","count":2,"sum_total_hours":0.3}\n{"status":null,"count":1,"sum_total_hours":1.05}\n',
    );
    expect(await of('csv')).toBe('status,count,sum_total_hours\r\nopen,2,0.3\r\n,1,1.05\r\n');
    expect(await of('tsv')).toBe('status\tcount\tsum_total_hours\nopen\t2\t0.3\n\t1\t1.05\n');
    expect(await of('markdown')).toBe(
      '| status | count | hours |\n| --- | ---: | ---: |\n| open | 2 | 0:18 |\n| (none) | 1 | 1:03 |\n',
    );
    expect(await of('ids')).toBe('open\n');
  });

  it('are of any field: nested, derived, unknown, several at once', async () => {
    const json = async (by: readonly string[], sums: readonly string[]) =>
      JSON.parse((await grouped('json', by, sums)).stdout);
    expect(await json(['total.days'], ['length'])).toEqual([
      { 'total.days': 1, count: 1, sum_length: 2 },
      { 'total.days': 2, count: 1, sum_length: 1 },
      { 'total.days': null, count: 1, sum_length: 4 },
    ]);
    expect(await json(['user_id', 'status'], [])).toEqual([
      { member: 'Ann 7', user_id: 7, status: 'open', count: 1 },
      { member: 'Ann 7', user_id: 7, status: null, count: 1 },
      { member: 'Ann 8', user_id: 8, status: 'open', count: 1 },
    ]);
    await expect(grouped('table', ['nope'])).rejects.toThrow('--group-by: no record has "nope"');
    await expect(grouped('table', ['status'], ['nope'])).rejects.toThrow('--sum: no record has "nope"');
    const sort = [{ field: 'total_hours', descending: false }];
    await expect(grouped('table', ['status'], [], { sort })).rejects.toThrow('--sort: no record has');
  });

  it('tell what could not be summed, also with JSON; an empty list is empty', async () => {
    const rows = [
      { status: 'open', total_hours: '2 days' },
      { status: 'open', total_hours: null },
    ];
    const { stdout, stderr } = await grouped('json', ['status'], ['total_hours'], {}, rows);
    const warnings = ['2 of 2 rows have no number in total_hours'];
    expect(JSON.parse(stdout)).toEqual([{ status: 'open', count: 2, sum_total_hours: null, warnings }]);
    expect(stderr).toBe('warning: 2 of 2 rows have no number in total_hours: they are left out of its sum\n');
    expect((await grouped('json', ['status'], [], {}, [])).stdout).toBe('[]\n');
    expect((await grouped('table', ['status'], [], {}, [])).stderr).toBe('No timesheets found.\n');
  });

  it('R7 of a field that no row has are refused, although it is documented', async () => {
    const view = { ...SHEETS, documented: async () => ['total_minutes'] };
    const refused = async (by: readonly string[], sums: readonly string[]) => {
      const { output } = capture('json', { grouping: { by, sums } });
      await expect(output.list(pagesOf([ROWS]), view)).rejects.toThrow('no record has "total_minutes"');
    };
    await refused(['status'], ['total_minutes']);
    await refused(['total_minutes'], []);
  });

  it('keep every row and every cent', async () => {
    const cents = fc.integer({ min: -10_000_000, max: 10_000_000 });
    const key = fc.oneof(fc.constantFrom('a', 'b', null, 1, '1', true, undefined, '__proto__'), fc.string());
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ key, cents, text: fc.boolean() })), async (drawn) => {
        // A field that no row has is refused.
        fc.pre(drawn.length === 0 || drawn.some((row) => row.key !== undefined));
        const rows = drawn.map(({ key: status, cents: n, text }) => ({
          status,
          total_hours: text ? (n / 100).toFixed(2) : n / 100,
        }));
        const { stdout } = await grouped('json', ['status'], ['total_hours'], {}, rows);
        const groups: Row[] = JSON.parse(stdout);
        expect(groups.reduce((sum, { count }) => sum + Number(count), 0)).toBe(rows.length);
        const total = groups.reduce((sum, group) => sum + Math.round(Number(group.sum_total_hours) * 100), 0);
        expect(total).toBe(drawn.reduce((sum, one) => sum + one.cents, 0));
        // `1` and `"1"` mean the same, and so does a status in any case.
        const meaning = (status: unknown) => String(status ?? null).toLowerCase();
        const keys = groups.map(({ status }) => meaning(status));
        expect(new Set(keys)).toEqual(new Set(rows.map(({ status }) => meaning(status))));
      }),
    );
  });
});
