import { readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { Cancelled, EXIT } from '../../src/errors.ts';
import { quickClock } from '../support/clocks.ts';
import { runFiles } from '../support/runs.ts';
import { type Answer, envelope, onePage } from '../support/service.ts';
import { type Line, type RunMore, useCli } from '../support/use-cli.ts';

/** Jobs: what is left after a run that did not come to its end, and how it is gone on with. */

const IDS = Array.from({ length: 40 }, (_, n) => `t${n}`);

/** What becomes of the nth write (from 0); nothing: it is done. */
let fault: (n: number, id: string) => Answer | undefined;
/** Whether the write is done all the same. */
let done: (id: string) => boolean;
let approved: Set<string>;
let writes: string[];
/** Nothing can be read. */
let blind: boolean;
/** What every read answers; nothing: what is there. */
let read: Answer | undefined;

const t = useCli({
  env: { TTCTL_TIMEOUT: '50' },
  clock: quickClock,
  service({ line }) {
    const [, id = ''] = /^PUT \/timesheets\/(\w+)\/(?:approve|reject)/.exec(line) ?? [];
    if (id !== '') {
      writes.push(id);
      const answer = fault(writes.length - 1, id);
      if (answer === undefined || done(id)) approved.add(id);
      return answer ?? { body: envelope(null) };
    }
    if (blind) return { cut: true };
    if (read !== undefined) return read;
    const wanted = new URL(line.slice(4), 'http://h').searchParams.get('id');
    const status = (sheet: string) => (approved.has(sheet) ? 'approved' : 'submitted');
    const rows = IDS.filter((sheet) => wanted === null || sheet === wanted);
    return { body: onePage(rows.map((sheet) => ({ id: sheet, status: status(sheet) }))) };
  },
});
beforeEach(() => {
  [approved, writes] = [new Set(), []];
  fault = () => undefined;
  done = () => false;
  [blind, read] = [false, undefined];
});

type Env = Readonly<Record<string, string>>;
const run = (line: Line, env: Env = {}, more: RunMore = {}) => t.run(line, { env, ...more });
const approve = (env?: Env, flags = '') =>
  run(`timesheets approve - --yes --json ${flags}`, env, { stdin: IDS.join('\n') });

interface JobLine {
  readonly id: string;
  readonly state: string;
  readonly done: number;
  readonly failed: number;
  readonly unknown: number;
  readonly left: number;
  readonly failed_file: string | null;
}

const job = async (): Promise<JobLine> => {
  const [first] = (await t.json('jobs list')) as JobLine[];
  if (first === undefined) throw new Error('there is no job');
  return first;
};

const errorOf = ({ stderr }: { readonly stderr: string }) =>
  JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error as Record<string, unknown>;

const refusal = (status: number, message: string): Answer => ({
  status,
  body: { success: false, message, error: null, meta: {} },
});

const resume = async (flags = '', env?: Env) => run(`jobs resume ${(await job()).id} --json ${flags}`, env);

const statuses = ({ stdout }: { readonly stdout: string }): string[] =>
  (JSON.parse(stdout) as { status: string }[]).map(({ status }) => status);

describe('a run that comes to its end', () => {
  it('is on record, with what became of every row', async () => {
    expect((await approve()).exit).toBe(0);
    expect(await job()).toMatchObject({
      command: 'timesheets approve - --yes --json',
      state: 'done',
      done: 40,
      failed: 0,
      unknown: 0,
      left: 0,
      failed_file: null,
    });
    const shown = await t.read(`jobs show ${(await job()).id} -o csv --columns target,status`);
    expect(shown.split('\r\n').slice(0, 3)).toEqual(['target,status', 't0,done', 't1,done']);
    const steps = readFileSync(runFiles(t.state)[0] ?? '', 'utf8').match(/"step":"done",.*/g);
    expect(steps?.filter((step) => step.includes('"status":200,')).length).toBe(40);
    expect(await resume()).toMatchObject({ exit: 0, stdout: '[]\n' });
    expect(writes).toHaveLength(40);
  });

  it('of one row is no job, nor is a dry run', async () => {
    await run('timesheets approve t1 --yes');
    await approve({}, '--dry-run');
    expect(await t.rows('jobs list')).toEqual([]);
  });
});

describe('jobs show', () => {
  interface Result {
    readonly target: string;
    readonly status: string;
    readonly message?: string | null;
  }
  const told = ({ stdout }: { readonly stdout: string }) =>
    (JSON.parse(stdout) as Result[]).map(({ target, status }) => [target, status]);
  const signedOut = refusal(401, 'Unauthenticated.');

  it.each<[string, (n: number) => Answer | undefined, string]>([
    ['a refusal', (n) => (n === 3 ? refusal(400, 'not submitted') : undefined), 'failed'],
    ['the end of the sign-in', (n) => (n >= 10 ? signedOut : undefined), 'skipped'],
    ['a service that is down', (n) => (n >= 4 ? refusal(503, 'Down.') : undefined), 'skipped'],
  ])('says of every row what the run said: after %s', async (_name, answer, status) => {
    fault = answer;
    const line = `timesheets approve t0 ${IDS.join(' ')} --yes --json`;
    const ended = await run(line, { TTCTL_MAX_WAIT: '0' });
    const shown = await run(`jobs show ${(await job()).id} --json`);
    expect(told(shown)).toEqual(told(ended));
    expect(statuses(shown)).toContain(status);
    const messages = ({ stdout }: { readonly stdout: string }) =>
      (JSON.parse(stdout) as Result[])[1]?.message;
    expect([messages(shown), messages(ended)]).toEqual(Array(2).fill('named twice; sent once'));
  });

  it('says why a row was refused, though going on will send it', async () => {
    fault = (n) => (n === 1 ? signedOut : undefined);
    await run('timesheets approve t0 t1 --yes');
    const { id } = await job();
    const [, row] = await t.rows(`jobs show ${id}`);
    expect(row).toMatchObject({ target: 't1', status: 'failed', message: 'Unauthenticated.' });
    expect((await run(`jobs show ${id}`)).stderr).toContain(
      'rows       1 done, 1 failed, 0 skipped, 0 unknown, 0 left\n',
    );
    fault = () => undefined;
    await resume();
    const after = await t.rows(`jobs show ${id}`);
    expect(after.map(({ status, message }) => [status, message])).toEqual(Array(2).fill(['done', null]));
  });
});

describe('a login that ends in the middle', () => {
  it('loses nothing and repeats nothing', async () => {
    fault = (n) => (n >= 10 ? refusal(401, 'Unauthenticated.') : undefined);
    const ended = await approve();
    expect(ended.exit).toBe(8);
    expect(errorOf(ended)).toMatchObject({ code: 'partial', job: (await job()).id });
    expect(errorOf(ended).hint).toContain(`ttctl jobs resume ${(await job()).id}`);
    expect(statuses(ended).sort()).toEqual([
      ...Array(10).fill('done'),
      'failed',
      ...Array(29).fill('skipped'),
    ]);
    const left = IDS.filter((id) => !approved.has(id));
    expect(await job()).toMatchObject({ state: 'interrupted', done: 10, failed: 1, unknown: 0, left: 29 });
    // What was on its way came back with 401; what was not was never begun.
    expect(writes.length).toBeLessThan(IDS.length + 10);

    fault = () => undefined;
    writes = [];
    const further = await resume();
    expect(further.exit).toBe(0);
    expect([...writes].sort()).toEqual([...left].sort());
    expect(await job()).toMatchObject({ state: 'done', done: 40 });
  });
});

describe('a service that is down', () => {
  it('is not stormed: the rest is left', async () => {
    t.env['TTCTL_BASE_URL'] = 'http://127.0.0.1:9/api/v2';
    const ended = await approve({ TTCTL_MAX_WAIT: '0' });
    expect(ended.exit).toBe(7);
    const { failed, left } = await job();
    expect(failed + left).toBe(40);
    expect(failed).toBeLessThan(40);
  });
});

describe('rows that failed', () => {
  it('are in a file that can be corrected and fed back; a job is not gone on with for them', async () => {
    fault = (_n, id) => (id === 't3' || id === 't7' ? refusal(400, '=not submitted, "t"') : undefined);
    const ended = await approve();
    expect(ended.exit).toBe(8);
    const { failed_file: file, state: now } = await job();
    expect(now).toBe('failed');
    expect(errorOf(ended)).toMatchObject({ failed_file: file });
    expect(readFileSync(String(file), 'utf8')).toBe(
      'id,error\r\nt3,"\'=not submitted, ""t"""\r\nt7,"\'=not submitted, ""t"""\r\n',
    );
    writes = [];
    const again = await resume();
    expect([again.exit, errorOf(again)]).toMatchObject([8, { code: 'partial', failed_file: file }]);
    expect(writes).toEqual([]);
    fault = () => undefined;
    expect((await run(`timesheets approve --from-file ${file} --yes`)).exit).toBe(0);
    expect([...writes].sort()).toEqual(['t3', 't7']);
  });
});

describe('rows of unknown outcome', () => {
  /** The answers to these writes are lost, and nothing can be read. */
  const lose = (ids: readonly string[], happened: boolean): void => {
    blind = true;
    fault = (_n, id) => (blind && ids.includes(id) ? { cut: true } : undefined);
    done = () => happened;
  };

  it('stay open where the sign-in ends while they are looked up: exit 3, and nothing is sent', async () => {
    lose(['t3', 't7'], false);
    await approve();
    [blind, read, writes] = [false, refusal(401, 'Unauthenticated.'), []];
    const further = await resume();
    expect([further.exit, statuses(further)]).toEqual([3, ['skipped', 'skipped']]);
    expect(writes).toEqual([]);
    expect(await job()).toMatchObject({ state: 'unknown', done: 38, failed: 0, unknown: 2, left: 0 });
    read = undefined;
    expect((await resume()).exit).toBe(0);
    expect([...writes].sort()).toEqual(['t3', 't7']);
  });
});

describe('going on answers for the whole job', () => {
  const refused = refusal(400, 'not submitted');
  /** The first write is refused; at the eleventh the login ends. */
  const stopped = async () => {
    fault = (n, id) => (id === 't3' ? refused : n >= 10 ? refusal(401, 'Unauthenticated.') : undefined);
    await approve();
    fault = () => undefined;
    writes = [];
  };
  const again = async (flags: string) => run(`jobs resume ${(await job()).id} ${flags}`);

  it('a row that failed before counts, and the file of failed rows is named: in JSON and in words', async () => {
    await stopped();
    expect(await job()).toMatchObject({ failed: 2, state: 'interrupted' });
    const ended = await again('--json');
    const { failed_file: file, failed, done } = await job();
    expect([failed, done]).toEqual([1, 39]);
    expect([ended.exit, errorOf(ended)]).toMatchObject([
      8,
      {
        code: 'partial',
        message: '1 of 40 timesheets not approved',
        failed_file: file,
        job: (await job()).id,
      },
    ]);
    expect(statuses(ended)).not.toContain('failed');
    // Nothing is left, and it is told the same, as often as it is asked.
    for (const flags of ['--quiet', '-o ids', '-o csv', '']) {
      const idle = await again(flags);
      expect([idle.exit, idle.stderr]).toEqual([8, expect.stringContaining(String(file))]);
      expect(idle.stderr).toContain('1 of 40 timesheets not approved');
    }
    expect(writes.filter((id) => id === 't3')).toEqual([]);
  });

  it('one that fails now and one that failed before are told together', async () => {
    await stopped();
    fault = (_n, id) => (id === 't20' ? refused : undefined);
    const ended = await again('--json');
    expect(errorOf(ended).message).toBe('2 of 40 timesheets not approved');
    expect(readFileSync(String((await job()).failed_file), 'utf8')).toBe(
      'id,error\r\nt3,not submitted\r\nt20,not submitted\r\n',
    );
  });

  it('what is unknown beside what failed is looked up, and the failed stay failed', async () => {
    fault = (_n, id) => (id === 't3' ? refused : id === 't4' ? { cut: true } : undefined);
    done = (id) => id === 't4';
    blind = true;
    await approve();
    expect(await job()).toMatchObject({ failed: 1, unknown: 1, done: 38 });
    blind = false;
    const ended = await resume();
    expect([ended.exit, statuses(ended)]).toEqual([8, ['done']]);
    expect(errorOf(ended)).toMatchObject({ message: '1 of 40 timesheets not approved' });
  });

  it('rows that all failed alike end it with their own code', async () => {
    fault = () => refused;
    const first = await run('timesheets approve t1 t2 --yes --json');
    const ended = await resume();
    expect([first.exit, ended.exit, errorOf(ended).code]).toEqual([6, 6, 'refused']);
  });

  it('a file of failed rows that was corrected meanwhile stays as it is', async () => {
    fault = (_n, id) => (id === 't3' ? refused : undefined);
    await approve();
    const file = String((await job()).failed_file);
    writeFileSync(file, 'id\nt5\n');
    await resume();
    expect(readFileSync(file, 'utf8')).toBe('id\nt5\n');
  });

  it('an interrupt tells of all rows too', async () => {
    await stopped();
    const stop = new AbortController();
    fault = () => {
      stop.abort(new Cancelled('interrupted', EXIT.interrupted));
      return undefined;
    };
    const ended = await run(`jobs resume ${(await job()).id} --json`, {}, { interrupted: stop.signal });
    const { done: count, left } = await job();
    expect([ended.exit, errorOf(ended).message]).toEqual([
      130,
      `interrupted: ${count} approved, 1 failed, ${left} not sent`,
    ]);
  });

  it('a job that is done is exit 0', async () => {
    await approve();
    expect(await resume()).toMatchObject({ exit: 0, stdout: '[]\n', stderr: '' });
  });
});

describe('at a terminal', () => {
  const sheets = (screen: string) => [...screen.matchAll(/^ {2}(t\d+)$/gm)].map((match) => match[1]);
  const goOn = async (key: string, flags = '', env: Env = {}) => {
    const { id } = await job();
    const { screen, exit } = await t.sit(`jobs resume ${id} ${flags}`, () => `${key}\r`, { env });
    return { screen, exit, id };
  };
  beforeEach(async () => {
    fault = (n) => (n >= 10 ? refusal(401, 'Unauthenticated.') : undefined);
    await approve();
    fault = () => undefined;
    writes = [];
  });

  it('going on asks, and shows what is left and which run it was', async () => {
    const { screen, exit, id } = await goOn('n');
    expect(screen).toContain('Approve 30 timesheets? (y/N)');
    expect(screen).toContain(`job        ${id}, started `);
    expect(screen).toContain('timesheets approve - --yes');
    expect(sheets(screen)).toHaveLength(5);
    expect([exit, writes]).toEqual([9, []]);
  });

  it('how long it takes stands in the question', async () => {
    const { screen } = await goOn('n', '', { TTCTL_RATE_LIMIT: '10/60,5/1' });
    expect(screen).toContain(`time       30 requests at a limit of 10 a minute take about`);
  });

  it.each([
    ['yes is agreed to', 'y', ''],
    ['--yes asks nothing', 'n', '--yes'],
    ['a dry run asks nothing', 'n', '--dry-run'],
  ])('%s', async (_name, key, flags) => {
    const { exit, screen } = await goOn(key, flags);
    expect(exit).toBe(0);
    expect(writes).toHaveLength(flags.includes('--dry-run') ? 0 : 30);
    expect(screen.includes('(y/N)')).toBe(key === 'y');
  });
});

describe('going on is refused', () => {
  beforeEach(async () => {
    fault = (n) => (n >= 10 ? refusal(401, 'Unauthenticated.') : undefined);
    await approve();
    fault = () => undefined;
    writes = [];
  });
  it.each<[string, string, Env, string]>([
    ['workspace', '', { TTCTL_WORKSPACE: '8' }, '--workspace 7'],
    ['profile', '--profile sandbox', { TTCTL_WORKSPACE: '' }, '--profile default'],
    ['service', '', { TTCTL_BASE_URL: 'http://127.0.0.1:9/api/v2' }, 'ttctl profile show'],
  ])('for another %s', async (_what, flags, env, hint) => {
    const before = t.requests.length;
    const ended = await resume(flags, env);
    expect([ended.exit, errorOf(ended).hint]).toEqual([2, expect.stringContaining(hint)]);
    expect(t.requests.length).toBe(before);
  });

  it('not for the workspace named', async () => {
    expect((await resume('--workspace 7', { TTCTL_WORKSPACE: '8' })).exit).toBe(0);
  });

  it('in a dry run nothing is sent', async () => {
    const ended = await resume('--dry-run');
    expect([ended.exit, statuses(ended)]).toEqual([0, IDS.slice(10).map(() => 'planned')]);
    expect(writes).toEqual([]);
    expect(await job()).toMatchObject({ failed: 1, left: 29 });
  });

  it('of a job that there is none', async () => {
    for (const line of ['jobs resume 20261120-0900-abc --json', 'jobs show ../../etc/passwd'])
      expect((await run(line)).exit).toBe(2);
  });
});

it('an input file that changed is refused', async () => {
  const file = t.file('sheets.csv', `id\n${IDS.join('\n')}\n`);
  fault = (n) => (n >= 10 ? refusal(401, 'Unauthenticated.') : undefined);
  await run(`timesheets approve --from-file ${file} --yes`);
  fault = () => undefined;
  writeFileSync(file, `id\n${IDS.slice(1).join('\n')}\n`);
  const ended = await resume();
  expect(ended.exit).toBe(2);
  expect(errorOf(ended)).toMatchObject({ code: 'input_changed' });
  writeFileSync(file, `id\n${IDS.join('\n')}\n`);
  expect((await resume()).exit).toBe(0);
  expect(await job()).toMatchObject({ state: 'done', done: 40 });
});

describe('where nothing can be written', () => {
  it.each([
    ['no known place', { TTCTL_STATE_DIR: '' }],
    ['a file stands there', { TTCTL_STATE_DIR: '/dev/null' }],
  ])('(%s) a run is refused but with --no-journal, and a single write goes on', async (_name, more) => {
    const ended = await approve(more);
    expect(ended.exit).toBe(2);
    expect(errorOf(ended)).toMatchObject({
      code: 'no_journal',
      hint: expect.stringContaining('--no-history'),
    });
    expect(writes).toEqual([]);
    expect((await run('timesheets approve t0 --yes', more)).exit).toBe(0);
    expect((await approve(more, '--no-journal')).exit).toBe(0);
    expect(writes).toHaveLength(41);
    expect((await run('jobs list --json', more)).stdout).toBe('[]\n');
  });
});

it('a secret among the values is not stored, and the row is left to be run again', async () => {
  fault = (n) => (n >= 1 ? refusal(401, 'Unauthenticated.') : undefined);
  const secret = 'token-of-the-test';
  await run(`timesheets reject t1 t2 t3 --reason 'see ${secret}' --yes`);
  const [path = ''] = runFiles(t.state);
  expect(readFileSync(path, 'utf8')).not.toContain(secret);
  const before = t.requests.length;
  const ended = await resume();
  expect([ended.exit, statuses(ended)]).toEqual([8, ['failed', 'failed']]);
  expect(t.requests.length).toBe(before);
});
