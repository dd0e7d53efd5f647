import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { FORMAT_NAMES } from '../src/output/formats/formats.ts';
import { createSink } from '../src/output/sink.ts';
import { answerRead, writeLines } from './samples.ts';
import { quickClock } from './support/clocks.ts';
import { words } from './support/in-process.ts';
import { BIN, finished } from './support/process.ts';
import { envelope, ofRequest, onePage, type Recorded } from './support/service.ts';
import { type Answering, ask, openCli, useCli } from './support/use-cli.ts';

/**
 * Output that fails after writes: what was sent is said, the job is named, and nobody is told to run the command again.
 * Held for every write command in every format.
 */

/** A full disk, and a pipe whose reader has gone: the exit, and how it is said. */
const FAULTS = [
  ['ENOSPC', 1, 'could not be written'],
  ['EPIPE', 0, 'was closed'],
] as const;
const EXPENSES = 'name,date,amount,category\nTaxi,2026-11-20,12,4\nTrain,2026-11-20,48.60,4\n';

/** Lists hold what the command line names; records have what was sent last. */
const answering = (line: string): Answering => {
  let sent: object = {};
  return (request: Recorded) => {
    if (request.line.startsWith('GET ')) return answerRead(request, words(line), sent);
    sent = Object(request.body);
    return { body: envelope(ofRequest(request, { id: 17, ...sent })) };
  };
};
const failing = (code: string) => {
  const write = (_chunk: unknown, _encoding: unknown, done: (error: Error) => void) =>
    done(Object.assign(new Error(`${code}: gone`), { code }));
  return createSink({ isTTY: false, open: () => new Writable({ write }) });
};
const attempt = (line: string, code: string, answer = answering(line), stdin = EXPENSES) =>
  ask(line, answer, { clock: quickClock, stdin, machine: { stdout: failing(code) } });

/** Said in any way, but for "Do not …". */
const ADVICE = /(?<!do not |don't )(run|send|try|repeat)( the command| it| them)? again/i;

describe.concurrent.each(FORMAT_NAMES)('in %s', (format) => {
  it.each(writeLines)('%s: what was sent is said', async (path, line) => {
    for (const [code, ends, how] of FAULTS) {
      const flags = path === 'api' ? '--yes' : `--yes --output ${format}`;
      const { exit, stderr, sent } = await attempt(`${line} ${flags}`, code);
      expect(exit, stderr).toBe(ends);
      expect(sent).not.toEqual([]);
      expect(stderr).toContain(`but the output ${how}`);
      expect(stderr).not.toMatch(ADVICE);
      if (code === 'EPIPE') continue;
      const remedy = /^(time-tracking|api)/.test(path)
        ? 'Check the records first.'
        : 'See the results: ttctl ';
      expect(stderr).toContain(`Do not run the command again. ${remedy}`);
      expect(stderr).toContain('ENOSPC');
      expect(stderr).not.toMatch(/\b(\w+) \1\b/);
    }
  });

  it.each([
    ['approved', 'timesheets approve t1 t2'],
    ['rejected', 'leaves reject t1 t2 --reason late'],
    ['archived', 'members archive 17 18'],
    ['created', 'expenses create --from-file -'],
  ])('the job is named: %s by %s', async (past, line) => {
    for (const [code, ends] of FAULTS) {
      const { exit, stderr, sent } = await attempt(`${line} --yes --output ${format}`, code);
      expect([exit, sent.length], stderr).toEqual([ends, 2]);
      expect(stderr).toMatch(new RegExp(`2 [a-z ]+ ${past}`));
      expect(stderr).toMatch(/ttctl jobs show \d{8}-\d{4}-[a-z]+/);
      expect(stderr).not.toMatch(ADVICE);
    }
  });
});

it.each(FAULTS)(
  'what failed at the service keeps its code though nobody can read the results (%s)',
  async (code) => {
    const refuse: Answering = ({ line }) =>
      line.startsWith('GET ')
        ? { body: onePage([]) }
        : { status: 422, body: { success: false, message: 'No.', meta: {} } };
    const { exit, stderr } = await attempt('timesheets approve t1 t2 --yes --json', code, refuse);
    expect([exit, stderr]).toEqual([6, expect.stringContaining('2 of 2 timesheets not approved')]);
    // Nothing is on stdout.
    const unkept = await attempt('timesheets approve t1 t2 --yes --json --no-journal', code, refuse);
    expect(unkept.stderr).not.toContain('on stdout');
  },
);

it.each([
  'members update 17 --weekly-hours-limit 32',
  'projects create --name Site',
  'timesheets approve t1',
])('what is unknown is not hidden by a closed pipe: %s', async (line) => {
  const { exit } = await attempt(`${line} --yes --json --max-wait 0`, 'EPIPE', () => ({ cut: true }));
  expect(exit).toBe(7);
});

it('a dry run has done nothing: it says so of nothing, and may be run again', async () => {
  const line = 'timesheets approve t1 t2 --dry-run --json';
  const { exit, stderr, sent } = await attempt(line, 'ENOSPC');
  expect([exit, sent]).toEqual([1, []]);
  expect(stderr).not.toContain('approved');
  expect((await attempt(line, 'EPIPE')).stderr).toBe('');
});

it.each(['--name Alpha', '--from-file - --notes Alpha'])(
  'nor has a creation whose like is there: %s',
  async (given) => {
    const line = `projects create ${given} --if-missing --yes --json`;
    const rows = 'name\nAlpha\nAlpha\n';
    const { exit, stderr, sent } = await attempt(line, 'ENOSPC', answering(line), rows);
    expect([exit, sent]).toEqual([1, []]);
    expect(stderr).toContain('"message":"the output could not be written"');
    expect((await attempt(line, 'EPIPE', answering(line), rows)).stderr).not.toContain('Do not');
  },
);

const toPlace = (line: string) => (/^sandbox|^webhooks/.test(line) ? `--profile sandbox ${line}` : line);
const TOKEN = 'sandbox token create --as nora@lindenhof.example';

/**
 * Commands without an operation of the service, by what they change on this machine or in the sandbox: a line, after
 * lines that make what it is about.
 */
const LOCAL: Readonly<Record<string, readonly string[]>> = {
  'auth login': ['auth login --profile work --base-url http://127.0.0.1:1/api/v2 --token-stdin'],
  'auth logout': ['auth logout --profile work --yes'],
  'history prune': ['history prune --older-than 1ms --yes', 'timesheets approve t1 --yes --profile work'],
  'profile set': ['profile set --profile home --timezone UTC'],
  'profile use': ['profile use work'],
  'profile remove': ['profile remove work --yes'],
  'workspaces use': ['workspaces use 7 --profile work'],
  'sandbox reset': ['sandbox reset'],
  'sandbox clock set': ['sandbox clock set 2026-12-01'],
  'sandbox clock advance': ['sandbox clock advance 2h'],
  'sandbox clock freeze': ['sandbox clock freeze'],
  'sandbox clock resume': ['sandbox clock resume'],
  'sandbox clock reset': ['sandbox clock reset'],
  'sandbox fault add': ['sandbox fault add members list --status 500'],
  'sandbox fault clear': ['sandbox fault clear'],
  'sandbox snapshot save': ['sandbox snapshot save a'],
  'sandbox snapshot restore': ['sandbox snapshot restore a', 'sandbox snapshot save a'],
  'sandbox snapshot remove': ['sandbox snapshot remove a', 'sandbox snapshot save a'],
  'sandbox token create': [TOKEN],
  'sandbox token revoke': ['sandbox token revoke a', `${TOKEN} --name a`],
  'sandbox webhooks trigger': [
    'sandbox webhooks trigger tracker.started',
    'webhooks create --event tracker.started --url http://127.0.0.1:9/hook',
  ],
  'sandbox app create': ['sandbox app create --name X --grant client-credentials'],
};

it.each(Object.entries(LOCAL))(
  'a change of this machine or of the sandbox: %s',
  async (_path, [line = '', ...before]) => {
    for (const [code, ends, how] of FAULTS) {
      const t = await openCli({
        service: { workspaces: [{ id: 7, workspace_name: 'Site', role: 'Owner' }] },
      });
      for (const name of ['TTCTL_BASE_URL', 'TTCTL_TOKEN', 'TTCTL_WORKSPACE']) delete t.env[name];
      // A profile that is signed in.
      const stdin = 'pat-1';
      await t.read(`auth login --profile work --base-url ${t.baseUrl} --token-stdin`, { stdin });
      await t.read('profile set --profile work --workspace 7');
      for (const first of before) await t.read(toPlace(first));
      const own = toPlace(line).replace('http://127.0.0.1:1/api/v2', t.baseUrl);
      if (!line.startsWith('sandbox')) await t.read(`${own} --dry-run`, { stdin });
      const { exit, stderr } = await t.run(`${own} --json`, { stdin, machine: { stdout: failing(code) } });
      expect(exit, stderr).toBe(ends);
      expect(stderr).toContain(`, but the output ${how}`);
      expect(stderr).toMatch(/Do not run the command again\. See the results: ttctl \S+ \S+/);
      expect(stderr).not.toMatch(ADVICE);
    }
  },
);

describe('by the built program', () => {
  const line = 'expenses create --from-file - --yes --json';
  const t = useCli({ service: answering(line) });
  const run = (args: string, stdout: number | 'pipe') => {
    const options = { env: t.processEnv(), stdio: ['pipe' as const, stdout, 'pipe' as const] };
    const child = spawn(process.execPath, [BIN, ...words(args)], options);
    child.stdout?.destroy();
    return finished(child, EXPENSES);
  };

  it.runIf(existsSync('/dev/full'))('a full disk', async () => {
    const { exit, stderr } = await run(line, openSync('/dev/full', 'w'));
    const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
    expect([exit, t.sent().length]).toEqual([1, 2]);
    expect(error).toMatchObject({
      ...{ code: 'output_failed', exit: 1, done: 2 },
      message: '2 expenses created, but the output could not be written',
      hint: `Do not run the command again. See the results: ttctl jobs show ${error.job}`,
    });
  });

  it('a disk that has room for a part', async ({ skip }) => {
    const disk = t.file('disk');
    mkdirSync(disk);
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]).status !== 0)
      skip('no tmpfs can be mounted here (not root)');
    const out = openSync(join(disk, 'out'), 'w');
    try {
      const { exit, stderr } = await run('schema', out);
      expect([exit, statSync(join(disk, 'out')).size > 0]).toEqual([1, true]);
      expect(stderr).toContain('the output could not be written');
    } finally {
      closeSync(out);
      spawnSync('umount', [disk]);
    }
  });

  it('a closed pipe', async () => {
    const { exit, stderr } = await run(line, 'pipe');
    expect([exit, t.sent().length]).toEqual([0, 2]);
    expect(stderr).toMatch(/2 expenses created, but the output was closed\. .*ttctl jobs show/);
  });
});
