import { type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from './support/documents.ts';
import { makeFolder } from './support/folder.ts';
import { finished } from './support/process.ts';
import { type SandboxServer, startSandboxServer } from './support/sandbox-server.ts';

/**
 * The recipes for containers and servers, by the tool that reads them, and run as they restrict: not
 * root, no HOME, no terminal, and a disk that is read-only but for the state directory.
 */

/** A setting of a unit; comments may name others. */
const getSetting = (unit: string, name: string): string =>
  new RegExp(`^${name}=(.*)$`, 'm').exec(readFileSync(join(ROOT, 'examples/systemd', unit), 'utf8'))?.[1] ??
  '';

const VERIFY = ['verify', '--man=no', 'ttctl-approve.service', 'ttctl-approve.timer'];
const canVerify = spawnSync('systemd-analyze', ['--version']).status === 0;

it.runIf(canVerify)('the unit and its timer are what systemd takes', () => {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', VERIFY, {
    cwd: join(ROOT, 'examples/systemd'),
    encoding: 'utf8',
  });
  // It may have something to say about other units of the machine.
  const told = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('ttctl'));
  expect({ status, told }).toEqual({ status: 0, told: [] });
});

const NOBODY = '65534';
const isRoot = process.getuid?.() === 0;
const REMOUNT = 'mount --bind "$0" "$0" && mount -o remount,bind,ro / && exec "$@"';
const canMount =
  isRoot && spawnSync('unshare', ['--mount', 'sh', '-c', REMOUNT, tmpdir(), 'true']).status === 0;

/** Words before a command that make it somebody else, who finds everything but the state directory read-only. */
const restrict = (state: string): readonly string[] => {
  const drop = ['setpriv', '--reuid', NOBODY, '--regid', NOBODY, '--clear-groups', '--no-new-privs'];
  if (!isRoot) return [];
  if (!canMount) return drop;
  return ['unshare', '--mount', 'sh', '-c', REMOUNT, state, ...drop];
};

describe.runIf(process.platform === 'linux')('where little is allowed', () => {
  let sandbox: SandboxServer;
  let folder: string;
  let state: string;
  beforeAll(async () => {
    sandbox = await startSandboxServer({ seed: 'month-end' });
    folder = makeFolder();
    for (const part of ['bin', 'dist', 'package.json'])
      cpSync(join(ROOT, part), join(folder, 'package', part), { recursive: true });
    state = join(folder, 'state');
    for (const [name, mode] of [
      ['path', 0o755],
      ['state', 0o700],
    ] as const)
      mkdirSync(join(folder, name), { mode });
    symlinkSync(join(folder, 'package/bin/ttctl.js'), join(folder, 'path/ttctl'));
    if (isRoot) spawnSync('chown', [NOBODY, state]);
    for (const name of ['path', '']) chmodSync(join(folder, name), 0o555);
  });
  afterAll(async () => {
    await sandbox?.close();
    chmodSync(folder, 0o755);
    chmodSync(join(folder, 'path'), 0o755);
  });

  const run = (command: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const { TTCTL_TOKEN = '', TTCTL_BASE_URL = '', TTCTL_WORKSPACE = '' } = sandbox.env;
    const PATH = `${join(folder, 'path')}:${process.env.PATH}`;
    const env = { PATH, TTCTL_TOKEN, TTCTL_BASE_URL, TTCTL_WORKSPACE, ...more };
    const options: SpawnOptions = { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true };
    const [program = '', ...args] = [...restrict(state), ...command];
    return finished(spawn(program, args, options));
  };

  it('the restrictions hold', async () => {
    const script =
      'id -u; touch here; touch state/there && rm state/there; test -t 0 || echo "no terminal"; echo "[$HOME]"';
    const { stdout, stderr } = await run(['sh', '-c', script]);
    expect(stdout.split('\n').slice(1, 3)).toEqual(['no terminal', '[]']);
    expect(stdout).not.toMatch(/^0\n/);
    expect(stderr).toMatch(/^touch: [^\n]*'?here'?: (Read-only file system|Permission denied)\n$/);
  });

  it('a container reads, and writes a single record', async () => {
    const listed = await run(['ttctl', 'timesheets', 'list', '--limit', '2', '--json']);
    expect(listed.exit, listed.stderr).toBe(0);
    expect(JSON.parse(listed.stdout)).toHaveLength(2);
    const [{ id }] = JSON.parse((await run(['ttctl', 'members', 'list', '--limit', '1', '--json'])).stdout);
    const updated = await run([
      'ttctl',
      'members',
      'update',
      String(id),
      '--weekly-hours-limit',
      '31',
      '--yes',
      '--json',
    ]);
    expect(updated.exit, updated.stderr).toBe(0);
    expect(JSON.parse(updated.stdout)).toMatchObject({ status: 'done' });
  });

  it('a run over several is refused without a place for its journal', async () => {
    const reject = [
      'ttctl',
      'timesheets',
      'reject',
      '--all',
      '--reason',
      'Twice',
      '--max-changes',
      '500',
      '--yes',
    ];
    const lost = await run(reject);
    expect(lost.exit, lost.stderr).toBe(2);
    expect(lost.stderr).toContain('TTCTL_STATE_DIR');
  });

  it('the unit does its work, and what it leaves is in its state directory alone', async () => {
    const line = getSetting('ttctl-approve.service', 'ExecStart');
    const environment = { TTCTL_STATE_DIR: state };
    const { stdout, stderr, exit } = await run(line.split(' '), environment);
    expect(exit, stderr).toBe(0);
    expect(stdout).toMatch(/^✓ \S+ {2}approved$/m);
    const jobs = await run(['ttctl', 'jobs', 'list', '--json'], environment);
    expect(JSON.parse(jobs.stdout)).toEqual([expect.objectContaining({ state: 'done', failed: 0 })]);
  });
});
