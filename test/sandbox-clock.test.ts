import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { createRemoteControl } from '../src/sandbox/control-client.ts';
import { createWaitClock } from '../src/sandbox-host/waits.ts';
import { BIN, cleanHome, runBinary } from './support/binary.ts';
import { runInProcess } from './support/in-process.ts';
import { KINDS, type Tried, tryServer } from './support/instrument.ts';
import { envelope, onePage, startRecorder } from './support/recorder.ts';
import { begin, freePort } from './support/sign-in.ts';

/** What ends, renews and waits by the clock, with the clock moved in place of waiting. */

const words = (text: string): string[] => text.split(' ');
const errorOf = ({ stderr }: { readonly stderr: string }) =>
  JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;

let sandbox: Tried;
afterEach(() => sandbox?.close());

describe.each(KINDS)('the clock of the %s sandbox', (_kind, open) => {
  it('is shown, set, moved, frozen and put back', async () => {
    sandbox = await open();
    const clock = (text: string) => sandbox.json(words(`sandbox clock ${text}`));
    expect(await clock('show')).toMatchObject({ frozen: false, ahead_seconds: 0 });
    expect(await clock('freeze')).toMatchObject({ frozen: true });
    expect((await clock('set 2030-06-01T09:00+02:00')).now).toBe('2030-06-01T07:00:00.000Z');
    expect((await clock('set 2030-06-01 --timezone Asia/Kolkata')).now).toBe('2030-05-31T18:30:00.000Z');
    expect((await clock('advance 1h30m')).now).toBe('2030-05-31T20:00:00.000Z');
    expect((await clock('show')).now).toBe('2030-05-31T20:00:00.000Z');
    expect((await clock('resume')).frozen).toBe(false);
    expect(await clock('reset')).toMatchObject({ frozen: false, ahead_seconds: 0 });
    for (const wrong of ['advance 5', 'advance 1y', 'set tomorrowish', 'set 2026-02-30', 'set 1960-01-01']) {
      expect((await sandbox.run(words(`sandbox clock ${wrong}`))).exit, wrong).toBe(2);
    }
  });

  it('ends a Personal Access Token after six months, and not before', async () => {
    sandbox = await open();
    const { token, expires_at } = await sandbox.json(
      words('sandbox token create --as nora@lindenhof.example --scope read'),
    );
    const list = () => sandbox.run(words('members list --json'), { TTCTL_TOKEN: token });
    const last = new Date(Date.parse(expires_at) - 60_000).toISOString().slice(0, 16);
    await sandbox.json(['sandbox', 'clock', 'set', `${last}Z`]);
    expect((await list()).exit).toBe(0);
    await sandbox.json(words('sandbox clock advance 2m'));
    const ended = await list();
    expect(ended.exit).toBe(3);
    expect(errorOf(ended)).toMatchObject({ status: 401, message: expect.stringContaining('expired') });
  });

  it('dates the answers and the records', async () => {
    sandbox = await open();
    const then = new Date(Date.now() + 100 * 86_400_000).toISOString();
    // From the first second of a minute on, it is the same minute for long enough.
    await sandbox.json(['sandbox', 'clock', 'set', `${then.slice(0, 16)}Z`]);
    await sandbox.json(words('sandbox clock freeze'));
    const { now } = await sandbox.json(words('sandbox clock show'));
    expect(now.slice(0, 16)).toBe(then.slice(0, 16));
    const { stderr } = await sandbox.run(words('members list --debug'));
    expect(stderr).toContain(`date: ${new Date(now).toUTCString()}`);
    await sandbox.json(words('members invite a@b.example --firstname A --lastname B --role regular-user'));
    const [member] = await sandbox.json(words('members list --email a@b.example'));
    expect(member.created_at).toBe(now);
  });

  it('is what failed deliveries wait by', async () => {
    sandbox = await open();
    const url = `http://127.0.0.1:${await freePort()}/`;
    await sandbox.json(['webhooks', 'create', '--url', url, '--event', 'project.created']);
    await sandbox.json(words('projects create --name Moved'));
    const attempts = async (count: number): Promise<void> => {
      const rows = await sandbox.json(words('sandbox webhooks deliveries --event project.created'));
      const row = rows.find((one: { url: string }) => one.url === url);
      if (row?.attempts !== count) return attempts(count);
      expect(row.status).toBe('pending');
    };
    await attempts(1);
    await sandbox.json(words('sandbox clock advance 10s'));
    await attempts(2);
  });

  it('is moved on in place of waiting for the limit, so that a long list takes no minute', async () => {
    sandbox = await open('month-end');
    const list = words('timesheets list --status submitted --per-page 1 -o ids');
    const { stdout, stderr, exit } = await sandbox.run(list, { TTCTL_SANDBOX_CLOCK: 'advance' });
    expect({ exit, rows: stdout.trim().split('\n').length }).toEqual({ exit: 0, rows: 180 });
    expect(stderr).toContain('waiting 60 s');
    const { ahead_seconds } = await sandbox.json(words('sandbox clock show'));
    // A minute, but for what has passed meanwhile.
    expect(ahead_seconds).toBeGreaterThan(55);
    expect(ahead_seconds).toBeLessThan(180);
    const log = await sandbox.json(words('sandbox log'));
    expect(log.some(({ status }: { status: number }) => status === 429)).toBe(true);
  });
});

describe('waiting', () => {
  /** A machine on which nobody really sleeps, and that writes down who wanted to. */
  const machine = (env: Readonly<Record<string, string>>) => {
    const sleeps: number[] = [];
    const clock = {
      now: Date.now,
      random: () => 0.5,
      // A time-out is not slept for: it is given up when the answer is there.
      sleep: (ms: number) => {
        sleeps.push(ms);
        return ms >= 30_000 ? new Promise<void>(() => {}) : Promise.resolve();
      },
    };
    return { env, clock, sleeps };
  };
  const advance = { TTCTL_SANDBOX_CLOCK: 'advance', TTCTL_SANDBOX_SECRET: 'a-secret' };

  /** A sandbox that would do whatever it is asked; it tells who asked. */
  const asked: string[] = [];
  const open = ((url: string) => {
    asked.push(url);
    const state = async () => ({ now: new Date(2e12).toISOString(), frozen: false, ahead_seconds: 0 });
    return { clock: state, moveClock: state };
  }) as unknown as typeof createRemoteControl;
  const base = 'http://127.0.0.1:4747/api/v2';

  it('is by the clock of a sandbox on this machine whose secret is known', async () => {
    const given = machine(advance);
    const clock = await createWaitClock({ machine: given as never, base, embedded: undefined, open });
    expect(clock).not.toBe(given.clock);
    expect(asked.splice(0)).toEqual(['http://127.0.0.1:4747']);
  });

  it('is real at an address that is not of this machine: nobody is even asked', async () => {
    const given = machine(advance);
    for (const other of [
      'https://api.example.com/api/v2',
      'http://api.example.com/api/v2',
      'https://localhost/api/v2',
      'http://127.0.0.1.example.com/api/v2',
    ]) {
      const options = { machine: given as never, base: other, embedded: undefined, open };
      expect(await createWaitClock(options), other).toBe(given.clock);
    }
    expect(asked).toEqual([]);
  });

  it('is real where a service of this machine is no sandbox', async () => {
    let refusals = 1;
    const recorder = await startRecorder(({ line }) => {
      if (!line.startsWith('GET /members') || refusals === 0) return { body: onePage([]) };
      refusals -= 1;
      return { status: 429, headers: { 'retry-after': '7' }, body: envelope(null) };
    });
    const { clock, sleeps } = machine(advance);
    const env = {
      TTCTL_BASE_URL: recorder.baseUrl,
      TTCTL_TOKEN: 'a-token',
      TTCTL_WORKSPACE: '7',
      ...advance,
    };
    const { exit } = await runInProcess(words('members list --json'), {
      env: { ...env, TTCTL_RATE_LIMIT: 'off' },
      machine: { clock },
    });
    expect(exit).toBe(0);
    expect(sleeps).toContain(7000);
    await recorder.close();
  });

  it('is real without the secret of the sandbox', async () => {
    const given = machine({ TTCTL_SANDBOX_CLOCK: 'advance' });
    const options = { machine: given as never, base, embedded: undefined, open };
    expect(await createWaitClock(options)).toBe(given.clock);
    expect(asked).toEqual([]);
  });

  it('refuses an unknown way', async () => {
    const given = machine({ TTCTL_SANDBOX_CLOCK: 'advnace' });
    const options = { machine: given as never, base, embedded: undefined, open };
    await expect(createWaitClock(options)).rejects.toMatchObject({ exit: 2 });
  });

  it('keeps the shared budget by it too', async () => {
    sandbox = await tryServer(['--seed', 'month-end']);
    const more = { TTCTL_SANDBOX_CLOCK: 'advance', TTCTL_RATE_LIMIT: '150/60,20/1' };
    const approve = words('timesheets approve --all --yes --quiet --json');
    const { stdout, exit } = await sandbox.run(approve, more);
    expect({ exit, rows: JSON.parse(stdout).length }).toEqual({ exit: 0, rows: 180 });
    const log = await sandbox.json(words('sandbox log'));
    expect(log.filter(({ status }: { status: number }) => status === 429)).toEqual([]);
    expect((await sandbox.json(words('sandbox clock show'))).ahead_seconds).toBeGreaterThan(30);
  });

  it('is done by the clock under sandbox exec', async () => {
    const home = cleanHome({ TTCTL_RATE_LIMIT: 'off' });
    const script =
      '"$0" "$1" timesheets list --per-page 1 --status submitted -o ids -q | wc -l && "$0" "$1" sandbox clock show --json';
    const exec = words('sandbox exec --seed month-end -- sh -c');
    const { stdout, exit } = await runBinary([...exec, script, process.execPath, BIN], { env: home.env });
    const [rows, ...state] = stdout.trim().split('\n');
    expect({ exit, rows: Number(rows) }).toEqual({ exit: 0, rows: 180 });
    expect(JSON.parse(state.join('\n')).ahead_seconds).toBeGreaterThan(55);
    const plain = words('sandbox exec --real-time -- sh -c');
    const told = await runBinary([...plain, 'echo "[$TTCTL_SANDBOX_CLOCK]"'], { env: home.env });
    expect(told.stdout).toBe('[]\n');
    home.remove();
  });
});

describe('a sign-in with a browser', () => {
  const NORA = 'nora@lindenhof.example';
  beforeEach(async () => {
    sandbox = await tryServer(['--auto-approve', NORA]);
  });

  it('is renewed once after 15 days, and over after 30 more', async () => {
    const callback = `http://127.0.0.1:${await freePort()}/callback`;
    const app = await sandbox.json([
      'sandbox',
      'app',
      'create',
      '--name',
      'Test',
      '--redirect-uri',
      callback,
    ]);
    const { base_url, url } = await sandbox.json(words('sandbox status'));
    const place = { base: String(base_url), host: String(url) };
    const env = {
      ...sandbox.env,
      TTCTL_TOKEN: '',
      TTCTL_PROFILE: 'practice',
      TTCTL_CLIENT_SECRET: app.client_secret,
    };
    const login = words('auth login --no-browser --scope read');
    const flags = ['--redirect-uri', callback, '--client-id', app.client_id, '--base-url', place.base];
    const begun = await begin([...login, ...flags, '--auth-url', place.host, '--token-url', place.host], env);
    const approved = await fetch(begun.url, { redirect: 'manual' });
    await fetch(approved.headers.get('location') ?? '');
    expect((await begun.ended).exit).toBe(0);

    const list = () => runBinary(words('members list --json'), { env });
    const asked = async () => (await sandbox.json(words('sandbox status'))).token_requests;
    expect((await list()).exit).toBe(0);
    await sandbox.json(words('sandbox clock advance 15d'));
    expect((await Promise.all([list(), list(), list()])).map(({ exit }) => exit)).toEqual([0, 0, 0]);
    expect(await asked()).toEqual({ authorization_code: 1, refresh_token: 1, client_credentials: 0 });
    await sandbox.json(words('sandbox clock advance 30d'));
    const over = await list();
    expect(over.exit).toBe(3);
    expect(errorOf(over).hint).toContain('auth login');
  });
});
