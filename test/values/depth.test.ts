import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTokenResponse } from '../../src/auth/oauth.ts';
import { FORMAT_NAMES } from '../../src/output/formats/formats.ts';
import { makeFolder } from '../support/folder.ts';
import { runInProcess, words } from '../support/in-process.ts';
import { type LoopbackServer, startServer } from '../support/loopback.ts';

/** One budget of depth for all JSON from outside: within it all goes well, beyond it there is a plain error. */

/** Levels of arrays and objects (docs/bulk.md). */
const MOST = 200;

const folder = makeFolder();
let answer = '';
let server: LoopbackServer;

beforeAll(async () => {
  server = await startServer(({ method }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(method === 'GET' ? answer : '{"success":true,"message":"OK","data":{"id":17},"meta":{}}');
  });
});
afterAll(() => server.close());

const run = (line: string, stdin?: string, env: Readonly<Record<string, string>> = {}) =>
  runInProcess(words(line), {
    env: {
      TTCTL_BASE_URL: `http://127.0.0.1:${server.port}`,
      TTCTL_TOKEN: 'token-of-the-test',
      TTCTL_WORKSPACE: '7',
      TTCTL_RATE_LIMIT: 'off',
      TTCTL_STATE_DIR: join(folder, 'state'),
      ...env,
    },
    ...(stdin === undefined ? {} : { stdin }),
  });

const nested = (levels: number, open: '[' | '{"a":'): string =>
  `${open.repeat(levels)}${open === '[' ? '' : '1'}${(open === '[' ? ']' : '}').repeat(levels)}`;

/** Around the limit, and far beyond. */
const levels = fc.oneof(
  fc.integer({ min: 1, max: MOST + 20 }),
  fc.integer({ min: MOST - 4, max: MOST + 1 }),
  fc.constantFrom(5000, 60_000),
);
const opening = fc.constantFrom('[' as const, '{"a":' as const);

/** Brackets of a list's envelope around a field. */
const AROUND_LIST = 3;

describe('an answer', () => {
  const commands = [
    ...FORMAT_NAMES.map((format) => `members list -o ${format}`),
    'members list -o csv --columns deep,id',
    'members list --sort deep --group-by deep -o json',
    'members list --query [].deep',
    'api GET /members',
    'members list -o json --debug',
    'inbox -o json',
  ];

  it.each(commands)('is printed, or said to be too deep: ttctl %s', async (line) => {
    await fc.assert(
      fc.asyncProperty(levels, opening, async (count, open) => {
        answer = `{"success":true,"message":"OK","data":[{"id":17,"deep":${nested(count, open)}}],"meta":{}}`;
        const { exit, stderr } = await run(line);
        expect(exit, stderr.slice(0, 500)).toBe(count + AROUND_LIST <= MOST ? 0 : 7);
        if (exit === 7) expect(stderr).toContain(`more than ${MOST} levels of brackets`);
      }),
      {
        numRuns: 8,
        examples: [
          [MOST - AROUND_LIST, '['],
          [MOST - AROUND_LIST + 1, '{"a":'],
        ],
      },
    );
  });

  it('of the token host is of no use where it is too deep', () => {
    const body = `{"access_token":"abcdefgh","x":${nested(5000, '[')}}`;
    const response = { status: 200, headers: { 'content-type': 'application/json' }, body };
    expect(() => parseTokenResponse(response, 0)).toThrow(
      expect.objectContaining({ code: 'token_answer', exit: 7 }),
    );
  });
});

const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

/** A way in: how deep its value lies in what is read, and the place that the error names. */
interface Way {
  readonly around: number;
  readonly place: RegExp;
  readonly run: (value: string) => ReturnType<typeof run>;
}

const WAYS: Readonly<Record<string, Way>> = {
  '--field x:=…': {
    around: 0,
    place: /column \d+/,
    run: (value) => run(`members update 17 --field 'x:=${value}'`),
  },
  '--input file': {
    around: 1,
    place: /in\.json cannot be read as JSON[\s\S]*line 2, column \d+/,
    run: (value) => run(`members update 17 --input ${file('in.json', `{\n"x":${value}}`)}`),
  },
  '--input -': {
    around: 1,
    place: /stdin cannot be read as JSON[\s\S]*line 1, column \d+/,
    run: (value) => run('api POST /members --input -', `{"x":${value}}`),
  },
  '--from-file x.json': {
    around: 2,
    place: /rows\.json:3: not JSON: column \d+/,
    run: (value) =>
      run(
        `members update --from-file ${file('rows.json', `[{"id":1,"firstname":"A"},\n\n{"id":2,"x":${value}}]`)} --yes`,
      ),
  },
  '--from-file x.ndjson': {
    around: 1,
    place: /rows\.ndjson:2: not JSON: column \d+/,
    run: (value) =>
      run(
        `members update --from-file ${file('rows.ndjson', `{"id":1,"firstname":"A"}\n{"id":2,"x":${value}}\n`)} --yes`,
      ),
  },
  'settings.json': {
    around: 1,
    place: /settings\.json, line 2, column \d+/,
    run: (value) => {
      file('settings.json', `{"version":1,\n"x":${value}}`);
      return run('profile list', undefined, { TTCTL_CONFIG_DIR: folder });
    },
  },
};

describe('an input', () => {
  it.each(Object.entries(WAYS))('is taken, or refused with its place: %s', async (_name, way) => {
    answer = '{"success":true,"message":"OK","data":{"id":17},"meta":{}}';
    await fc.assert(
      fc.asyncProperty(levels, opening, async (count, open) => {
        const before = server.received.length;
        const { exit, stderr } = await way.run(nested(count, open));
        if (count + way.around <= MOST) {
          expect(exit, stderr.slice(0, 500)).not.toBe(1);
          return void expect(stderr).not.toContain('levels of brackets');
        }
        expect(exit, stderr.slice(0, 500)).toBe(2);
        expect(stderr).toMatch(way.place);
        expect(stderr).toContain(`more than ${MOST} levels of brackets`);
        expect(server.received.length).toBe(before);
      }),
      { numRuns: 8 },
    );
  });

  it('is kept by a job at its deepest', async () => {
    const state = join(folder, 'of-jobs');
    const field = `--field 'x:=${nested(MOST - 1, '[')}'`;
    await run(
      `members update --from-file ${file('two.csv', 'id,firstname\n17,A\n18,B\n')} ${field} --yes -o json`,
      undefined,
      { TTCTL_STATE_DIR: state },
    );
    const [job] = JSON.parse((await run('jobs list -o json', undefined, { TTCTL_STATE_DIR: state })).stdout);
    const shown = await run(`jobs show ${job.id} -o json`, undefined, { TTCTL_STATE_DIR: state });
    expect(JSON.parse(shown.stdout)).toHaveLength(2);
  });

  it.each([
    ['--field', 'members update 17 --field \'x:={"a":1,"a":2}\'', undefined, /column 8: duplicate name/],
    ['--input', 'api PUT /members/17 --input -', '{"a":1,\n "a":2}', /line 2, column 2: duplicate name/],
    [
      '--from-file (NDJSON)',
      'members update --from-file - --yes',
      '{"id":1,"firstname":"A"}\n{"id":2,"id":3}\n',
      /stdin:2: not JSON: column 9: duplicate name/,
    ],
    [
      '--from-file (JSON)',
      'members update --from-file - --yes',
      '[{"id":2,\n"firstname":"A","firstname":"B"}]',
      /stdin:2: not JSON: column 17: duplicate name/,
    ],
  ])('has each name once: %s', async (_name, line, stdin, says) => {
    const before = server.received.length;
    const { exit, stderr } = await run(line, stdin);
    expect(stderr).toMatch(says);
    expect(exit).toBe(2);
    expect(server.received.length).toBe(before);
  });
});

it('an answer may have a name twice: the last one counts', async () => {
  answer = '{"success":true,"data":[{"id":1,"id":2}],"meta":{}}';
  expect((await run('members list -o ids')).stdout).toBe('2\n');
});
