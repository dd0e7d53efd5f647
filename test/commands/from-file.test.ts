import { describe, expect, it } from 'vitest';
import { samples } from '../samples.ts';
import { type Leaf, leaves } from '../support/tree.ts';
import { useCli } from '../support/use-cli.ts';

/** Writes whose rows come from a file. Requests are written from docs/service.md. */

const ID = '8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b';
const t = useCli({
  service: {
    members: [
      { id: 3, email: 'ana@x.example' },
      { id: 2, email: 'bo@x.example' },
      { id: 17, email: 'cy@x.example', timezone: 'Mars/Olympus' },
      { id: 8, email: 'twin@x.example' },
      { id: 9, email: 'twin@x.example' },
    ],
    categories: [{ id: ID, name: 'Travel' }],
  },
});

/** Runs a command line with `--from-file` of this text. */
const run = async (line: string, text: string, name = 'f.csv') => {
  const { stdout, stderr, exit } = await t.run(`${line} --from-file ${t.file(name, text)}`);
  return { stdout, stderr: stderr.replaceAll(`${t.folder}/`, ''), exit };
};

const BOTH = '?workspace_id=7 {"workspace_id":7';

describe('the request of a row of', () => {
  it.each<[string, string, ...string[]]>([
    [
      'members invite --role regular-user',
      'email,firstname,lastname\nana@example.com,Ana,Sousa\n',
      `POST /members${BOTH},"email":"ana@example.com","firstname":"Ana","lastname":"Sousa","role":"Regular User"}`,
    ],
    [
      'members update',
      'id,email,weekly-hours-limit,rate_status,remove_avatar\n17,new@example.com,32,visible,yes\n18,,0,,no\n',
      `PUT /members/17${BOTH},"email":"new@example.com","rate_status":1,"weekly_hours_limit":32,"remove_avatar":1}`,
      `PUT /members/18${BOTH},"weekly_hours_limit":0}`,
    ],
    [
      'viewers assign --project 5',
      'id,project\n17,\n17,6\n',
      'POST /project-viewers/17/assign-project?workspace_id=7&project_id=5 {"workspace_id":7,"project_id":5}',
      'POST /project-viewers/17/assign-project?workspace_id=7&project_id=6 {"workspace_id":7,"project_id":6}',
    ],
    ['contracts update', 'contract,status\n21,paused\n', `PUT /contracts/21${BOTH},"status":"paused"}`],
    [
      'tasks create --project 5',
      'title,status,priority,assignee\nPhotos,in-progress,10,"17, 18"\n',
      'POST /tasks?workspace_id=7&project_id=5 {"workspace_id":7,"project_id":5,"title":"Photos","status":10,"priority":10,"assignees":[17,18]}',
    ],
    [
      'tasks assign 17 --project 5',
      'member,task\n12,\n13,18\n',
      'POST /tasks/17/assign/12 {"workspace_id":7,"project_id":5}',
      'POST /tasks/18/assign/13 {"workspace_id":7,"project_id":5}',
    ],
    [
      'timesheets reject --reason Late',
      'id,reason\ns1,\ns2,Friday is missing\n',
      `PUT /timesheets/s1/reject${BOTH},"reason":"Late"}`,
      `PUT /timesheets/s2/reject${BOTH},"reason":"Friday is missing"}`,
    ],
    [
      'time-requests create --timezone Europe/Berlin',
      'member,contract,start,end\n17,21,2026-11-20T09:00,2026-11-20T12:30\n',
      `POST /time-requests${BOTH},"user_id":17,"contract_id":21,"start":"2026-11-20T09:00:00+01:00","end":"2026-11-20T12:30:00+01:00"}`,
    ],
    [
      'expenses update --billable',
      `id,name,date,amount,category,billable\ne1,Train,2026-11-20,48.60,${ID},no\n`,
      `PUT /expenses/e1${BOTH},"expense_name":"Train","date":"2026-11-20","amount":48.6,"category_id":"${ID}","is_billable":false}`,
    ],
    [
      'webhooks create',
      'url,event\nhttps://h.example/x,"tracker.started,tracker.stopped"\n',
      'POST /webhooks {"workspace_id":7,"url":"https://h.example/x","events":["tracker.started","tracker.stopped"]}',
    ],
  ])('%s', async (line, text, ...requests) => {
    const { stderr, exit } = await run(`${line} --yes`, text);
    expect([exit, t.sent(), stderr]).toEqual([0, requests, expect.not.stringContaining('error')]);
  });

  it('expenses create: two rows that are the same are two expenses', async () => {
    const row = `Coffee,2026-11-20,3.5,${ID}\n`;
    const { exit } = await run('expenses create --yes', `name,date,amount,category\n${row}${row}`);
    expect([exit, t.writes()]).toEqual([0, ['POST /expenses', 'POST /expenses']]);
  });
});

it('every write takes its rows from a file, but for one that is of nobody, and prints the heading of one', async () => {
  const takes = (flag: string) => (leaf: Leaf) => leaf.command.flags.some(({ name }) => name === flag);
  const writes = (await leaves()).filter(takes('field')).filter(({ path }) => !path.startsWith('api'));
  const without = writes.filter((leaf) => !takes('from-file')(leaf)).map(({ path }) => path);
  const ofNobody = samples.flatMap(({ operation, lost }) => (lost ? [] : [operation.replace('.', ' ')]));
  expect(without).toEqual(ofNobody);
  for (const { path } of (await leaves()).filter(takes('from-file')))
    expect(await t.read(`${path} --template`), path).toMatch(/^[a-z_]+(,[a-z_]+)*\n$/);
  expect(t.lines()).toEqual([]);
});

describe('what is wrong with the rows', () => {
  const bad = 'email,firstname,lastname,role\na@x.example,Ana,,boss\nx.example,Bo,B,\n,Cy,C,team-manager,\n';

  it('is told all together, with file and line, and nothing is sent', async () => {
    const { stderr, exit } = await run('members invite --yes', bad);
    expect(stderr.split('\n')).toEqual([
      'error: f.csv has 5 errors; nothing was sent',
      expect.stringMatching(/^ {2}f\.csv:2: role: "boss" is not one of regular-user, /),
      '  f.csv:2: missing lastname',
      '  f.csv:3: email: "x.example" is not an e-mail address',
      '  f.csv:3: missing role',
      '  f.csv:4: missing email',
      '',
    ]);
    expect([exit, t.lines()]).toEqual([2, []]);
    const { error } = JSON.parse((await run('members invite --yes --json', bad)).stderr);
    expect(error).toMatchObject({ code: 'invalid_input', exit: 2, errors: { length: 5 } });
  });

  it('is told with what a wrong heading, a repeated row and names that nothing has add to it', async () => {
    const people =
      'email,firstname,lastname,role,weekly_hours_limit\na@x.example,,A,boss,30\nb@x.example,B,B,team-manager,\nB@x.example,B,B,team-manager,\n';
    expect((await run('members invite --yes', people)).stderr.split('\n').slice(0, -1)).toEqual([
      'error: f.csv has 3 errors; nothing was sent',
      expect.stringMatching(/^ {2}f\.csv:1: unknown column "weekly_hours_limit": the known columns are /),
      expect.stringMatching(/^ {2}f\.csv:2: role: "boss" is not one of /),
      '  f.csv:4: b@x.example is already in line 3',
      "hint: Say what a column is with --map 'weekly_hours_limit=<column>', or add --ignore-columns.",
    ]);
    const expenses = 'name,date,amount,category\nTrain,2026-11-20,-5,Travel\nBus,yesterday,3,Trvel\n';
    const { exit, stderr } = await run('expenses create --yes', expenses);
    expect([exit, t.sent()]).toEqual([2, []]);
    expect(stderr).toContain('f.csv:2: amount: -5 is out of range: at least 0\n');
    expect(stderr).toContain('f.csv:3: no category "Trvel"');
  });

  it('comes before a service that cannot be asked for names', async () => {
    t.answer = () => ({ status: 401, body: { success: false, message: 'No.' } });
    const text = 'email,firstname,weekly_hours_limit\na@x.example,A,x\n';
    expect(await run('members update --yes', text)).toMatchObject({
      exit: 2,
      stderr:
        'error: f.csv has 1 error; nothing was sent\n  f.csv:2: weekly_hours_limit: "x" is not a whole number\n',
    });
  });

  it('is looked up in one list where nothing will be sent either', async () => {
    const many = Array.from({ length: 60 }, (_, n) => `p${n}@x.example,A,\n`).join('');
    const text = `email,firstname,weekly_hours_limit\n17,A,x\n${many}`;
    expect([(await run('members update --yes', text)).exit, t.lines().length]).toEqual([2, 1]);
  });

  it('is shown to people up to fifty, and kept up to a thousand', async () => {
    const many = `id\n${'a/b\n'.repeat(1200)}`;
    const lines = (await run('timesheets approve --yes', many)).stderr.split('\n');
    expect(lines[0]).toBe('error: f.csv has 1200 errors; nothing was sent');
    expect(lines[50]).toMatch(/^ {2}f\.csv:51: /);
    expect(lines[51]).toBe('  … and 950 more');
    const { error } = JSON.parse((await run('timesheets approve --yes --json', many)).stderr);
    expect([error.errors.length, error.error_count]).toEqual([1000, 1200]);
  });

  it.each([
    ['members update', 'id,frstname\n17,A\n', 'f.csv:1: unknown column "frstname": the known columns are '],
    ['members archive', '17\n18\n', 'f.csv:1: unknown column "17": the known columns are id, member, email'],
    ['contracts create', 'projects,member\n5,17\n', 'f.csv:1: unknown column "projects": the known columns '],
    ['members update', '\nid,role,Role\n17,,\n', 'f.csv:2: the column role appears twice'],
    [
      'members archive',
      'id,email\n17,\n',
      'f.csv:1: the columns id and email both identify the record; keep one',
    ],
    [
      'members update',
      'role\nteam-manager\n',
      'f.csv:1: no column identifies the record: add id or member or email',
    ],
    ['members update', 'id,firstname\n,A\n', 'f.csv:2: missing id'],
    ['members update', 'id,firstname\n17,\n', 'f.csv:2: nothing to change'],
    ['timesheets approve', 'id\n..\n', 'f.csv:2: ".." cannot be the id of a timesheet'],
    ['members update', 'id,remove_avatar\n17,maybe\n', 'f.csv:2: remove_avatar: "maybe" is not yes or no'],
    [
      'members update',
      'id,weekly_hours_limit\n17,-1\n',
      'f.csv:2: weekly_hours_limit: -1 is out of range: at least 0',
    ],
    [
      'projects create --start-date 2026-12-01',
      'name,deadline\nA,2026-11-30\n',
      'f.csv:2: deadline: 2026-11-30 is before --start-date (2026-12-01)',
    ],
    ['members update', 'id,firstname\n17,"A\nB\n', 'f.csv:2: unclosed quote; the rest was not read'],
    ['tasks assign --project 5', 'member\n12\n', 'f.csv:2: missing task'],
    ['members update', 'id,firstname\n17,A\n18,B\n17,C\n', 'f.csv:4: 17 is already in line 2'],
    ['members update', 'id,firstname,\n17,A,lost\n', 'f.csv:2: 3 cells, but the heading has 2'],
    // What cannot stand beside a file.
    ['members archive 17', 'id\n17\n', '--from-file cannot be used with named targets'],
    ['members update 17', 'id\n17\n', '--from-file cannot be used with a named member'],
    ['members invite a@x.example', 'id\n17\n', '--from-file cannot be used with <email>'],
    ['tasks assign 17 --project 5 --member 12', 'id\n17\n', '--from-file cannot be used with named targets'],
    ['members archive --all', 'id\n17\n', '--from-file cannot be used with --all'],
    ['members archive --status left', 'id\n17\n', 'filters need --all'],
    ['members invite --role boss', 'id\n17\n', '--role: "boss" is not one of'],
  ])('%s with %j', async (line, text, expected) => {
    const { stderr, exit } = await run(`${line} --yes`, text);
    expect([exit, t.lines(), stderr]).toEqual([2, [], expect.stringContaining(expected)]);
  });

  it('is no time zone that the record has itself', async () => {
    const own = await run('members update --yes', 'id,timezone\n17,Mars/Olympus\n');
    expect(own).toMatchObject({ exit: 0, stdout: expect.stringContaining('unchanged') });
    const other = await run('members update --yes', 'id,timezone\n17,Mars/Elysium\n');
    expect([other.exit, other.stderr]).toEqual([2, expect.stringContaining('"Mars/Elysium" is not a time')]);
    expect(t.lines().filter((line) => !line.startsWith('GET '))).toEqual([]);
  });

  it('is told of JSON too', async () => {
    const text = '[{"email":"a@x.example","firstname":"A","lastname":{"a":1}},\n{"email":5,"rol":1}]';
    const { stderr } = await run('members invite --role team-manager', text, 'f.json');
    expect(stderr).toContain('f.json:1: lastname: must be a single value, not an object\n');
    expect(stderr).toContain('f.json:2: email: "5" is not an e-mail address\n');
    expect(stderr).toContain('f.json:2: unknown column "rol": the known columns are ');
    expect(t.lines()).toEqual([]);
  });

  it.each([
    ['members archive', '{"id":[17]}', 'id'],
    ['members update', '{"id":17,"weekly_hours_limit":[40]}', 'weekly_hours_limit'],
    ['tasks create --project 5', '{"title":"a","assignee":[[17]]}', 'assignee'],
  ])('%s with a list for one value: %s', async (line, row, column) => {
    const good = row.replace(/\[+(17|40)\]+/, '$1');
    for (const [name, text] of [
      ['f.json', `[${good},\n${row}]`],
      ['f.ndjson', `${good}\n${row}\n`],
    ] as const) {
      const { stderr, exit } = await run(`${line} --yes`, text, name);
      expect([exit, t.lines()]).toEqual([2, []]);
      expect(stderr).toContain(`  ${name}:2: ${column}: must be a single value, not a list\n`);
      expect(stderr).not.toMatch(/:2: missing/);
    }
  });

  it.each([
    ['none.csv', 'no such file'],
    ['.', 'directory'],
  ])('a file that is none: %s', async (name, why) => {
    const { stderr, exit } = await t.run(`members archive --yes --from-file ${t.file(name)}`);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(why)]);
  });
});

describe('rows', () => {
  it.each([
    ['email,firstname\ncy@x.example,A\n', '"firstname":"A"'],
    ['member,email\ncy@x.example,b@x.example\n', '"email":"b@x.example"'],
  ])(
    'name a member by e-mail where nothing else does; else it is the new address: %j',
    async (text, field) => {
      await run('members update', text);
      expect(t.sent()).toEqual([`PUT /members/17${BOTH},${field}}`]);
    },
  );

  it('the same twice is one write; the results are in the order of the file', async () => {
    const { stdout } = await run('timesheets approve --yes --json', 'id\ns1\ns2\ns1\n');
    expect(t.lines()).toEqual([`PUT /timesheets/s1/approve${BOTH}}`, `PUT /timesheets/s2/approve${BOTH}}`]);
    expect(JSON.parse(stdout)).toMatchObject([
      { target: 's1', status: 'done' },
      { target: 's2', status: 'done' },
      { target: 's1', status: 'skipped' },
    ]);
  });

  it.each([
    ['contracts create', 'f.csv', 'project,member\n\n5,17\n5,18\n', ['row 3', 'row 4']],
    [
      'contracts create',
      'f.json',
      '[{"project":5,"member":17},{"project":5,"member":18}]',
      ['row 1', 'row 2'],
    ],
    ['projects create', 'f.csv', 'name\nKiosk\n', ['Kiosk']],
  ])(
    'are called by their line, or their number, where nothing names them: %s, %s',
    async (line, name, text, targets) => {
      const { stdout } = await run(`${line} --yes --json`, text, name);
      expect(JSON.parse(stdout).map(({ target }: { target: string }) => target)).toEqual(targets);
    },
  );

  it('come from stdin', async () => {
    await t.read('members restore --from-file -', { stdin: '\ufeffid\r\n17\r\n' });
    expect(t.writes()).toEqual(['POST /members/17/restore']);
  });
});

describe('before the first write', () => {
  it('every name is looked up, each once', async () => {
    await run('members update --yes', 'id,firstname\nana@x.example,A\n17,B\nbo@x.example,C\n');
    expect([...t.writes()].sort()).toEqual(['PUT /members/17', 'PUT /members/2', 'PUT /members/3']);
    await run('contracts create --yes', 'project,member\n5,ana@x.example\n6,ana@x.example\n');
    const asked = t.lines().filter((line) => line.includes('email='));
    expect(asked.map((line) => /email=(\w+)/.exec(line)?.[1])).toEqual(['ana', 'bo', 'ana']);
  });

  it.each([
    [
      'contracts create',
      'project,member\n5,no1@x.example\n5,ana@x.example\n5,no2@x.example\n6,no1@x.example\n',
      5,
      'f.csv has 2 errors; nothing was sent\n  f.csv:2: no member "no1@x.example"\n  f.csv:4: no member "no2@x.example"\n',
    ],
    [
      'members update',
      'id,firstname\ntwin@x.example,A\nno@x.example,B\n',
      2,
      'f.csv:2: "twin@x.example" is the name of 2 members',
    ],
    ['members update', 'id,firstname\nana@x.example,A\n3,B\n', 2, 'f.csv:3: 3 is already in line 2'],
  ])(
    'names of nothing, of several and of one record twice are told: %s with %j',
    async (line, text, code, told) => {
      const { exit, stderr } = await run(`${line} --yes`, text);
      expect([exit, t.sent(), stderr]).toEqual([code, [], expect.stringContaining(told)]);
    },
  );

  it.each([
    ['members invite', 'email,firstname,lastname,role\na@x.example,A,B,team-manager\n', true],
    [
      'members invite',
      'email,firstname,lastname,role\na@x.example,A,B,team-manager\nb@x.example,A,B,team-manager\n',
      false,
    ],
    ['members archive', 'id\n17\n', false],
    ['members restore', 'id\n17\n17\n', true],
    ['members restore', 'id\n17\n18\n', false],
  ])('%s of %j goes on without a question: %s', async (line, text, goesOn) => {
    const { exit, stderr } = await run(line, text);
    expect([exit, t.lines().length > 0]).toEqual(goesOn ? [0, true] : [2, false]);
    if (!goesOn) expect(stderr).toContain('Add --yes');
  });

  it('--max-changes counts the writes', async () => {
    const text = 'id\n17\n18\n17\n';
    const { exit, stderr } = await run('members archive --yes --max-changes 1', text);
    const told = '2 members would be archived, but --max-changes allows 1';
    expect([exit, t.lines(), stderr]).toEqual([2, [], expect.stringContaining(told)]);
    expect((await run('members archive --yes --max-changes 2', text)).exit).toBe(0);
    expect((await t.run('projects create --name A --max-changes 0')).exit).toBe(2);
  });
});

it('R15: a file that was sent before is told of at a terminal, in another copy too; other rows, and another command, are not', async () => {
  const warned = /the same rows were already sent on \d{4}-\d\d-\d\d at \d\d:\d\d UTC: ttctl jobs show \S+/;
  const rows = (name: string) =>
    `name,date,amount,category\n${name},2026-11-20,3.5,${ID}\nTea,2026-11-20,2,${ID}\n`;
  const told = async (command: string, name: string, content: string): Promise<boolean> => {
    const line = `${command} --from-file ${t.file(name, content)}`;
    const { screen, exit } = await t.sit(line, () => 'y\r', { columns: 200 });
    expect(exit, screen).toBe(0);
    expect((await t.run(`${line} --dry-run`)).stderr).not.toMatch(warned);
    return warned.test(screen);
  };
  expect(await told('expenses create --yes', 'a.csv', rows('Bus'))).toBe(false);
  expect(await told('expenses create --yes', 'b.csv', rows('Bus'))).toBe(true);
  expect(await told('expenses create --yes --dry-run', 'b.csv', rows('Bus'))).toBe(true);
  expect(await told('expenses create --yes', 'a.csv', rows('Car'))).toBe(false);
  expect(await told('members archive --yes', 'c.csv', 'id\n17\n18\n')).toBe(false);
  expect(await told('members restore --yes', 'c.csv', 'id\n17\n18\n')).toBe(false);
});
