import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, openSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { makeFolder } from './support/folder.ts';
import { runInProcess } from './support/in-process.ts';
import { BIN, cleanHome, type Finished, finished, runBinary, startBinary } from './support/process.ts';
import {
  type Answer,
  envelope,
  ofRequest,
  onePage,
  type Recorded,
  type Recorder,
  readsList,
  serviceEnv,
  startRecorder,
} from './support/service.ts';

/**
 * Exit codes in words and in JSON; then signals, full disks and machines that are not as they should be, by the built
 * program.
 */

const home = cleanHome();
afterAll(home.remove);
let recorder: Recorder | undefined;
afterEach(async () => {
  await recorder?.close();
  recorder = undefined;
});

const refusal = (message: string, meta: object = {}) => ({ success: false, message, error: null, meta });
const record = { id: 17, email: 'ana@example.com', firstname: 'Ana' };
const plainly = (request: Recorded): Answer => ({
  body: readsList(request) ? onePage([record]) : envelope(ofRequest(request, record)),
});

type Run = (args: readonly string[], options?: { env?: Record<string, string> }) => Promise<Finished>;

const against = async (answer: (request: Recorded) => Answer): Promise<Run> => {
  recorder = await startRecorder(answer);
  const env = serviceEnv(recorder, { TTCTL_MAX_WAIT: '0', HOME: home.folder });
  return (args, { env: more } = {}) => runInProcess(args, { env: { ...env, ...more } });
};

interface ErrorJson {
  readonly code: string;
  readonly exit: number;
  readonly message: string;
  readonly hint?: string;
  readonly status?: number;
  readonly request?: string;
  readonly [member: string]: unknown;
}

/** The error of a run with JSON: one object on one line, the last of stderr. */
const errorOf = ({ stderr }: Finished): ErrorJson => {
  const lines = stderr.trimEnd().split('\n');
  const { error, ...others } = JSON.parse(lines.at(-1) ?? '') as { error: ErrorJson };
  expect(others).toEqual({});
  return error;
};

/** Each run has an id of its own. */
const withoutRun = (text: string): string => text.replaceAll(/\d{8}-\d{4}-[a-z]{3}/g, '<run>');

/** Runs in words and in JSON; gives the JSON error. */
const bothWays = async (run: Run, args: readonly string[], exit: number): Promise<ErrorJson> => {
  const [inWords, inJson] = await Promise.all([run(args), run([...args, '--json'])]);
  expect(inWords.exit, inWords.stderr).toBe(exit);
  expect(inJson.exit, inJson.stderr).toBe(exit);
  const error = errorOf(inJson);
  expect(inWords.stderr).toMatch(/^error: /m);
  expect(inWords.stderr).toContain(error.message.split('\n')[0]);
  expect(inWords.stderr).not.toMatch(/^ {4}at |node:internal/m);
  expect(error.exit).toBe(exit);
  if (error.hint !== undefined)
    expect(withoutRun(inWords.stderr)).toContain(`hint: ${withoutRun(error.hint).split('\n')[0]}`);
  return error;
};

const get = ['members', 'get', '17'];
const approve = ['timesheets', 'approve', 't1', '--yes'];

describe('exit 0', () => {
  it('is a thing done, an empty list, a valid dry run, help and version', async () => {
    const run = await against((request) => (readsList(request) ? { body: onePage([]) } : plainly(request)));
    expect(await run(get)).toMatchObject({ exit: 0 });
    expect(await run(['members', 'list'])).toMatchObject({
      exit: 0,
      stdout: '',
      stderr: 'No members found.\n',
    });
    expect(await run(['members', 'list', '--json'])).toMatchObject({ exit: 0, stdout: '[]\n', stderr: '' });
    expect(await run([...approve, '--dry-run'])).toMatchObject({ exit: 0 });
    expect(recorder?.lines().filter((line) => !line.startsWith('GET'))).toEqual([]);
    expect(await run(['members', 'get', '--help'])).toMatchObject({ exit: 0, stderr: '' });
    expect(await run(['--version'])).toMatchObject({ exit: 0, stderr: '' });
  });
});

describe('a refusal of the service', () => {
  it.each([
    [400, 6, 'refused'],
    [401, 3, 'unauthenticated'],
    [403, 4, 'forbidden'],
    [404, 5, 'not_found'],
    [409, 6, 'conflict'],
    [422, 6, 'invalid'],
    [418, 6, 'refused'],
    [429, 7, 'rate_limited'],
    [500, 7, 'service_error'],
    [503, 7, 'service_error'],
  ])('%i is exit %i, %s', async (status, exit, code) => {
    const run = await against(() => ({ status, body: refusal(`The service said ${status}.`) }));
    const error = await bothWays(run, get, exit);
    expect(error).toMatchObject({
      code,
      status,
      request: 'GET /members/17',
      message: `The service said ${status}.`,
    });
    expect(error.hint ?? (exit === 6 ? 'none' : undefined)).toBeTruthy();
  });

  it('of a workspace by name ends too, and is not waited on', async () => {
    const run = await against(() => ({ status: 401, body: refusal('no token') }));
    const named: Run = (args) => run(['--workspace', 'Northwind', ...args]);
    expect(await bothWays(named, get, 3)).toMatchObject({ request: 'GET /workspaces' });
  });
});

it('an answer that is not of the API is exit 7, and no redirect is followed', async () => {
  const run = await against(() => ({ status: 302, headers: { location: '/api/v2/elsewhere' } }));
  expect(await bothWays(run, get, 7)).toMatchObject({ code: 'not_the_api', status: 302 });
  expect(new Set(recorder?.lines())).toEqual(new Set(['GET /members/17?workspace_id=7']));
});

describe('exit 7', () => {
  it('is a service that is not there, cuts, or does not answer', async () => {
    const run = await against(({ line }) => (line.includes('/17') ? { cut: true } : { silent: true }));
    expect(await bothWays(run, get, 7)).toMatchObject({ code: 'connection_reset' });
    const late: Run = (args) => run([...args, '--timeout', '3']);
    expect(await bothWays(late, ['members', 'list'], 7)).toMatchObject({ code: 'timeout' });
    const gone: Run = (args) => run(args, { env: { TTCTL_BASE_URL: 'http://127.0.0.1:1/api/v2' } });
    expect(await bothWays(gone, get, 7)).toMatchObject({ code: 'connection_refused' });
  });
});

/** One that is not the second is in signals.slow.test.ts, and with many rows in jobs-process.slow.test.ts. */
describe('a second signal while a write is on its way leaves at once', () => {
  const twice = async (line: string, first: NodeJS.Signals, second: NodeJS.Signals) => {
    let arrived = (): void => {};
    const write = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    await against(({ line: asked }) => {
      if (asked.startsWith('GET')) return { body: onePage([]) };
      arrived();
      return { silent: true };
    });
    const child = startBinary(line.split(' '), { env: { ...home.env, ...serviceEnv(recorder as Recorder) } });
    const ended = finished(child);
    await write;
    child.kill(first);
    // When the first has been seen: then a list is no longer waited for.
    const again = setInterval(() => child.kill(second), 50);
    const outcome = await ended;
    clearInterval(again);
    return outcome;
  };

  it.each([
    ['timesheets approve a1 --yes', 'SIGINT', 'SIGINT', 130],
    ['timesheets approve a1 a2 --yes', 'SIGINT', 'SIGTERM', 143],
    ['members restore 17', 'SIGTERM', 'SIGTERM', 143],
  ] as const)('%s, %s and %s: %i, and how to look', async (line, first, second, exit) => {
    expect(await twice(line, first, second)).toEqual({
      exit,
      stdout: '',
      stderr:
        'error: stopped while a write was on its way; its outcome is unknown\n' +
        'hint: See what was sent: ttctl history list --status unknown\n',
    });
  });

  it('is an error in JSON too', async () => {
    const { exit, stderr } = await twice('timesheets approve a1 --yes --json', 'SIGINT', 'SIGINT');
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'interrupted', exit });
  });
});

describe('a stderr that takes nothing', () => {
  const deaf = (args: readonly string[], env: Readonly<Record<string, string>>) =>
    finished(
      spawn(process.execPath, [BIN, ...args], { env, stdio: ['pipe', 'pipe', openSync('/dev/full', 'w')] }),
    );

  it.each([
    ['a read', ['members', 'list', '--debug'], 0],
    ['writes', [...approve, '--debug'], 0],
    ['an error', ['members', 'get', '..', '--debug'], 2],
  ])('leaves %s its own exit code', async (_name, args, exit) => {
    await against(plainly);
    const ended = await deaf(args, { ...home.env, ...serviceEnv(recorder as Recorder) });
    expect(ended.exit).toBe(exit);
    expect(ended.stdout === '').toBe(exit !== 0);
  });
});

describe('exit 1', () => {
  const full = (args: readonly string[], env: Record<string, string>) =>
    finished(
      spawn(process.execPath, [BIN, ...args], { env, stdio: ['pipe', openSync('/dev/full', 'w'), 'pipe'] }),
    );

  it.each([
    ['a table', ['members', 'list']],
    ['JSON', ['members', 'list', '--json']],
    ['CSV', ['members', 'list', '-o', 'csv']],
    ['a document', ['api', 'GET', '/members']],
    ['results', approve],
    ['help', ['members', '--help']],
    ['the version', ['--version']],
  ])('is a full disk under %s, and it is said', async (_name, args) => {
    await against(plainly);
    const ended = await full(args, { ...home.env, ...serviceEnv(recorder as Recorder) });
    expect(ended.exit).toBe(1);
    expect(ended.stderr).toMatch(/ENOSPC|no space left/i);
    expect(ended.stderr).not.toMatch(/^ {4}at /m);
  });

  it('is a directory for settings that may not be written', async () => {
    const readOnly = makeFolder();
    const blocked = join(readOnly, 'file');
    openSync(blocked, 'w');
    chmodSync(readOnly, 0o500);
    const run = await against(plainly);
    const set = ['profile', 'set', '--profile', 'work', '--workspace', '7'];
    const sealed: Run = (args) => run(args, { env: { TTCTL_CONFIG_DIR: join(blocked, 'ttctl') } });
    await bothWays(sealed, set, 1);
    expect(await sealed(get)).toMatchObject({ exit: 0 });
    chmodSync(readOnly, 0o700);
  });
});

describe('the output', () => {
  it('that nobody reads to its end ends quietly: | head -1', async () => {
    const rows = Array.from({ length: 5000 }, (_, id) => ({ id, email: `person${id}@example.com` }));
    await against(() => ({ body: onePage(rows) }));
    const env = { ...home.env, ...serviceEnv(recorder as Recorder) };
    for (const format of ['table', 'json', 'ndjson', 'csv', 'ids']) {
      const line = `"$NODE" "$BIN" members list -o ${format} | head -1; echo "\${PIPESTATUS[0]}"`;
      const shell = spawn('bash', ['-c', line], { env: { ...env, NODE: process.execPath, BIN } });
      const { stdout, stderr } = await finished(shell);
      expect(stderr, format).toBe('');
      expect(stdout.trimEnd().split('\n').at(-1), format).toBe('0');
      expect(stdout.split('\n').length, format).toBe(3);
    }
  });

  it('of 20 MB through a slow pipe is whole', async () => {
    const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, notes: 'x'.repeat(1000) }));
    await against(() => ({ body: onePage(rows) }));
    const env = { ...home.env, ...serviceEnv(recorder as Recorder), NODE: process.execPath, BIN };
    const line = '"$NODE" "$BIN" members list -o ndjson | (sleep 0.3; wc -lc)';
    const { stdout } = await finished(spawn('bash', ['-c', line], { env }));
    const bytes = rows.reduce((sum, row) => sum + JSON.stringify(row).length + 1, 0);
    expect(stdout.trim().split(/\s+/).map(Number)).toEqual([20_000, bytes]);
  });
});

describe('a machine that is not as it should be', () => {
  const bare = (more: Record<string, string> = {}) => ({ PATH: process.env.PATH ?? '', ...more });
  const service = () => serviceEnv(recorder as Recorder);

  it.each<[string, () => Record<string, string>]>([
    ['no HOME, no TERM, no locale', () => bare()],
    ['a HOME that is not there', () => bare({ HOME: join(home.folder, 'gone') })],
    ['a HOME that is no directory', () => bare({ HOME: '/dev/null' })],
    ['a HOME that is relative', () => bare({ HOME: 'here' })],
    ['an empty TERM', () => bare({ TERM: '' })],
    ['a plain locale', () => bare({ LC_ALL: 'C', HOME: home.folder })],
  ])('%s: reads and writes work', async (_name, env) => {
    await against(plainly);
    const options = { env: { ...env(), ...service() } };
    expect(await runBinary(get, options)).toMatchObject({ exit: 0, stderr: '' });
    expect(await runBinary(['members', 'list'], options)).toMatchObject({ exit: 0 });
    expect(await runBinary(approve, options)).toMatchObject({ exit: 0 });
    expect(await runBinary(['profile', 'show'], options)).toMatchObject({ exit: 0 });
    expect(await runBinary(['auth', 'status'], options)).toMatchObject({ exit: 0 });
  });

  it('no HOME: nothing is written anywhere near', async () => {
    await against(plainly);
    const folder = makeFolder();
    await runBinary(approve, { env: { ...bare(), ...service() }, cwd: folder });
    expect(readdirSync(folder)).toEqual([]);
    const kept = await runBinary(['profile', 'set', '--workspace', '7'], { env: bare(), cwd: folder });
    expect(kept).toMatchObject({ exit: 1, stderr: expect.stringContaining('TTCTL_CONFIG_DIR') });
  });

  it('a working directory that is gone', async () => {
    await against(plainly);
    const folder = makeFolder();
    const inner = join(folder, 'inner');
    mkdirSync(inner);
    const line = `rmdir "$PWD"; "$NODE" "$BIN" members get 17 && TTCTL_WORKSPACE= "$NODE" "$BIN" --profile sandbox members list >/dev/null`;
    const env = {
      ...home.env,
      ...service(),
      NODE: process.execPath,
      BIN,
      TTCTL_STATE_DIR: join(folder, 'state'),
    };
    const ended = await finished(spawn('bash', ['-c', line], { cwd: inner, env }));
    expect(ended, ended.stderr).toMatchObject({ exit: 0 });
    expect(() => rmdirSync(inner)).toThrow();
  });

  it('stdin, stdout or stderr closed', async () => {
    await against(plainly);
    const env = { ...home.env, ...service(), NODE: process.execPath, BIN };
    const shell = (line: string) => finished(spawn('bash', ['-c', line], { env }));
    expect(await shell('"$NODE" "$BIN" members get 17 <&-')).toMatchObject({ exit: 0, stderr: '' });
    expect(await shell('"$NODE" "$BIN" timesheets approve t1 <&-')).toMatchObject({ exit: 2 });
    // A closed stdin has nothing in it, as /dev/null: then there is nothing to do.
    expect((await shell('"$NODE" "$BIN" timesheets approve - --yes <&-')).exit).toBe(0);
    expect((await shell('"$NODE" "$BIN" members get 17 2>&-')).exit).toBe(0);
    expect((await shell('"$NODE" "$BIN" members get 17 >&-')).stderr).not.toContain('    at ');
  });
});

/** As `xargs -P` starts them: no line of one is within a line of another. Rows of all lengths up to some 3,500 bytes. */
describe.runIf(existsSync('/bin/sh'))('processes that write into one pipe', () => {
  const LETTERS = ['a', 'b', 'c', 'd', 'e', 'f'];
  const ROWS = 60;
  const answer = ({ line }: Recorded): Answer => {
    const letter = /letter=(.)/.exec(line)?.[1] ?? '?';
    if (line.includes('/members/')) return { status: 404, body: refusal(letter.repeat(2000)) };
    // Each made of one letter: a mixed line has two.
    return {
      body: onePage(Array.from({ length: ROWS }, (_, n) => ({ id: letter.repeat(1 + ((n * 59) % 3500)) }))),
    };
  };

  /** How many lines each letter has, where a line is of one letter alone; stderr too. */
  const together = async (args: string, shape: RegExp): Promise<Readonly<Record<string, number>>> => {
    await against(answer);
    const env = { ...home.env, ...serviceEnv(recorder as Recorder), NODE: process.execPath, BIN };
    const lines = LETTERS.map((letter) => `"$NODE" "$BIN" ${args} --param letter=${letter} 2>&1 &`);
    const { stdout, stderr, exit } = await finished(
      spawn('sh', ['-c', `(${lines.join('\n')}\nwait) | cat`], { env }),
    );
    expect([exit, stderr, stdout.at(-1)]).toEqual([0, '', '\n']);
    const found: Record<string, number> = {};
    for (const line of stdout.slice(0, -1).split('\n')) {
      const letter = shape.exec(line)?.[1] ?? `mixed: ${line.slice(0, 80)}`;
      found[letter] = (found[letter] ?? 0) + 1;
    }
    return found;
  };
  const each = (count: number) => Object.fromEntries(LETTERS.map((letter) => [letter, count]));

  it.each([
    ['ids', /^(\w)\1*$/],
    ['tsv', /^(\w)\1*$/],
    ['csv', /^(\w)\1*\r$/],
    ['ndjson', /^\{"id":"(\w)\1*"\}$/],
  ])('write whole lines of %s', async (format, shape) => {
    expect(await together(`members list -o ${format} --no-header --quiet`, shape)).toEqual(each(ROWS));
  });

  it('write whole errors in JSON', async () => {
    const shape = /^\{"error":.*"message":"(\w)\1*"[^{}]*\}\}$/;
    expect(await together('members get 5 --json', shape)).toEqual(each(1));
  });
});
