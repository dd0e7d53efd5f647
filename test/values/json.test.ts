import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseTokenResponse } from '../../src/auth/oauth.ts';
import { FORMAT_NAMES } from '../../src/output/formats/formats.ts';
import { useCli } from '../support/use-cli.ts';

/** One budget of depth for all JSON from outside: within it all goes well, beyond it there is a plain error. */

/** Levels of arrays and objects (docs/bulk.md). */
const MOST = 200;

const t = useCli({ shared: true });
const OK = '{"success":true,"message":"OK","data":{"id":17},"meta":{}}';
/** Reads are answered with this text. */
const answer = (text: string): void => {
  t.answer = ({ line }) => ({ body: line.startsWith('GET') ? text : OK });
};

const nested = (levels: number, open: '[' | '{"a":'): string =>
  `${open.repeat(levels)}${open === '[' ? '' : '1'}${(open === '[' ? ']' : '}').repeat(levels)}`;

/** Around the limit, and far beyond. */
const levels = fc.oneof(
  fc.integer({ min: 1, max: MOST + 20 }),
  fc.integer({ min: MOST - 4, max: MOST + 1 }),
  fc.constantFrom(5000, 60_000),
);
const opening = fc.constantFrom('[' as const, '{"a":' as const);

it.each([
  ...FORMAT_NAMES.map((format) => `members list -o ${format}`),
  'members list -o csv --columns deep,id',
  'members list --sort deep --group-by deep -o json',
  'members list --query [].deep',
  'api GET /members',
  'members list -o json --debug',
  'inbox -o json',
])('an answer is printed, or said to be too deep: ttctl %s', async (line) => {
  // Brackets of the envelope around a field.
  const around = 3;
  await fc.assert(
    fc.asyncProperty(levels, opening, async (count, open) => {
      answer(`{"success":true,"message":"OK","data":[{"id":17,"deep":${nested(count, open)}}],"meta":{}}`);
      const { exit, stderr } = await t.run(line);
      expect(exit, stderr.slice(0, 500)).toBe(count + around <= MOST ? 0 : 7);
      if (exit === 7) expect(stderr).toContain(`more than ${MOST} levels of brackets`);
    }),
    { numRuns: 8, examples: [[MOST - around, '['] as const, [MOST - around + 1, '{"a":'] as const] },
  );
});

it('an answer of the token host is of no use where it is too deep', () => {
  const body = `{"access_token":"abcdefgh","x":${nested(5000, '[')}}`;
  const response = { status: 200, headers: { 'content-type': 'application/json' }, body };
  expect(() => parseTokenResponse(response, 0)).toThrow(
    expect.objectContaining({ code: 'token_answer', exit: 7 }),
  );
});

// How deep the value lies in what is read, and the place that the error names.
it.each<[line: string, around: number, place: RegExp, file?: string, text?: string]>([
  ["members update 17 --field 'x:=VALUE'", 0, /column \d+/],
  ['members update 17 --input FILE', 1, /in\.json [\s\S]*line 2, column \d/, 'in.json', '{\n"x":VALUE}'],
  ['api POST /members --input -', 1, /stdin [\s\S]*line 1, column \d/, 'stdin', '{"x":VALUE}'],
  [
    'members update --from-file FILE',
    2,
    /x\.json:3: not JSON: c/,
    'x.json',
    '[{"id":1},\n\n{"id":2,"x":VALUE}]',
  ],
  [
    'members update --from-file FILE',
    1,
    /x\.ndjson:2: not JSON: c/,
    'x.ndjson',
    '{"id":1}\n{"id":2,"x":VALUE}\n',
  ],
  ['profile list', 1, /settings\.json, line 2, column \d+/, 'settings.json', '{"version":1,\n"x":VALUE}'],
])(
  'an input is taken or refused with its place: %s',
  async (line, around, place, name = 'none', text = '') => {
    answer(OK);
    await fc.assert(
      fc.asyncProperty(levels, opening, async (count, open) => {
        const before = t.lines().length;
        const value = nested(count, open);
        const stdin = text.replace('VALUE', value);
        const file = t.file(name, stdin);
        const env: Record<string, string> = name === 'settings.json' ? { TTCTL_CONFIG_DIR: t.folder } : {};
        const { exit, stderr } = await t.run(`${line.replace('VALUE', value).replace('FILE', file)} --yes`, {
          stdin,
          env,
        });
        if (count + around <= MOST) {
          expect(exit, stderr.slice(0, 500)).not.toBe(1);
          return void expect(stderr).not.toContain('levels of brackets');
        }
        expect(exit, stderr.slice(0, 500)).toBe(2);
        expect(stderr).toMatch(place);
        expect(stderr).toContain(`more than ${MOST} levels of brackets`);
        expect(t.lines()).toHaveLength(before);
      }),
      { numRuns: 8 },
    );
  },
);

it('an input is kept by a job at its deepest', async () => {
  const rows = t.file('two.csv', 'id,firstname\n17,A\n18,B\n');
  await t.run(`members update --from-file ${rows} --field 'x:=${nested(MOST - 1, '[')}' --yes`);
  const [job] = await t.rows('jobs list --limit 1');
  expect(await t.json(`jobs show ${job?.['id']}`)).toHaveLength(2);
});

it.each([
  ['members update 17 --field \'x:={"a":1,"a":2}\'', '', /column 8: duplicate name/],
  ['api PUT /members/17 --input -', '{"a":1,\n "a":2}', /line 2, column 2: duplicate name/],
  ['members update --from-file -', '{"id":1}\n{"id":2,"id":3}\n', /stdin:2: .* column 9: duplicate name/],
  ['members update --from-file -', '[{"id":2,\n"x":"A","x":"B"}]', /stdin:2: .* column 9: duplicate name/],
])('an input has each name once: ttctl %s %j', async (line, stdin, says) => {
  const before = t.lines().length;
  const { exit, stderr } = await t.run(line, { stdin });
  expect(stderr).toMatch(says);
  expect([exit, t.lines().length]).toEqual([2, before]);
});

it('an answer may have a name twice: the last one counts', async () => {
  answer('{"success":true,"data":[{"id":1,"id":2}],"meta":{}}');
  expect(await t.read('members list -o ids')).toBe('2\n');
});

const ROUNDED = '{"id":9007199254740993,"email":"ana@example.com","status":"inactive","deleted_at":null}';
const own = useCli({
  service: ({ line }) => ({
    body: `{"success":true,"message":"OK","data":${/\/members\/\d/.test(line) ? ROUNDED : `[${ROUNDED}]`},"meta":{}}`,
  }),
});

it.each(['json', 'ndjson', 'csv', 'table'])(
  'a rounded number is shown as %s, with a warning',
  async (format) => {
    const { stdout, stderr, exit } = await own.run(`members list -o ${format} --columns id,email`);
    expect([exit, stdout]).toEqual([0, expect.stringContaining('9007199254740992')]);
    expect(stderr).toContain('Numbers of id have more digits than can be kept.');
  },
);

it.each([
  'members list -o ids',
  'members archive --all --status inactive --yes',
  'members archive --all --status inactive --dry-run',
  'members archive --all --status inactive --plan FILE',
  'members archive ana@example.com --yes',
  'members update ana@example.com --firstname Ana',
])('a rounded number is no target of: ttctl %s', async (line) => {
  const { stderr, exit } = await own.run(line.replace('FILE', own.file('plan.ndjson')));
  expect(stderr).toContain('the id 9007199254740992 was not read exactly');
  expect([exit, own.sent()]).toEqual([2, []]);
});

it('a rounded number is a target where a person wrote it: an id is text', async () => {
  await own.run('members archive 12345678901234567890 --yes --no-history');
  expect(own.writes()).toEqual(['DELETE /members/12345678901234567890']);
});

it.each([
  ['--field weekly_hours_limit:=9007199254740993'],
  ['--weekly-hours-limit 9007199254740993'],
  ['--input -', '{"weekly_hours_limit": 9007199254740993}'],
  ['--from-file a.json', '[{"id":17,"weekly_hours_limit":9007199254740993}]'],
  ['--from-file b.ndjson', '{"id":17}\n{"id":9007199254740993}\n'],
  ['--from-file c.csv', 'id,weekly_hours_limit\n17,9007199254740993\n'],
])('a rounded number is refused in input: %s', async (flags, text = '') => {
  const [, name] = /--from-file (.*)/.exec(flags) ?? [];
  const line = name === undefined ? `17 ${flags}` : `--yes --from-file ${own.file(name, text)}`;
  const { stderr, exit } = await own.run(`members update ${line}`, { stdin: text });
  expect([exit, own.sent()], stderr).toEqual([2, []]);
  expect(stderr).toMatch(/more digits than can be kept|at most 15 digits/);
});
