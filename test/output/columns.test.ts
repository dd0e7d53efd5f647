import { expect, it } from 'vitest';
import type { ListPage, Row } from '../../src/api/page.ts';
import type { ListView } from '../../src/output/list-view.ts';
import type { OutputOptions } from '../../src/output/streams.ts';
import { ask } from '../support/use-cli.ts';
import { capture, pagesOf, printList } from './capture.ts';

/** Names of fields in `--columns`, `--sort`, `--group-by` and `--sum`, and what is printed of them. */

const SHEETS: ListView = {
  noun: 'timesheets',
  columns: [
    { field: 'id' },
    { field: 'user_id', title: 'member', show: (row) => `Ann ${row.user_id}` },
    { field: 'total_hours', title: 'hours', kind: 'hours' },
    ...[
      { field: 'total.days', title: 'days' },
      { field: 'approved_by', title: 'approved by' },
    ],
  ],
};
const documented = async () => ['id', 'user_id', 'total_hours', 'total', 'status', 'reason'];
const ROWS: readonly Row[] = [
  { status: 'open', id: 'a', user_id: 7, total_hours: 1, total: { days: 1 } },
  { status: 'open', id: 'b', user_id: 8, total_hours: 3, total: { days: 2 } },
  { status: 'left', id: 'c', user_id: 7, total_hours: 2, total: null, extra: 'x' },
];

const listed = async (format: string, options: Partial<OutputOptions>, pages = [ROWS]) =>
  (await printList(format, pages, { documented, ...options }, SHEETS)).stdout;

it('a name of a heading stands for its field, which the output is called by', async () => {
  expect(await listed('csv', { columns: ['member', 'Hours', 'days'] })).toMatch(
    /^user_id,total_hours,total.days\r\n7,1,1\r\n/,
  );
  expect(await listed('table', { columns: ['member'] })).toMatch(/^MEMBER\nAnn 7\n/);
  const sort = [{ field: 'hours', descending: true }];
  expect(await listed('ids', { sort })).toBe('b\nc\na\n');
  expect(await listed('csv', { columns: ['approved_by', 'approved-by'] })).toMatch(
    /^approved_by,approved_by\r\n/,
  );
});

it('a name of groups and sums may be a heading too, and so what sorts them', async () => {
  const grouping = { by: ['member'], sums: ['hours'] };
  for (const field of ['sum_hours', 'hours', 'sum_total_hours']) {
    const sort = [
      { field, descending: true },
      { field: 'member', descending: true },
    ];
    const text = await listed('csv', { grouping, sort, columns: ['member', field] });
    expect(text, field).toBe('user_id,sum_total_hours\r\n8,3\r\n7,3\r\n');
  }
});

it('a name of what is not documented holds the rows back', async () => {
  const seen: string[] = [];
  const { output, stdout } = capture('ndjson', { columns: ['id', 'extra'] });
  async function* pages(): AsyncGenerator<ListPage> {
    for (const row of [...ROWS, { id: 'd' }]) {
      seen.push(`${row['id']}${stdout().split('\n').length - 1}`);
      yield { rows: [row], total: undefined };
    }
  }
  await output.list(pages(), SHEETS);
  expect(seen).toEqual(['a0', 'b0', 'c0', 'd0']);
  expect(stdout().split('\n')[2]).toBe('{"id":"c","extra":"x"}');
});

it.each(['csv', 'ndjson', 'json', 'table'])(
  'a name of nothing ends before a byte is written: %s',
  async (format) => {
    const { output, stdout } = capture(format, { documented, columns: ['id', 'stauts', 'zzzzzzzz'] });
    const failure = await output.list(pagesOf([ROWS, ROWS]), SHEETS).catch((error) => error);
    expect(failure).toMatchObject({ code: 'unknown_field', exit: 2 });
    expect(failure.message).toBe('--columns: no record has "stauts"\n--columns: no record has "zzzzzzzz"');
    expect(failure.hint).toMatch(/^Did you mean status\? Known fields: id, user_id, .*status, reason\.$/);
    expect(stdout()).toBe('');
  },
);

it.each<[Partial<OutputOptions>, string]>([
  [{ sort: [{ field: 'zzz', descending: false }] }, '--sort: no record has "zzz"'],
  [{ grouping: { by: ['zzz'], sums: [] } }, '--group-by: no record has "zzz"'],
  [{ grouping: { by: ['id'], sums: ['zzz'] } }, '--sum: no record has "zzz"'],
  [{ columns: ['total.dayz'] }, 'no record has "total.dayz"'],
  // Documented, and still in no row.
  [{ grouping: { by: ['reason'], sums: [] } }, '--group-by: no record has "reason"'],
  [{ grouping: { by: ['id'], sums: ['reason'] } }, '--sum: no record has "reason"'],
  // The groups have other fields than the records.
  [{ grouping: { by: ['status'], sums: [] }, columns: ['user_id'] }, '--columns: no record has "user_id"'],
  [
    { grouping: { by: ['status'], sums: [] }, sort: [{ field: 'user_id', descending: false }] },
    '--sort: no record has "user_id"',
  ],
])('R7 a name of nothing is so in each option, and inside an object: %o', async (options, says) => {
  await expect(listed('csv', options)).rejects.toThrow(says);
});

it('a name of one record is judged where it was read; after a write it is only told', async () => {
  const read = capture('json', { documented, columns: ['stauts'], isRead: true });
  await expect(read.output.record({ ...ROWS[0] })).rejects.toMatchObject({ exit: 2 });
  const written = capture('json', { documented, columns: ['id', 'stauts'], isRead: false });
  await written.output.record({ ...ROWS[0] });
  expect(JSON.parse(written.stdout())).toEqual({ id: 'a', stauts: null });
  expect(written.stderr()).toContain('warning: --columns: no record has "stauts"');
});

it('the heading of a file has the documented fields in their order, then others; of an empty list all documented', async () => {
  const period = { field: 'period', derived: true as const, show: () => 'x' };
  const heading = async (pages: readonly (readonly Row[])[], known = documented) => {
    const view = { ...SHEETS, columns: [...SHEETS.columns, period] };
    return (await printList('csv', pages, { documented: known }, view)).stdout.split('\r\n')[0];
  };
  expect(await heading([ROWS])).toBe('id,user_id,total_hours,total,status,extra');
  expect(await heading([])).toBe('id,user_id,total_hours,total,status,reason');
  // A list that nothing is documented of.
  expect(await heading([], async () => [])).toBe('id,user_id,total_hours,total.days,approved_by');
});

const VIEW: ListView = {
  noun: 'things',
  columns: [
    ...[{ field: 'name' }, { field: 'status', drop: 1 }],
    { field: 'worked', title: 'hours', onRequest: true },
    ...[{ field: 'note', sparse: true as const }, { field: 'id' }],
  ],
};
const ANN = [{ id: 1, name: 'Ann', status: 'active', worked: 2, rate: 45 }];

const list = async (format: string, columns: readonly string[], options = {}) =>
  (await printList(format, [ANN], { columns, ...options }, VIEW)).stdout;

it('--columns with signs adds to the default columns, before the id, and leaves out', async () => {
  const changes = ['+rate', '-status'];
  expect(await list('table', changes)).toBe('NAME  RATE  ID\nAnn     45   1\n');
  expect(await list('markdown', changes)).toContain('| name | rate | id |');
});

it('--columns with signs starts from the columns that the format has without it: of the record, for programs', async () => {
  const changes = ['+hours', '-status', '+nothing.else'];
  const documented = async () => ['id', 'name', 'status', 'worked', 'nothing'];
  const { id, name, rate } = ANN[0] ?? {};
  const row = { id, name, worked: 2, 'nothing.else': null };
  for (const format of ['csv', 'tsv']) {
    const [heading = ''] = (await list(format, changes, { documented })).split(/\r?\n/);
    expect(heading.split(/[,\t]/)).toEqual(['id', 'name', 'worked', 'nothing.else', 'rate']);
    expect(await list(format, ['-rate'])).not.toContain('45');
  }
  expect(JSON.parse(await list('json', changes, { documented }))).toEqual([{ ...row, rate }]);
  expect(JSON.parse(await list('ndjson', changes, { documented }))).toEqual({ ...row, rate });
  expect(await list('ids', ['-id'])).toBe('1\n');
});

it.each([
  [['+rate', '-rate'], false],
  [['-rate', '+rate'], true],
  [['-status', '+rate', '-rate', '+status'], false],
])('--columns with signs: the last change of a column counts: %s', async (changes, isShown) => {
  expect((await list('table', changes)).includes('RATE')).toBe(isShown);
  const [row] = JSON.parse(await list('json', changes));
  expect(['rate' in row, 'status' in row]).toEqual([isShown, true]);
});

it('--columns with signs of an empty list has the heading that rows would have', async () => {
  const view = { ...VIEW, documented: async () => ['id', 'status', 'rate'] };
  const { stdout } = await printList('csv', [[]], { columns: ['+member.email', '-status'] }, view);
  expect(stdout).toBe('id,rate,member.email\r\n');
});

it('--columns with signs sorts by a column that is left out', async () => {
  const sort = [{ field: 'worked', descending: false }];
  const rows = [2, 1].map((worked, i) => ({ id: i + 1, worked }));
  const { stdout } = await printList('csv', [rows], { columns: ['-worked'], sort }, VIEW);
  expect(stdout).toBe('id\r\n2\r\n1\r\n');
});

it('--columns with signs drops columns on a narrow terminal as without it, but not the added ones', async () => {
  expect(await list('table', ['+rate'], { width: 16 })).toBe('NAME  RATE  ID\nAnn     45   1\n');
});

it('--columns with signs refuses a name of nothing', async () => {
  await expect(list('table', ['-nothing'])).rejects.toThrow('--columns: no record has "nothing"');
});

it('--columns with signs changes the fields of one record', async () => {
  const { output, stdout } = capture('json', { columns: ['+worked', '-status'] });
  await output.record(ANN[0] ?? {}, VIEW.columns);
  expect(JSON.parse(stdout())).toEqual({ id: 1, name: 'Ann', worked: 2, rate: 45 });
});

it.each(['', '--output csv', '-q'])(
  '--columns alone lists the columns, and sends nothing: %s',
  async (more) => {
    const { stdout, exit, lines } = await ask(`leaves list --columns ${more}`);
    expect({ exit, lines }).toEqual({ exit: 0, lines: [] });
    expect(stdout).toMatch(/^column,heading,default|^COLUMN +HEADING +DEFAULT/);
    expect(stdout).toMatch(/^user_id[, ]+member[, ]+(true|yes)/m);
    expect(stdout).toMatch(/^approved_by[, ]+approved by[, ]+(false|no)/m);
  },
);

it('--columns lists the fields of a record', async () => {
  const { stdout } = await ask('members get 17 --columns -o ids', { members: [{ ...ANN[0], id: 17 }] });
  expect(stdout.split('\n')).toContain('rate');
});

it('--columns has no use for an empty value, which a script may have by mistake', async () => {
  expect((await ask(`members list --columns ''`)).stderr).toContain('has an empty name');
});
