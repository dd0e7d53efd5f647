import { describe, expect, it } from 'vitest';
import { home, service, useService } from '../support/oauth.ts';
import { runBinary } from '../support/process.ts';

/** What is stopped before it is sent: scopes; and what is told ahead. */

useService();

const run = (line: string, more: Record<string, string> = {}) =>
  runBinary(line.split(' '), { env: { ...home.env, ...more } });
const errorOf = (stderr: string) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;
const writes = () => service.requests.filter(({ line }) => !line.startsWith('GET'));
const DAY = 86_400_000;

describe('a token that may only read', () => {
  it.each([
    'projects create --name Apollo',
    'timesheets approve t1 t2 --yes',
    'timesheets approve t1',
    'api POST /projects --field name=Apollo',
  ])('stops before sending: %s', async (line) => {
    home.keep(service.issue(), undefined, { scopes: ['read'] });
    const { exit, stderr } = await run(`${line} --json`);
    expect(exit).toBe(4);
    expect(errorOf(stderr)).toMatchObject({
      code: 'insufficient_scope',
      hint: expect.stringContaining('ttctl auth login --profile default --scope read,write'),
      required_scope: ['write', 'admin'],
      granted_scope: ['read'],
    });
    expect(writes()).toEqual([]);
  });

  it.each([[['write']], [['admin']], [undefined]])('a token with %j is sent', async (scopes) => {
    home.keep(service.issue(), undefined, { scopes });
    expect((await run('projects create --name Apollo')).exit).toBe(0);
    expect(writes()).toHaveLength(1);
  });
});

describe('the end of a sign-in', () => {
  const personal = {
    kind: 'personal',
    refresh_token: undefined,
    token_url: undefined,
    refresh_expires_at: undefined,
  };
  const keepPersonal = (days: number) => home.keep(service.issue(), days * DAY + 3_600_000, personal);

  it.each([
    ['auth check', 20, 0],
    ['auth check --min-days 21', 20, 10],
    ['auth check', 13, 10],
    ['auth check', -1, 10],
  ])('%s with %i days left: exit %i', async (line, days, exit) => {
    keepPersonal(days);
    const ended = await run(`${line} --json`);
    expect(ended.exit).toBe(exit);
    expect(JSON.parse(ended.stdout)).toMatchObject({ profile: 'default', days_left: days });
    expect(service.requests).toEqual([]);
  });

  const dayAgo = (days: number): string => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);

  it.each([
    [dayAgo(30), '', 0],
    [dayAgo(30), ' --min-days 180', 10],
    [dayAgo(180), ' --strict', 10],
    ['2020-08-31', '', 10],
    ['2026-02-30', '', 2],
    ['soon', ' --strict', 2],
  ])('of a token in the environment that was made on %s:%s exit %i', async (created, flags, exit) => {
    const env = { TTCTL_TOKEN: 'x', TTCTL_TOKEN_CREATED: created };
    const ended = await run(`auth check --json${flags}`, env);
    expect(ended.exit).toBe(exit);
    if (exit === 2) expect(ended.stderr).toContain('TTCTL_TOKEN_CREATED');
    else expect(JSON.parse(ended.stdout).ends_at).toMatch(/^\d{4}-\d\d-\d\d$/);
    if (created === '2020-08-31') expect(JSON.parse(ended.stdout).ends_at).toBe('2021-02-28');
    // The way out is another token, and no sign-in.
    expect(ended.stderr).not.toContain('auth login');
    expect(service.requests).toEqual([]);
  });

  it('is checked without a sign-in: exit 3; of a client, which has none: exit 0', async () => {
    expect((await run('auth check')).exit).toBe(3);
    home.keep(service.issue(), undefined, {
      kind: 'client',
      refresh_token: undefined,
      refresh_expires_at: undefined,
    });
    expect((await run('auth check')).exit).toBe(0);
    expect((await run('auth check --min-days soon')).exit).toBe(2);
  });
});

describe('auth token', () => {
  it('prints the token, renewed first when it is about to end', async () => {
    const first = service.issue();
    home.keep(first);
    expect(await run('auth token')).toMatchObject({ exit: 0, stdout: `${first.access}\n` });
    home.keep(first, 1000);
    const { stdout } = await run('auth token --json');
    expect(JSON.parse(stdout)).toEqual({ profile: 'default', access_token: home.pair().access });
    expect(home.pair().access).not.toBe(first.access);
    expect((await run('auth token', { TTCTL_TOKEN: 'mine-1234' })).stdout).toBe('mine-1234\n');
  });
});

describe('auth refresh', () => {
  it('renews now, whatever is left', async () => {
    const first = service.issue();
    home.keep(first);
    expect((await run('auth refresh --dry-run')).exit).toBe(0);
    expect(service.calls).toEqual([]);
    const { exit, stdout } = await run('auth refresh --json');
    expect([exit, JSON.parse(stdout).renewed]).toEqual([0, true]);
    expect(service.isLive(home.pair())).toBe(true);
    expect(service.isLive(first)).toBe(false);
  });

  it('of what cannot be renewed says why: exit 3, and with TTCTL_TOKEN exit 2', async () => {
    expect((await run('auth refresh')).exit).toBe(3);
    home.keep(service.issue(), undefined, { kind: 'personal', refresh_token: undefined });
    const { exit, stderr } = await run('auth refresh');
    expect([exit, stderr]).toEqual([3, expect.stringContaining('Personal Access Token')]);
    expect((await run('auth refresh', { TTCTL_TOKEN: 'mine-1234' })).exit).toBe(2);
    expect(service.calls).toEqual([]);
  });
});
