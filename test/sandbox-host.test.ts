import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../src/errors.ts';
import type { Machine } from '../src/platform/machine.ts';
import {
  findRunningServer,
  findServerAddress,
  type HostContext,
  removeLocator,
  writeLocator,
} from '../src/sandbox-host/host.ts';
import { serveDetached } from '../src/sandbox-host/serve.ts';
import { makeFolder } from './support/folder.ts';

const withState = (state?: string) => ({ config: undefined, state, cache: undefined });

describe('the secret of a sandbox goes to this machine alone: --url', () => {
  const SECRET = 'a secret of the sandbox';
  const meant = {
    machine: { env: { TTCTL_SANDBOX_SECRET: SECRET } } as unknown as Machine,
    directories: withState(),
    settings: { embedded: false } as HostContext['settings'],
  };

  it.each(['http://127.0.0.1:4747', 'http://localhost:4747/', 'http://[::1]:4747/api/v2'])(
    '%s is on this machine',
    (url) => {
      expect(findServerAddress(meant, url)).toMatchObject({ origin: new URL(url).origin, secret: SECRET });
    },
  );

  it.each([
    'http://127.0.0.1:x@evil.test/',
    'http://localhost:@evil.test:4747/',
    'http://127.0.0.1.evil.test/',
    'http://127.1.evil.test:80',
    'https://127.0.0.1/',
    'http://0.0.0.0:4747',
    '127.0.0.1:4747',
  ])('%s is not', (url) => {
    expect(() => findServerAddress(meant, url)).toThrow(UsageError);
  });

  it('of the settings elsewhere is not taken for a sandbox', () => {
    const baseUrl = {
      value: 'http://127.0.0.1:x@evil.test/',
      from: 'environment',
      name: 'TTCTL_BASE_URL',
    } as const;
    const settings = { ...meant.settings, baseUrl };
    expect(findServerAddress({ ...meant, settings }, undefined)).toBeUndefined();
  });
});

describe('the locator', () => {
  /** @param end the error that asking for its process meets */
  const findIn = (directory: string, end?: string) => {
    const kill = () => {
      if (end !== undefined) throw Object.assign(new Error(end), { code: end });
      return true;
    };
    return findRunningServer({
      machine: { kill } as unknown as Machine,
      directories: withState(directory),
    });
  };

  it('leads to a server while it lives, and not to one that is gone or torn', () => {
    const directory = makeFolder();
    const [file, find] = [join(directory, 'sandbox.json'), (end?: string) => findIn(directory, end)];
    expect(find()).toBeUndefined();
    const facts = { port: 4747, pid: 4242, started_at: '2026-03-18T10:00:00.000Z', state: null, secret: 's' };
    const url = 'http://127.0.0.1:4747';
    const addresses = { url, base_url: `${url}/api/v2`, auth_url: url, token_url: url };
    writeLocator(directory, { ...addresses, ...facts });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(find()).toEqual({ ...facts, ...addresses });
    // It lives and belongs to somebody else, or is gone.
    expect([find('EPERM')?.pid, find('ESRCH')]).toEqual([4242, undefined]);
    removeLocator(directory, 1);
    expect(find()).toBeDefined();
    removeLocator(directory, 4242);
    expect(find()).toBeUndefined();
    writeFileSync(file, '{"pid":1', { mode: 0o600 });
    expect(find()).toBeUndefined();
  });

  it('is named where a directory is in its place', () => {
    const directory = makeFolder();
    const path = join(directory, 'sandbox.json');
    mkdirSync(path);
    expect(() => findIn(directory)).toThrow(
      expect.objectContaining({ exit: 2, code: 'unsafe_file', details: { path } }),
    );
  });
});

it('a server that cannot be started as a process says why', async () => {
  const machine = { node: '/nowhere/node', entry: 'ttctl', env: {} } as unknown as Machine;
  const settings = { dryRun: { value: false } };
  const context = { machine, settings, directories: withState() } as unknown as HostContext;
  await expect(serveDetached(context, { port: 0 })).rejects.toMatchObject({
    message: 'the sandbox did not start',
    reason: 'spawn /nowhere/node ENOENT',
  });
});
