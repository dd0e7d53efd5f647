import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { Machine } from '../../src/platform/machine.ts';
import { createLocator } from '../../src/sandbox/remote.ts';
import { findRunningServer, removeLocator, writeLocator } from '../../src/sandbox-host/host.ts';
import { makeFolder } from '../support/folder.ts';

let directory: string;
beforeEach(() => {
  directory = makeFolder();
});

const file = () => join(directory, 'sandbox.json');
/** @param end the error that asking for its process meets */
const find = (end?: string) => {
  const kill = () => {
    if (end !== undefined) throw Object.assign(new Error(end), { code: end });
    return true;
  };
  const directories = { config: undefined, state: directory, cache: undefined };
  return findRunningServer({ machine: { kill } as unknown as Machine, directories });
};

it('a server is found while it lives, and not one that is gone or torn', () => {
  expect(find()).toBeUndefined();
  const facts = { port: 4747, pid: 4242, started_at: '2026-03-18T10:00:00.000Z', state: null, secret: 's' };
  writeLocator(directory, createLocator(facts));
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  const url = 'http://127.0.0.1:4747';
  const addresses = { url, base_url: `${url}/api/v2`, auth_url: url, token_url: url };
  expect(find()).toEqual({ ...facts, ...addresses });
  // It lives and belongs to somebody else, or is gone.
  expect([find('EPERM')?.pid, find('ESRCH')]).toEqual([4242, undefined]);
  for (const [pid, found] of [
    [1, true],
    [4242, false],
  ] as const) {
    removeLocator(directory, pid);
    expect(find() !== undefined).toBe(found);
  }
  writeFileSync(file(), '{"pid":1', { mode: 0o600 });
  expect(find()).toBeUndefined();
});

it('a directory in its place is named', () => {
  mkdirSync(file());
  expect(find).toThrow(expect.objectContaining({ exit: 2, code: 'unsafe_file', details: { path: file() } }));
});
