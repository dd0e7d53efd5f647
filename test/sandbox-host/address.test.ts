import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import type { Machine } from '../../src/platform/machine.ts';
import { findServerAddress, type HostContext } from '../../src/sandbox-host/host.ts';

/** The secret of a sandbox goes to this machine alone. */

const SECRET = 'a secret of the sandbox';
const meant = {
  machine: { env: { TTCTL_SANDBOX_SECRET: SECRET } } as unknown as Machine,
  directories: { config: undefined, state: undefined, cache: undefined },
  settings: { embedded: false } as HostContext['settings'],
};

describe('--url', () => {
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
