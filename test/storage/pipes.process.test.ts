import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Row } from '../../src/api/page.ts';
import { type LoopbackServer, startServer } from '../support/loopback.ts';
import { cleanHome, finished, type Home, startBinary } from '../support/process.ts';
import { runFile, runFiles } from '../support/runs.ts';

/** Files of ours that are something else: no command waits for a pipe, none takes a word from another user's file. */

let home: Home;
let server: LoopbackServer;
let asked: string[];
beforeAll(async () => {
  server = await startServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.end('{}');
  });
});
afterAll(() => server.close());
beforeEach(() => {
  asked = [];
  home = cleanHome();
});
afterEach(() => home.remove());

const run = async (args: readonly string[]) => {
  const child = startBinary(args, { env: home.env });
  // What waits for a pipe is deaf to the gentler signals.
  const patience = setTimeout(() => child.kill('SIGKILL'), 60_000);
  const ended = await finished(child);
  clearTimeout(patience);
  return ended;
};
const READ = ['--profile', 'sandbox', 'members', 'list', '-o', 'ids'];
const WORLD = '.local/state/ttctl/sandbox/world.json';

describe.runIf(process.platform !== 'win32')('a pipe in the place of a file is not waited for', () => {
  it.each<[string, readonly string[], number]>([
    ['.config/ttctl/settings.json', ['members', 'list'], 2],
    ['.config/ttctl/credentials.json', ['auth', 'status'], 2],
    [WORLD, READ, 2],
    ['.local/state/ttctl/sandbox.json', ['sandbox', 'status'], 2],
    ['.local/state/ttctl/runs/2026-03/20260318-1000-abc.jsonl', ['jobs', 'show', '20260318-1000-abc'], 2],
    [WORLD, ['__complete', 'fish', '--profile', 'sandbox', 'members', 'get', ''], 0],
  ])('%s: %j', async (name, args, exit) => {
    // The embedded sandbox makes its folders.
    await run(READ);
    const path = join(home.folder, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    rmSync(path, { force: true });
    execFileSync('mkfifo', [path]);
    const ended = await run(args);
    expect({ ...ended, stdout: '' }).toEqual({ exit, stdout: '', stderr: expect.any(String) });
    if (exit !== 0) expect(ended.stderr).toContain(`refusing to read ${path}: it is not a regular file`);
    else expect(ended.stderr).not.toContain('error');
  });
});

describe.runIf(process.platform !== 'win32')('a run that cannot be read', () => {
  const PIPE = '20260318-1000-abc';
  const HEADLESS = '20260318-1001-abc';
  const NO_ROW = '20260318-1002-abc';
  const NO_STEP = '20260318-1004-abc';
  const LINK = '20260318-1003-abc';
  const state = () => join(home.folder, '.local/state/ttctl');
  const path = (id: string) => runFile(state(), id);
  /** One run of two writes as it was, and copies of its journal that are not. @returns its id */
  const makeRuns = async (): Promise<string> => {
    const archived = await run(['--profile', 'sandbox', 'members', 'archive', '108', '109', '--yes']);
    expect(archived.exit, archived.stderr).toBe(0);
    const id = basename(runFiles(state())[0] ?? '', '.jsonl');
    const lines = readFileSync(path(id), 'utf8').split(/(?<=\n)/);
    mkdirSync(dirname(path(PIPE)), { recursive: true, mode: 0o700 });
    execFileSync('mkfifo', [path(PIPE)]);
    writeFileSync(path(HEADLESS), lines.slice(1).join(''), { mode: 0o600 });
    const rest = lines.filter((line) => !line.startsWith('{"n":1,"operation"'));
    writeFileSync(path(NO_ROW), rest.join(''), { mode: 0o600 });
    // A step of the second row is damaged.
    const harmed = lines.map((line) => line.replace('{"n":2,"step":"sending"', '{"n":2,"step":"pending"'));
    writeFileSync(path(NO_STEP), harmed.join(''), { mode: 0o600 });
    symlinkSync(path(id), path(LINK));
    return id;
  };
  const list = async (line: string) => {
    const { exit, stdout, stderr } = await run([...line.split(' '), '--json']);
    expect(exit, line).toBe(0);
    const named = [...stderr.matchAll(/^warning: the journal of (\S+) is damaged.*\1\.jsonl$/gm)];
    return { rows: JSON.parse(stdout) as readonly Row[], damaged: named.map(([, id]) => id).sort() };
  };

  it('is named with its file, and the others are listed', async () => {
    const id = await makeRuns();
    const unread = [PIPE, HEADLESS, NO_ROW, LINK];
    const jobs = await list('jobs list');
    expect(jobs).toMatchObject({ rows: [{ id }, { id: NO_STEP }], damaged: unread });
    for (const line of ['history list', 'history list --target nothing'])
      expect((await list(line)).damaged, line).toEqual([...unread, NO_STEP].sort());
    const { rows } = await list('history list');
    expect(rows.map((row) => row['id'])).toEqual([`${id}-2`, `${id}-1`, `${NO_STEP}-1`]);
    expect((await list(`history list --run ${NO_STEP}`)).rows).toMatchObject([{ status: 'done' }]);
    expect((await list('history list --date-from 2026-03-20')).damaged).toEqual([]);
  });

  it.each([
    [PIPE, 'it is not a regular file', 'Move it away: mv '],
    [LINK, 'it is a symbolic link', 'Replace the link with the file.'],
    [HEADLESS, `the journal of ${HEADLESS} is damaged`, `${HEADLESS}.jsonl`],
    [NO_ROW, `the journal of ${NO_ROW} is damaged`, `${NO_ROW}.jsonl`],
    [NO_STEP, `the journal of ${NO_STEP} is damaged`, `${NO_STEP}.jsonl`],
    [`${NO_STEP}-2`, `the journal of ${NO_STEP} is damaged`, `${NO_STEP}.jsonl`],
  ])('is not undone: %s, %s', async (id, why, advice) => {
    await makeRuns();
    const { exit, stdout, stderr } = await run(['--profile', 'sandbox', 'undo', id, '--yes']);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toContain(why);
    expect(stderr).toContain(advice);
    expect(stderr).not.toContain('has sent nothing');
  });
});

describe.runIf(process.geteuid?.() === 0)('what another user put there', () => {
  it('is not the running sandbox: its secret goes nowhere', async () => {
    await run(READ);
    const locator = join(home.folder, '.local/state/ttctl/sandbox.json');
    const url = `http://127.0.0.1:${server.port}`;
    const facts = {
      url,
      base_url: `${url}/api/v2`,
      auth_url: url,
      token_url: url,
      port: server.port,
      pid: process.pid,
    };
    writeFileSync(
      locator,
      JSON.stringify({ ...facts, started_at: '2026-03-18T10:00:00Z', state: null, secret: 's' }),
      { mode: 0o600 },
    );
    await run(['sandbox', 'status']);
    expect(asked).not.toEqual([]);
    asked = [];
    chownSync(locator, 65_534, 65_534);
    const { exit, stderr } = await run(['sandbox', 'status']);
    expect({ exit, asked }).toEqual({ exit: 2, asked: [] });
    expect(stderr).toContain('it belongs to another user');
  });
});
