import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../src/errors.ts';
import type { Machine } from '../src/platform/machine.ts';
import * as host from '../src/sandbox-host/host.ts';
import { serveDetached } from '../src/sandbox-host/serve.ts';
import { makeFolder } from './support/folder.ts';

const withState = (state?: string) => ({ config: undefined, state, cache: undefined });

describe('the secret of a sandbox goes to this machine alone: --url', () => {
  const secret = 'a secret of the sandbox';
  const meant = {
    machine: { env: { TTCTL_SANDBOX_SECRET: secret } } as unknown as Machine,
    directories: withState(),
    settings: { embedded: false } as host.HostContext['settings'],
  };

  it.each(['http://127.0.0.1:4747', 'http://localhost:4747/', 'http://[::1]:4747/api/v2'])(
    '%s is on this machine',
    (url) => {
      expect(host.findServerAddress(meant, url)).toMatchObject({ origin: new URL(url).origin, secret });
    },
  );

  it.each([
    'http://127.0.0.1:x@evil.test/',
    'http://localhost:@evil.test:4747/',
    'http://127.0.0.1.evil.test/',
    'https://127.0.0.1/',
    'http://0.0.0.0:4747',
    '127.0.0.1:4747',
  ])('%s is not, nor is it taken for a sandbox in the settings', (value) => {
    expect(() => host.findServerAddress(meant, value)).toThrow(UsageError);
    const settings = {
      ...meant.settings,
      baseUrl: { value, from: 'environment', name: 'TTCTL_BASE_URL' },
    } as const;
    expect(host.findServerAddress({ ...meant, settings }, undefined)).toBeUndefined();
  });
});

it('the locator leads to a server while it lives, and not to one that is gone or torn', () => {
  const directory = makeFolder();
  const file = join(directory, 'sandbox.json');
  /** @param end the error that asking for its process meets */
  const find = (end?: string) => {
    const kill = () => {
      if (end !== undefined) throw Object.assign(new Error(end), { code: end });
      return true;
    };
    const machine = { kill } as unknown as Machine;
    return host.findRunningServer({ machine, directories: withState(directory) });
  };
  expect(find()).toBeUndefined();
  const url = 'http://127.0.0.1:4747';
  const locator = {
    ...{ url, base_url: `${url}/api/v2`, auth_url: url, token_url: url, port: 4747, pid: 4242 },
    ...{ started_at: '2026-03-18T10:00:00.000Z', state: null, secret: 's' },
  };
  host.writeLocator(directory, locator);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(find()).toEqual(locator);
  // It lives and belongs to somebody else, or is gone.
  expect([find('EPERM')?.pid, find('ESRCH')]).toEqual([4242, undefined]);
  host.removeLocator(directory, 1);
  expect(find()).toBeDefined();
  host.removeLocator(directory, 4242);
  expect(find()).toBeUndefined();
  writeFileSync(file, '{"pid":1', { mode: 0o600 });
  expect(find()).toBeUndefined();
});

it('a server that cannot be started as a process says why', async () => {
  const machine = { node: '/nowhere/node', entry: 'ttctl', env: {} } as unknown as Machine;
  const settings = { dryRun: { value: false } };
  const context = { machine, settings, directories: withState() } as unknown as host.HostContext;
  await expect(serveDetached(context, { port: 0 })).rejects.toMatchObject({
    message: 'the sandbox did not start',
    reason: 'spawn /nowhere/node ENOENT',
  });
});
