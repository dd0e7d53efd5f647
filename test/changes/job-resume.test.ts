import { readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { Cancelled, EXIT } from '../../src/errors.ts';
import { quickClock } from '../support/clocks.ts';
import type { Outcome } from '../support/in-process.ts';
import { runFiles } from '../support/runs.ts';
import { type Answer, envelope, onePage } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';

/** Jobs: what is left after a run that did not come to its end, and how it is gone on with. */

const IDS = Array.from({ length: 40 }, (_, n) => `t${n}`);

/** What becomes of the nth write (from 0); nothing: it is done. */
let fault: (n: number, id: string) => Answer | undefined;
/** Those that are approved, and those for which that was asked. */
let approved: Set<string>;
let writes: string[];
/** What every read answers; nothing: what is there. */
let read: Answer | undefined;
const t = useCli({
  env: { TTCTL_TIMEOUT: '50' },
  clock: quickClock,
  service({ line }) {
    const [, id] = /^PUT \/timesheets\/(\w+)\/(?:approve|reject)/.exec(line) ?? [];
    if (id !== undefined) {
      writes.push(id);
      const answer = fault(writes.length - 1, id);
      if (answer === undefined) approved.add(id);
      return answer ?? { body: envelope(null) };
    }
    if (read !== undefined) return read;
    const wanted = new URL(line.slice(4), 'http://h').searchParams.get('id');
    const status = (sheet: string) => (approved.has(sheet) ? 'approved' : 'submitted');
    const rows = IDS.filter((sheet) => wanted === null || sheet === wanted);
    return { body: onePage(rows.map((sheet) => ({ id: sheet, status: status(sheet) }))) };
  },
});
/** The service is well, and nothing has been asked of it. */
const heal = () => {
  [writes, read] = [[], undefined];
  fault = () => undefined;
};
beforeEach(() => {
  heal();
  approved = new Set();
});

const refusal = (status: number, message: string): Answer => ({
  status,
  body: { success: false, message, error: null, meta: {} },
});
const [signedOut, refused] = [refusal(401, 'Unauthenticated.'), refusal(400, 'not submitted')];
const approve = (flags = '', env = {}) =>
  t.run(`timesheets approve - --yes --json ${flags}`, { env, stdin: IDS.join('\n') });
/** The sign-in ends at the eleventh write. */
const beSignedOut = async () => {
  fault = (n) => (n >= 10 ? signedOut : undefined);
  const ended = await approve();
  heal();
  return ended;
};
/** What is on record of the one job. */
const job = async () => (await t.json('jobs list'))[0];
const resume = async (flags = '--json', env = {}) =>
  t.run(`jobs resume ${(await job()).id} ${flags}`, { env });
const errorOf = ({ stderr }: Outcome) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;
const statuses = ({ stdout }: Outcome): string[] =>
  JSON.parse(stdout).map(({ status }: { status: string }) => status);

describe('a run that comes to its end', () => {
  it('is on record, with what became of every row; going on with it does nothing', async () => {
    expect((await approve()).exit).toBe(0);
    expect(await job()).toMatchObject({
      ...{ command: 'timesheets approve - --yes --json', state: 'done', failed_file: null },
      ...{ done: 40, failed: 0, unknown: 0, left: 0 },
    });
    const shown = await t.read(`jobs show ${(await job()).id} -o csv --columns target,status`);
    expect(shown.split('\r\n').slice(0, 3)).toEqual(['target,status', 't0,done', 't1,done']);
    const steps = readFileSync(runFiles(t.state)[0] ?? '', 'utf8').match(/"step":"done",.*"status":200,/g);
    expect(steps).toHaveLength(40);
    expect(await resume()).toMatchObject({ exit: 0, stdout: '[]\n', stderr: '' });
    expect(writes).toHaveLength(40);
  });

  it('of one row is no job, nor is a dry run', async () => {
    await t.read('timesheets approve t1 --yes');
    await approve('--dry-run');
    expect(await t.rows('jobs list')).toEqual([]);
  });
});

describe('jobs show', () => {
  it.each<[string, (n: number) => Answer | undefined, string]>([
    ['a refusal', (n) => (n === 3 ? refused : undefined), 'failed'],
    ['the end of the sign-in', (n) => (n >= 10 ? signedOut : undefined), 'skipped'],
    ['a service that is down', (n) => (n >= 4 ? refusal(503, 'Down.') : undefined), 'unknown'],
  ])('says of every row what the run said: after %s', async (_name, answer, status) => {
    fault = answer;
    const told = async (line: string) => {
      const rows = await t.json(line);
      return rows.map((row: Record<string, unknown>, n: number) => [
        ...[row['target'], row['status']],
        // The second is the first once more.
        n === 1 && row['message'],
      ]);
    };
    const ended = await told(`timesheets approve t0 ${IDS.join(' ')} --yes --max-wait 0`);
    expect(await told(`jobs show ${(await job()).id}`)).toEqual(ended);
    expect(ended[1]).toEqual(['t0', 'skipped', 'named twice; sent once']);
    expect(ended.slice(2)).toContainEqual([expect.any(String), status, false]);
  });

  it('says why a row was refused, though going on will send it', async () => {
    fault = (n) => (n === 1 ? signedOut : undefined);
    await t.run('timesheets approve t0 t1 --yes');
    const { id } = await job();
    const [, row] = await t.rows(`jobs show ${id}`);
    expect(row).toMatchObject({ target: 't1', status: 'failed', message: 'Unauthenticated.' });
    const { stderr } = await t.run(`jobs show ${id}`);
    expect(stderr).toContain('rows       1 done, 1 failed\n');
    heal();
    await resume();
    const done = { status: 'done', message: null };
    expect(await t.rows(`jobs show ${id}`)).toMatchObject([done, done]);
  });
});

it('a login that ends in the middle loses nothing and repeats nothing', async () => {
  fault = (n) => (n >= 10 ? signedOut : undefined);
  const ended = await approve();
  const { id, ...counts } = await job();
  expect(counts).toMatchObject({ state: 'interrupted', done: 10, failed: 1, unknown: 0, left: 29 });
  expect(ended.exit).toBe(8);
  expect(errorOf(ended)).toMatchObject({
    ...{ code: 'partial', job: id, hint: expect.stringContaining(`ttctl jobs resume ${id}`) },
  });
  expect(statuses(ended).sort()).toEqual([...Array(10).fill('done'), 'failed', ...Array(29).fill('skipped')]);
  // What was on its way came back with 401; what was not was never begun.
  expect(writes.length).toBeLessThan(IDS.length + 10);
  const left = IDS.filter((sheet) => !approved.has(sheet));
  heal();
  expect((await resume()).exit).toBe(0);
  expect([...writes].sort()).toEqual(left.sort());
  expect(await job()).toMatchObject({ state: 'done', done: 40 });
});

it('a service that is down is not stormed: the rest is left', async () => {
  t.env['TTCTL_BASE_URL'] = 'http://127.0.0.1:9/api/v2';
  expect((await approve('--max-wait 0')).exit).toBe(7);
  const { failed, left } = await job();
  expect(failed + left).toBe(40);
  expect(failed).toBeLessThan(40);
});

it('rows that failed are in a file that is corrected and fed back; a job is not gone on with for them', async () => {
  fault = (_n, id) => (id === 't3' || id === 't7' ? refusal(400, '=not submitted, "t"') : undefined);
  const ended = await approve();
  const { failed_file: file, state } = await job();
  expect([ended.exit, errorOf(ended).failed_file, state]).toEqual([8, file, 'failed']);
  expect(readFileSync(file, 'utf8')).toBe(
    'id,error\r\nt3,"\'=not submitted, ""t"""\r\nt7,"\'=not submitted, ""t"""\r\n',
  );
  heal();
  const again = await resume();
  expect([again.exit, errorOf(again)]).toMatchObject([8, { code: 'partial', failed_file: file }]);
  expect(writes).toEqual([]);
  await t.read(`timesheets approve --from-file ${file} --yes`);
  expect([...writes].sort()).toEqual(['t3', 't7']);
});

it('rows of unknown outcome stay open where the sign-in ends while they are looked up', async () => {
  fault = (_n, id) => {
    if (id !== 't3' && id !== 't7') return undefined;
    read = { cut: true };
    return { cut: true };
  };
  await approve();
  heal();
  read = signedOut;
  const further = await resume();
  expect([further.exit, statuses(further), writes]).toEqual([3, ['skipped', 'skipped'], []]);
  expect(await job()).toMatchObject({ state: 'unknown', done: 38, failed: 0, unknown: 2, left: 0 });
  heal();
  expect((await resume()).exit).toBe(0);
  expect([...writes].sort()).toEqual(['t3', 't7']);
});

describe('going on answers for the whole job', () => {
  /** The fourth is refused; at the eleventh write the login ends. */
  const beStopped = async () => {
    fault = (n, id) => (id === 't3' ? refused : n >= 10 ? signedOut : undefined);
    await approve();
    heal();
  };

  it('a row that failed before counts, and the file of failed rows is named: in JSON and in words', async () => {
    await beStopped();
    expect(await job()).toMatchObject({ failed: 2, state: 'interrupted' });
    const ended = await resume();
    const { id, failed_file: file, failed, done } = await job();
    expect([ended.exit, failed, done]).toEqual([8, 1, 39]);
    const message = '1 of 40 timesheets not approved';
    expect(errorOf(ended)).toMatchObject({ code: 'partial', message, failed_file: file, job: id });
    expect(statuses(ended)).not.toContain('failed');
    // Nothing is left, and it is told the same, as often as it is asked.
    for (const flags of ['--quiet', '-o ids', '-o csv', '']) {
      const { exit, stderr } = await resume(flags);
      expect([exit, stderr]).toEqual([8, expect.stringContaining(file)]);
      expect(stderr).toContain(message);
    }
    expect(writes).not.toContain('t3');
  });

  it('one that fails now and one that failed before are told together', async () => {
    await beStopped();
    fault = (_n, id) => (id === 't20' ? refused : undefined);
    expect(errorOf(await resume()).message).toBe('2 of 40 timesheets not approved');
    expect(readFileSync((await job()).failed_file, 'utf8')).toBe(
      'id,error\r\nt3,not submitted\r\nt20,not submitted\r\n',
    );
  });

  it('what is unknown beside what failed is looked up, and the failed stay failed', async () => {
    fault = (_n, id) => {
      if (id !== 't4') return id === 't3' ? refused : undefined;
      approved.add(id);
      read = { cut: true };
      return { cut: true };
    };
    await approve();
    expect(await job()).toMatchObject({ failed: 1, unknown: 1, done: 38 });
    heal();
    const ended = await resume();
    expect([ended.exit, statuses(ended)]).toEqual([8, ['done']]);
    expect(errorOf(ended).message).toBe('1 of 40 timesheets not approved');
  });

  it('rows that all failed alike end it with their own code', async () => {
    fault = () => refused;
    const first = await t.run('timesheets approve t1 t2 --yes --json');
    const ended = await resume();
    expect([first.exit, ended.exit, errorOf(ended).code]).toEqual([6, 6, 'refused']);
  });

  it('a file of failed rows that was corrected meanwhile stays as it is', async () => {
    fault = (_n, id) => (id === 't3' ? refused : undefined);
    await approve();
    const { failed_file: file } = await job();
    writeFileSync(file, 'id\nt5\n');
    await resume();
    expect(readFileSync(file, 'utf8')).toBe('id\nt5\n');
  });

  it('an interrupt tells of all rows too', async () => {
    await beStopped();
    const stop = new AbortController();
    fault = () => void stop.abort(new Cancelled('interrupted', EXIT.interrupted));
    const { id } = await job();
    const ended = await t.run(`jobs resume ${id} --json`, { interrupted: stop.signal });
    const { done, left } = await job();
    const message = `interrupted: ${done} approved, 1 failed, ${left} not sent`;
    expect([ended.exit, errorOf(ended).message]).toEqual([130, message]);
  });
});

describe('at a terminal', () => {
  beforeEach(beSignedOut);
  const goOn = async (key: string, flags = '', env = {}) =>
    t.sit(`jobs resume ${(await job()).id} ${flags}`, () => `${key}\r`, { env });

  it('going on asks, and shows what is left, which run it was, and how long it takes', async () => {
    const { screen, exit } = await goOn('n', '', { TTCTL_RATE_LIMIT: '10/60,5/1' });
    expect(screen).toContain('Approve 30 timesheets? (y/N)');
    expect(screen).toContain(`job        ${(await job()).id}, started `);
    expect(screen).toContain('timesheets approve - --yes');
    expect(screen).toContain('time       30 requests at a limit of 10 a minute take about');
    expect(screen.match(/^ {2}status: approved {2}t\d+$/gm)).toHaveLength(10);
    expect([exit, writes]).toEqual([9, []]);
  });

  it.each([
    ['yes is agreed to', 'y', '', 30],
    ['--yes asks nothing', 'n', '--yes', 30],
    ['a dry run asks nothing', 'n', '--dry-run', 0],
  ])('%s', async (_name, key, flags, count) => {
    const { exit, screen } = await goOn(key, flags);
    expect([exit, writes.length, screen.includes('(y/N)')]).toEqual([0, count, key === 'y']);
  });
});

describe('going on is refused', () => {
  it.each([
    ['workspace', '', { TTCTL_WORKSPACE: '8' }, '--workspace 7'],
    ['profile', '--profile sandbox', { TTCTL_WORKSPACE: '' }, '--profile default'],
    ['service', '', { TTCTL_BASE_URL: 'http://127.0.0.1:9/api/v2' }, 'ttctl profile show'],
  ])('for another %s', async (_what, flags, env, hint) => {
    await beSignedOut();
    const before = t.requests.length;
    const ended = await resume(`--json ${flags}`, env);
    expect([ended.exit, errorOf(ended).hint]).toEqual([2, expect.stringContaining(hint)]);
    expect(t.requests.length).toBe(before);
  });

  it('not for the workspace named, and in a dry run nothing is sent', async () => {
    await beSignedOut();
    const planned = await resume('--json --dry-run');
    expect([planned.exit, statuses(planned), writes]).toEqual([0, Array(30).fill('planned'), []]);
    expect(await job()).toMatchObject({ failed: 1, left: 29 });
    expect((await resume('--workspace 7', { TTCTL_WORKSPACE: '8' })).exit).toBe(0);
  });

  it('of a job that there is none', async () => {
    for (const line of ['jobs resume 20261120-0900-abc --json', 'jobs show ../../etc/passwd'])
      expect((await t.run(line)).exit).toBe(2);
  });

  it('where its input file has changed', async () => {
    const file = t.file('sheets.csv', `id\n${IDS.join('\n')}\n`);
    fault = (n) => (n >= 10 ? signedOut : undefined);
    await t.run(`timesheets approve --from-file ${file} --yes`);
    heal();
    writeFileSync(file, `id\n${IDS.slice(1).join('\n')}\n`);
    expect(errorOf(await resume())).toMatchObject({ code: 'input_changed', exit: 2 });
    writeFileSync(file, `id\n${IDS.join('\n')}\n`);
    expect((await resume()).exit).toBe(0);
    expect(await job()).toMatchObject({ state: 'done', done: 40 });
  });
});

it.each([
  ['no known place', { TTCTL_STATE_DIR: '' }],
  ['a file stands there', { TTCTL_STATE_DIR: '/dev/null' }],
])(
  'where nothing can be written (%s) a run needs --no-journal, and a single write goes on',
  async (_name, env) => {
    const ended = await approve('', env);
    const hint = expect.stringContaining('--no-history');
    expect([ended.exit, errorOf(ended)]).toMatchObject([2, { code: 'no_journal', hint }]);
    expect(writes).toEqual([]);
    await t.read('timesheets approve t0 --yes', { env });
    expect((await approve('--no-journal', env)).exit).toBe(0);
    expect(writes).toHaveLength(41);
    expect(await t.json('jobs list', { env })).toEqual([]);
  },
);

it('a secret among the values is not stored, and the row is left to be run again', async () => {
  fault = (n) => (n >= 1 ? signedOut : undefined);
  await t.run(`timesheets reject t1 t2 t3 --reason 'see token-of-the-test' --yes`);
  expect(readFileSync(runFiles(t.state)[0] ?? '', 'utf8')).not.toContain('token-of-the-test');
  const before = t.requests.length;
  const ended = await resume();
  expect([ended.exit, statuses(ended)]).toEqual([8, ['failed', 'failed']]);
  expect(t.requests.length).toBe(before);
});
