import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../support/in-process.ts';
import { envelope, type Recorder, serviceEnv, startRecorder } from '../support/recorder.ts';

/** What the flags of lists do to the requests, and to what comes back. */

const ROWS = Array.from({ length: 250 }, (_, i) => ({
  id: `t${i}`,
  user_id: 1,
  total_hours: i % 97,
  status: 'open',
}));

describe('a list', () => {
  let recorder: Recorder;
  beforeAll(async () => {
    recorder = await startRecorder(({ line }) => {
      const query = new URL(line.split(' ')[1] ?? '', 'http://x').searchParams;
      const [page, size] = [Number(query.get('page')), Number(query.get('per_page'))];
      const pagination = { total: 250, per_page: size, current_page: page, last_page: Math.ceil(250 / size) };
      const rows = query.get('status') === 'approved' ? [] : ROWS.slice((page - 1) * size, page * size);
      return { body: envelope(rows, { pagination }) };
    });
  });
  afterAll(() => recorder.close());
  const run = (...args: string[]) => runInProcess(args, { env: serviceEnv(recorder) });
  const sent = async (...args: string[]) => {
    const before = recorder.requests.length;
    const outcome = await run(...args);
    const asked = recorder.requests
      .slice(before)
      .map(({ line }) => line.replace(/.*[?&](page=\d+&per_page=\d+).*/, '$1'));
    return { ...outcome, asked: asked.sort() };
  };

  it('that is sorted or grouped is read whole, and cut then', async () => {
    const all = ['page=1&per_page=100', 'page=2&per_page=100', 'page=3&per_page=100'];
    const sorted = await sent(
      'timesheets',
      'list',
      '--sort',
      'total_hours:desc',
      '--limit',
      '3',
      '-o',
      'ids',
    );
    expect(sorted.stdout).toBe('t96\nt193\nt95\n');
    expect(sorted.stderr).toContain('Showing 3 of 250.');
    expect(sorted.asked).toEqual(all);
    const grouped = await sent('timesheets', 'list', '--group-by', 'member', '--limit', '1', '--json');
    expect(JSON.parse(grouped.stdout)).toEqual([{ member: '1', user_id: 1, count: 250 }]);
    // The members too, for their names.
    expect(grouped.asked.toSorted()).toEqual([...all, ...all].toSorted());
    const plain = await sent('timesheets', 'list', '--limit', '3', '-o', 'ids');
    expect([plain.stdout, plain.asked]).toEqual(['t0\nt1\nt2\n', ['page=1&per_page=3']]);
    const page = await sent(
      'timesheets',
      'list',
      '--page',
      '3',
      '--sort',
      'id:desc',
      '--limit',
      '1',
      '-o',
      'ids',
    );
    expect([page.stdout, page.asked]).toEqual(['t249\n', ['page=3&per_page=100']]);
  });

  it('has the documented fields in one order as CSV, with rows and without', async () => {
    const heading = async (...args: string[]) =>
      (await run('timesheets', 'list', '-o', 'csv', ...args)).stdout.split('\r\n')[0];
    expect(await heading()).toBe('id,user_id,total_hours,status');
    expect(await heading('--status', 'approved')).toBe(
      'id,user_id,date_from,date_to,total_hours,submitted_on,reject_reason,status',
    );
  });

  it('takes a flag of several values several times, and a switch', async () => {
    const { stdout } = await run(
      'timesheets',
      'list',
      '--columns',
      'id',
      '--columns',
      'user_id',
      '-q',
      '--quiet',
      '--limit',
      '1',
      '-o',
      'csv',
    );
    expect(stdout).toBe('id,user_id\r\nt0,1\r\n');
  });

  it('refuses a field of nothing with exit 2, and its name', async () => {
    const { exit, stdout, stderr } = await run('timesheets', 'list', '--columns', 'id,total_huors', '--json');
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
    // The words are wrong besides: all is told.
    ['--status', ['leaves', 'list', '--status', 'pending', '--nope', '--status', 'approved']],
  ])('%s is refused when it comes twice', async (flag, args) => {
    const { exit, stdout, stderr } = await run(...args);
    expect([exit, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`${flag} was given more than once`);
  });

  it('leaves help alone', async () => {
    expect(await run('leaves', 'list', '--limit', '1', '--limit', '2', '--help')).toMatchObject({ exit: 0 });
  });
});

describe('a weekly limit that no week reaches', () => {
  let recorder: Recorder;
  beforeAll(async () => {
    recorder = await startRecorder(() => ({ body: envelope(null) }));
  });
  afterAll(() => recorder.close());
  const run = (args: readonly string[], stdin = '') =>
    runInProcess([...args, '--dry-run', '--json'], { env: serviceEnv(recorder), stdin });
  const text = 'warning: a weekly limit of 500 hours has no effect: a week has 168';

  it('is sent, and remarked on once', async () => {
    const one = await run(['members', 'update', '103', '--weekly-hours-limit', '500']);
    expect([one.exit, one.stderr.split(text).length]).toEqual([0, 2]);
    expect(one.stdout).toContain('"weekly_hours_limit": 500');
    const file = 'id,weekly_hours_limit\n103,500\n104,500\n105,168\n';
    const many = await run(['members', 'update', '--from-file', '-'], file);
    expect([many.exit, many.stderr.split(text).length]).toEqual([0, 2]);
    expect((await run(['members', 'update', '103', '--weekly-hours-limit', '168'])).stderr).toBe('');
  });
});

describe('jobs list', () => {
  let recorder: Recorder;
  beforeAll(async () => {
    recorder = await startRecorder(() => ({ body: envelope(null) }));
  });
  afterAll(() => recorder.close());

  it.each([80, 40])('says in %i columns which run each was', async (width) => {
    const env = serviceEnv(recorder);
    const run = (...args: string[]) => runInProcess(args, { env, machine: { width } });
    expect((await run('timesheets', 'approve', 't1', 't2', '--yes')).exit).toBe(0);
    const { stdout } = await run('jobs', 'list');
    expect(stdout).toMatch(/COMMAND .*ID$/m);
    expect(stdout).toMatch(/^done .* timesheets ap/m);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(width);
  });
});
