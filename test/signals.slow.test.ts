import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { getSelf } from '../src/storage/lock.ts';
import { until } from './support/clocks.ts';
import { freePort } from './support/oauth.ts';
import { BIN, promptly } from './support/process.ts';
import { type Answer, envelope, onePage } from './support/service.ts';
import { useCli } from './support/use-cli.ts';
import { eventBody, post } from './support/webhooks.ts';

/** One signal ends any command, wherever it waits, and the process dies of it: what is waited for never comes. */

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const t = useCli({ service: () => ({ silent: true }) });
let child: ChildProcess;
let said: { stdout: string; stderr: string };
let ended: Promise<number | NodeJS.Signals | null>;

const start = (line: string, env: Record<string, string> = {}): void => {
  child = t.start(line, { env });
  said = { stdout: '', stderr: '' };
  child.stderr?.on('data', (text) => {
    said.stderr += text;
  });
  child.stdin?.on('error', () => {});
  ended = new Promise((resolve) => void child.once('exit', (code, signal) => resolve(code ?? signal)));
};
const read = (): void =>
  void child.stdout?.on('data', (text) => {
    said.stdout += text;
  });

const asked = () => until(() => t.requests.length > 0);
const says = (word: string) => () => until(() => (said.stderr + said.stdout).includes(word));
/** Whether a link or a file in a folder of the process is so; what has gone meanwhile is not. */
const has = (folder: string, isSo: (path: string) => boolean): boolean =>
  readdirSync(`/proc/${child.pid}/${folder}`).some((name) => {
    try {
      return isSo(`/proc/${child.pid}/${folder}/${name}`);
    } catch {
      return false;
    }
  });
const listens = () => until(() => has('fdinfo', (path) => /^tfd:\s+0 /m.test(readFileSync(path, 'utf8'))));
const opened = () => until(() => has('fd', (path) => readlinkSync(path) === t.file('pipe')));

const rows = Array.from({ length: 100 }, (_, n) => ({ id: n + 1, firstname: 'A', lastname: 'B' }));
const pagination = { total: 200, per_page: 100, current_page: 1, last_page: 2, from: 1, to: 100 };
const BUSY: Answer = { status: 429, headers: { 'retry-after': '3600' }, body: {} };

describe.skipIf(process.platform !== 'linux').each(SIGNALS)('%s ends the waiting for', (signal) => {
  beforeEach(() => {
    execFileSync('mkfifo', [t.file('pipe')]);
    t.file('held/credentials.json.lock/1', JSON.stringify({ holder: getSelf() }));
  });

  it.each<[string, line: string, inItsWait: () => Promise<unknown>, Answer?, env?: Record<string, string>]>([
    ['targets on stdin', 'timesheets approve - --yes', listens],
    ['a file on stdin', 'timesheets approve --from-file - --yes', listens],
    ['a token on stdin', 'auth login --token-stdin --profile x', listens],
    ['deliveries on stdin', 'webhooks replay - --exec true', listens],
    ['a pipe nobody writes to', 'timesheets approve --from-file pipe --yes', opened],
    ['a body in a pipe', 'api POST /projects --input pipe', opened],
    ['an answer', 'members list', asked],
    [
      'the rest of an answer',
      'members list --json',
      asked,
      { headers: { 'content-length': '99' }, body: '{' },
    ],
    ['a service that is busy', 'members list --max-wait 7200', asked, BUSY],
    [
      'the budget of requests',
      'members list --json',
      asked,
      { body: envelope(rows, { pagination }) },
      { TTCTL_RATE_LIMIT: '1/3600,1/3600' },
    ],
    [
      'the lock of the credentials',
      'auth login --token-stdin --profile x',
      () => {
        child.stdin?.end('token-of-a-test\n');
        return asked();
      },
      { body: onePage([{ id: 7, workspace_name: 'A', role: 'Owner', status: 'active' }]) },
      { TTCTL_CONFIG_DIR: 'held' },
    ],
    [
      'a browser',
      'auth login --no-browser --profile x --client-id a --redirect-uri http://127.0.0.1:PORT/callback',
      says('/oauth/authorize'),
      undefined,
      {
        TTCTL_AUTH_URL: 'http://127.0.0.1:9',
        TTCTL_TOKEN_URL: 'http://127.0.0.1:9',
        TTCTL_CLIENT_SECRET: 'secret-of-a-test',
        TTCTL_TOKEN: '',
      },
    ],
    ['a service that is examined', 'doctor', asked],
    ['what waits for a decision', 'inbox --no-input', asked],
    ['deliveries', 'webhooks listen --port 0', says('Listening on')],
    ['requests', 'sandbox start --port 0', says('http://127.0.0.1')],
    ['a command', "sandbox exec -- sh -c 'echo is.up; exec sleep 60'", says('is.up')],
    [
      'a handler',
      "webhooks listen --port 0 --exec 'echo is.up; exec sleep 60'",
      async () => {
        await says('Ctrl-C')();
        await post(/Listening on (\S+)/.exec(said.stderr)?.[1] ?? '', eventBody('member.invited'));
        await says('is.up')();
      },
    ],
    [
      'somebody who reads stdout',
      'api GET /members',
      () => new Promise((resolve) => void child.stdout?.once('readable', resolve)),
      { body: envelope('x'.repeat(8 << 20)) },
    ],
  ])('%s: %s', async (what, line, inItsWait, answer, env) => {
    if (answer !== undefined) t.answer = () => answer;
    start(line.replace('PORT', String(await freePort())), env);
    if (what !== 'somebody who reads stdout') read();
    const early = ended.then((end) =>
      Promise.reject(new Error(`it did not wait: ${end} ${JSON.stringify(said)}`)),
    );
    await Promise.race([inItsWait(), early]);
    early.catch(() => {});
    child.kill(signal);
    expect(await promptly(ended)).toBe(signal);
  });
});

it.each(SIGNALS)('one %s does not cut a write on its way', async (signal) => {
  let answer = (_: Answer): void => {};
  t.answer = () =>
    new Promise((resolve) => {
      answer = resolve;
    });
  start('timesheets approve 17 --yes --json');
  read();
  await asked();
  child.kill(signal);
  // A terminal that closes may say so twice.
  if (signal === 'SIGHUP') setTimeout(() => child.kill(signal), 100);
  // Longer than any wait is let go on.
  expect(await Promise.race([ended, pause(3_000, 'it waits')])).toBe('it waits');
  answer({ body: envelope(null) });
  expect(await ended).toBe(signal);
  expect(JSON.parse(said.stdout)).toMatchObject([{ status: 'done' }]);
});

describe.skipIf(process.platform === 'win32')('a terminal that closes', () => {
  it('ends the command of sandbox exec', async () => {
    start("sandbox exec -- sh -c 'echo pid.$$; exec sleep 31'");
    read();
    await until(() => /pid\.\d+\n/.test(said.stdout));
    child.kill('SIGHUP');
    await promptly(ended);
    const pid = Number(/\d+/.exec(said.stdout)?.[0]);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('leaves no webhook of listen --create', async () => {
    const made = { id: 'w9', url: 'https://x.example', events: ['x'], token: 'token-of-a-webhook' };
    t.answer = ({ line }) => ({ body: line.startsWith('POST') ? envelope(made) : onePage([]) });
    start('webhooks listen --create --event x --url https://x.example --port 0 --yes');
    await says('Ctrl-C')();
    for (const signal of ['SIGHUP', 'SIGHUP'] as const) child.kill(signal);
    await ended;
    expect(t.writes().at(-1)).toBe('DELETE /webhooks/w9');
  });
});

it.skipIf(process.platform === 'win32')('R16 Ctrl-C ends a loop in a shell', async () => {
  const loop = 'for i in 1 2; do "$@"; echo "ended $?"; done';
  const args = ['-c', loop, 'bash', process.execPath, BIN, 'members', 'list'];
  const shell = spawn('bash', args, { env: t.processEnv(), detached: true });
  const out = shell.stdout.toArray();
  const end = new Promise((resolve) => void shell.once('exit', (code, signal) => resolve(code ?? signal)));
  await asked();
  process.kill(-(shell.pid ?? 0), 'SIGINT');
  expect([await end, (await out).join(''), t.requests.length]).toEqual(['SIGINT', '', 1]);
});
