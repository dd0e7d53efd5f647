import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { EMPTY_SETTINGS, LISTED_SETTINGS, resolveSettings } from '../src/config/settings.ts';
import { runInProcess } from './support/in-process.ts';

/**
 * The tables that people and scripts rely on, written out here and not taken from the program's own: help
 * and README are made from the program's tables, so that a wrong one would be wrong everywhere alike.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** First cell → second cell of a table of the README. */
const tableIn = (name: string): ReadonlyMap<string, readonly string[]> => {
  const [, text = ''] =
    new RegExp(`<!-- generated: ${name} -->\\n([\\s\\S]*?)<!-- end -->`).exec(README) ?? [];
  const rows = text.trim().split('\n').slice(2);
  return new Map(
    rows.map((row) => {
      const [first = '', ...others] = row.slice(2, -2).split(' | ');
      return [first.replaceAll('`', ''), others] as const;
    }),
  );
};

/** Help as one line. */
const help = async (...args: string[]): Promise<string> => {
  const { stdout, exit } = await runInProcess(args);
  expect(exit).toBe(0);
  return stdout.replace(/\s+/g, ' ');
};

/** What each code means, by the words that tell it from the others. */
const EXITS: readonly (readonly [code: number, meaning: RegExp])[] = [
  [0, /^success\b.*\bempty list\b.*\bdry run\b/],
  [1, /^internal error\b.*\bthis machine\b.*\bdisk full\b/],
  [2, /^usage error\b.*\bno request was sent\b/],
  [3, /^not signed in\b.*\b401\b/],
  [4, /^not allowed\b.*\b403\b/],
  [5, /^not found\b.*\b404\b/],
  [6, /^refused by the service\b.*\b400, 409, 422\b/],
  [7, /^try again later\b.*\b429\b.*\b5xx\b.*\bnetwork\b/],
  [8, /^some of several targets failed or are unknown/],
  [9, /^cancelled\b.*\bnot confirmed\b/],
  [10, /^a check failed/],
  // `sandbox exec`, as shells have it.
  [126, /^the command of sandbox exec\b.*\bcannot be run\b/],
  [127, /^the command of sandbox exec\b.*\bnot found\b/],
  [129, /^hung up\b/],
  [130, /^interrupted\b/],
  [143, /^terminated\b/],
];

describe('the exit codes', () => {
  it('of the README are those of the contract', () => {
    const table = tableIn('exit-codes');
    expect([...table.keys()]).toEqual(EXITS.map(([code]) => String(code)));
    for (const [code, meaning] of EXITS) expect(table.get(String(code))?.[0], `${code}`).toMatch(meaning);
  });
});

/** Each variable, and a word without which its meaning would be another. */
const VARIABLES: Readonly<Record<string, RegExp>> = {
  TTCTL_TOKEN: /token.*overrides the stored one/,
  TTCTL_TOKEN_CREATED: /day TTCTL_TOKEN was created/,
  TTCTL_PROFILE: /profile/,
  TTCTL_WORKSPACE: /workspace.*id or name/,
  TTCTL_BASE_URL: /base URL of the API/,
  TTCTL_AUTH_URL: /authorization host/,
  TTCTL_TOKEN_URL: /token host/,
  TTCTL_CLIENT_ID: /client id/,
  TTCTL_CLIENT_SECRET: /client secret/,
  TTCTL_OUTPUT: /format/,
  TTCTL_TIMEOUT: /one request.*\(30\)/,
  TTCTL_MAX_WAIT: /wait.*\(120\)/,
  TTCTL_RATE_LIMIT: /150\/60,20\/1.*off/,
  TTCTL_DEBUG: /every request and response to stderr/,
  TTCTL_LOG: /file to append every request, response and result to/,
  TTCTL_SANDBOX_SECRET: /sandbox.*control/,
  TTCTL_NO_INPUT: /never prompt/,
  CI: /never prompt/,
  TTCTL_WEBHOOK_TOKEN: /token of the webhook/,
  TTCTL_CONFIG_DIR: /settings and credentials/,
  TTCTL_STATE_DIR: /jobs.*rate ledger/,
  TTCTL_CACHE_DIR: /caches/,
  BROWSER: /program that opens the sign-in page/,
  NO_COLOR: /^disable or force colour/,
  FORCE_COLOR: /force colour$/,
  HTTPS_PROXY: /proxy/,
  NO_PROXY: /without it/,
  NODE_EXTRA_CA_CERTS: /certificate authorities/,
};

/** Given to a command that a delivery is handed to, or by a shell to the completion: nobody sets them. */
const GIVEN = ['DELIVERY_ID', 'EVENT', 'RECEIVED_AT', 'REPEAT', 'REPLAY', 'SIGNATURE', 'COMPLETE_WORDS'];

describe('the variables', () => {
  it('of the README mean what the contract says', () => {
    const table = tableIn('environment');
    const rows = [...table].flatMap(([names, [meaning]]) =>
      names.split(', ').map((name) => [name, meaning] as const),
    );
    for (const [name, meaning] of Object.entries(VARIABLES))
      expect(rows.find(([known]) => known === name)?.[1], name).toMatch(meaning);
  });

  it('of help are named with the same', async () => {
    const text = await help('help', 'environment');
    for (const name of Object.keys(VARIABLES)) expect(text).toContain(name);
  });

  it('are all that the source reads', () => {
    const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('help/topics.ts'))
      .map((name) => readFileSync(join(ROOT, 'src', name), 'utf8').replace(/\/\*[\s\S]*?\*\//g, ''));
    const read = new Set(sources.flatMap((text) => text.match(/\bTTCTL_[A-Z][A-Z_]*[A-Z]\b/g) ?? []));
    const told = [...tableIn('environment').keys()].flatMap((names) => names.split(', '));
    const unknown = [...read].filter((name) => !told.includes(name) && !GIVEN.includes(name.slice(6)));
    expect(unknown).toEqual([]);
    // And none is told of that nothing reads; the names of folders and settings are put together.
    const settings = new Set(LISTED_SETTINGS.map(([, { variable }]) => variable));
    const idle = told.filter(
      (name) => /^TTCTL_(?!\w+_DIR$)/.test(name) && !read.has(name) && !settings.has(name),
    );
    expect(idle).toEqual([]);
  });
});

describe('the limits', () => {
  it('hold where nothing else is said', () => {
    const { timeoutSeconds, maxWaitSeconds, rateLimit, output } = resolveSettings({
      flags: {},
      env: {},
      file: EMPTY_SETTINGS,
    });
    expect([timeoutSeconds.value, maxWaitSeconds.value, output.value.name]).toEqual([30, 120, 'table']);
    expect(rateLimit.value).toEqual({ requests: 150, perSeconds: 60, writes: 20, writesPerSeconds: 1 });
  });
});
