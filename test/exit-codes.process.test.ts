import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { until } from './support/clocks.ts';
import { BIN, finished } from './support/process.ts';
import { type Answer, envelope, ofRequest, onePage, type Recorded, readsList } from './support/service.ts';
import { useCli } from './support/use-cli.ts';

/**
 * Exit codes in words and in JSON; then signals, full disks and machines that are not as they should be, by the built
 * program.
 */

const ANA = { id: 17, email: 'ana@example.com', firstname: 'Ana' };
const t = useCli({
  service: (request) => ({ body: readsList(request) ? onePage([ANA]) : envelope(ofRequest(request, ANA)) }),
  env: { TTCTL_MAX_WAIT: '0' },
});
const refusal = (message: string) => ({ success: false, message, error: null, meta: {} });

/** In words and in JSON, with the same exit code. @returns the error of the JSON */
const fails = async (line: string, exit: number, env: Readonly<Record<string, string>> = {}) => {
  const [inWords, inJson] = await Promise.all([t.run(line, { env }), t.run(`${line} --json`, { env })]);
  const { error, ...others } = JSON.parse(inJson.stderr.trimEnd().split('\n').at(-1) ?? '');
  expect([others, inWords.exit, inJson.exit, error.exit]).toEqual([{}, exit, exit, exit]);
  expect(inWords.stderr).toMatch(/^error: /m);
  expect(inWords.stderr).not.toMatch(/^ {4}at |node:internal/m);
  for (const text of [error.message, error.hint ?? '']) expect(inWords.stderr).toContain(text.split('\n')[0]);
  return error;
};

/** Lines of bash in the test's folder, with `ttctl`. */
const bash = (lines: string, cwd = t.folder) =>
  finished(
    spawn('bash', ['-c', `ttctl() { "$NODE" "$BIN" "$@"; }\n${lines}`], {
      env: { ...t.processEnv(), NODE: process.execPath, BIN },
      cwd,
    }),
  );

it('0 is a thing done, an empty list, a valid dry run, help and version', async () => {
  expect(await t.run('members get 17')).toMatchObject({ exit: 0 });
  expect(await t.run('timesheets approve t1 --yes --dry-run')).toMatchObject({ exit: 0 });
  expect(await t.run('members get --help')).toMatchObject({ exit: 0, stderr: '' });
  expect(await t.run('--version')).toMatchObject({ exit: 0, stderr: '' });
  t.answer = () => ({ body: onePage([]) });
  expect(await t.run('members list')).toEqual({ exit: 0, stdout: '', stderr: 'No members found.\n' });
  expect(await t.run('members list --json')).toEqual({ exit: 0, stdout: '[]\n', stderr: '' });
  expect(t.sent()).toEqual([]);
});

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
])('a refusal of the service: %i is exit %i, %s', async (status, exit, code) => {
  const message = `The service said ${status}.`;
  t.answer = () => ({ status, body: refusal(message) });
  const error = await fails('members get 17', exit);
  expect(error).toMatchObject({ code, status, request: 'GET /members/17', message });
  expect(error.hint ?? (exit === 6 ? 'none' : undefined)).toBeTruthy();
});

it('a refusal of a workspace by name ends too, and is not waited on', async () => {
  t.answer = () => ({ status: 401, body: refusal('no token') });
  expect(await fails('-w Northwind members get 17', 3)).toMatchObject({ request: 'GET /workspaces' });
});

it('7 is an answer that is not of the API, and no redirect is followed', async () => {
  t.answer = () => ({ status: 302, headers: { location: '/api/v2/elsewhere' } });
  expect(await fails('members get 17', 7)).toMatchObject({ code: 'not_the_api', status: 302 });
  expect(new Set(t.lines())).toEqual(new Set(['GET /members/17?workspace_id=7']));
});

it.each<[what: string, answer: Answer, line: string, code: string, env?: Record<string, string>]>([
  ['cuts', { cut: true }, 'members get 17', 'connection_reset'],
  ['does not answer', { silent: true }, 'members list --timeout 1', 'timeout'],
  [
    'is not there',
    {},
    'members get 17',
    'connection_refused',
    { TTCTL_BASE_URL: 'http://127.0.0.1:1/api/v2' },
  ],
])('7 is a service that %s', async (_what, answer, line, code, env) => {
  t.answer = () => answer;
  expect(await fails(line, 7, env)).toMatchObject({ code });
});

/** One that is not the second is in signals.slow.test.ts, and with many rows in jobs-process.slow.test.ts. */
describe('a second signal while a write is on its way leaves at once', () => {
  const stopTwice = async (line: string, first: NodeJS.Signals, second: NodeJS.Signals) => {
    t.answer = ({ line }) => (line.startsWith('GET') ? { body: onePage([]) } : { silent: true });
    const child = t.start(line);
    const ended = finished(child);
    await until(() => t.sent().length > 0);
    child.kill(first);
    // Until the first has been seen.
    const again = setInterval(() => child.kill(second), 50);
    return ended.finally(() => clearInterval(again));
  };

  it.each([
    ['timesheets approve a1 --yes', 'SIGINT', 'SIGINT', 130],
    ['timesheets approve a1 a2 --yes', 'SIGINT', 'SIGTERM', 143],
    ['members restore 17', 'SIGTERM', 'SIGTERM', 143],
  ] as const)('%s, %s and %s: %i, and how to look', async (line, first, second, exit) => {
    expect(await stopTwice(line, first, second)).toEqual({
      exit,
      stdout: '',
      stderr:
        'error: stopped while a write was on its way; its outcome is unknown\n' +
        'hint: See what was sent: ttctl history list --status unknown\n',
    });
  });

  it('is an error in JSON too', async () => {
    const { exit, stderr } = await stopTwice('timesheets approve a1 --yes --json', 'SIGINT', 'SIGINT');
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'interrupted', exit });
  });
});

describe('output that goes nowhere', () => {
  it.each([
    ['members list --debug', 0],
    ['timesheets approve t1 --yes --debug', 0],
    ['members get .. --debug', 2],
  ])('a stderr that takes nothing leaves %s its exit code, %i', async (line, exit) => {
    const ended = await bash(`ttctl ${line} 2>/dev/full`);
    expect([ended.exit, ended.stdout === '']).toEqual([exit, exit !== 0]);
  });

  it.each([
    'members list',
    'members list --json',
    'members list -o csv',
    'api GET /members',
    'timesheets approve t1 --yes',
    'members --help',
    '--version',
  ])('1 is a full disk under %s, and it is said', async (line) => {
    const { exit, stderr } = await bash(`ttctl ${line} >/dev/full`);
    expect(exit).toBe(1);
    expect(stderr).toMatch(/ENOSPC|no space left/i);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });

  it('1 is a directory for settings that may not be written', async () => {
    const folder = t.file('read-only');
    t.file('read-only/file', '');
    chmodSync(folder, 0o500);
    const env = { TTCTL_CONFIG_DIR: `${folder}/file/ttctl` };
    await fails('profile set --profile work --workspace 7', 1, env);
    expect(await t.run('members get 17', { env })).toMatchObject({ exit: 0 });
    chmodSync(folder, 0o700);
  });

  it.each(['table', 'json', 'ndjson', 'csv', 'ids'])('%s | head -1 ends quietly', async (format) => {
    const rows = Array.from({ length: 5000 }, (_, id) => ({ id, email: `person${id}@example.com` }));
    t.answer = () => ({ body: onePage(rows) });
    const { stdout, stderr } = await bash(
      `ttctl members list -o ${format} | head -1; echo "\${PIPESTATUS[0]}"`,
    );
    const [first, exit, ...others] = stdout.split('\n');
    expect([first !== '', exit, others, stderr]).toEqual([true, '0', [''], '']);
  });

  it('20 MB through a slow pipe are whole', async () => {
    const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, notes: 'x'.repeat(1000) }));
    t.answer = () => ({ body: onePage(rows) });
    const { stdout } = await bash('ttctl members list -o ndjson | (sleep 0.3; wc -lc)');
    const bytes = rows.reduce((sum, row) => sum + JSON.stringify(row).length + 1, 0);
    expect(stdout.trim().split(/\s+/).map(Number)).toEqual([20_000, bytes]);
  });
});

describe('a machine that is not as it should be', () => {
  it.each([
    ['no HOME, no TERM, no locale', 'unset HOME TERM LANG TZ'],
    ['a HOME that is not there, an empty TERM, a plain locale', 'export HOME="$PWD/gone" TERM= LC_ALL=C'],
    ['a HOME that is no directory', 'export HOME=/dev/null'],
    ['a HOME that is relative', 'export HOME=here'],
  ])('%s: reads and writes work', async (_what, setting) => {
    const lines = `unset TTCTL_CONFIG_DIR; ${setting}
      ttctl members get 17 && ttctl members list 2>&1 && ttctl timesheets approve t1 --yes 2>&1 &&
      ttctl profile show 2>&1 && ttctl auth status 2>&1`;
    const { stdout, ...ended } = await bash(lines);
    expect(ended, stdout).toEqual({ exit: 0, stderr: '' });
  });

  it('no HOME: nothing is written anywhere near', async () => {
    const folder = t.file('here');
    mkdirSync(folder);
    const homeless = (line: string) => bash(`unset HOME TTCTL_CONFIG_DIR; ttctl ${line}`, folder);
    expect(await homeless('timesheets approve t1 --yes')).toMatchObject({ exit: 0 });
    const kept = await homeless('profile set --workspace 7');
    expect(kept).toMatchObject({ exit: 1, stderr: expect.stringContaining('TTCTL_CONFIG_DIR') });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('a working directory that is gone', async () => {
    const folder = t.file('gone');
    mkdirSync(folder);
    const sandbox = 'TTCTL_WORKSPACE= ttctl --profile sandbox members list >/dev/null';
    const ended = await bash(`rmdir "$PWD"; ttctl members get 17 && ${sandbox}`, folder);
    expect(ended, ended.stderr).toMatchObject({ exit: 0 });
    expect(readdirSync(t.folder)).not.toContain('gone');
  });

  it('stdin, stdout or stderr closed', async () => {
    expect(await bash('ttctl members get 17 <&-')).toMatchObject({ exit: 0, stderr: '' });
    expect(await bash('ttctl timesheets approve t1 <&-')).toMatchObject({ exit: 2 });
    // A closed stdin has nothing in it, as /dev/null: then there is nothing to do.
    expect((await bash('ttctl timesheets approve - --yes <&-')).exit).toBe(0);
    expect((await bash('ttctl members get 17 2>&-')).exit).toBe(0);
    expect((await bash('ttctl members get 17 >&-')).stderr).not.toContain('    at ');
  });
});

/** As `xargs -P` starts them: no line of one is within a line of another. */
it.each([
  ['members list -o ids --no-header --quiet', /^(\w)\1*$/, 60],
  ['members list -o tsv --no-header --quiet', /^(\w)\1*$/, 60],
  ['members list -o csv --no-header --quiet', /^(\w)\1*\r$/, 60],
  ['members list -o ndjson --no-header --quiet', /^\{"id":"(\w)\1*"\}$/, 60],
  ['members get 5 --json', /^\{"error":.*"message":"(\w)\1*"[^{}]*\}\}$/, 1],
])('six processes write whole lines into one pipe: %s', async (line, shape, count) => {
  // Rows of all lengths up to some 3,500 bytes, each made of one letter: a mixed line has two.
  t.answer = ({ line: asked }: Recorded) => {
    const letter = /letter=(.)/.exec(asked)?.[1] ?? '?';
    const rows = Array.from({ length: 60 }, (_, n) => ({ id: letter.repeat(1 + ((n * 59) % 3500)) }));
    if (asked.includes('/members?')) return { body: onePage(rows) };
    return { status: 404, body: refusal(letter.repeat(2000)) };
  };
  const each = `for letter in a b c d e f; do ttctl ${line} --param letter=$letter 2>&1 & done; wait`;
  const { stdout, stderr, exit } = await bash(`(${each}) | cat`);
  expect([exit, stderr, stdout.at(-1)]).toEqual([0, '', '\n']);
  const lines = stdout.slice(0, -1).split('\n');
  const found = lines.map((one) => shape.exec(one)?.[1] ?? `mixed: ${one.slice(0, 80)}`);
  expect(found.sort().join('')).toBe([...'abcdef'].map((letter) => letter.repeat(count)).join(''));
});
