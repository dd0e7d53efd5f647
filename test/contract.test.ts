import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { EMPTY_SETTINGS } from '../src/config/profile.ts';
import { resolveSettings } from '../src/config/settings.ts';
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

  it('of help are those of the contract', async () => {
    const text = await help('help', 'exit-codes');
    const [, list = ''] = /Exit codes: (.*?) A bulk run exits/.exec(text) ?? [];
    const codes = EXITS.map(([code]) => code);
    for (const [index, [code, meaning]] of EXITS.entries()) {
      const next = codes[index + 1];
      const [, said = ''] =
        new RegExp(`(?:^| )${code} (.*?)${next === undefined ? '$' : ` ${next} `}`).exec(list) ?? [];
      expect(said, `${code}`).toMatch(meaning);
    }
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
      .filter((name) => name.endsWith('.ts') && !name.endsWith('config/variables.ts'))
      .map((name) => readFileSync(join(ROOT, 'src', name), 'utf8').replace(/\/\*[\s\S]*?\*\//g, ''));
    const read = new Set(sources.flatMap((text) => text.match(/\bTTCTL_[A-Z][A-Z_]*[A-Z]\b/g) ?? []));
    const told = [...tableIn('environment').keys()].flatMap((names) => names.split(', '));
    const unknown = [...read].filter((name) => !told.includes(name) && !GIVEN.includes(name.slice(6)));
    expect(unknown).toEqual([]);
    // And none is told of that nothing reads; the names of folders are put together.
    const idle = told.filter((name) => /^TTCTL_(?!\w+_DIR$)/.test(name) && !read.has(name));
    expect(idle).toEqual([]);
  });
});

/** The verbs of each noun that the API has. */
const VERBS: Readonly<Record<string, string>> = {
  workspaces: 'list use',
  members: 'list get invite update archive restore',
  viewers: 'list get invite archive restore assign unassign',
  projects: 'list get create update archive',
  contracts: 'list get create update archive',
  tasks: 'list get create update archive assignees assign unassign',
  timesheets: 'list approve reject submit unsubmit',
  leaves: 'list approve reject balances policies',
  'time-requests': 'list get create approve reject',
  expenses: 'list create update delete categories',
  'time-tracking': 'stop',
  webhooks: 'list get create update delete listen',
};

describe('the commands', () => {
  const table = tableIn('commands');

  it('of each noun are those of the contract', async () => {
    for (const [noun, verbs] of Object.entries(VERBS)) {
      const text = await help(noun, '--help');
      for (const verb of verbs.split(' ')) {
        expect(table.has(`${noun} ${verb}`), `${noun} ${verb}`).toBe(true);
        expect(text, `${noun} ${verb}`).toContain(` ${verb} `);
      }
    }
  });

  it('of the README stand beside the operation that they carry out, and beside no other', () => {
    const surface = readFileSync(join(ROOT, 'test/surface.txt'), 'utf8').trim().split('\n');
    const known = new Map(surface.map((line) => line.split(' → ').reverse() as [string, string]));
    expect(known.size).toBe(surface.length);
    const told = [...table].map(([path, cells]) => [path, cells.at(-1)?.replaceAll('`', '').trim()]);
    expect(told).toEqual(told.map(([path = '']) => [path, known.get(path) ?? '']));
    expect(told.filter(([, route]) => route !== '')).toHaveLength(known.size);
  });
});

/** Those that every command has. */
const OPTIONS: readonly RegExp[] = [
  /-V, --version /,
  /-p, --profile <name> profile to use/,
  /-w, --workspace <id or name> workspace to use/,
  /-o, --output <format> .*?\(table, json, ndjson, csv, tsv, markdown, ids; default table\)/,
  / --json same as --output json/,
  / --columns <a,b> fields to print/,
  / --sort <field\[:desc\]> sort/,
  / --no-header omit the heading/,
  / --query <expression> filter the JSON result with a JMESPath expression/,
  /-y, --yes skip confirmation prompts; never selects a target/,
  / --no-input never prompt/,
  /-n, --dry-run show what would change without changing anything/,
  /-q, --quiet print data and errors only/,
  / --debug log every request and response to stderr, secrets redacted/,
  / --log <file> append every request, response and result to a file, one JSON line each; - is stderr/,
  / --timeout <seconds> time limit of one request \(default 30\)/,
  / --max-wait <seconds> .*?\(default 120\)/,
  / --no-color disable colour/,
  /-h, --help show help/,
];

describe('the options of every command', () => {
  it.each(OPTIONS)('%s', async (option) => {
    expect(await help('--help')).toMatch(option);
  });
});

describe('the limits', () => {
  it('that hold where nothing else is said are told in help', async () => {
    const text = await help('help', 'limits');
    expect(text).toMatch(/--timeout <seconds> per attempt \(30\)/);
    expect(text).toMatch(/--max-wait <seconds> .*?\(120\)/);
    expect(text).toContain('150 requests in 60 s');
    expect(text).toContain('20 writes in 1 s');
  });

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

describe('the settings of a profile', () => {
  it('are told with what they mean', async () => {
    const text = await help('help', 'profiles');
    for (const part of [
      'base_url base URL of the API (version 2)',
      'auth_url authorization host',
      'token_url token host',
      'client_id client id',
      'redirect_uri registered redirect address',
      'scope scopes to sign in with',
      'workspace the workspace, by id or name',
      'timezone time zone',
      'rate_limit requests/seconds,writes/seconds, or off',
      'output default output format',
      'protected true: asks for the name of the profile before a write',
      'read_only true: refuses every write',
    ])
      expect(text).toContain(part);
  });
});
