import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadedWith, SRC } from '../support/tree.ts';

/** What an ordinary command loads: nothing of OAuth2. */

const OAUTH = ['auth/code-flow.ts', 'auth/loopback.ts', 'auth/oauth.ts', 'auth/renewal.ts', 'renew.ts'];

it('loads no part of OAuth2 on the way of an ordinary command', () => {
  const loaded = new Set([...loadedWith('main.ts'), ...loadedWith('cli/open-run.ts')]);
  expect([...loaded]).toContain('auth/session.ts');
  expect(OAUTH.filter((file) => !existsSync(join(SRC, file)))).toEqual([]);
  expect(OAUTH.filter((file) => loaded.has(file))).toEqual([]);
});

it('loads little to renew: no command, no output', () => {
  // With --debug it traces its requests on stderr, and what it shows is made harmless there too.
  const loaded = [...loadedWith('renew.ts')].filter(
    (file) => !['output/safe-text.ts', 'api/fields.ts'].includes(file),
  );
  expect(loaded.filter((file) => /^(commands|terminal|config|api|bulk|sandbox)\b/.test(file))).toEqual([]);
});
