import { afterEach, beforeEach, expect, it } from 'vitest';
import { cleanHome, type Home, runBinary } from './support/process.ts';

/** The profile `sandbox` with what is meant for another service. */

let home: Home;
beforeEach(() => {
  home = cleanHome();
});
afterEach(() => home.remove());

const run = (line: string, env: Readonly<Record<string, string>> = {}) =>
  runBinary(['--profile', 'sandbox', ...line.split(' ')], { env: { ...home.env, ...env } });

it('a workspace of another service in the environment is told as that', async () => {
  const { exit, stdout, stderr } = await run('members list', { TTCTL_WORKSPACE: '4711' });
  expect({ exit, stdout }).toEqual({ exit: 4, stdout: '' });
  expect(stderr).toContain('You have no access to the workspace 4711.');
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
