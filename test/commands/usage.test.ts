import { describe, expect, it } from 'vitest';
import { type RunOptions, words } from '../support/in-process.ts';
import { type Answer, envelope, ofRequest, onePage, plainAnswer, type Recorded } from '../support/service.ts';
import { leaves } from '../support/tree.ts';
import { ask, useCli } from '../support/use-cli.ts';

/** What is wrong usage, found before any request, and flags that do not fit. */

const tree = await leaves();

describe('bad input', () => {
  /** Bad input is exit 2, found before any request, with its place and a way out. */

  const { run, lines, file } = useCli({ service: {} });

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
    [
      'timesheets list --period last-week --date-from today',
      /cannot be used with/,
      /--date-from or --date-to/,
    ],
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
    [
      `${INVITE.replace('firstname A', 'firstname " "')} --role regular-user`,
      /missing --firstname/,
      /--role/,
    ],
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
      expect([exit, stderr]).toEqual([2, expect.stringContaining(`${path} cannot be read as JSON`)]);
      expect(stderr).toMatch(/line 3, column 1/);
    });

    it('that is a directory is named', async () => {
      const { exit, stderr } = await attempt(`members update 17 --input "${file('')}"`);
      expect([exit, stderr]).toEqual([2, expect.stringContaining('It is a directory.')]);
    });
  });
});

describe('odd options', () => {
  /** Options that do not fit what the command answers, or say a thing twice. */

  const errorOf = (stderr: string) =>
    JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error as Readonly<Record<string, unknown>>;

  const PROJECT = { id: 17, name: 'Dup' };
  const created = (request: Recorded): Answer => ({
    body: request.line.startsWith('GET') ? onePage([]) : envelope(ofRequest(request, PROJECT)),
  });

  describe('a --query that does not fit the answer of a write', () => {
    it.each([
      ['projects create --name Dup', 1, PROJECT],
      ['members update 17 --timezone UTC', 1, { target: '17', status: 'done' }],
      ['timesheets approve a1 --yes', 1, [{ target: 'a1', status: 'done' }]],
      ['timesheets approve a1 a2 --yes --no-journal', 2, [{ target: 'a1' }, { target: 'a2' }]],
      ['api PUT /members/17 --field timezone=UTC', 1, { success: true }],
    ])('%s: all is printed, and it is no wrong usage', async (line, count, printed) => {
      const bad = line.startsWith('timesheets') ? '[].abs(target)' : 'abs(name || target || message)';
      const { exit, sent, stdout, stderr } = await ask(`${line} --query "${bad}"`, created);
      expect(sent).toHaveLength(count);
      expect(JSON.parse(stdout)).toMatchObject(printed);
      expect(exit).toBe(1);
      expect(errorOf(stderr)).toMatchObject({
        code: 'bad_query',
        exit: 1,
        reason: expect.stringContaining('must be number, not string'),
        hint: expect.stringContaining('do not run the command again'),
      });
    });

    it('leaves the exit code to what failed at the service', async () => {
      const { exit, stdout, stderr } = await ask(
        'timesheets approve a1 a2 --yes --no-journal --query "[].abs(target)"',
        () => ({ status: 403, body: { success: false, message: 'No.', data: null } }),
      );
      expect(exit).toBe(4);
      expect(JSON.parse(stdout)).toMatchObject([{ status: 'failed' }, { status: 'failed' }]);
      expect(stderr).toContain('warning: the query cannot be used: [].abs(target)');
      expect(errorOf(stderr)).toMatchObject({ exit: 4 });
    });

    it('is wrong usage where nothing was written', async () => {
      for (const line of ['projects list', 'projects create --name Dup --dry-run']) {
        const { exit, stdout } = await ask(`${line} --query "abs(keys(@))"`);
        expect([exit, stdout]).toEqual([2, '']);
      }
    });
  });

  describe('--columns and --sort of a write', () => {
    it.each([
      'timesheets approve a1 --yes --columns nosuch',
      'timesheets approve a1 a2 --yes --columns target,nosuch',
      'timesheets approve --all --yes --columns nosuch',
      'timesheets approve a1 --yes --sort nosuch',
      'members update 17 --timezone UTC --columns nosuch',
      'members invite a@x.example --firstname A --lastname B --role regular-user --columns nosuch',
      'projects create --name Dup --columns nosuch',
      'time-tracking stop --columns nosuch',
    ])('%s is refused before anything is sent', async (line) => {
      const { exit, lines, stdout, stderr } = await ask(line);
      expect(lines).toEqual([]);
      expect([exit, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/--(columns|sort): no record has "nosuch"/);
      expect(stderr).toContain('status');
    });

    it('may name what a row of a file answers', async () => {
      const { exit, lines } = await ask('members update --from-file - --columns nosuch --yes', plainAnswer, {
        stdin: 'id,timezone\n17,UTC\n',
      });
      expect([exit, lines]).toEqual([2, []]);
    });

    it.each([
      ['timesheets approve a1 --yes --columns target,data.id', 'target,data.id\r\na1,a1\r\n'],
      ['projects create --name Dup --columns id,name', 'id,name\r\n17,Dup\r\n'],
      ['projects create --name Dup --dry-run --columns target,status', 'target,status\r\nDup,planned\r\n'],
      ['projects create --name Dup --columns name --query "{name: id}"', 'name\r\n17\r\n'],
    ])('%s passes', async (line, printed) => {
      const { exit, stdout } = await ask(`${line} -o csv`, created);
      expect([exit, stdout]).toEqual([0, printed]);
    });
  });

  describe('a value that --param or --field and a flag give', () => {
    it.each([
      'members list --param workspace_id=9 --workspace 8',
      'projects update 17 --name A --field workspace_id:=9 --workspace 8',
    ])('%s is refused', async (line) => {
      const { exit, lines, stderr } = await ask(line);
      expect(lines).toEqual([]);
      expect(exit).toBe(2);
      expect(stderr).toContain('workspace_id is already set by --workspace');
    });

    it.each([
      ['members list --param status=active', 'GET /members?workspace_id=7&status=active&page=1&per_page=100'],
      ['members list --param workspace_id=9', 'GET /members?workspace_id=9&page=1&per_page=100'],
      ['workspaces list --param page=2', 'GET /workspaces?page=2'],
      [
        'projects update 17 --name A --field workspace_id:=9',
        'GET /projects/17?workspace_id=9',
        'PUT /projects/17?workspace_id=9 {"workspace_id":9,"name":"A"}',
      ],
    ])('%s is sent alone', async (line, ...requests) => {
      expect((await ask(line)).lines).toEqual(requests);
    });

    it('is that of the flag, which lies over an --input', async () => {
      const stdin = '{"workspace_id":9,"name":"B"}';
      const { lines } = await ask('projects update 17 --workspace 8 --input -', plainAnswer, { stdin });
      expect(lines).toEqual([
        'GET /projects/17?workspace_id=8',
        'PUT /projects/17?workspace_id=8 {"workspace_id":8,"name":"B"}',
      ]);
      const alone = await ask('projects update 17 --input -', plainAnswer, { stdin });
      expect(alone.lines).toEqual([
        'GET /projects/17?workspace_id=9',
        'PUT /projects/17?workspace_id=9 {"workspace_id":9,"name":"B"}',
      ]);
    });
  });

  describe('what asks, where nobody can be asked', () => {
    it.each([
      'timesheets approve --all',
      'timesheets submit --all',
      'members archive a@x.example',
      'members restore a@x.example b@x.example',
      'members archive --from-file -',
      'members update --from-file - --timezone UTC',
    ])('%s reads nothing either', async (line) => {
      const { exit, lines, stderr } = await ask(line, plainAnswer, {
        stdin: 'email\na@x.example\nb@x.example\n',
      });
      expect([exit, lines]).toEqual([2, []]);
      expect(stderr).toContain('--yes');
    });
  });

  describe('a flag of a command and of the one below it', () => {
    const decide = 'inbox decide --rules -';
    const rules = JSON.stringify([{ name: 'a', kind: 'leave', when: '`true`' }]).replace(
      '}',
      ',"then":"hold"}',
    );
    it.each([
      [`${decide} --kind leave`],
      [`--json ${decide} --kind leave`],
      ['inbox decide --kind leave --rules -'],
      ['inbox decide --rules - --kind=leave --timezone UTC --output json'],
    ])('is of the one that the line names: %s', async (line) => {
      const { exit, lines } = await ask(line, () => ({ body: onePage([]) }), { stdin: rules });
      expect([exit, lines.length]).toEqual([0, 1]);
      expect(lines[0]).toMatch(/^GET \/leaves\?.*status=pending/);
    });

    it.each(['inbox --kind leave decide --rules -', `${decide} --limit 3`])(
      'is not taken for the other one: %s',
      async (line) => {
        const { exit, lines } = await ask(line, plainAnswer, { stdin: rules });
        expect([exit, lines]).toEqual([2, []]);
      },
    );
  });
});

describe('short flags', () => {
  /** Short flags stand together in any order, those of a command and those that all commands have. */

  const { run, lines } = useCli({ service: () => ({ body: envelope([]) }) });

  describe('short flags together', () => {
    it.each([
      ['-n -i -X POST', '-in -X POST', '-inX POST', '-niXPOST', '-inXPOST'],
      ['-i -w 8', '-iw8', '-iw 8', '-qiw8'],
      ['-X POST -n -q -f a=b', '-nqXPOST -fa=b', '-XPOST -qnfa=b'],
    ])('mean what %s means', async (apart, ...together) => {
      const { exit, stdout } = await run(`api /members ${apart}`);
      const date = /^date: .*$/m;
      const sent = lines().at(-1);
      expect(exit).toBe(0);
      for (const flags of together) {
        const outcome = await run(`api ${flags} /members`);
        expect([outcome.exit, outcome.stdout.replace(date, '')], flags).toEqual([
          0,
          stdout.replace(date, ''),
        ]);
        expect(lines().at(-1)).toBe(sent);
      }
    });

    it('are not given twice unseen, and an unknown one is told', async () => {
      const twice = await run('api -iw8 -w 9 /members');
      expect([twice.exit, twice.stderr]).toEqual([
        2,
        expect.stringContaining('--workspace was given more than once'),
      ]);
      const unknown = await run('api -iqz /members');
      expect([unknown.exit, unknown.stderr]).toEqual([2, expect.stringContaining('unknown option')]);
      expect(lines()).toEqual([]);
    });
  });
});

describe('all and query', () => {
  /** `--query` chooses what is printed; beside `--all` it is taken for a filter, and is refused. */

  const WRITES = tree
    .filter(
      ({ path, command }) => !path.startsWith('sandbox') && command.flags.some(({ name }) => name === 'all'),
    )
    .map(({ path }) => path);

  const QUERY = '[?total_hours <= `35`]';

  const run = (line: string, ...more: string[]) =>
    ask([...words(line), ...more], () => ({ body: onePage([{ id: 5, name: 'Site', status: 'submitted' }]) }));

  describe.each(WRITES)('%s --all --query', (path) => {
    const past: Readonly<Record<string, string>> = {
      ...{ approve: 'approved', reject: 'rejected', archive: 'archived' },
      ...{ submit: 'submitted', unsubmit: 'reopened' },
    };
    it('is wrong usage before any request', async () => {
      // The name of a project would be looked up.
      const filter = /tasks/.test(path) ? '--project Site ' : '';
      const { exit, stderr, stdout, lines } = await run(
        `${path} --all ${filter}--yes --json`,
        '--query',
        QUERY,
      );
      expect([exit, stdout, lines]).toEqual([2, '', []]);
      const { error } = JSON.parse(stderr);
      const verb = past[path.split(' ')[1] ?? ''];
      expect(error.message).toBe(`--query changes what is printed, not what is ${verb}: use --where`);
      expect(error.hint).toContain('--where takes a condition for one record');
    });
  });

  it('a query changes what is printed of targets that are named', async () => {
    const { exit, stdout } = await run('timesheets approve t1 t2 --yes', '--query', '[].target');
    expect([exit, JSON.parse(stdout)]).toEqual([0, ['t1', 't2']]);
  });

  it.each(['--limit 3', '--page 1'])('%s is not for --all', async (flag) => {
    const { exit, lines } = await run(`timesheets approve --all --yes ${flag}`);
    expect([exit, lines]).toEqual([2, []]);
  });
});
