import { describe, expect, it } from 'vitest';
import { runInProcess } from '../support/in-process.ts';
import { envelope, type Recorded } from '../support/service.ts';
import { ask, openCli } from '../support/use-cli.ts';

/** What the flags of lists do to the requests, and to what comes back. */

const ROWS = Array.from({ length: 250 }, (_, i) => ({
  id: `t${i}`,
  user_id: 1,
  total_hours: i % 97,
  status: 'open',
}));

const pages = ({ line }: Recorded) => {
  const query = new URL(line.split(' ')[1] ?? '', 'http://x').searchParams;
  const [page, size] = [Number(query.get('page')), Number(query.get('per_page'))];
  const pagination = { total: 250, per_page: size, current_page: page, last_page: Math.ceil(250 / size) };
  const rows = query.get('status') === 'approved' ? [] : ROWS.slice((page - 1) * size, page * size);
  return { body: envelope(rows, { pagination }) };
};

describe('a list', () => {
  const list = async (flags: string) => {
    const { lines, ...ended } = await ask(`timesheets list ${flags}`, pages);
    return {
      ...ended,
      asked: lines.map((line) => line.replace(/.*[?&](page=\d+&per_page=\d+).*/, '$1')).sort(),
    };
  };

  it('that is sorted or grouped is read whole, and cut then', async () => {
    const all = [1, 2, 3].map((page) => `page=${page}&per_page=100`);
    const sorted = await list('--sort total_hours:desc --limit 3 -o ids');
    expect([sorted.stdout, sorted.asked]).toEqual(['t96\nt193\nt95\n', all]);
    expect(sorted.stderr).toContain('Showing 3 of 250.');
    const grouped = await list('--group-by member --limit 1 --json');
    expect(JSON.parse(grouped.stdout)).toEqual([{ member: '1', user_id: 1, count: 250 }]);
    // The members too, for their names.
    expect(grouped.asked).toEqual([...all, ...all].sort());
    expect(await list('--limit 3 -o ids')).toMatchObject({
      stdout: 't0\nt1\nt2\n',
      asked: ['page=1&per_page=3'],
    });
    const page = await list('--page 3 --sort id:desc --limit 1 -o ids');
    expect([page.stdout, page.asked]).toEqual(['t249\n', ['page=3&per_page=100']]);
  });

  it('has the documented fields in one order as CSV, with rows and without', async () => {
    const heading = async (flags: string) => (await list(`-o csv ${flags}`)).stdout.split('\r\n')[0];
    expect(await heading('')).toBe('id,user_id,total_hours,status');
    expect(await heading('--status approved')).toBe(
      'id,user_id,date_from,date_to,total_hours,submitted_on,reject_reason,status',
    );
  });

  it('takes a flag of several values several times, and a switch', async () => {
    const { stdout } = await list('--columns id --columns user_id -q --quiet --limit 1 -o csv');
    expect(stdout).toBe('id,user_id\r\nt0,1\r\n');
  });

  it('refuses a field of nothing with exit 2, and its name', async () => {
    const { exit, stdout, stderr } = await list('--columns id,total_huors --json');
    expect([exit, stdout]).toEqual([2, '']);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'unknown_field',
      hint: 'Did you mean total_hours?',
    });
  });
});

describe('a flag of one value', () => {
  const run = (...args: string[]) => runInProcess(['--profile', 'sandbox', ...args]);

  it.each([
    ['--status', ['leaves', 'list', '--status', 'pending', '--status', 'approved']],
    ['--output', ['-o', 'csv', 'leaves', 'list', '--output=json']],
    ['--limit', ['members', 'list', '--limit', '1', '--limit', '1']],
  ])('%s is refused when it comes twice', async (flag, args) => {
    const { exit, stdout, stderr } = await run(...args);
    expect([exit, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`${flag} was given more than once`);
  });

  it('leaves help alone', async () => {
    expect(await run('leaves', 'list', '--limit', '1', '--limit', '2', '--help')).toMatchObject({ exit: 0 });
  });
});

it('a weekly limit that no week reaches is sent, and remarked on once', async () => {
  const text = 'warning: a weekly limit of 500 hours has no effect: a week has 168';
  const update = (rest: string, stdin = '') =>
    ask(`members update ${rest} --dry-run --json`, () => ({ body: envelope(null) }), { stdin });
  const one = await update('103 --weekly-hours-limit 500');
  expect([one.exit, one.stderr.split(text).length]).toEqual([0, 2]);
  expect(one.stdout).toContain('"weekly_hours_limit": 500');
  const many = await update('--from-file -', 'id,weekly_hours_limit\n103,500\n104,500\n105,168\n');
  expect([many.exit, many.stderr.split(text).length]).toEqual([0, 2]);
  expect((await update('103 --weekly-hours-limit 168')).stderr).toBe('');
});

it.each([80, 40])('jobs list says in %i columns which run each was', async (width) => {
  const cli = await openCli({ service: () => ({ body: envelope(null) }) });
  const at = (line: string) => cli.run(line, { machine: { width } });
  expect((await at('timesheets approve t1 t2 --yes')).exit).toBe(0);
  const { stdout } = await at('jobs list');
  expect(stdout).toMatch(/COMMAND .*ID$/m);
  expect(stdout).toMatch(/^done .* timesheets ap/m);
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(width);
});
