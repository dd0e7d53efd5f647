import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import type { Row } from '../../src/api/page.ts';
import { OutputClosed } from '../../src/errors.ts';
import { compileQuery } from '../../src/query/run.ts';
import { capture, MEMBERS, memorySink, printList } from './capture.ts';

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
])('the answer of --query as %s: %s', async (format, query, text) => {
  const { stdout } = await printList(format, [ROWS], { query: await compileQuery(query) });
  expect(stdout).toBe(text);
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

/** In groups by their status, with their hours. */
const grouped = async (rows: readonly Row[], format = 'json') => {
  const grouping = { by: ['status'], sums: ['total_hours'] };
  return printList(
    format,
    [rows.slice(0, 2), rows.slice(2)],
    { grouping },
    { noun: 'timesheets', columns: [] },
  );
};

it('groups have exact sums, of numbers and of texts', async () => {
  const sum = async (...values: readonly unknown[]) => {
    const rows = values.map((total_hours) => ({ status: 'open', total_hours }));
    const { stdout } = await grouped(rows);
    return JSON.parse(stdout)[0].sum_total_hours;
  };
  expect(await sum('0.10', 1e-7, 1e5)).toBe(100000.1000001);
  expect(await sum(-0.5, '0.5')).toBe(0);
  expect(await sum(-1, 0.25)).toBe(-0.75);
  expect(await sum(...Array(3000).fill(0.1), 1_234_567_890.12)).toBe(1_234_568_190.12);
});

it('groups tell what could not be summed, also with JSON; an empty list is empty', async () => {
  const rows = ['2 days', null].map((total_hours) => ({ status: 'open', total_hours }));
  const { stdout, stderr } = await grouped(rows);
  const warnings = ['2 of 2 rows have no number in total_hours'];
  expect(JSON.parse(stdout)).toEqual([{ status: 'open', count: 2, sum_total_hours: null, warnings }]);
  expect(stderr).toBe('warning: 2 of 2 rows have no number in total_hours: they are left out of its sum\n');
  expect((await grouped([])).stdout).toBe('[]\n');
  expect((await grouped([], 'table')).stderr).toBe('No timesheets found.\n');
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
      const { stdout } = await grouped(rows);
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
