import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from '../support/folder.ts';
import { runInProcess, words } from '../support/in-process.ts';
import { type LoopbackServer, startServer } from '../support/loopback.ts';

/** A number that JavaScript has rounded is shown with a warning, and never names the record that is written to. */

const ROW = '{"id":9007199254740993,"email":"ana@example.com","status":"inactive","deleted_at":null}';
let server: LoopbackServer;
let sent: string[] = [];
const folder = makeFolder();

beforeAll(async () => {
  server = await startServer(({ method, url }, response) => {
    if (method !== 'GET') sent.push(`${method} ${url}`);
    const data = /\/members\/\d/.test(url) ? ROW : `[${ROW}]`;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"success":true,"message":"OK","data":${data},"meta":{}}`);
  });
});
beforeEach(() => {
  sent = [];
});
afterAll(() => server.close());

const run = (line: string, stdin?: string) =>
  runInProcess(words(line), {
    env: {
      TTCTL_BASE_URL: `http://127.0.0.1:${server.port}`,
      TTCTL_TOKEN: 'token-of-the-test',
      TTCTL_WORKSPACE: '7',
      TTCTL_RATE_LIMIT: 'off',
      TTCTL_STATE_DIR: join(folder, 'state'),
    },
    ...(stdin === undefined ? {} : { stdin }),
  });

it.each(['json', 'ndjson', 'csv', 'table'])(
  'is shown as %s, with a warning that names the field',
  async (format) => {
    const { stdout, stderr, exit } = await run(`members list -o ${format} --columns id,email`);
    expect(exit).toBe(0);
    expect(stdout).toContain('9007199254740992');
    expect(stderr).toContain('Numbers of id have more digits than can be kept.');
  },
);

describe('is no target', () => {
  it.each([
    'members list -o ids',
    'members archive --all --status inactive --yes',
    'members archive --all --status inactive --dry-run',
    `members archive --all --status inactive --plan ${join(folder, 'plan.ndjson')}`,
    'members archive ana@example.com --yes',
    'members update ana@example.com --firstname Ana',
  ])('of: ttctl %s', async (line) => {
    const { stderr, exit } = await run(line);
    expect(stderr).toContain('the id 9007199254740992 was not read exactly');
    expect([exit, sent]).toEqual([2, []]);
  });

  it('unless a person wrote it: an id is text', async () => {
    await run('members archive 12345678901234567890 --yes --no-history');
    expect(sent[0]).toContain('DELETE /members/12345678901234567890');
  });
});

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

it.each([
  ['members update 17 --field weekly_hours_limit:=9007199254740993'],
  ['members update 17 --weekly-hours-limit 9007199254740993'],
  ['members update 17 --input -', '{"weekly_hours_limit": 9007199254740993}'],
  [`members update --yes --from-file ${file('a.json', '[{"id":17,"weekly_hours_limit":9007199254740993}]')}`],
  [`members update --yes --from-file ${file('b.ndjson', '{"id":17}\n{"id":9007199254740993}\n')}`],
  [`members update --yes --from-file ${file('c.csv', 'id,weekly_hours_limit\n17,9007199254740993\n')}`],
])('is refused in input: ttctl %s', async (line, stdin?: string) => {
  const { stderr, exit } = await run(line, stdin);
  expect([exit, sent], stderr).toEqual([2, []]);
  expect(stderr).toMatch(/more digits than can be kept|at most 15 digits/);
});
