import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanHome, finished, type Home, runBinary, startBinary } from './support/binary.ts';
import { runInProcess } from './support/in-process.ts';
import { words } from './support/words.ts';

/** `--dry-run` is of every command: what changes a sandbox says what it would do. */

let home: Home;
/** Ends with the server of a test, which writes to the home until then. */
let ended: Promise<unknown> | undefined;
beforeEach(() => {
  home = cleanHome();
  home = { ...home, env: { ...home.env, TTCTL_STATE_DIR: `${home.folder}/state`, TTCTL_RATE_LIMIT: 'off' } };
});
afterEach(async () => {
  if (ended !== undefined) await runBinary(['sandbox', 'stop'], { env: home.env });
  await ended;
  ended = undefined;
  home.remove();
});

const ttctl = (line: string, more: Readonly<Record<string, string>> = {}) =>
  runInProcess(words(line), { env: { ...home.env, ...more } });

/** What it would do, in fields of the answer. */
const CHANGES: readonly (readonly [line: string, told: Readonly<Record<string, unknown>>])[] = [
  ['reset --seed empty', { seed: 'empty' }],
  ['clock set 2027-01-01T00:00Z', { now: '2027-01-01T00:00:00.000Z', frozen: true }],
  ['clock advance 1h', { now: '2026-11-20T10:00:00.000Z' }],
  ['clock resume', { frozen: false }],
  ['clock reset', { frozen: false, ahead_seconds: 0 }],
  ['fault add members list --status 500', { route: 'GET /members', status: 500 }],
  ['fault clear', { cleared: 1 }],
  ['token create --as nora@lindenhof.example', { token: null, scopes: ['read', 'write'] }],
  ['token revoke kept', { name: 'kept', status: 'revoked' }],
  ['app create --name New --grant client-credentials', { name: 'New', client_id: null, client_secret: null }],
  ['simulate 1d', { from: '2026-11-20T09:00:00.000Z', to: '2026-11-21T09:00:00.000Z' }],
  ['log --clear', { cleared: false }],
];

const keepsAll = async (env: Readonly<Record<string, string>>): Promise<void> => {
  const run = (line: string) => ttctl(line, env);
  const shown = async () => ({
    faults: (await run('sandbox fault list --json')).stdout,
    log: (await run('sandbox log --json --columns id,operation')).stdout,
    apps: (await run('sandbox app list --json')).stdout,
    issued: (await run('sandbox token list --json')).stdout,
    status: (await run('sandbox status --json --columns seed,now,tokens,workspaces')).stdout,
  });
  await run('--profile sandbox members list');
  for (const line of ['clock freeze', 'clock set 2026-11-20T09:00Z', 'fault add tasks list --status 500']) {
    expect((await run(`sandbox ${line}`)).exit, line).toBe(0);
  }
  expect((await run('sandbox token create --as nora@lindenhof.example --name kept')).exit).toBe(0);
  expect((await run('sandbox snapshot save before')).exit).toBe(0);
  const before = await shown();
  for (const [line, told] of CHANGES) {
    const { exit, stdout, stderr } = await run(`sandbox ${line} --dry-run --json`);
    expect(exit, `${line}: ${stderr}`).toBe(0);
    expect(JSON.parse(stdout), line).toMatchObject({ ...told, planned: true });
  }
  expect(await shown()).toEqual(before);
  expect(await run('sandbox snapshot diff before --json')).toMatchObject({ stdout: '[]\n', exit: 0 });
  const nobody = await run('sandbox token create --as nobody@lindenhof.example --dry-run');
  expect(nobody.exit).toBe(5);
  expect((await run('sandbox token create --as nora@lindenhof.example --dry-run')).stdout).not.toContain(
    'sbx_',
  );
};

describe('--dry-run changes nothing', () => {
  it('of the embedded sandbox', () => keepsAll({ TTCTL_PROFILE: 'sandbox' }));

  it('of a server, which goes on', async () => {
    const server = startBinary(['sandbox', 'start', '--port', '0'], { env: home.env });
    ended = finished(server);
    if (server.stdout !== null) await once(server.stdout, 'data');
    await keepsAll({});
    for (const [line, told] of [
      ['env', { TTCTL_TOKEN: null }],
      ['open', { opened: false }],
    ] as const) {
      const { exit, stdout } = await ttctl(`sandbox ${line} --dry-run --json`, { BROWSER: 'true' });
      expect([exit, JSON.parse(stdout)], line).toMatchObject([0, { ...told, planned: true }]);
      expect(stdout).not.toContain('sbx_');
    }
    // The one that was kept.
    expect(JSON.parse((await ttctl('sandbox status --json')).stdout).tokens).toBe(1);
    // Refused where the real one would be: there is a server already.
    expect((await ttctl('sandbox start --port 0 --dry-run')).exit).toBe(2);
    expect((await ttctl('sandbox exec --seed mothn-end --dry-run -- true')).exit).toBe(2);
    const stop = await ttctl('sandbox stop --dry-run --json');
    expect(JSON.parse(stop.stdout)).toMatchObject({ stopped: false, planned: true });
    expect(JSON.parse((await ttctl('sandbox status --json')).stdout).running).toBe(true);
  });
});
