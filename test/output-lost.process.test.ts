import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { createSink } from '../src/output/sink.ts';
import { answerRead, writeLines } from './samples.ts';
import { quickClock } from './support/clocks.ts';
import { makeFolder } from './support/folder.ts';
import { runInProcess, words } from './support/in-process.ts';
import { BIN, cleanHome, finished } from './support/process.ts';
import { envelope, ofRequest, onePage, type Recorded, serviceEnv, startRecorder } from './support/service.ts';

/**
 * Output that fails after writes: what was sent is said, the job is named, and nobody
 * is told to run the command again. Held for every write command in every format.
 */

const FORMATS = ['table', 'json', 'ndjson', 'csv', 'tsv', 'markdown', 'ids'] as const;

const folder = makeFolder();
const file = join(folder, 'expenses.csv');
writeFileSync(file, 'name,date,amount,category\nTaxi,2026-11-20,12,4\nTrain,2026-11-20,48.60,4\n');

/** Runs of two rows each, which are jobs. */
const JOBS: readonly (readonly [string, string])[] = [
  ['timesheets approve', 'timesheets approve t1 t2'],
  ['leaves reject', 'leaves reject t1 t2 --reason late'],
  ['members archive', 'members archive 17 18'],
  ['expenses create', `expenses create --from-file ${file}`],
];

/** Lists hold what the command line names; records have what was sent last. */
const service = async (args: readonly string[]) => {
  let sent: object = {};
  let writes = 0;
  const answer = (request: Recorded) => {
    if (!request.line.startsWith('GET ')) {
      writes += 1;
      sent = (request.body ?? {}) as object;
      return { body: envelope(ofRequest(request, { id: 17, ...sent })) };
    }
    return answerRead(request, args, sent);
  };
  const recorder = await startRecorder(answer);
  return { recorder, writes: () => writes };
};

/** Runs a line with an output that fails like a full disk, or like a pipe whose reader has gone. */
const attempt = async (line: string, format: string, code: 'ENOSPC' | 'EPIPE') => {
  const args = words(line);
  const { recorder, writes } = await service(args);
  const stream = () =>
    new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error(`${code}: gone`), { code })),
    });
  try {
    const ended = await runInProcess([...args, '--yes', ...(args[0] === 'api' ? [] : ['--output', format])], {
      env: serviceEnv(recorder, { TTCTL_STATE_DIR: makeFolder() }),
      machine: { clock: quickClock, stdout: createSink({ isTTY: false, open: stream }) },
    });
    return { ...ended, writes: writes() };
  } finally {
    await recorder.close();
  }
};

/** Said in any way, but for "Do not …". */
const ADVICE = /(?<!do not |don't )(run|send|try|repeat)( the command| it| them)? again/i;

describe.concurrent.each(FORMATS)('in %s', (format) => {
  it.each(writeLines)('a full disk: %s', async (_path, line) => {
    const { exit, stderr, writes } = await attempt(line, format, 'ENOSPC');
    expect(exit, stderr).toBe(1);
    expect(writes).toBeGreaterThan(0);
    expect(stderr).toContain('but the output could not be written');
    expect(stderr).toContain('ENOSPC');
    const remedy = /^(time-tracking|api) /.test(line)
      ? 'Check the records first.'
      : 'See the results: ttctl ';
    expect(stderr).toContain(`Do not run the command again. ${remedy}`);
    expect(stderr).not.toMatch(/\b(\w+) \1\b/);
    expect(stderr).not.toMatch(ADVICE);
  });

  it.each(writeLines)('a reader that has gone: %s', async (_path, line) => {
    const { exit, stderr, writes } = await attempt(line, format, 'EPIPE');
    expect(exit, stderr).toBe(0);
    expect(writes).toBeGreaterThan(0);
    expect(stderr).toContain('but the output was closed');
    expect(stderr).not.toMatch(ADVICE);
  });

  it.each(JOBS)('the job is named: %s', async (path, line) => {
    const verb = { approve: 'approved', reject: 'rejected', archive: 'archived', create: 'created' }[
      path.split(' ')[1] ?? ''
    ];
    for (const code of ['ENOSPC', 'EPIPE'] as const) {
      const { exit, stderr, writes } = await attempt(line, format, code);
      expect([exit, writes], stderr).toEqual([code === 'ENOSPC' ? 1 : 0, 2]);
      expect(stderr).toMatch(new RegExp(`2 [a-z ]+ ${verb}`));
      expect(stderr).toMatch(/ttctl jobs show \d{8}-\d{4}-[a-z]+/);
      expect(stderr).not.toMatch(ADVICE);
    }
  });
});

describe('what failed at the service', () => {
  const failing = async (line: string, code: 'ENOSPC' | 'EPIPE', cut = false) => {
    const recorder = await startRecorder(({ line: asked }) => {
      if (asked.startsWith('GET ')) return cut ? { cut: true } : { body: onePage([]) };
      return cut ? { cut: true } : { status: 422, body: { success: false, message: 'No.', meta: {} } };
    });
    const stream = () =>
      new Writable({ write: (_c, _e, done) => done(Object.assign(new Error(code), { code })) });
    const ended = await runInProcess([...words(line), '--yes', '--json', '--max-wait', '0'], {
      env: serviceEnv(recorder),
      machine: { clock: quickClock, stdout: createSink({ isTTY: false, open: stream }) },
    });
    await recorder.close();
    return ended;
  };

  it.each(['ENOSPC', 'EPIPE'] as const)(
    'keeps its code though nobody can read the results (%s)',
    async (code) => {
      const { exit, stderr } = await failing('timesheets approve t1 t2', code);
      expect([exit, stderr]).toEqual([6, expect.stringContaining('2 of 2 timesheets not approved')]);
      // Nothing is on stdout.
      expect((await failing('timesheets approve t1 t2 --no-journal', code)).stderr).not.toContain(
        'on stdout',
      );
    },
  );

  it.each([
    'members update 17 --weekly-hours-limit 32',
    'projects create --name Site',
    'timesheets approve t1',
  ])('is not hidden by a closed pipe where it is unknown: %s', async (line) => {
    expect((await failing(line, 'EPIPE', true)).exit).toBe(7);
  });
});

it('a dry run has done nothing: it says so of nothing, and may be run again', async () => {
  const { exit, stderr, writes } = await attempt('timesheets approve t1 t2 --dry-run', 'json', 'ENOSPC');
  expect([exit, writes]).toEqual([1, 0]);
  expect(stderr).not.toContain('approved');
  expect((await attempt('timesheets approve t1 t2 --dry-run', 'json', 'EPIPE')).stderr).toBe('');
});

it('nor has a creation whose like is there', async () => {
  const names = join(folder, 'names.csv');
  writeFileSync(names, 'name\nAlpha\nAlpha\n');
  for (const given of ['--name Alpha', `--from-file ${names} --notes Alpha`]) {
    const line = `projects create ${given} --if-missing`;
    const { exit, stderr, writes } = await attempt(line, 'json', 'ENOSPC');
    expect([exit, writes]).toEqual([1, 0]);
    expect(stderr).toContain('"message":"the output could not be written"');
    expect((await attempt(line, 'json', 'EPIPE')).stderr).not.toContain('Do not');
  }
});

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
  'sandbox token create': ['sandbox token create --as nora@lindenhof.example'],
  'sandbox token revoke': [
    'sandbox token revoke a',
    'sandbox token create --as nora@lindenhof.example --name a',
  ],
  'sandbox webhooks trigger': [
    'sandbox webhooks trigger tracker.started',
    '--profile sandbox webhooks create --event tracker.started --url http://127.0.0.1:9/hook',
  ],
  'sandbox app create': ['sandbox app create --name X --grant client-credentials'],
};

describe('changes of this machine and of the sandbox', () => {
  /** A machine of its own: a profile that is signed in, a job. */
  const prepare = async () => {
    const recorder = await startRecorder(({ line }) =>
      line.startsWith('GET /workspaces')
        ? { body: onePage([{ id: 7, workspace_name: 'Site', role: 'Owner' }]) }
        : { body: envelope(null) },
    );
    const [config, state] = [makeFolder(), makeFolder()];
    const place = { base_url: recorder.baseUrl };
    const credential = { kind: 'personal', ...place, access_token: 'pat-1', created_at: '2026-11-01' };
    const profiles = { work: { ...place, workspace: 7 } };
    writeFileSync(join(config, 'settings.json'), JSON.stringify({ version: 1, profiles }), { mode: 0o600 });
    const credentials = JSON.stringify({ version: 1, profiles: { work: credential } });
    writeFileSync(join(config, 'credentials.json'), credentials, { mode: 0o600 });
    return { recorder, env: { TTCTL_CONFIG_DIR: config, TTCTL_STATE_DIR: state } };
  };

  it.each(Object.entries(LOCAL))('%s', async (_path, [line = '', ...before]) => {
    for (const code of ['ENOSPC', 'EPIPE'] as const) {
      const { recorder, env } = await prepare();
      for (const first of before) await runInProcess(words(first), { env });
      const job = (await runInProcess(['jobs', 'list', '--output', 'ids'], { env })).stdout.trim();
      const args = words(line.replace('http://127.0.0.1:1/api/v2', recorder.baseUrl).replace('<job>', job));
      const stream = () =>
        new Writable({ write: (_c, _e, done) => done(Object.assign(new Error(`${code}: gone`), { code })) });
      const plan = line.startsWith('sandbox')
        ? { exit: 0, stderr: '' }
        : await runInProcess([...args, '--dry-run'], { env, stdin: 'pat-1' });
      const { exit, stderr } = await runInProcess([...args, '--json'], {
        env,
        stdin: 'pat-1',
        machine: { stdout: createSink({ isTTY: false, open: stream }) },
      });
      await recorder.close();
      expect(plan.exit, plan.stderr).toBe(0);
      expect(exit, stderr).toBe(code === 'ENOSPC' ? 1 : 0);
      const how = code === 'ENOSPC' ? 'could not be written' : 'was closed';
      expect(stderr).toContain(`, but the output ${how}`);
      expect(stderr).toMatch(/Do not run the command again\. See the results: ttctl \S+ \S+/);
      expect(stderr).not.toMatch(ADVICE);
    }
  });
});

describe('by the built program', () => {
  const home = cleanHome();
  afterAll(home.remove);
  const run = async (line: string, stdout: number | 'pipe') => {
    const { recorder, writes } = await service(words(line));
    const env = { ...home.env, ...serviceEnv(recorder, { TTCTL_STATE_DIR: join(home.folder, 'state') }) };
    const child = spawn(process.execPath, [BIN, ...words(line), '--yes', '--json'], {
      env,
      stdio: ['pipe', stdout, 'pipe'],
    });
    child.stdout?.destroy();
    const ended = await finished(child);
    await recorder.close();
    return { ...ended, writes: writes() };
  };

  it.runIf(existsSync('/dev/full'))('a full disk', async () => {
    const { exit, stderr, writes } = await run(
      `expenses create --from-file ${file}`,
      openSync('/dev/full', 'w'),
    );
    const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
    expect([exit, writes]).toEqual([1, 2]);
    expect(error).toMatchObject({
      code: 'output_failed',
      exit: 1,
      message: '2 expenses created, but the output could not be written',
      hint: `Do not run the command again. See the results: ttctl jobs show ${error.job}`,
      done: 2,
    });
  });

  it('a disk that has room for a part', async ({ skip }) => {
    const disk = join(home.folder, 'disk');
    mkdirSync(disk);
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]).status !== 0)
      skip('no tmpfs can be mounted here (not root)');
    const out = openSync(join(disk, 'out'), 'w');
    try {
      const child = spawn(process.execPath, [BIN, 'schema'], { env: home.env, stdio: ['pipe', out, 'pipe'] });
      const { exit, stderr } = await finished(child);
      expect([exit, statSync(join(disk, 'out')).size > 0]).toEqual([1, true]);
      expect(stderr).toContain('the output could not be written');
    } finally {
      closeSync(out);
      spawnSync('umount', [disk]);
    }
  });

  it('a closed pipe', async () => {
    const { exit, stderr, writes } = await run(`expenses create --from-file ${file}`, 'pipe');
    expect([exit, writes]).toEqual([0, 2]);
    expect(stderr).toMatch(/2 expenses created, but the output was closed\. .*ttctl jobs show/);
  });
});
