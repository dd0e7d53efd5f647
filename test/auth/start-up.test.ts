import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** What an ordinary command loads: nothing of OAuth2 (design/performance.md). */

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));

/** Every file that is loaded with this one, dynamic imports and types left out. */
const loadedWith = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(file) || !existsSync(join(SRC, file))) return seen;
  seen.add(file);
  const text = readFileSync(join(SRC, file), 'utf8');
  for (const [, to = ''] of text.matchAll(/^(?:import|export)\s+(?!type\b)[^;]*?from '(\.[^']+)'/gm))
    loadedWith(normalize(join(dirname(file), to)), seen);
  return seen;
};

const OAUTH = [
  'auth/callback.ts',
  'auth/code-flow.ts',
  'auth/intent.ts',
  'auth/loopback.ts',
  'auth/oauth.ts',
  'auth/pages.ts',
  'auth/renewal.ts',
  'auth/renewer.ts',
  'auth/token-answer.ts',
  'auth-desk.ts',
  'renew.ts',
  'renewing.ts',
  'terminal/browser.ts',
  'terminal/lines.ts',
];

it('loads no part of OAuth2 on the way of an ordinary command', () => {
  const loaded = new Set([...loadedWith('main.ts'), ...loadedWith('open.ts')]);
  expect([...loaded]).toContain('auth/session.ts');
  expect(OAUTH.filter((file) => !existsSync(join(SRC, file)))).toEqual([]);
  expect(OAUTH.filter((file) => loaded.has(file))).toEqual([]);
});

it('loads little to renew: no command, no output', () => {
  const loaded = [...loadedWith('renew.ts')];
  expect(loaded.filter((file) => /^(commands|terminal|config|api|bulk|sandbox)\b/.test(file))).toEqual([]);
});
