import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allOperations, operations } from '../../src/api/operations.ts';
import { checkIdParameter } from '../../src/api/plan.ts';
import { findKindOfNoun, isNamedKind } from '../../src/api/records.ts';
import { commandLine } from '../../src/parsing/shell-word.ts';
import { runFiles } from '../support/runs.ts';
import { onePage } from '../support/service.ts';
import { leaves } from '../support/tree.ts';
import { useCli } from '../support/use-cli.ts';

/** Targets that cannot be meant: all of them are told before a write, and what can be seen before any request. */

const refusal = { success: false, message: 'The email field must be a valid email address.', data: null };
const t = useCli({
  service({ line }) {
    if (line.includes('strict')) return { status: 422, body: refusal };
    const mei = { id: 105, email: 'mei@x.example' };
    return { body: onePage(!line.includes('email=') || line.includes('mei%40') ? [mei] : []) };
  },
});
const { run, lines, sent } = t;

const withTargets = (command: string, targets: string): string =>
  command.replace(/^(\S+ \S+)/, `$1 ${targets}`);

describe('an address that is none', () => {
  it.each([
    'members archive 105 bad@ --yes',
    'members get bad@',
    'members update bad@ --role regular-user',
    'viewers get "a b@x.example"',
    'contracts create --project 5 --member bad@',
  ])('is told before the first request: %s', async (line) => {
    const { exit, stderr } = await run(line);
    expect(stderr).toMatch(/^error: (--member: )?"(bad@|a b@x\.example)" is not an e-mail address\n$/);
    expect([exit, lines()]).toEqual([2, []]);
  });

  it('is told of the service too, which may be stricter', async () => {
    const { exit, stderr } = await run('members archive strict@x --yes');
    const told = 'error: The email field must be a valid email address.\n  request: GET /members (422)\n';
    expect([exit, stderr]).toEqual([6, told]);
  });

  it('is not one with a blank around it, nor is a name with an @ in it', async () => {
    expect((await run(['members', 'get', ' mei@x.example '])).stderr).not.toContain('not an e-mail');
    expect(lines()[0]).toContain('email=mei%40x.example');
    const { stderr } = await run('projects archive "Kiosk @ hall" --yes');
    expect(stderr).toContain('error: no project "Kiosk @ hall"\n');
  });
});

describe('several wrong targets', () => {
  it('are told together', async () => {
    const malformed = await run('members archive bad@ 105 @worse --yes');
    expect([malformed.exit, malformed.stderr]).toEqual([
      2,
      'error: the command line has 2 errors; nothing was sent\n  "bad@" is not an e-mail address\n  "@worse" is not an e-mail address\n',
    ]);
    expect(lines()).toEqual([]);
    const unknown = await run('members archive one@x.example mei@x.example two@x.example --yes');
    expect([unknown.exit, unknown.stderr, sent()]).toEqual([
      5,
      'error: the command line has 2 errors; nothing was sent\n  no member "one@x.example"\n  no member "two@x.example"\nhint: List the members: ttctl members list\n',
      [],
    ]);
  });

  it('are one where one record is written in two ways', async () => {
    const rows = await t.rows('members archive mei@x.example 105 --yes');
    expect([rows.map(({ status }) => status), sent().length]).toEqual([['done', 'skipped'], 1]);
  });

  it('on stdin are told with their lines', async () => {
    const { exit, stderr } = await run('timesheets approve - --yes', { stdin: 'a1\n\nbad id/x\n..\n- \n' });
    expect([exit, lines()]).toEqual([2, []]);
    expect(stderr).toContain('error: stdin has 3 errors; nothing was sent\n');
    for (const told of ['5: "-"', '3: "bad id/x"', '4: ".."'])
      expect(stderr).toContain(`  stdin:${told} cannot be the id of a timesheet\n`);
  });
});

/** Every command that takes records by id alone. */
const BY_ID = ['expenses delete', 'webhooks delete', 'contracts archive', 'tasks archive --project 5'];
const BY_NAME = [
  ...['timesheets approve', 'timesheets submit', 'timesheets unsubmit', 'leaves approve'],
  ...['time-requests approve', 'members archive', 'members restore', 'viewers archive', 'viewers restore'],
  ...['viewers assign --project 5', 'projects archive'],
];

describe('a word that can be no id', () => {
  it.each([...BY_ID, ...BY_NAME])(
    'is refused by %s, as argument, on stdin and in a file',
    async (command) => {
      for (const word of ['ID', 'id', '#'])
        for (const yes of ['', ' --yes', ' --dry-run']) {
          const { exit, stderr, stdout } = await run(`${withTargets(command, word)}${yes}`);
          expect([exit, stdout, stderr]).toEqual([2, '', expect.stringContaining(`"${word}"`)]);
        }
      const piped = await run(`${withTargets(command, '-')} --yes`, { stdin: 'ID\n17\n\n# comment\n18\n' });
      expect([piped.exit, piped.stdout]).toEqual([2, '']);
      expect(piped.stderr).toContain('error: stdin has 2 errors; nothing was sent\n');
      expect(piped.stderr).toMatch(/^ {2}stdin:1: "ID" (cannot be|is a comment or a heading)/m);
      expect(piped.stderr).toMatch(/^ {2}stdin:4: "# comment" (cannot be|is a comment or a heading)/m);
      const rows = await run(`${command} --from-file - --yes`, { stdin: 'id\n17\n# comment\nID\n' });
      expect([rows.exit, rows.stdout]).toEqual([2, '']);
      expect(rows.stderr).toMatch(/^ {2}stdin:3: "# comment" [\s\S]*^ {2}stdin:4: "ID" /m);
      expect(lines()).toEqual([]);
    },
  );

  it.each(BY_ID)('is a name to %s too, which says how the id is found', async (command) => {
    for (const word of ['samir', 'Mei-Lin', 'Mei Tanaka']) {
      const { exit, stderr } = await run(`${withTargets(command, '-')} --yes`, { stdin: `${word}\n` });
      expect([exit, lines()]).toEqual([2, []]);
      expect(stderr).toContain(`stdin:1: "${word}" cannot be the id of `);
      expect(stderr).toContain(`hint: Find the id with: ttctl ${command.split(' ')[0]} list`);
    }
  });

  /** What reads one record that has no name. */
  const READS = allOperations.flatMap(({ id, noun, method, path, parameters }) => {
    const kind = findKindOfNoun(noun);
    if (method !== 'GET' || !path.includes('{') || (kind !== undefined && isNamedKind(kind))) return [];
    return [`${id.replace('.', ' ')}${'project_id' in parameters ? ' --project 5' : ''}`];
  });
  it.each([
    ...READS,
    ...['contracts update --rate 1', 'tasks update --project 5 --title A'],
    'tasks assign --project 5 --member 17',
  ])('is refused by %s of one record', async (command) => {
    for (const word of ['samir', 'ID', '#1']) {
      const { exit, stderr } = await run(withTargets(command, word));
      expect([exit, lines()]).toEqual([2, []]);
      expect(stderr).toContain(`"${word}" cannot be the id of `);
    }
  });

  it.each([
    ['ID    MEMBER  HOURS\n17    Mei     40\n8c1f  Samir   12\n', 3],
    ['id,user_id\n17,105\n', 2],
  ])('is told for each line of a whole table: %j', async (stdin, count) => {
    const { exit, stderr } = await run('timesheets approve - --yes', { stdin });
    expect([exit, lines()]).toEqual([2, []]);
    expect(stderr.match(/cannot be the id of a timesheet/g)).toHaveLength(count);
  });
});

it('ids that are random texts are never refused, and those that are numbers take every whole number', () => {
  const made = (alphabet: string, length: number) =>
    fc
      .array(fc.constantFrom(...alphabet), { minLength: length, maxLength: length })
      .map((characters) => characters.join(''))
      // What is punctuation alone is no id of anybody.
      .filter((id) => /[A-Za-z0-9]/.test(id));
  const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  // What services of this family give: UUIDs, numbers, base64url, prefixed, ULID, hexadecimal.
  const ids = fc.oneof(
    ...[fc.uuid(), fc.nat().map(String), fc.nat().map((n) => `T-${n}`), made(base64url, 21)],
    ...[made(base64url, 22).map((id) => `r${id}`), made(base64url, 6).map((id) => `ts_${id}`)],
    ...[made('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 26), made('0123456789abcdef', 24)],
  );
  const numbers = fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String);
  const { timesheets, leaves, contracts } = operations;
  for (const [operation, texts] of [
    ...([
      [timesheets.approve, ids],
      [leaves.reject, ids],
      [contracts.get, numbers],
    ] as const),
  ]) {
    const [, name = ''] = /\{(\w+)\}/.exec(operation.path) ?? [];
    fc.assert(
      fc.property(texts, (id) => checkIdParameter(id, { name, operation, commandLine })),
      { numRuns: 1000 },
    );
  }
});

it('ids are sent as they were written', async () => {
  const ids = ['kQ', '17', 'ts_abc', 'jRkQwX', '00000'];
  await run(`timesheets approve ${ids.join(' ')} --yes`);
  expect(t.writes()).toEqual(ids.map((id) => `PUT /timesheets/${id}/approve`));
});

const tree = await leaves();
const takesFile = tree.filter(({ command }) => command.flags.some(({ name }) => name === 'from-file'));
const takesStdin = tree.filter(({ command }) =>
  [...command.positionals, ...command.flags].some(({ about }) => about.includes('- to read them from stdin')),
);

/** It is success: a note, and in JSON an empty list; for every command that takes many. */
describe('nothing to do', () => {
  it('is tried with every command that takes many', () => {
    expect([takesFile.length > 25, takesStdin.length > 15]).toEqual([true, true]);
  });

  it.each(takesStdin.map(({ path }) => path))('ends %s well with an empty stdin', async (path) => {
    const needed: Readonly<Record<string, string>> = {
      'tasks archive': '--project 5',
      'tasks assign': '17 --project 5 --member',
      'tasks unassign': '17 --project 5 --member',
      'timesheets reject': '--reason x',
      'leaves reject': '--reason x',
      'time-requests reject': '--comment x',
      'viewers assign': '--project 5',
      'viewers unassign': '--project 5',
      'webhooks replay': '--exec false',
      'sandbox webhooks redeliver': '--profile sandbox',
    };
    const line = `${path} ${needed[path] ?? ''} -`;
    for (const stdin of ['', '\n \n', '\uFEFF\r\n'])
      expect(await run(`${line} --json`, { stdin })).toEqual({ exit: 0, stdout: '[]\n', stderr: '' });
    const { exit, stdout, stderr } = await run(line, { stdin: '' });
    expect([exit, stdout, sent()]).toEqual([0, '', []]);
    expect(stderr).toMatch(/^(?!error)./);
  });

  it.each(takesFile.map(({ path }) => path))('ends %s well with a file that has no rows', async (path) => {
    const heading = await t.read(`${path} --template`);
    const files = { 'a.csv': heading, 'b.csv': '', 'c.json': '[]', 'd.json': ' [ ]\n', 'e.ndjson': '\n\n' };
    for (const [name, text] of Object.entries(files)) {
      const none = await run(`${path} --from-file ${t.file(name, text)} --json`);
      expect(none, name).toEqual({ exit: 0, stdout: '[]\n', stderr: '' });
      const piped = await run(`${path} --from-file - --output ndjson`, { stdin: text });
      expect(piped, name).toEqual({ exit: 0, stdout: '', stderr: '' });
    }
    const { exit, stderr } = await run(`${path} --from-file -`, { stdin: heading });
    expect([exit, stderr, lines()]).toEqual([0, 'stdin has no rows.\n', []]);
  });

  it.each(['timesheets approve', 'members archive', 'webhooks replay --exec false'])(
    'is no success where nothing was named: %s',
    async (line) => {
      const { exit, stderr } = await run(`${line} --yes`);
      expect([exit, stderr]).toEqual([
        2,
        expect.stringMatching(/^error: no (timesheet|member|delivery) given/),
      ]);
    },
  );
});

/** A write without a workspace is wrong usage like any other: found before a request, and no run is begun. */
describe('without a workspace', () => {
  const nowhere = useCli({ env: { TTCTL_WORKSPACE: '' } });

  it.each([
    'members archive 1 2 --yes',
    'members archive 1 --dry-run',
    'timesheets approve a1 a2 --yes --no-journal',
    'timesheets submit a1',
    'projects create --name Kiosk',
    'members archive ana@x.example --yes',
    'members archive --from-file - --yes',
    'members invite --from-file NEW --yes',
  ])('%s says so, and does nothing', async (line) => {
    const file = nowhere.file('new.csv', 'email,firstname,lastname,role\na@x.example,A,B,regular-user\n');
    const words = line.replace('NEW', file);
    const hint =
      'Pass --workspace, set TTCTL_WORKSPACE, or choose a default: ttctl workspaces use <workspace>';
    const told = await nowhere.run(words, { stdin: 'email\na@x.example\nb@x.example\n' });
    expect(told).toEqual({ exit: 2, stdout: '', stderr: `error: no workspace\nhint: ${hint}\n` });
    const { stdout, stderr } = await nowhere.run(`${words} --json`, { stdin: 'id\n1\n2\n' });
    expect([stdout, nowhere.lines(), runFiles(nowhere.state)]).toEqual(['', [], []]);
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'missing_workspace', exit: 2, hint });
  });

  it('is not asked of what takes none, or brings its own', async () => {
    await nowhere.read('time-tracking stop');
    await nowhere.read('members restore 17 --field workspace_id:=7');
    const restore = 'POST /members/17/restore?workspace_id=7 {"workspace_id":7}';
    expect(nowhere.sent()).toEqual(['POST /time-tracking/stop', restore]);
  });

  it('is looked for by its name before a job is begun, and only after somebody has agreed', async () => {
    const env = { TTCTL_WORKSPACE: 'Nowhere' };
    const unasked = await nowhere.run('members archive 1 2', { env });
    expect([unasked.exit, unasked.stderr]).toEqual([2, expect.stringContaining('needs confirmation')]);
    expect(nowhere.lines()).toEqual([]);
    for (const line of ['members archive 1 2 --yes', 'timesheets submit a1']) {
      const { exit, stdout, stderr } = await nowhere.run(line, { env });
      expect([exit, stdout, stderr]).toEqual([5, '', expect.stringContaining('no workspace "Nowhere"\n')]);
    }
    expect(runFiles(nowhere.state)).toEqual([]);
  });
});
