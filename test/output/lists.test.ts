import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import type { Row } from '../../src/api/page.ts';
import { OutputClosed } from '../../src/errors.ts';
import type { ListView } from '../../src/output/list-view.ts';
import { compileQuery } from '../../src/query/run.ts';
import { capture, MEMBERS, memorySink, pagesOf, printList } from './capture.ts';

// `-o json` loads none of these; that each test below passes shows it.
vi.mock('chalk', () => Promise.reject(new Error('chalk was loaded')));
vi.mock('string-width', () => Promise.reject(new Error('string-width was loaded')));
vi.mock('@inquirer/core', () => Promise.reject(new Error('@inquirer/core was loaded')));

const ROWS = [
  { id: 3, name: 'b', rate: 10 },
  { id: 1, name: 'B', rate: 9 },
  { id: 2, name: 'a', rate: null },
  { id: 4, name: null, rate: -1 },
];

it.each([
  ['rate', false, '4132'],
  ['rate', true, '3142'],
  ['name', false, '2134'],
  ['name', true, '3124'],
])('--sort by %s over all pages, descending: %s', async (field, descending, order) => {
  const pages = [ROWS.slice(0, 2), ROWS.slice(2)];
  const { stdout } = await printList('ids', pages, { sort: [{ field, descending }] });
  expect(stdout.replaceAll('\n', '')).toBe(order);
});

const ONE = '[1].{id: id, name: name}';
it.each<[string, string, string]>([
  ['json', '[?rate > `0`].id', '[\n  3,\n  1\n]\n'],
  ['table', '[:2].{who: name, id: id}', 'WHO  ID\nb     3\nB     1\n'],
  ['table', 'length(@)', '4\n'],
  ['ids', '[].name', 'b\nB\na\n'],
  ['table', ONE, 'id    1\nname  B\n'],
  ['csv', ONE, 'id,name\r\n1,B\r\n'],
  ['tsv', ONE, 'id\tname\n1\tB\n'],
  ['ids', ONE, '1\n'],
  ['ndjson', ONE, '{"id":1,"name":"B"}\n'],
  ['csv', '[:2].name', 'value\r\nb\r\nB\r\n'],
  ['tsv', '[:2].name', 'value\nb\nB\n'],
  ['markdown', '[:2].name', '| value |\n| --- |\n| b |\n| B |\n'],
  ['table', '[:2].name', 'VALUE\nb\nB\n'],
  ['csv', '[:2].[name, id]', 'column_1,column_2\r\nb,3\r\nB,1\r\n'],
  ['csv', 'length(@)', 'value\r\n4\r\n'],
  ['table', '[0].name', 'b\n'],
  ['csv', '[].nothing', ''],
  ['csv', 'nothing', ''],
  ['ndjson', '[:2].name', '"b"\n"B"\n'],
])('--query is %s where that is named: %s', async (format, query, text) => {
  const { stdout } = await printList(format, [ROWS], { query: await compileQuery(query) });
  expect(stdout).toBe(text);
});

it('notes tell an empty and a shortened list', async () => {
  expect(await printList('table', [[]])).toEqual({ stdout: '', stderr: 'No members found.\n' });
  const some = capture('ids');
  await some.output.list(pagesOf([[{ id: 1 }]], { total: 431, shortened: true }), MEMBERS);
  expect(some.stderr()).toBe('Showing 1 of 431.\n');
});

it('notes are left out with --quiet and JSON; warnings only with --quiet', () => {
  const said = (format: string, quiet: boolean) => {
    const { output, stderr } = capture(format, { quiet });
    output.note('a note\n::error::');
    output.warn('a warning\x1b');
    return stderr();
  };
  expect(said('table', false)).toBe('a note\n\\x3a:error::\nwarning: a warning\\x1b\n');
  expect(said('json', false)).toBe('warning: a warning\\x1b\n');
  expect(said('table', true)).toBe('');
});

it('notes stand before the data that follow, in a terminal', async () => {
  const stdout = memorySink(true);
  // As a terminal's stream: what is written to it waits for what was written before.
  let last = Promise.resolve();
  const write = (text: string | Uint8Array) => {
    last = last.then(() => stdout.write(text));
    return last;
  };
  const { output } = capture('table', { stdout, stderr: { isTTY: true, write } });
  for (const note of ['a', 'b', 'c']) output.note(note);
  await output.text('data');
  expect(stdout.writes.join('')).toBe('a\nb\nc\ndata\n');
});

it('stops fetching when the reader has gone', async () => {
  const closed = { ...memorySink(), write: () => Promise.reject(new OutputClosed(undefined)) };
  const { output } = capture('ndjson', { stdout: closed });
  let fetched = 0;
  const pages = async function* () {
    for (;;) {
      fetched += 1;
      yield { rows: [{ id: 1 }], total: undefined };
    }
  };
  await expect(output.list(pages(), MEMBERS)).rejects.toBeInstanceOf(OutputClosed);
  expect(fetched).toBe(1);
});

const SHEETS: ListView = {
  noun: 'timesheets',
  columns: [
    { field: 'id' },
    { field: 'user_id', title: 'member', load: async () => {}, show: (row) => `Ann ${row.user_id}` },
    { field: 'total_hours', title: 'hours', kind: 'hours' },
    { field: 'length', derived: true, show: ({ end, start }) => Number(end) - Number(start) },
  ],
};
const WEEKS = [
  { id: 'a', user_id: 7, status: 'open', total_hours: 0.1, total: { days: 1 }, start: 1, end: 3 },
  { id: 'b', user_id: 8, status: 'open', total_hours: 0.2, total: { days: 2 }, start: 1, end: 2 },
  { id: 'c', user_id: 7, status: null, total_hours: '1.05', total: null, start: 1, end: 5 },
];
const grouped = (
  format: string,
  by: readonly string[],
  sums: readonly string[] = [],
  rows: readonly Row[] = WEEKS,
) => printList(format, [rows.slice(0, 2), rows.slice(2)], { grouping: { by, sums } }, SHEETS);

it('groups have exact sums, of numbers and of texts', async () => {
  const sum = async (...values: readonly unknown[]) => {
    const rows = values.map((total_hours) => ({ status: 'open', total_hours }));
    const { stdout } = await grouped('json', ['status'], ['total_hours'], rows);
    return JSON.parse(stdout)[0].sum_total_hours;
  };
  expect(await sum('0.10', 1e-7, 1e5)).toBe(100000.1000001);
  expect(await sum(-0.5, '0.5')).toBe(0);
  expect(await sum(-1, 0.25)).toBe(-0.75);
  expect(await sum(...Array(3000).fill(0.1), 1_234_567_890.12)).toBe(1_234_568_190.12);
});

it.each([
  ['user_id', 'table', 'MEMBER  COUNT  HOURS\nAnn 7       2   1:09\nAnn 8       1   0:12\n'],
  ['status', 'csv', 'status,count,sum_total_hours\r\nopen,2,0.3\r\n,1,1.05\r\n'],
  [
    'status',
    'markdown',
    '| status | count | hours |\n| --- | ---: | ---: |\n| open | 2 | 0:18 |\n| (none) | 1 | 1:03 |\n',
  ],
  ['status', 'ids', 'open\n'],
])('groups by %s are counts and sums in %s', async (by, format, text) => {
  expect((await grouped(format, [by], ['total_hours'])).stdout).toBe(text);
});

it('groups are of any field: nested, derived, several at once, null where there is no value', async () => {
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
});

it('groups tell what could not be summed, also with JSON; an empty list is empty', async () => {
  const rows = [
    { status: 'open', total_hours: '2 days' },
    { status: 'open', total_hours: null },
  ];
  const { stdout, stderr } = await grouped('json', ['status'], ['total_hours'], rows);
  const warnings = ['2 of 2 rows have no number in total_hours'];
  expect(JSON.parse(stdout)).toEqual([{ status: 'open', count: 2, sum_total_hours: null, warnings }]);
  expect(stderr).toBe('warning: 2 of 2 rows have no number in total_hours: they are left out of its sum\n');
  expect((await grouped('json', ['status'], [], [])).stdout).toBe('[]\n');
  expect((await grouped('table', ['status'], [], [])).stderr).toBe('No timesheets found.\n');
});

it('groups keep every row and every cent', async () => {
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
      const { stdout } = await grouped('json', ['status'], ['total_hours'], rows);
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
