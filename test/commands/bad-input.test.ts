import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../support/folder.ts';
import type { RunOptions } from '../support/in-process.ts';
import { onePage } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';

/** Bad input is exit 2, found before any request, with its place and a way out. */

const folder = makeFolder();
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const { run, lines } = useCli({ service: () => ({ body: onePage([]) }) });

const attempt = async (line: string, options: RunOptions = {}) => {
  const ended = await run(line, options);
  expect(lines()).toEqual([]);
  expect(ended.stdout).toBe('');
  return ended;
};

const INVITE = 'members invite a@example.com --firstname A --lastname B';

type Case = [line: string, says: RegExp, wayOut: RegExp, options?: RunOptions];

const CASES: Case[] = [
  // words that are not known
  ['members list --rolle x', /unknown option '--rolle'/, /--role/],
  ['members lst', /unknown command 'lst'/, /list/],
  ['member list', /unknown command 'member'/, /members/],
  ['members get 17 18', /too many arguments/, /--help/],
  ['members get', /missing required argument 'member'/, /--help/],
  ['members list --role', /argument missing/, /--help/],
  // values
  ['timesheets list --date-from 2026-02-30', /--date-from: "2026-02-30" is not a valid date/, /YYYY-MM-DD/],
  ['timesheets list --period 2027-W53', /"2027-W53" is not a period/, /2026-W32/],
  ['timesheets list --period last-week --date-from today', /cannot be used with/, /--date-from or --date-to/],
  ['members list --status gone', /--status: "gone" is not one of/, /active, inactive, left, unknown/],
  [`${INVITE} --role owner`, /--role: "owner" is not one of/, /regular-user, project-manager/],
  ['members update 17 --weekly-hours-limit -1', /--weekly-hours-limit: -1 is out of range/, /at least 0/],
  ['members update 17 --weekly-hours-limit 1.5', /"1.5" is not a whole number/, /--weekly-hours-limit/],
  ['members update 17 --weekly-hours-limit 1e2', /"1e2" is not a whole number/, /--weekly-hours-limit/],
  [
    'expenses create --name a --date today --amount 12345678901234567890 --category 4',
    /--amount: 12345678901234567890 is out of range/,
    /at most 15 digits/,
  ],
  [
    `members update 17 --weekly-hours-limit ${'1'.repeat(31)}`,
    /--weekly-hours-limit: 1{31} is out of range/,
    /at most 15 digits/,
  ],
  ['members update 17 --rate-status 2', /--rate-status: 2 is out of range/, /from 0 to 1/],
  ['webhooks create --url ftp://a.example --event x', /--url: "ftp:\/\/a.example" is not/, /https:/],
  ['webhooks update w1 --url hooks.example.com --event x', /--url: "hooks.example.com" is not/, /https:/],
  ['members list --email ana', /--email: "ana" is not an e-mail address/, /--email/],
  ['members list --limit 0', /--limit: "0" is not a whole number/, /from 1 to 999999999/],
  ['members list --per-page 101', /--per-page: "101"/, /from 1 to 100/],
  ['members list --limit 9999999999', /--limit: "9999999999" is not a whole number/, /from 1 to 999999999/],
  ['members list --timeout 99999999999', /number of seconds, .*99999999999/, /--timeout/],
  ['members list --max-wait 99999999999', /number of seconds, .*99999999999/, /--max-wait/],
  ['members list --page two', /--page: "two"/, /from 1 to 999999999/],
  ['members restore 17 18 --yes --max-changes 1', /2 members would be restored/, /--max-changes allows 1/],
  ['timesheets reject t1 --yes', /missing --reason/, /--reason/],
  ['leaves reject l1 --yes --reason " "', /missing --reason/, /--reason/],
  ['time-requests reject t1 --yes --comment " "', /missing --comment/, /--comment/],
  ['expenses create --name "" --date today --amount 1 --category Travel', /missing --name/, /--name/],
  [`${INVITE.replace('firstname A', 'firstname " "')} --role regular-user`, /missing --firstname/, /--role/],
  [INVITE, /missing --role/, /--role/],
  ['members invite', /missing <email>/, /For example: ttctl members invite ana@example\.com --firstname/],
  ['leaves balances --date-from 2026-01-01', /missing --date-to/, /For example: ttctl leaves balances/],
  ['timesheets approve --all --status open --yes', /only submitted timesheets/, /--status submitted/],
  // ids that cannot be sent
  ['members get ..', /"\.\."/, /one segment/],
  ['timesheets approve a/b --yes', /"a\/b"/, /one segment/],
  ['members get ""', /""/, /one segment/],
  ['timesheets approve t1 .. --yes', /"\.\."/, /one segment/],
  // raw values
  ['members list --param x', /--param: "x" is not name=value/, /name=value/],
  ['members update 17 --field x:=[', /--field x: "\[" cannot be read as JSON/, /x=/],
  [
    'members update 17 --input /nonexistent/body.json',
    /cannot read \/nonexistent\/body.json/,
    /no such file/,
  ],
  ['members update 17 --input -', /stdin cannot be read as JSON/, /JSON/, { stdin: '{"a":' }],
  ['members update 17 --input -', /--input is not a JSON object/, /--input/, { stdin: '[1]' }],
  // options that every command has
  ['members list -o nonsense', /--output must be an output format, not "nonsense"/, /table, json/],
  [
    'members list --json -o csv',
    /--json and --output csv cannot be used together/,
    /cannot be used together/,
  ],
  ['members list --query "[?"', /the query cannot be used/, /JMESPath/],
  ['members list --query "nope(@)"', /the query cannot be used/, /unknown function/],
  ['members list --timeout soon', /--timeout must be a number of seconds/, /30/],
  ['members list --max-wait -1', /--max-wait/, /0 or more/],
  ['members list --sort a:up', /--sort has an invalid sort order/, /field:desc/],
  ['members list --columns a,,b', /--columns has an empty name/, /commas/],
  ['members list --workspace ""', /--workspace has no value/, /value/],
  ['members list --profile nobody', /there is no profile "nobody"/, /sandbox/],
  ['members list --profile a/b', /invalid profile name/, /name/],
  // what the environment lacks, or says wrong
  ['members list', /no workspace/, /--workspace[\s\S]*TTCTL_WORKSPACE/, { env: { TTCTL_WORKSPACE: '' } }],
  ['members list', /no service address/, /--profile sandbox/, { env: { TTCTL_BASE_URL: '' } }],
  [
    'members list',
    /TTCTL_BASE_URL must begin with https/,
    /https:\/\/host/,
    { env: { TTCTL_BASE_URL: 'http://a.example/api' } },
  ],
  ['members list', /TTCTL_OUTPUT must be an output format/, /table/, { env: { TTCTL_OUTPUT: 'xml' } }],
  ['members list', /TTCTL_TIMEOUT must be/, /30/, { env: { TTCTL_TIMEOUT: 'x' } }],
  // a call outside the table
  ['api FETCH /members', /"FETCH" is not an HTTP method/, /GET, POST, PUT, PATCH, DELETE/],
  ['api GET https://elsewhere.example/members', /not a path under the base URL/, /\/members\/17/],
  ['api GET //elsewhere.example/members', /not a path under the base URL/, /\/members\/17/],
  ['api GET /members/../../token', /not a path under the base URL/, /\/members\/17/],
  ['api GET /members/%2e%2e/x', /not a path under the base URL/, /\/members\/17/],
  ['api GET /%2E./token', /not a path under the base URL/, /\/members\/17/],
  ['api GET "/members\\..\\x"', /not a path under the base URL/, /\/members\/17/],
  ['api GET /members#x', /not a path under the base URL/, /\/members\/17/],
  ['api POST /members --paginate', /--paginate works only with GET/, /GET/],
];

describe('bad input', () => {
  it.each<Case>(CASES)('%s', async (line, says, wayOut, options) => {
    const asGiven = await attempt(line, options);
    const json = /--query|--json/.test(line);
    const shown = json ? JSON.stringify(JSON.parse(asGiven.stderr)).replaceAll('\\"', '"') : asGiven.stderr;
    if (!json) expect(shown).toMatch(/^error: /);
    expect(shown).toMatch(says);
    expect(shown).toMatch(wayOut);
    expect(asGiven.exit).toBe(2);
    if (json || line.includes('-o ') || options?.env?.TTCTL_OUTPUT) return;
    const inJson = await attempt(`${line} --json`, options);
    expect(inJson.exit).toBe(2);
    expect(inJson.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(inJson.stderr)).toMatchObject({ error: { exit: 2, code: expect.any(String) } });
  });

  it('is told all at once', async () => {
    const { stderr, exit } = await attempt(
      'members update 17 --email ana --role owner --rate-status maybe --weekly-hours-limit -1',
    );
    expect(exit).toBe(2);
    for (const flag of ['--email', '--role', '--rate-status', '--weekly-hours-limit']) {
      expect(stderr).toContain(`${flag}: `);
    }
  });

  it('of a range is told with that of the others', async () => {
    const { stderr } = await attempt('timesheets list --status done --period soon --date-from 2026-02-30');
    expect(stderr).toMatch(/--status: [\s\S]*--date-from: /);
  });

  it('never repeats a token', async () => {
    const { stderr } = await attempt('members get .. --debug', { env: { TTCTL_TOKEN: 'canary-5f2e77' } });
    expect(stderr).not.toContain('canary');
  });
});

describe('an input file', () => {
  it('that is broken is named with line and column', async () => {
    const path = file('body.json', '{\n  "firstname": "Ana",\n}');
    const { exit, stderr } = await attempt(`members update 17 --input "${path}"`);
    expect(exit).toBe(2);
    expect(stderr).toContain(`${path} cannot be read as JSON`);
    expect(stderr).toMatch(/line 3, column 1/);
  });

  it('that is a directory is named', async () => {
    const { exit, stderr } = await attempt(`members update 17 --input "${folder}"`);
    expect(exit).toBe(2);
    expect(stderr).toContain('It is a directory.');
  });
});
