import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../support/in-process.ts';
import { numberTokens } from '../support/json.ts';
import { type LoopbackServer, startServer } from '../support/loopback-server.ts';
import { words } from '../support/words.ts';

/** Each number of an answer or an input has the same digits in output and request, or nothing is sent. */

let rows = '[]';
/** Path of a record → the body that it was written with last. */
const written = new Map<string, string>();
let server: LoopbackServer;
const folder = mkdtempSync(join(tmpdir(), 'ttctl-digits-'));

beforeAll(async () => {
  server = await startServer(({ method, url, body }, response) => {
    const list = /\/[a-z-]+(\?|$)/.test(url);
    if (method === 'PUT') written.set(url, body);
    const data =
      method === 'DELETE'
        ? 'null'
        : method !== 'GET'
          ? '{"id":17}'
          : list
            ? rows
            : (written.get(url) ?? rows.slice(1, -1));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"success":true,"message":"OK","data":${data},"meta":{}}`);
  });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const env = () => ({
  TTCTL_BASE_URL: `http://127.0.0.1:${server.port}`,
  TTCTL_TOKEN: 'token-of-the-test',
  TTCTL_WORKSPACE: '7',
  TTCTL_RATE_LIMIT: 'off',
  TTCTL_STATE_DIR: join(folder, 'state'),
});

const run = (line: string, more: readonly string[] = [], stdin?: string) =>
  runInProcess([...words(line), ...more], { env: env(), ...(stdin === undefined ? {} : { stdin }) });

/** What is written in JSON between the name and the end of the value. */
const tokensAfter = (json: string, name: string): readonly string[] =>
  [...json.matchAll(new RegExp(`"${name}":\\s*([^,\\s}\\]]+)`, 'g'))].map(([, token = '']) => token);

const OUTPUTS: Readonly<Record<string, (stdout: string) => readonly string[]>> = {
  'members list -o json': (text) => tokensAfter(text, 'x'),
  'members list -o ndjson': (text) => tokensAfter(text, 'x'),
  'members list -o csv --columns x --no-header': (text) => text.trim().split('\r\n'),
  'members list -o tsv --columns x --no-header': (text) => text.trim().split('\n'),
  'members list -o ids': (text) => text.trim().split('\n'),
  'members list -o markdown --columns x': (text) =>
    text
      .trim()
      .split('\n')
      .slice(2)
      .map((line) => line.replace(/[| ]/g, '')),
  'members list -o table --columns x --no-header': (text) =>
    text
      .trim()
      .split('\n')
      .map((line) => line.trim()),
  'members list -o json --columns x': (text) => tokensAfter(text, 'x'),
  'members list -o csv --columns in.x --no-header': (text) => text.trim().split('\r\n'),
  'members list --query [].x -o ndjson': (text) => text.trim().split('\n'),
  'members list --query [].{x:list[0]}': (text) => tokensAfter(text, 'x'),
  'members list --query [].to_string(x) -o ids': (text) => text.trim().split('\n'),
  'members get 17 -o json': (text) => tokensAfter(text, 'x'),
  'members get 17 -o csv --columns x --no-header': (text) => text.trim().split('\r\n'),
  'api GET /members': (text) => tokensAfter(text, 'x'),
  'api GET /members --paginate -o ndjson': (text) => tokensAfter(text, 'x'),
  'members list --group-by x -o json': (text) => tokensAfter(text, 'x'),
};

describe('a number of an answer', () => {
  it.each(Object.keys(OUTPUTS))('has its digits in: ttctl %s', async (line) => {
    await fc.assert(
      fc.asyncProperty(numberTokens(), async (token) => {
        rows = `[{"x":${token},"id":${token},"in":{"x":${token}},"list":[${token}]}]`;
        const { stdout, stderr, exit } = await run(line);
        expect(exit, stderr).toBe(0);
        expect([...new Set(OUTPUTS[line]?.(stdout))]).toEqual([token]);
      }),
      { numRuns: 25 },
    );
  });

  it('is sorted and grouped by its value, to the last digit', async () => {
    const tokens = [
      '9007199254740993',
      '1e400',
      '9007199254740992',
      '-0',
      '48.60',
      '-1e400',
      '48.6',
      '1e-400',
    ];
    rows = `[${tokens.map((token) => `{"x":${token}}`).join(',')}]`;
    const sorted = await run('members list --sort x --query [].x -o ndjson');
    expect(sorted.stdout.trim().split('\n')).toEqual([
      '-1e400',
      '-0',
      '1e-400',
      '48.60',
      '48.6',
      '9007199254740992',
      '9007199254740993',
      '1e400',
    ]);
    const groups = JSON.parse((await run('members list --group-by x --query [].count')).stdout);
    expect(groups).toEqual([2, 1, 1, 1, 1, 1, 1]);
  });

  it('is found by its value in a query, to the last digit', async () => {
    rows = '[{"x":9007199254740992},{"x":9007199254740993},{"x":48.60}]';
    const find = async (query: string) => (await run('members list -o ndjson --query', [query])).stdout;
    expect(await find('[?x == `9007199254740993`].x')).toBe('9007199254740993\n');
    expect(await find('[?x > `9007199254740992`].x')).toBe('9007199254740993\n');
    expect(await find('[?x == `48.6`].x')).toBe('48.60\n');
    expect(await find('[0].{a: `1.50`, b: type(x)}')).toBe('{"a":1.50,"b":"number"}\n');
  });

  it('is summed to the last digit, or said to be beyond it', async () => {
    rows = '[{"k":1,"x":9007199254740993},{"k":1,"x":0.10},{"k":1,"x":1e3}]';
    const summed = await run('members list --group-by k --sum x -o json');
    expect(tokensAfter(summed.stdout, 'sum_x')).toEqual(['9007199254741993.1']);
    const refused = await run('members list --query sum([].x)');
    expect(refused).toMatchObject({ exit: 2, stdout: '' });
    expect(refused.stderr).toContain('9007199254740993 has too many digits');
  });

  it('names the record that is written to: list -o ids | archive -', async () => {
    rows = '[{"id":9007199254740993}]';
    const { stdout } = await run('members list -o ids');
    const before = server.received.length;
    expect(await run('members archive - --yes', [], stdout)).toMatchObject({ exit: 0 });
    const sent = server.received.slice(before).filter(({ method }) => method !== 'GET');
    expect(sent.map(({ url }) => url.replace(/\?.*/, ''))).toEqual(['/members/9007199254740993']);
  });

  it.each(['members archive --all --status inactive --yes', 'members archive ana@example.com --yes'])(
    'names the record that is written to: %s',
    async (line) => {
      rows = '[{"id":12345678901234567890,"email":"ana@example.com","status":"inactive","deleted_at":null}]';
      const before = server.received.length;
      expect(await run(line)).toMatchObject({ exit: 0 });
      const sent = server.received.slice(before).filter(({ method }) => method !== 'GET');
      expect(sent.map(({ url }) => url.replace(/\?.*/, ''))).toEqual(['/members/12345678901234567890']);
    },
  );

  it('names the workspace that a name is looked up for', async () => {
    rows = '[{"id":9007199254740993,"workspace_name":"Northwind"}]';
    const before = server.received.length;
    expect(await run('members list -w Northwind -o json')).toMatchObject({ exit: 0 });
    expect(server.received.slice(before).at(-1)?.url).toContain('workspace_id=9007199254740993');
  });
});

/** A way in: the command line, its stdin, and the name of the number in what is sent. */
type Way = (token: string) => { readonly line: string; readonly stdin?: string };

const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const WAYS: Readonly<Record<string, Way>> = {
  '--field x:=n': (token) => ({ line: `members update 17 --field rate:=${token}` }),
  '--field x:={"in":n}': (token) => ({ line: `members update 17 --field 'a:={"rate":${token}}'` }),
  '--input file': (token) => ({ line: `members update 17 --input ${file('in.json', `{"rate":${token}}`)}` }),
  '--input -': (token) => ({ line: 'members update 17 --input -', stdin: `{ "rate" : ${token} }` }),
  'api --field': (token) => ({ line: `api PUT /members/17 --field rate:=${token}` }),
  'api --input -': (token) => ({ line: 'api POST /members --input -', stdin: `[{"rate":${token}}]` }),
  '--from-file x.json': (token) => ({
    line: `contracts update --from-file ${file('rows.json', `[{"id":17,"rate":${token}}]`)} --yes`,
  }),
  '--from-file x.ndjson': (token) => ({
    line: `contracts update --from-file ${file('rows.ndjson', `{"id":17,"rate":${token}}\n`)} --yes`,
  }),
  '--from-file x.csv': (token) => ({
    line: `contracts update --from-file ${file('rows.csv', `id,rate\n17,${token}\n`)} --yes`,
  }),
  '--from-file - (NDJSON)': (token) => ({
    line: 'contracts update --from-file - --yes',
    stdin: `{"id":17,"rate":${token}}\n`,
  }),
  'a flag': (token) => ({ line: `contracts update 17 --rate=${token}` }),
};

describe('a number of an input', () => {
  it.each(Object.keys(WAYS))('is sent with its digits, or nothing is sent: %s', async (name) => {
    rows = '[{"id":17}]';
    await fc.assert(
      fc.asyncProperty(numberTokens(), async (token) => {
        const { line, stdin } = WAYS[name]?.(token) ?? { line: '' };
        const before = server.received.length;
        // A record that has the number already is not written to.
        written.clear();
        const { exit, stderr } = await run(line, [], stdin);
        const bodies = server.received
          .slice(before)
          .filter(({ method }) => method !== 'GET')
          .map(({ body }) => body);
        expect([0, 2, 6], stderr).toContain(exit);
        if (exit === 2) expect(bodies, line).toEqual([]);
        else
          expect(
            bodies.flatMap((body) => tokensAfter(body, 'rate')),
            line,
          ).toEqual([token]);
        // What a flag takes is plain decimals of a usual size.
        if (/--field|--input/.test(line) || /^\d{1,15}(\.\d+)?$/.test(token))
          expect(exit, stderr).not.toBe(2);
      }),
      { numRuns: 25 },
    );
  });

  it('is kept by a job, and by a dry run', async () => {
    const path = file('some.json', '[{"id":17,"rate":48.60},{"id":9007199254740993,"rate":1.50}]');
    written.clear();
    const planned = await run(`contracts update --from-file ${path} --dry-run -o json`);
    expect([...new Set(tokensAfter(planned.stdout, 'rate'))]).toEqual(['48.60', '1.50']);
    const before = server.received.length;
    expect((await run(`contracts update --from-file ${path} --yes`)).exit).toBe(0);
    const sent = server.received.slice(before).filter(({ method }) => method === 'PUT');
    expect(sent.map(({ url, body }) => [url.replace(/\?.*/, ''), ...tokensAfter(body, 'rate')])).toEqual([
      ['/contracts/17', '48.60'],
      ['/contracts/9007199254740993', '1.50'],
    ]);
  });
});
