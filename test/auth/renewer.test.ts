import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Credential, createCredentialStore } from '../../src/auth/credentials.ts';
import { renewCredential } from '../../src/auth/renewer.ts';
import { realClock } from '../../src/platform/machine.ts';

/** Those who wait in line for a renewal: one asks, and all have what came of it. */

const stored: Credential = {
  kind: 'oauth',
  base_url: 'https://service.example/api/v2',
  token_url: 'https://service.example',
  client_id: 'c',
  access_token: 'old-access',
  refresh_token: 'old-refresh',
  created_at: '2026-11-01T00:00:00.000Z',
};
const FAILURE = { code: 'token_host_unavailable', exit: 7, message: 'the token host refused: status 503' };

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ttctl-renewer-'));
  file = join(folder, 'credentials.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A program that asks a token host which answers 503: it writes down that it was there, and what it was told. */
const failingProgram = (): string => {
  const path = join(folder, 'renew.mjs');
  const told = JSON.stringify(FAILURE);
  writeFileSync(
    path,
    `import { appendFileSync, writeFileSync } from 'node:fs';
     const [, , file, profile, fingerprint] = process.argv;
     appendFileSync(${JSON.stringify(join(folder, 'asked'))}, 'x');
     const started = Date.now();
     const intent = { profile, fingerprint, started, ended: Date.now(), failure: ${told} };
     writeFileSync(file + '.renewal', JSON.stringify(intent), { mode: 0o600 });
     process.stdout.write(JSON.stringify({ failure: ${told} }));`,
  );
  return path;
};

const asked = (): number => readFileSync(join(folder, 'asked'), 'utf8').length;

it('of many who wait while the token host answers 503, one asks, and all are told', async () => {
  const store = createCredentialStore(file, realClock, () => {});
  await store.write('default', stored);
  const facts = {
    clock: realClock,
    interrupted: new AbortController().signal,
    env: {},
    node: process.execPath,
    program: failingProgram(),
    debug: false,
    getRequestId: () => 'run-1',
  };
  const renew = () =>
    renewCredential(facts, store, 'default', stored).then(
      () => 'renewed',
      ({ code, exit, message }) => ({ code, exit, message }),
    );
  const ends = await Promise.all(Array.from({ length: 8 }, renew));
  expect(ends).toEqual(ends.map(() => FAILURE));
  expect(asked()).toBe(1);
  // Whoever comes later asks again: the host may answer by then.
  expect(await renew()).toEqual(FAILURE);
  expect(asked()).toBe(2);
});
