import { expect, it } from 'vitest';
import { leave, member } from '../support/records.ts';
import { ask } from '../support/use-cli.ts';
import { capture } from './capture.ts';

/** Names of fields in `--columns`, `--sort`, `--group-by` and `--sum`, and what is printed of them. */

const ROWS = [
  { status: 'open', id: 'a', user_id: 17, total_hours: 1, extra: 'x' },
  { status: 'open', id: 'b', user_id: 18, total_hours: 5 },
  { status: 'approved', id: 'c', user_id: 17, total_hours: 2 },
];
const service = { members: [member(17, 'Ana'), member(18, 'Bo')], timesheets: ROWS };

it.each([
  // A heading stands for its field, which the output is called by.
  ['--columns member,Hours -o csv', 'user_id,total_hours\r\n17,1\r\n18,5\r\n17,2\r\n'],
  ['--columns member', 'MEMBER\nAna Ek\nBo Ek\nAna Ek\n'],
  ['--sort hours:desc -o ids', 'b\nc\na\n'],
  [
    '--group-by member --sum hours --columns member,hours -o csv',
    'user_id,sum_total_hours\r\n17,3\r\n18,5\r\n',
  ],
  [
    '--group-by member --sum hours --sort sum_hours:desc -o csv',
    'member,user_id,count,sum_total_hours\r\nBo Ek,18,1,5\r\nAna Ek,17,2,3\r\n',
  ],
  ['--group-by member --sum hours --sort hours:desc --limit 1 -o ids', '18\n'],
  // Groups are counts and sums, also of where there is no value.
  ['--group-by member --sum hours', 'MEMBER  COUNT  HOURS\nAna Ek      2   3:00\nBo Ek       1   5:00\n'],
  ['--group-by extra --sum hours -o csv', 'extra,count,sum_total_hours\r\n,2,7\r\nx,1,1\r\n'],
  [
    '--group-by extra --sum hours -o markdown',
    '| extra | count | hours |\n| --- | ---: | ---: |\n| (none) | 2 | 7:00 |\n| x | 1 | 1:00 |\n',
  ],
  ['--group-by extra -o ids', 'x\n'],
  [
    '--group-by status,member -o csv',
    'member,status,user_id,count\r\nAna Ek,approved,17,1\r\nAna Ek,open,17,1\r\nBo Ek,open,18,1\r\n',
  ],
  // The documented fields in their order, then others; of an empty list all that are documented.
  ['-o csv', 'id,user_id,total_hours,status,extra\r\na,17,1,open,x\r\nb,18,5,open,\r\nc,17,2,approved,\r\n'],
  [
    '-o csv --status rejected',
    'id,user_id,date_from,date_to,total_hours,submitted_on,reject_reason,status\r\n',
  ],
  // Signs add to the columns that the format has without them, before the id, or leave out.
  [
    '--columns +extra,-status --limit 1',
    'MEMBER  PERIOD  HOURS  SUBMITTED  EXTRA  ID\nAna Ek  -        1:00  -          x      a\n',
  ],
  [
    '--columns +extra,-extra --limit 1',
    'MEMBER  PERIOD  HOURS  STATUS  SUBMITTED  ID\nAna Ek  -        1:00  open    -          a\n',
  ],
  ['--columns=-extra,+extra -o csv --limit 1', 'id,user_id,total_hours,status,extra\r\na,17,1,open,x\r\n'],
  [
    '--columns=-status,+member.email -o tsv --limit 1',
    'id\tuser_id\ttotal_hours\tmember.email\textra\na\t17\t1\tana@example.com\tx\n',
  ],
  ['--columns=-status,+extra -o ndjson --limit 1', '{"id":"a","user_id":17,"total_hours":1,"extra":"x"}\n'],
  [
    '--columns +member.email,-reject_reason -o csv --status rejected',
    'id,user_id,date_from,date_to,total_hours,submitted_on,status,member.email\r\n',
  ],
  ['--columns=-total_hours,-status,-extra --sort hours -o csv', 'id,user_id\r\na,17\r\nc,17\r\nb,18\r\n'],
  ['--columns=-id -o ids', 'a\nb\nc\n'],
])('timesheets list %s', async (flags, text) => {
  const { stdout, stderr, exit } = await ask(`timesheets list ${flags}`, service);
  expect([exit, stdout], stderr).toEqual([0, text]);
});

it('groups of a nested field are named by its path', async () => {
  const leaves = [leave('l1', 17, 2), leave('l2', 17, 2), leave('l3', 17, 1)];
  const { stdout } = await ask('leaves list --group-by total.days -o csv', { leaves });
  expect(stdout).toBe('total.days,count\r\n2,2\r\n1,1\r\n');
});

it('--columns drops columns on a narrow terminal as without it, but not the added ones', async () => {
  const { stdout } = await ask('timesheets list --columns +extra --limit 1', service, {
    machine: { width: 26 },
  });
  expect(stdout).toBe('MEMBER  PERIOD  EXTRA  ID\nAna Ek  -       x      a\n');
});

it.each([
  ['--sort zzz', '--sort: no record has "zzz"'],
  ['--group-by zzz', '--group-by: no record has "zzz"'],
  ['--group-by id --sum zzz', '--sum: no record has "zzz"'],
  ['--columns total.dayz', '--columns: no record has "total.dayz"'],
  ['--columns=-nothing', '--columns: no record has "nothing"'],
  // Documented, and still in no row.
  ['--group-by reject_reason', '--group-by: no record has "reject_reason"'],
  ['--group-by id --sum submitted_on', '--sum: no record has "submitted_on"'],
  // The groups have other fields than the records.
  ['--group-by status --columns user_id', '--columns: no record has "user_id"'],
  ['--group-by status --sort user_id', '--sort: no record has "user_id"'],
  [
    '--columns id,stauts,zzz',
    '--columns: no record has "stauts"\n  --columns: no record has "zzz"\nhint: Did you mean status?',
  ],
  ['--columns stauts -o csv', 'no record has "stauts"'],
  ['--columns stauts -o json', 'no record has \\"stauts'],
  ['--columns stauts -o ndjson', 'no record has \\"stauts'],
  [`--columns ''`, 'has an empty name'],
])('R7 a name of nothing ends the list before a byte is written: %s', async (flags, says) => {
  const { stdout, stderr, exit } = await ask(`timesheets list ${flags}`, service);
  expect([exit, stdout, stderr]).toEqual([2, '', expect.stringContaining(says)]);
});

it('a name that is not documented holds the rows back', async () => {
  const seen: string[] = [];
  const { output, stdout } = capture('ndjson', { columns: ['id', 'extra'] });
  const pages = async function* () {
    for (const row of [{ id: 'a' }, { id: 'b', extra: 'x' }, { id: 'c' }]) {
      seen.push(`${row.id}${stdout().split('\n').length - 1}`);
      yield { rows: [row], total: undefined };
    }
  };
  await output.list(pages(), { noun: 'timesheets', columns: [{ field: 'id' }] });
  expect(seen).toEqual(['a0', 'b0', 'c0']);
  expect(stdout().split('\n')[1]).toBe('{"id":"b","extra":"x"}');
});

it('--columns of one record is judged where it was read; after a write it is only told', async () => {
  const read = capture('json', { columns: ['stauts'], isRead: true });
  await expect(read.output.record({ id: 'a' })).rejects.toMatchObject({ exit: 2 });
  const written = capture('json', { columns: ['id', 'stauts'], isRead: false });
  await written.output.record({ id: 'a' });
  expect(JSON.parse(written.stdout())).toEqual({ id: 'a', stauts: null });
  expect(written.stderr()).toContain('warning: --columns: no record has "stauts"');
});

it.each([
  ['members get 17 --columns +rate,-status -o csv', /^(?=.*\brate\b)(?!.*\bstatus\b).*\r\n/],
  ['members get 17 --columns -o ids', /^current_role$/m],
  [
    'leaves list --columns',
    /^COLUMN +HEADING +DEFAULT\n[\s\S]*^user_id +member +yes\n[\s\S]*^approved_by +approved by +no\n/m,
  ],
  ['leaves list --columns -o csv', /^column,heading,default\r\n[\s\S]*^user_id,member,true\r\n/m],
])('%s changes or lists the columns', async (line, shown) => {
  const { stdout, stderr, exit, lines } = await ask(line, { members: [member(17, 'Ana', { rate: 5 })] });
  expect([exit, stdout], stderr).toEqual([0, expect.stringMatching(shown)]);
  if (line.startsWith('leaves')) expect(lines).toEqual([]);
});
