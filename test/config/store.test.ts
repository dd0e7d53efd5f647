import { spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SettingsFile } from '../../src/config/settings.ts';
import { SettingsStore } from '../../src/config/store.ts';
import { realClock as clock } from '../../src/platform/machine.ts';
import { failureOf } from '../support/in-process.ts';
import { useCli } from '../support/use-cli.ts';

/** The settings file: read, changed by conf, damaged, and on a full disk. */

const t = useCli();
let file: string;
let store: SettingsStore;
beforeEach(() => {
  file = t.file('ttctl/settings.json');
  store = new SettingsStore(file, clock);
});

const add =
  (name: string, workspace: number | string) =>
  (old: SettingsFile): SettingsFile => ({
    ...old,
    profiles: { ...old.profiles, [name]: { ...old.profiles[name], workspace } },
  });

const place = async (text: string): Promise<void> => {
  await store.update(add('seed', 1));
  rmSync(`${file}.bak`, { force: true });
  writeFileSync(file, text);
};

const refused = () => failureOf(() => store.read());

it('is empty where there is no file or no place', () => {
  for (const place of [file, undefined, '/dev/null/ttctl/settings.json'])
    expect(new SettingsStore(place, clock).read()).toEqual({ version: 1, profiles: {} });
  expect(readdirSync(t.folder)).toEqual([]);
});

it('keeps what it does not know, closes the file, keeps the previous version', async () => {
  await place('{"version":1,"future":[1],"profiles":{"a":{"colour":"red","workspace":1}}}');
  await store.update(add('a', 2));
  const profiles = { a: { colour: 'red', workspace: 2 } };
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ version: 1, future: [1], profiles });
  expect(readFileSync(`${file}.bak`, 'utf8')).toContain('"workspace":1');
  const modes = [file, dirname(file)].map((path) => statSync(path).mode & 0o777);
  expect(modes).toEqual([0o600, 0o700]);
});

it('writes nothing when nothing changes', async () => {
  await store.update(add('a', 1));
  const before = statSync(file);
  await store.update(add('a', 1));
  expect(statSync(file).ino).toBe(before.ino);
});

it('loses no change of many at once', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
  await Promise.all(names.map((name) => new SettingsStore(file, clock).update(add(name, name))));
  expect(Object.keys(store.read().profiles).sort()).toEqual(names.sort());
});

it('keeps a symbolic link and replaces its target', async () => {
  await store.update(add('a', 1));
  const target = t.file('dotfiles.json', readFileSync(file));
  rmSync(file);
  symlinkSync(target, file);
  await store.update(add('b', 2));
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
  expect(Object.keys(JSON.parse(readFileSync(target, 'utf8')).profiles)).toEqual(['a', 'b']);
});

it('does not store what it could not read', async () => {
  const wrong = (old: SettingsFile) => ({ ...old, profiles: { 'a b': {} } });
  await expect(store.update(wrong)).rejects.toThrow('profiles."a b"');
  expect(store.read().profiles).toEqual({});
});

it('takes profiles called __proto__ and constructor for what they are', async () => {
  await place('{"version":1,"profiles":{"__proto__":{"workspace":5},"constructor":{"workspace":6}}}');
  await store.update(add('toString', 7));
  expect(Object.keys(store.read().profiles)).toEqual(['__proto__', 'constructor', 'toString']);
  expect(({} as Record<string, unknown>)['workspace']).toBeUndefined();
});

describe('a damaged file', () => {
  it.each([
    ['', 'line 1, column 1', 'empty'],
    ['{\n  "version": 1,\n  "profiles": {', 'line 3, column 16', 'unexpected end of file'],
    ['{\n  "version": 1,\n}', 'line 3, column 1', 'invalid JSON'],
    ['[]', 'the document', 'must be an object'],
    ['{"version":1,"profiles":[]}', 'profiles', 'must be an object'],
    ['{"version":1,"current_profile":3}', 'current_profile', 'must be text'],
    ['{"version":1,"profiles":{"work":{"base_url":{}}}}', 'profiles.work.base_url', 'text or a number'],
    ['{"version":1,"profiles":{"work":null}}', 'profiles.work', 'must be an object'],
    ['{"version":1,"profiles":{"work":{"workspace":true}}}', 'profiles.work.workspace', 'text or a number'],
    ['{"version":1,"profiles":{"work":{"read_only":"no"}}}', 'profiles.work.read_only', 'true or false'],
    ['{"version":1,"profiles":{"a b":{}}}', 'profiles."a b"', 'letters'],
  ])('%j: %s', async (text, where, what) => {
    await place(text);
    const [message, reason, hint] = [`${file}, ${where}`, what, 'ttctl profile'].map((part) =>
      expect.stringContaining(part),
    );
    expect(refused()).toMatchObject({ exit: 2, code: 'broken_settings', message, reason, hint });
    await expect(store.update(add('a', 1))).rejects.toThrow('broken');
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('of a newer ttctl is left to that one, whole', async () => {
    const text = '{"version":99,"profiles":{}}';
    await place(text);
    await expect(store.update(add('a', 1))).rejects.toThrow('version');
    expect(refused()).toMatchObject({
      exit: 2,
      reason: 'must be 1 (was it written by a newer ttctl?)',
      hint: 'Use the newer ttctl, or set TTCTL_CONFIG_DIR to a separate directory.',
    });
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('names the previous version when that is good, and only then', async () => {
    await store.update(add('a', 1));
    await store.update(add('a', 2));
    writeFileSync(file, '{');
    expect(refused().hint).toContain(`cp ${file}.bak ${file}`);
    writeFileSync(`${file}.bak`, '{');
    expect(refused().hint).not.toContain('.bak');
  });
});

it('on a full disk settings come back where conf has written half of them, and nothing is left beside them', async ({
  skip,
}) => {
  mkdirSync(dirname(file));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', dirname(file)]).status !== 0)
    skip('no tmpfs can be mounted here (not root)');
  try {
    const long = { current_profile: 'x'.repeat(100_000) };
    await expect(store.update((old) => ({ ...old, ...long }))).rejects.toMatchObject({ code: 'disk_full' });
    expect(readdirSync(dirname(file))).not.toContain('settings.json');
    await store.update((old) => ({ ...old, current_profile: 'work' }));
    const [before, names] = [readFileSync(file, 'utf8'), readdirSync(dirname(file))];
    await expect(store.update((old) => ({ ...old, ...long }))).rejects.toMatchObject({ code: 'disk_full' });
    expect([readFileSync(file, 'utf8'), readdirSync(dirname(file))]).toEqual([before, names]);
  } finally {
    spawnSync('umount', [dirname(file)]);
  }
});
