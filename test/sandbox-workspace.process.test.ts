import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cleanHome, type Home, runBinary } from './support/binary.ts';

/** The profile `sandbox` with what is meant for another service. */

let home: Home;
beforeEach(() => {
  home = cleanHome();
});
afterEach(() => home.remove());

const run = (line: string, env: Readonly<Record<string, string>> = {}) =>
  runBinary(['--profile', 'sandbox', ...line.split(' ')], { env: { ...home.env, ...env } });
const ROOMS = 'The sandbox has: 101 Lindenhof Studio, 146 Fjordworks.';

it.each([
  ['4711', 'members list'],
  ['4711', 'timesheets approve 1 --yes'],
  ['4711', 'projects create --name Pier'],
  ['4711', 'api GET /members'],
  ['Nowhere Ltd', 'members list'],
])('a workspace of another service in the environment, %s, is told as that: %s', async (workspace, line) => {
  const { exit, stdout, stderr } = await run(line, { TTCTL_WORKSPACE: workspace });
  expect({ exit, stdout }).toEqual({ exit: 5, stdout: '' });
  expect(stderr).toContain(`error: the sandbox has no workspace "${workspace}"\n`);
  expect(stderr).toContain('It comes from TTCTL_WORKSPACE.');
  expect(stderr).toContain(`Name another with --workspace. ${ROOMS}`);
});

it('names the flag, in JSON too', async () => {
  const { exit, stderr } = await run('members list --workspace 4711 --json', { TTCTL_WORKSPACE: '101' });
  expect(exit).toBe(5);
  expect(JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error).toMatchObject({
    code: 'not_found',
    exit: 5,
    message: 'the sandbox has no workspace "4711"',
    reason: 'It comes from --workspace.',
  });
});

it('names the profile, and what it advises helps', async () => {
  const folder = join(home.folder, '.config', 'ttctl');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(
    join(folder, 'settings.json'),
    JSON.stringify({ profiles: { sandbox: { workspace: 4711 } } }),
    { mode: 0o600 },
  );
  const { exit, stderr } = await run('members list');
  expect(exit).toBe(5);
  expect(stderr).toContain('It comes from "workspace" of the profile.');
  expect((await run('workspaces use 146')).exit).toBe(0);
  expect((await run('workspaces list')).exit).toBe(0);
  expect((await run('projects list')).stderr).not.toContain('has no workspace');
});

it.each([
  ['its id', { TTCTL_WORKSPACE: '101' }],
  ['its name in any case', { TTCTL_WORKSPACE: 'lindenhof STUDIO' }],
  ['none', {}],
  ['no variable that says anything', { TTCTL_WORKSPACE: '' }],
  [
    'a token and an address of another service',
    { TTCTL_TOKEN: 'pat_x', TTCTL_BASE_URL: 'https://a.example/api/v2' },
  ],
])('answers from its own workspace with %s', async (_what, env) => {
  const { exit, stdout, stderr } = await run('members list -o ids --limit 1', env);
  expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: '102\n', stderr: expect.any(String) });
});

it('says which variable has a token that it does not know', async () => {
  const { exit, stderr } = await run('members list', { TTCTL_TOKEN: 'sbx_of_another' });
  expect(exit).toBe(3);
  expect(stderr).toContain('Set TTCTL_TOKEN to a valid token.');
});
