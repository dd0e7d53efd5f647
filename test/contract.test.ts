import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { EMPTY_SETTINGS, LISTED_SETTINGS, resolveSettings } from '../src/config/settings.ts';
import { ROOT, readDocument } from './support/documents.ts';
import { useCli } from './support/use-cli.ts';

/**
 * What people and scripts rely on, written out here and not taken from the program's own tables: help and the reference are
 * made from those, so that a wrong one would be wrong everywhere alike.
 */

const { read } = useCli();

/** A table of the reference: first cell → second cell. */
const tableIn = (name: string): ReadonlyMap<string, string> => {
  const [, text = ''] = readDocument('docs/reference.md').split(`<!-- generated: ${name} -->\n`);
  const rows = text.split('\n<!-- end -->')[0]?.split('\n').slice(2) ?? [];
  return new Map(rows.map((row) => row.slice(2, -2).replaceAll('`', '').split(' | ') as [string, string]));
};

it.each([
  ['0', /^success\b.*\bempty list\b.*\bdry run\b/],
  ['1', /^internal error\b.*\bthis machine\b.*\bdisk full\b/],
  ['2', /^usage error\b.*\bno request was sent\b/],
  ['3', /^not signed in\b.*\b401\b/],
  ['4', /^not allowed\b.*\b403\b/],
  ['5', /^not found\b.*\b404\b/],
  ['6', /^refused by the service\b.*\b400, 409, 422\b/],
  ['7', /^try again later\b.*\b429\b.*\b5xx\b.*\bnetwork\b/],
  ['8', /^some of several targets failed or are unknown/],
  ['9', /^cancelled\b.*\bnot confirmed\b/],
  ['10', /^a check failed/],
  // Of `sandbox exec`, as shells have it.
  ['126', /^the command of sandbox exec\b.*\bcannot be run\b/],
  ['127', /^the command of sandbox exec\b.*\bnot found\b/],
  ['129', /^hung up\b/],
  ['130', /^interrupted\b/],
  ['143', /^terminated\b/],
])('exit code %s means: %s', (code, meaning) => {
  expect(tableIn('exit-codes').get(code)).toMatch(meaning);
});

it('there are sixteen exit codes', () => {
  expect(tableIn('exit-codes').size).toBe(16);
});

/** Each with a word without which its meaning would be another. */
const VARIABLES: readonly (readonly [name: string, meaning: RegExp])[] = [
  ['TTCTL_TOKEN', /token.*overrides the stored one/],
  ['TTCTL_TOKEN_CREATED', /day TTCTL_TOKEN was created/],
  ['TTCTL_PROFILE', /profile/],
  ['TTCTL_WORKSPACE', /workspace.*id or name/],
  ['TTCTL_BASE_URL', /base URL of the API/],
  ['TTCTL_AUTH_URL', /authorization host/],
  ['TTCTL_TOKEN_URL', /token host/],
  ['TTCTL_CLIENT_ID', /client id/],
  ['TTCTL_CLIENT_SECRET', /client secret/],
  ['TTCTL_OUTPUT', /format/],
  ['TTCTL_TIMEOUT', /one request.*\(30\)/],
  ['TTCTL_MAX_WAIT', /wait.*\(120\)/],
  ['TTCTL_SETTLE', /what a write did.*\(30\)/],
  ['TTCTL_RATE_LIMIT', /150\/60,20\/1.*off/],
  ['TTCTL_DEBUG', /every request and response to stderr/],
  ['TTCTL_LOG', /file to append every request, response and result to/],
  ['TTCTL_SANDBOX_SECRET', /sandbox.*control/],
  ['TTCTL_NO_INPUT', /never prompt/],
  ['CI', /never prompt/],
  ['TTCTL_WEBHOOK_TOKEN', /token of the webhook/],
  ['TTCTL_CONFIG_DIR', /settings and credentials/],
  ['TTCTL_STATE_DIR', /jobs.*rate ledger/],
  ['TTCTL_CACHE_DIR', /caches/],
  ['BROWSER', /program that opens the sign-in page/],
  ['NO_COLOR', /^disable or force colour/],
  ['FORCE_COLOR', /force colour$/],
  ['HTTPS_PROXY', /proxy/],
  ['NO_PROXY', /without it/],
  ['NODE_EXTRA_CA_CERTS', /certificate authorities/],
];

it.each(VARIABLES)('the variable %s means: %s', async (name, meaning) => {
  const [, about] = [...tableIn('environment')].find(([names]) => names.split(', ').includes(name)) ?? [];
  expect(about).toMatch(meaning);
  expect(await read('help environment')).toContain(name);
});

it('VARIABLES has every variable of the reference', () => {
  const told = [...tableIn('environment').keys()].flatMap((names) => names.split(', '));
  expect(VARIABLES.map(([name]) => name).sort()).toEqual(told.sort());
});

it('the reference tells every variable that the source reads, and no other', () => {
  const sources = readdirSync(`${ROOT}src`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('help/topics.ts'))
    .map((name) => readFileSync(join(ROOT, 'src', name), 'utf8').replace(/\/\*[\s\S]*?\*\//g, ''));
  const found = new Set(sources.flatMap((text) => text.match(/\bTTCTL_[A-Z][A-Z_]*[A-Z]\b/g) ?? []));
  const told = [...tableIn('environment').keys()].flatMap((names) => names.split(', '));
  // Given to a command that a delivery is handed to, or by a shell to the completion: nobody sets them.
  const given =
    /^TTCTL_(IN_TOKEN_COMMAND|DELIVERY_ID|EVENT|RECEIVED_AT|REPEAT|REPLAY|SIGNATURE|COMPLETE_WORDS)$/;
  expect([...found].filter((name) => !told.includes(name) && !given.test(name))).toEqual([]);
  // The names of folders and settings are put together.
  const settings = new Set(LISTED_SETTINGS.map(([, { variable }]) => variable));
  const own = told.filter((name) => /^TTCTL_(?!\w+_DIR$)/.test(name));
  expect(own.filter((name) => !found.has(name) && !settings.has(name))).toEqual([]);
});

it('the limits are these where nothing else is said', () => {
  const settings = resolveSettings({ flags: {}, env: {}, file: EMPTY_SETTINGS });
  const { timeoutSeconds, maxWaitSeconds, rateLimit, output } = settings;
  expect([timeoutSeconds.value, maxWaitSeconds.value, output.value.name]).toEqual([30, 120, 'table']);
  expect(rateLimit.value).toEqual({ requests: 150, perSeconds: 60, writes: 20, writesPerSeconds: 1 });
});
