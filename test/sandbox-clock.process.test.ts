import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { begin, freePort } from './support/oauth.ts';
import { runBinary } from './support/process.ts';
import { openCli, SANDBOX_KINDS, type SandboxCli } from './support/use-cli.ts';

/** What ends and renews by the clock. */

const words = (text: string): string[] => text.split(' ');
const errorOf = ({ stderr }: { readonly stderr: string }) =>
  JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;

let sandbox: SandboxCli;
afterEach(() => sandbox?.close());

describe.each(SANDBOX_KINDS)('the clock of the %s sandbox', (_kind, open) => {
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
    const list = () => sandbox.run(words('members list --json'), { env: { TTCTL_TOKEN: token } });
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
});

describe('a sign-in with a browser', () => {
  const NORA = 'nora@lindenhof.example';
  beforeEach(async () => {
    sandbox = await openCli({ sandbox: { flags: ['--auto-approve', NORA], limits: true } });
  });

  it('is renewed once after 15 days, and over after 30 more', async () => {
    const callback = `http://127.0.0.1:${await freePort()}/callback`;
    const app = await sandbox.json(words(`sandbox app create --name Test --redirect-uri ${callback}`));
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
    const asked = async () =>
      (await sandbox.json(words('sandbox log'))).filter(
        ({ path }: { path: string }) => path === '/oauth/token',
      );
    expect((await list()).exit).toBe(0);
    await sandbox.json(words('sandbox clock advance 15d'));
    expect((await Promise.all([list(), list(), list()])).map(({ exit }) => exit)).toEqual([0, 0, 0]);
    // One for the code, and one for all three.
    expect(await asked()).toHaveLength(2);
    await sandbox.json(words('sandbox clock advance 30d'));
    const over = await list();
    expect(over.exit).toBe(3);
    expect(errorOf(over).hint).toContain('auth login');
  });
});
