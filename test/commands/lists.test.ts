import { describe, expect, it } from 'vitest';
import { runInProcess } from '../support/in-process.ts';
import { envelope, onePage, type Recorded } from '../support/service.ts';
import { leaves } from '../support/tree.ts';
import { ask, openCli, useCli } from '../support/use-cli.ts';

/** What the flags of lists do to the requests, and to what comes back. */

const tree = await leaves();

describe('pages', () => {
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
      expect(await run('leaves', 'list', '--limit', '1', '--limit', '2', '--help')).toMatchObject({
        exit: 0,
      });
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
});

describe('groups', () => {
  /** `--group-by` and `--sum` on the command line. */

  const OTHERS = new Set(['list', 'inbox', 'received', 'deliveries']);
  const lists = tree.filter(({ command }) => {
    const { operation } = command;
    return operation === undefined ? OTHERS.has(command.name) : operation.returns === 'list';
  });

  describe('--group-by', () => {
    const at = (end: string) => ({
      user_id: 17,
      start: '2026-11-20T09:00:00Z',
      end: `2026-11-20T${end}:00Z`,
    });
    const ROWS = [
      { id: 't1', total_hours: 0.1, status: 'open', ...at('10:30') },
      { id: 't2', total_hours: 0.2, status: 'open', ...at('10:00') },
    ];
    const ANA = { id: 17, firstname: 'Ana', lastname: 'Sousa' };
    const { run, lines } = useCli({
      service: ({ line }) => ({
        body: onePage(line.startsWith('GET /members') ? [ANA] : ROWS),
      }),
    });

    it('is a flag of every list', () => {
      expect(lists.length).toBeGreaterThan(15);
      const without = lists.filter(({ command }) => !command.flags.some(({ name }) => name === 'group-by'));
      expect(without.map(({ path }) => path)).toEqual([]);
    });

    it('R7 has the names of ids beside them', async () => {
      const line = 'timesheets list --group-by user_id --sum total_hours';
      expect((await run(line)).stdout).toMatch(/\nAna Sousa +2 +0:18\n/);
      expect(JSON.parse((await run(`${line} --json`)).stdout)).toEqual([
        { member: 'Ana Sousa', user_id: 17, count: 2, sum_total_hours: 0.3 },
      ]);
    });

    it('takes what a list shows beside the fields of its records', async () => {
      const { stdout } = await run('time-requests list --group-by=user_id --sum=hours --json');
      expect(JSON.parse(stdout)).toEqual([{ member: 'Ana Sousa', user_id: 17, count: 2, sum_hours: 2.5 }]);
    });

    it('R7 shows a key that was joined where --columns names it', async () => {
      const groups = '--group-by member.name --sum total_hours --columns member.name,sum_total_hours';
      const { stdout } = await run(`timesheets list ${groups} -o csv`);
      expect(stdout).toBe('member.name,sum_total_hours\r\nAna Sousa,0.3\r\n');
    });

    it.each([
      ['--sum total_hours', '--sum needs --group-by'],
      ['--group-by status --sum a,a', 'would be named sum_a'],
      ['--group-by count', 'would be named count'],
      ['--group-by a,', '--group-by has an empty name'],
    ])('refuses %s before any request', async (flags, text) => {
      const { exit, stderr } = await run(`timesheets list ${flags}`);
      expect([exit, stderr, lines()]).toEqual([2, expect.stringContaining(text), []]);
    });

    it('is no flag of what is no list', async () => {
      expect(await run('members get 17 --group-by status')).toMatchObject({ exit: 2 });
    });
  });
});

describe('period-by', () => {
  /** `timesheets list --period-by`: weeks that cross the edge of a month (R8). */

  const sheet = (id: string, date_from: string, date_to: string) => ({
    id,
    user_id: 17,
    status: 'approved',
    total_hours: 40,
    date_from,
    date_to,
  });
  const SHEETS = [
    sheet('sep', '2026-09-28', '2026-10-04'),
    sheet('oct', '2026-10-05', '2026-10-11'),
    sheet('nov', '2026-10-26', '2026-11-01'),
  ];
  const ANA = { id: 17, firstname: 'Ana', lastname: 'Sousa' };
  const { run } = useCli({
    service: ({ line }) => ({
      body: onePage(line.startsWith('GET /members') ? [ANA] : SHEETS),
    }),
  });

  it.each([
    ['', ['sep', 'oct', 'nov']],
    ['--period-by overlap', ['sep', 'oct', 'nov']],
    ['--period-by start', ['oct', 'nov']],
    ['--period-by end', ['sep', 'oct']],
    ['--period-by end --limit 1', ['sep']],
  ])('R8 timesheets list --period 2026-10 %s', async (flags, ids) => {
    const { stdout } = await run(`timesheets list --period 2026-10 ${flags} -o ids`);
    expect(stdout.trim().split('\n')).toEqual(ids);
  });

  it('R8 says which timesheets reach beyond the days, to programs too where hours are added up', async () => {
    const told = '2 timesheets reach beyond these days, with 80:00 hours in all';
    expect((await run('timesheets list --period 2026-10')).stderr).toContain(told);
    expect((await run('timesheets list --period 2026-10 --json')).stderr).toBe('');
    const sum = 'timesheets list --period 2026-10 --group-by user_id --sum total_hours --json';
    expect((await run(sum)).stderr).toContain(`warning: ${told}`);
    expect((await run(`${sum} --period-by end`)).stderr).toBe('');
  });

  it('R8 is refused without days, and for another word', async () => {
    expect((await run('timesheets list --period-by end')).exit).toBe(2);
    expect((await run('timesheets list --period 2026-10 --period-by middle')).exit).toBe(2);
  });
});
