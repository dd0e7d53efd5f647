import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createLocator,
  findRunning,
  isAlive,
  removeLocator,
  writeLocator,
} from '../../src/sandbox/locator.ts';
import { readOwnFile } from '../../src/storage/own-files.ts';

describe('locator', () => {
  const withDirectory = (work: (directory: string) => void): void => {
    const directory = mkdtempSync(join(tmpdir(), 'locator-'));
    try {
      work(directory);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  };
  const makeFolder = (path: string) => void mkdirSync(path, { recursive: true });
  const write = (path: string, data: string) => writeFileSync(path, data, { mode: 0o600 });
  const facts = { port: 4747, pid: 4242, started_at: '2026-03-18T10:00:00.000Z', state: null, secret: 's' };

  it('finds the one that lives, and not one that is gone or torn', () =>
    withDirectory((directory) => {
      expect(findRunning({ directory, read: readOwnFile, alive: () => true })).toBeUndefined();
      writeLocator(
        { directory, read: readOwnFile, makeFolder, write, alive: () => true },
        createLocator(facts),
      );
      expect(statSync(join(directory, 'sandbox.json')).mode & 0o777).toBe(0o600);
      expect(findRunning({ directory, read: readOwnFile, alive: (pid) => pid === 4242 })).toEqual({
        ...facts,
        url: 'http://127.0.0.1:4747',
        base_url: 'http://127.0.0.1:4747/api/v2',
        auth_url: 'http://127.0.0.1:4747',
        token_url: 'http://127.0.0.1:4747',
      });
      expect(findRunning({ directory, read: readOwnFile, alive: () => false })).toBeUndefined();
      removeLocator({ directory, read: readOwnFile }, 1);
      expect(findRunning({ directory, read: readOwnFile, alive: () => true })).toBeDefined();
      removeLocator({ directory, read: readOwnFile }, 4242);
      expect(findRunning({ directory, read: readOwnFile, alive: () => true })).toBeUndefined();
      write(join(directory, 'sandbox.json'), '{"pid":1');
      expect(findRunning({ directory, read: readOwnFile, alive: () => true })).toBeUndefined();
    }));

  it('names a directory in its place', () =>
    withDirectory((directory) => {
      const path = join(directory, 'sandbox.json');
      mkdirSync(path);
      expect(() => findRunning({ directory, read: readOwnFile, alive: () => true })).toThrow(
        expect.objectContaining({ exit: 2, code: 'unsafe_file', details: { path } }),
      );
    }));

  it('knows who lives', () => {
    const fails = (code: string) => () => {
      throw Object.assign(new Error(code), { code });
    };
    expect(isAlive(() => true)(1)).toBe(true);
    expect(isAlive(fails('EPERM'))(1)).toBe(true);
    expect(isAlive(fails('ESRCH'))(1)).toBe(false);
  });
});
