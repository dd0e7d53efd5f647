import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanHome, finished, type Home, startBinary } from '../support/binary.ts';
import { onePage, type Recorder, startRecorder } from '../support/recorder.ts';

/**
 * A settings file says where a token is sent: what somebody else could have written is refused before anything is sent,
 * what is merely too open is closed, once, with a word.
 */

const CANARY = 'canary-3f1c77';
const FOREIGN = 65_534;
const uid = process.geteuid?.();

let home: Home;
let recorder: Recorder;
let folder: string;
let file: string;
beforeEach(async () => {
  recorder = await startRecorder(() => ({ body: onePage([]) }));
  home = cleanHome({ TTCTL_TOKEN: CANARY, TTCTL_WORKSPACE: '7' });
  folder = join(home.folder, '.config', 'ttctl');
  file = join(folder, 'settings.json');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Others can come to it: what they may do with it is a matter of its own mode.
  for (const path of [home.folder, dirname(folder), folder]) chmodSync(path, 0o755);
  writeFileSync(file, JSON.stringify({ profiles: { default: { base_url: recorder.baseUrl } } }), {
    mode: 0o600,
  });
});
afterEach(async () => {
  await recorder.close();
  home.remove();
});

const run = async (args: string, env: Readonly<Record<string, string>> = {}) => {
  const child = startBinary(args.split(' '), { env: { ...home.env, ...env } });
  // What waits for a pipe is deaf to the gentler signals.
  const patience = setTimeout(() => child.kill('SIGKILL'), 60_000);
  const ended = await finished(child);
  clearTimeout(patience);
  return ended;
};
const mode = (path: string): string => (statSync(path).mode & 0o7777).toString(8);

const refused = async (words: string, command: RegExp) => {
  const before = recorder.lines();
  const { exit, stderr, stdout } = await run('members list');
  expect(recorder.lines()).toEqual(before);
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
  expect(stderr).toContain(`error: refusing to read ${file}: `);
  expect(stderr).toContain(words);
  expect(stderr).toMatch(command);
  expect(stderr).not.toContain(CANARY);
};

it('is used as it is', async () => {
  expect(await run('members list --json')).toEqual({ exit: 0, stdout: '[]\n', stderr: '' });
  expect(recorder.lines()).toEqual(['GET /members?workspace_id=7&page=1&per_page=100']);
});

describe.runIf(uid !== undefined)('what others could have written is refused', () => {
  it('the file, and whoever looked at it can go on', async () => {
    chmodSync(file, 0o666);
    await refused('others can write to it', /chmod go-w '?\//);
    expect(mode(file)).toBe('666');
    execFileSync('chmod', ['go-w', file]);
    expect((await run('members list --json')).exit).toBe(0);
  });

  it('its folder', async () => {
    chmodSync(folder, 0o777);
    await refused(`others can write to ${folder}`, /chmod go-w '?\//);
  });

  it.each([0o1777, 0o2775])('its folder that others use, with mode %o, which stays', async (open) => {
    writeFileSync(join(folder, 'budget.ods'), '');
    chmodSync(folder, open);
    await refused(`others can write to ${folder}`, /Set TTCTL_CONFIG_DIR .*to a private directory/);
    await run('__complete fish --profile ');
    expect(mode(folder)).toBe(open.toString(8));
  });

  it('the folder of what a link leads to', async () => {
    const elsewhere = join(home.folder, 'dotfiles');
    mkdirSync(elsewhere);
    renameSync(file, join(elsewhere, 'ttctl.json'));
    symlinkSync(join(elsewhere, 'ttctl.json'), file);
    expect((await run('members list --json')).exit).toBe(0);
    for (const open of [0o777, 0o2775]) {
      chmodSync(elsewhere, open);
      await refused(`others can write to ${elsewhere}`, /chmod go-w '?\//);
      expect(mode(elsewhere)).toBe(open.toString(8));
    }
  });

  it('the folder of every link on the way', async () => {
    const [first, hop, last] = ['first', 'hop', 'last'].map((name) => join(home.folder, name));
    for (const path of [first, hop, last]) mkdirSync(path ?? '');
    renameSync(file, join(last ?? '', 'c.json'));
    symlinkSync(join('..', 'last', 'c.json'), join(hop ?? '', 'b.json'));
    symlinkSync(join(hop ?? '', 'b.json'), join(first ?? '', 'a.json'));
    symlinkSync(join(first ?? '', 'a.json'), file);
    expect((await run('members list --json')).exit).toBe(0);
    for (const path of [first, hop, last]) {
      chmodSync(path ?? '', 0o777);
      await refused(`others can write to ${path}`, /chmod go-w '?\//);
      chmodSync(path ?? '', 0o755);
    }
  });

  it('a pipe in its place, without waiting', async () => {
    rmSync(file);
    execFileSync('mkfifo', [file]);
    await refused('it is not a regular file', /mv /);
  });

  it.runIf(uid === 0)('a file, and a folder, of another user', async () => {
    chownSync(file, FOREIGN, FOREIGN);
    await refused('it belongs to another user', /chown "\$\(id -u\)"/);
    chownSync(file, 0, 0);
    chownSync(folder, FOREIGN, FOREIGN);
    await refused(`${folder} belongs to another user`, /Run ttctl as that user, or use another directory/);
  });

  it('the copy of the credentials too', async () => {
    const stored = join(folder, 'credentials.json');
    const credential = { kind: 'personal', base_url: recorder.baseUrl, access_token: CANARY };
    writeFileSync(stored, JSON.stringify({ version: 1, profiles: { default: credential } }));
    chmodSync(stored, 0o606);
    const { exit, stderr } = await run('members list', { TTCTL_TOKEN: '' });
    expect(exit).toBe(2);
    expect(stderr).toContain(`refusing to read ${stored}: others can write to it`);
    expect(recorder.lines()).toEqual([]);
  });

  it('and doctor says so', async () => {
    chmodSync(folder, 0o777);
    const { stdout, exit } = await run('doctor --json');
    const found: readonly { check: string; state: string; found: string; advice: string }[] =
      JSON.parse(stdout);
    const of = (check: string) => found.find((finding) => finding.check === check);
    expect(exit).toBe(10);
    expect(of('settings file')).toMatchObject({
      state: 'problem',
      advice: expect.stringContaining('chmod go-w'),
    });
    expect(of('settings directory')).toMatchObject({
      state: 'warning',
      found: expect.stringContaining('others can write to it'),
      advice: expect.stringContaining('chmod go-w'),
    });
    expect(recorder.lines()).toEqual([]);
  });
});

describe.runIf(uid !== undefined)('what is merely too open is closed, and told once', () => {
  it.each([
    ['that the group may write', 0o664, 0o755, '0644'],
    ['that all may write in a folder that none but its owner can enter', 0o666, 0o700, '0644'],
  ])('a file %s', async (_what, open, outer, closed) => {
    chmodSync(file, open);
    chmodSync(folder, outer);
    const { exit, stderr } = await run('members list');
    expect(exit).toBe(0);
    expect(stderr).toContain(`warning: ${file} could be changed by other users; its mode is now ${closed}`);
    expect(`0${mode(file)}`).toBe(closed);
    expect((await run('members list')).stderr).not.toContain('warning');
  });

  it('a folder that the group may write', async () => {
    chmodSync(folder, 0o775);
    const { exit, stderr } = await run('members list');
    expect(exit).toBe(0);
    expect(stderr).toContain(`warning: the group could write to ${folder}; its mode is now 0755`);
    expect(mode(folder)).toBe('755');
    expect((await run('members list')).stderr).not.toContain('warning');
  });

  it('but not by completion, which changes nothing and offers nothing of it', async () => {
    const offered = async () => (await run('__complete fish --profile ')).stdout;
    expect(await offered()).toContain('default');
    chmodSync(file, 0o664);
    expect(await offered()).not.toContain('default');
    expect(mode(file)).toBe('664');
  });
});

describe.runIf(uid === 0)('root in a home that is somebody else’s, as in a container', () => {
  it('takes the settings of whoever owns the home, and of nobody else', async () => {
    chownSync(home.folder, FOREIGN, FOREIGN);
    chownSync(file, FOREIGN, FOREIGN);
    expect((await run('members list --json')).exit).toBe(0);
    chownSync(file, FOREIGN - 1, FOREIGN);
    await refused('it belongs to another user', /chown/);
  });

  it('makes its own folders there', async () => {
    rmSync(folder, { recursive: true });
    chownSync(home.folder, FOREIGN, FOREIGN);
    const { exit } = await run('profile set --base-url https://service.example/api/v2');
    expect(exit).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('service.example');
  });
});

describe.runIf(uid === 0)('a folder of another user is not written into', () => {
  it('the settings', async () => {
    rmSync(file);
    chownSync(folder, FOREIGN, FOREIGN);
    const { exit, stderr } = await run('profile set --base-url https://service.example/api/v2');
    expect(exit).toBe(2);
    expect(stderr).toContain(`${folder} belongs to another user`);
    expect(existsSync(file)).toBe(false);
    expect(statSync(folder)).toMatchObject({ uid: FOREIGN });
    expect(mode(folder)).toBe('755');
  });
});
