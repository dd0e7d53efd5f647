import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cleanHome, finished, type Home, startBinary } from '../support/binary.ts';
import { envelope, onePage, type Recorder, startRecorder } from '../support/recorder.ts';

/** Folders of our state that others may write in (docs/requirements.md, H4). */

let home: Home;
let recorder: Recorder;
let state: string;
beforeEach(async () => {
  recorder = await startRecorder(({ line }) => ({
    body: line.startsWith('GET') ? onePage([]) : envelope(null),
  }));
  home = cleanHome({
    TTCTL_TOKEN: 'token-of-a-test',
    TTCTL_WORKSPACE: '7',
    TTCTL_BASE_URL: recorder.baseUrl,
  });
  state = join(home.folder, '.local', 'state', 'ttctl');
});
afterEach(async () => {
  await recorder.close();
  home.remove();
});

const run = (line: string) => {
  const child = startBinary(line.split(' '), { env: home.env });
  child.stderr?.on('data', (text) => String(text).includes('Ctrl-C') && child.kill('SIGINT'));
  return finished(child);
};
const mode = (path: string): string => (statSync(path).mode & 0o7777).toString(8);
const folderOf = (name: string, bits: number): string => {
  const folder = join(state, name);
  mkdirSync(folder, { recursive: true });
  for (const path of [state, folder]) chmodSync(path, bits);
  return folder;
};
const warned = (path: string, to: string): string =>
  `warning: others could write to ${path}; its mode is now 0${to}`;

it.skipIf(process.platform === 'win32').each([
  ['limits', 'members list --json', 0o777],
  ['limits', 'members list --json', 0o775],
  ['jobs', 'timesheets approve a1 a2 --yes --json', 0o777],
  ['webhooks', 'webhooks listen --port 0', 0o777],
])('%s is closed and told of: %s, mode %o', async (name, line, bits) => {
  const folder = folderOf(name, bits);
  const { stderr } = await run(line);
  expect(stderr).toContain(warned(folder, '700'));
  expect(stderr).toContain(warned(state, '755'));
  expect([mode(folder), mode(state)]).toEqual(['700', '755']);
  expect((await run('members list --json')).stderr).toBe('');
});

it.runIf(process.getuid?.() === 0)('limits of somebody else are not used, and the list goes on', async () => {
  const folder = folderOf('limits', 0o755);
  chownSync(folder, 4242, 4242);
  const { exit, stderr } = await run('members list --json');
  expect({ exit, stderr }).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('belongs to another user'),
  });
});

it('a folder that all users share stays as it is', async () => {
  mkdirSync(state, { recursive: true });
  chmodSync(state, 0o1777);
  expect(await run('members list --json')).toMatchObject({ exit: 0, stderr: '' });
  expect(mode(state)).toBe('1777');
});

it('settings that are far too large are not read', async () => {
  const file = join(home.folder, '.config', 'ttctl', 'settings.json');
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, Buffer.alloc(17 * 1024 * 1024, ' '), { mode: 0o600 });
  const { exit, stderr } = await run('members list');
  expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringContaining('it is too large') });
});
