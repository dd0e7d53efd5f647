import { beforeEach, describe, expect, it } from 'vitest';
import { leave, member, timesheet as sheet, timeRequest } from '../support/records.ts';
import { envelope, onePage } from '../support/service.ts';
import { answerFrom, type Lists, type Row, useCli } from '../support/use-cli.ts';

/** Which records are meant: `--where`, `--member`, `--except`, `--clean`, and records named by their members. */

const MEMBERS = [
  member(17, 'Ana', { lastname: 'Sousa' }),
  member(18, 'Bo', { current_role: 'Owner', weekly_hours_limit: 30 }),
  member(19, 'Mei', { lastname: 'Tanaka', weekly_hours_limit: null }),
];
const SHEETS = [
  sheet('s1', 17, 38),
  sheet('s2', 18, 45),
  sheet('s3', 19, null),
  sheet('s4', 17, 41, { date_from: '2026-11-02', date_to: '2026-11-08' }),
];

const t = useCli({
  service: {
    members: MEMBERS,
    timesheets: SHEETS,
    leaves: [leave('l1', 19, 1, { start_date: '2026-11-10', end_date: '2026-11-10' })],
    policies: [{ id: 3, name: 'Annual leave' }],
    projects: [{ id: 5, name: 'Harbour' }],
    expenses: [
      { id: 'e1', member: 'Ana Sousa', project: 'Harbour', amount: 5 },
      { id: 'e2', member: 'Bo Ek', project: 'Harbour', amount: 6 },
    ],
  },
});
beforeEach(() => {
  t.answer = (request) => {
    if (!request.line.startsWith('GET')) return { body: envelope(null) };
    const [, name] = /([\w-]+)[?]/.exec(request.line) ?? [];
    // As of a service that ignores the filters.
    const approved = request.line.includes('status=approved') && t.lists[`approved ${name}`];
    return approved ? { body: onePage(approved) } : answerFrom(t.lists, request);
  };
});
const { run, json, lines, writes } = t;
const reads = () => lines().map((line) => line.replace(/[?].*/, '').replace('GET /', ''));
const ids = async (line: string) => (await run(`${line} -o ids`)).stdout.split('\n').filter(Boolean);

describe('--where', () => {
  it.each([
    ['total_hours > `40`', ['s2', 's4'], []],
    ["member.role == 'Regular User'", ['s1', 's3', 's4'], ['members']],
    ['member.weekly_hours_limit < total_hours', ['s2', 's4'], ['members']],
    ['total_hours == null', ['s3'], []],
    ["record.id == 's1'", ['s1'], []],
    ["contains(warnings, 'over_weekly_limit')", ['s2', 's4'], ['leaves', 'leaves', 'contracts', 'members']],
  ] as const)('%s', async (where, expected, lookUps) => {
    expect(await ids(`timesheets list --where "${where}"`)).toEqual(expected);
    // The list itself, and each look-up list that is named once.
    expect(reads().sort()).toEqual(['timesheets', ...lookUps].sort());
  });

  it('leaves out what has no warnings because it does not wait', async () => {
    t.lists.timesheets = [...SHEETS, sheet('s9', 17, 50, { status: 'approved' })];
    expect(await ids('timesheets list --where "warnings != `[]`"')).toEqual(['s2', 's4']);
  });

  it('tells what it cannot decide on, and leaves it out', async () => {
    const { stdout, stderr, exit } = await run('timesheets list --where "!(total_hours > `40`)" -o ids');
    const told = '--where left out 1 row that it could not evaluate: total_hours (null)';
    expect([exit, stdout, stderr]).toEqual([0, 's1\n', expect.stringContaining(told)]);
  });

  it('is what --all acts on, with nothing more', async () => {
    const { exit } = await run('timesheets approve --all --where "total_hours <= `40`" --yes');
    expect([exit, writes()]).toEqual([0, ['PUT /timesheets/s1/approve']]);
  });

  it('is counted by --limit, sorted, grouped', async () => {
    expect(await ids('timesheets list --where "total_hours > `40`" --limit 1')).toEqual(['s2']);
    const { stdout } = await run('timesheets list --where "total_hours > `1`" --group-by member.name -o csv');
    expect(stdout).toBe('member.name,count\r\nAna Sousa,2\r\nBo Ek,1\r\n');
  });

  it.each([
    'timesheets list --where "total_hours > 40"',
    'timesheets approve --all --yes --where "length(total_hours) > `1`"',
    'inbox --no-input --where "hours"',
  ])('that cannot be used is wrong usage before any request: %s', async (line) => {
    expect((await run(line)).exit).toBe(2);
    expect(reads()).toEqual([]);
  });

  it('of a field that no record has is wrong usage, and nothing is sent', async () => {
    const { exit, stderr } = await run('timesheets approve --all --yes --where "total_hour == null"');
    expect([exit, writes()]).toEqual([2, []]);
    expect(stderr).toContain('--where: no record has "total_hour"');
    expect(stderr).toContain('Known fields: id, user_id, ');
  });

  it('does not choose by a look-up list that is refused', async () => {
    t.refused = /members/;
    const { exit } = await run(`timesheets approve --all --yes --where "member.role != 'Owner'"`);
    expect([exit, writes()]).toEqual([4, []]);
  });

  it('of the inbox sees what is joined, and the record', async () => {
    expect(await ids(`inbox --where "member.role == 'Owner'"`)).toEqual(['s2']);
    expect(await ids('inbox --where "record.total_hours == `41`"')).toEqual(['s4']);
    expect(await ids('inbox --where "total_hours == `41` && hours == `41`"')).toEqual(['s4']);
    expect((await run('inbox --no-input --where "totl_hours == null"')).exit).toBe(2);
  });
});

describe('columns of joined records', () => {
  it('are nested in JSON, in the order that was asked for, and flat in CSV', async () => {
    const nested = await t.read('timesheets list --columns member.email,id,member.role --json --limit 1');
    const first = '[{"member":{"email":"ana@example.com","role":"RegularUser"},"id":"s1"}]';
    expect(nested.replace(/\s/g, '')).toBe(first);
    const flat = await t.read('expenses list --columns member.email,project.id,amount -o csv');
    expect(flat).toBe('member.email,project.id,amount\r\nana@example.com,5,5\r\nbo@example.com,5,6\r\n');
  });

  it('are the warnings of what waits too, null where they are not known', async () => {
    const LIST = 'timesheets list --columns id,warnings,warning_messages,member.id';
    t.lists.timesheets = [...SHEETS, sheet('s9', 17, 50, { status: 'approved' })];
    const warningsOf = async (line: string) =>
      new Map((await t.rows(line)).map(({ id, warnings }) => [id, warnings]));
    const known = await warningsOf('inbox --kind timesheet');
    expect([...known.values()]).toContainEqual(['over_weekly_limit']);
    expect(await warningsOf(LIST)).toEqual(new Map([...known, ['s9', null]]));
    expect(await warningsOf('timesheets list --columns +warnings')).toEqual(await warningsOf(LIST));
    const table = await t.read('timesheets list --columns +warning_messages -o table');
    expect(table).toMatch(/submitted .*15:00 over the limit[\s\S]*approved .*not waiting/);
    t.refused = /contracts/;
    expect([...(await warningsOf(LIST)).values()].filter(Boolean)).toEqual(
      SHEETS.map(() => expect.arrayContaining(['not_checked'])),
    );
    expect((await run('projects list --columns warnings')).exit).toBe(2);
  });

  it.each([
    '--columns id,warnings',
    '--columns id,warnings --where "total_hours > `1`"',
    '--columns id,warnings --where "warnings != `[]`"',
  ])('rest on one list each, however many pages the rows have: %s', async (flags) => {
    const rows = Array.from({ length: 230 }, (_, i) => sheet(`t${i}`, 17 + (i % 3), 30 + (i % 20)));
    t.answer = (request) => {
      if (!request.line.startsWith('GET /timesheets?')) return answerFrom(t.lists, request);
      const page = Number(/&page=(\d+)/.exec(request.line)?.[1] ?? 1);
      const pagination = { total: rows.length, per_page: 100, current_page: page, last_page: 3 };
      return { body: envelope(rows.slice((page - 1) * 100, page * 100), { pagination }) };
    };
    expect((await json(`timesheets list ${flags}`)).length).toBeGreaterThan(100);
    expect(reads().filter((name) => name === 'timesheets').length).toBeGreaterThanOrEqual(3);
    expect(lines()).toEqual([...new Set(lines())]);
  });

  it('are added to the columns that a list has by itself', async () => {
    const { stdout } = await run('timesheets list --columns +member.role,-status --limit 1 -o markdown');
    expect(stdout).toContain('| Regular User |');
  });

  it('of namesakes are empty', async () => {
    t.lists.members = [...MEMBERS, { ...MEMBERS[0], id: 20, email: 'ana2@example.com' }];
    const { stdout } = await run('expenses list --columns member.email -o csv');
    expect(stdout).toBe('member.email\r\n""\r\nbo@example.com\r\n');
  });

  it('are those of the inbox too', async () => {
    const { stdout } = await run('inbox --columns id,member.email,member.role,policy.name -o csv');
    expect(stdout).toContain('s2,bo@example.com,Owner,\r\n');
    expect(stdout).toContain('l1,mei@example.com,Regular User,Annual leave\r\n');
    expect((await run('inbox --group-by member.name -o csv')).stdout).toContain('Ana Sousa,2');
  });

  it('that there are none of are refused', async () => {
    const { exit, stderr } = await run('timesheets list --columns member.mail');
    const told = 'no record has "member.mail"\nhint: Did you mean member.email?';
    expect([exit, stderr]).toEqual([2, expect.stringContaining(told)]);
  });
});

describe('--member', () => {
  it.each([
    'expenses list --member 999999',
    'timesheets list --member 999999 --where "member.role == \'Owner\'"',
    'leaves list --member 17 --member 999999 --columns member.email',
  ])('of nobody is refused where the members are read anyway: %s', async (line) => {
    const { exit, stderr, stdout } = await run(line);
    expect([exit, stdout]).toEqual([5, '']);
    expect(stderr).toContain('error: no member "999999"\nhint: List the members: ttctl members list');
  });

  it('is asked of the service where it can be, and left to it where no members are read', async () => {
    await t.read('leaves list --member 999999 --json');
    await t.read('leaves list --member ana@example.com');
    expect(lines().at(-1)).toContain('user_id=17');
  });

  it.each([
    ['timesheets list --member ana@example.com', ['s1', 's4']],
    ['timesheets list --member 17 --member bo@example.com', ['s1', 's2', 's4']],
    ["timesheets list --member 'Mei Tanaka'", ['s3']],
    ['expenses list --member bo@example.com', ['e2']],
    ['inbox --member 19', ['s3', 'l1']],
  ])('%s', async (line, expected) => {
    expect((await ids(line)).sort()).toEqual([...expected].sort());
  });
});

describe('--except and --clean', () => {
  it.each([
    ['--except s1', ['s2', 's3', 's4']],
    ['--except ana@example.com', ['s2', 's3']],
    ["--except s2 --except 'Mei Tanaka'", ['s1', 's4']],
    ['--clean', ['s1']],
    ['--clean --except s1', []],
  ])('%s', async (flags, expected) => {
    t.lists.contracts = [];
    const { exit } = await run(`timesheets approve --all --yes ${flags}`);
    expect([exit, writes()]).toEqual([0, expected.map((id) => `PUT /timesheets/${id}/approve`)]);
  });

  it('leave out by the id of the member, whom the whole list may not have', async () => {
    const { answer } = t;
    t.answer = (request, n) =>
      /^GET \/members\?(?!.*email=)/.test(request.line)
        ? { body: onePage(MEMBERS.slice(1)) }
        : answer(request, n);
    const { exit } = await run('timesheets approve --all --yes --except ana@example.com');
    expect([exit, writes()]).toEqual([0, ['PUT /timesheets/s2/approve', 'PUT /timesheets/s3/approve']]);
  });

  it('leave out what does not show its member, and tell it', async () => {
    t.lists.timesheets = [
      sheet('s1', 18, 8),
      { ...sheet('s2', 18, 8), user_id: undefined },
      { ...sheet('s3', 18, 8), user_id: undefined, member: { id: 17 } },
    ];
    const { exit, stderr } = await run('timesheets approve --all --yes --except ana@example.com');
    expect([exit, writes()]).toEqual([0, ['PUT /timesheets/s1/approve']]);
    expect(stderr).toContain('--except left out 1 row that it could not evaluate: its member is not shown');
  });

  it.each([
    ['nobody@example.com', 5, 'no member "nobody@example.com"'],
    ['s9', 2, '--except: "s9" is not among the records that --all finds'],
  ])('refuse what is not there, since it would not be spared: %s', async (name, exit, told) => {
    const ended = await run(`timesheets approve --all --yes --except ${name}`);
    expect([ended.exit, writes(), ended.stderr]).toEqual([exit, [], expect.stringContaining(told)]);
  });

  it('take nothing for clean that could not be checked', async () => {
    t.refused = /leaves/;
    const { exit, stderr } = await run('timesheets approve --all --yes --clean');
    expect([exit, writes()]).toEqual([0, []]);
    expect(stderr).toMatch(/--clean left out 4 rows .* could not be read/);
  });

  const HOURS = 'its hours cannot be read';
  const LIMIT = "its member's weekly limit is missing or cannot be read";
  const CONTRACTS = 'weekly limits of contracts could not be read';
  const ofContract = (more: Row) => ({
    contracts: [{ id: 1, user_id: 17, status: 'active', weekly_hours_limit: 40, ...more }],
  });
  it.each<[what: string, lists: Lists, why?: string]>([
    ['nothing', {}],
    ...[null, 'many', true, '', {}, [], -1].map((total_hours): [string, Lists, string] => [
      `total_hours ${JSON.stringify(total_hours)}`,
      { timesheets: [{ ...SHEETS[0], total_hours }] },
      HOURS,
    ]),
    ...['40h', {}, -1, undefined].map((weekly_hours_limit): [string, Lists, string] => [
      `a member's limit ${JSON.stringify(weekly_hours_limit)}`,
      { members: [{ ...MEMBERS[0], weekly_hours_limit }] },
      LIMIT,
    ]),
    ["a contract's limit", ofContract({ weekly_hours_limit: '40h' }), LIMIT],
    ['a status', { members: [{ ...MEMBERS[0], status: {} }] }, 'the status of its member cannot be read'],
    ['dates', { timesheets: [{ ...SHEETS[0], date_to: 'Sunday' }] }, 'its dates cannot be read'],
    [
      'dates in reverse',
      { timesheets: [{ ...SHEETS[0], date_to: '2026-11-01' }] },
      'its dates cannot be read',
    ],
    [
      'the dates of a leave of the same person',
      { leaves: [leave('l1', 17, 1, { end_date: 'soon' })] },
      'the dates of leave l1 cannot be read',
    ],
    ['nothing of a contract without a status', ofContract({ status: undefined })],
    ["nothing of a contract's status in another case", ofContract({ status: 'Active' })],
    ["a contract's status", ofContract({ status: null }), CONTRACTS],
    ["another word for a contract's status", ofContract({ status: 'ended' }), CONTRACTS],
    ['whose contract it is', ofContract({ user_id: null }), CONTRACTS],
  ])('R9: take no timesheet for clean of which this cannot be judged: %s', async (_, lists, why) => {
    const others = [SHEETS[1], { ...SHEETS[1], id: 's5', user_id: 19 }] as Row[];
    Object.assign(t.lists, { timesheets: [SHEETS[0]], contracts: [], leaves: [] }, lists);
    t.lists.timesheets = [...(t.lists.timesheets ?? []), ...others];
    const { exit, stderr } = await run('timesheets approve --all --yes --clean --except s2 --except s5');
    expect([exit, writes()]).toEqual([0, why === undefined ? ['PUT /timesheets/s1/approve'] : []]);
    if (why === undefined) return;
    expect(stderr).toContain(`--clean left out 1 row that it could not evaluate: ${why}`);
    const row = (await t.rows('inbox --kind timesheet')).find(({ id }) => id === 's1');
    expect(row?.['warnings']).toContain('not_checked');
    expect(row?.['warning_messages']).toContain(`not checked: ${why}`);
  });

  it('take no timesheet for clean that is over a limit of a contract', async () => {
    Object.assign(
      t.lists,
      { timesheets: [SHEETS[0]], leaves: [] },
      ofContract({ status: 'Active', weekly_hours_limit: 30 }),
    );
    const { exit } = await run('timesheets approve --all --yes --clean');
    expect([exit, writes()]).toEqual([0, []]);
  });

  const LEAVES = 'approved leaves could not be read';
  const FAR = { start_date: '2099-11-10', end_date: '2099-11-10' };
  const ofLeave = (more: Row) => ({ leaves: [leave('l1', 19, 1, { ...FAR, ...more })] });
  const ofBalance = (more: Row) => ({
    balances: [
      { user_id: 19, leave_information: [{ leave_type: 'Annual leave', balance: '9 days' }], ...more },
    ],
  });
  const ofPolicy = (more: Row) => ({ policies: [{ id: 3, name: 'Annual leave', ...more }] });
  const ofApproved = (more: Row) => ({
    'approved leaves': [leave('l9', 18, 1, { ...FAR, status: 'approved', ...more })],
  });
  it.each<[what: string, lists: Lists, why?: string]>([
    ['nothing', {}],
    ['dates', ofLeave({ start_date: {} }), 'its dates cannot be read'],
    ['days', ofLeave({ total: { days: 'some', hours: 8 } }), ''],
    ['a balance', ofBalance({ leave_information: [{ leave_type: 'Annual leave', balance: 'plenty' }] }), ''],
    ['a policy', ofPolicy({ reason_required: 'yes' }), ''],
    ['a row without balances', ofBalance({ leave_information: undefined }), ''],
    ['a row with null', ofBalance({ leave_information: null }), ''],
    ['a row of somebody else alone', ofBalance({ user_id: 18 }), ''],
    [
      'nothing where the balance may be negative',
      { ...ofBalance({ user_id: 18 }), ...ofPolicy({ allow_negative_balance: true }) },
    ],
    ['nothing of a policy that has no balance', ofBalance({ leave_information: [] })],
    ['nothing of what is approved for another', ofApproved({})],
    ['nothing of a status in another case', ofApproved({ status: 'Approved' })],
    ['nothing: it is approved already', ofApproved({ status: 'Approved', user_id: 19 }), ''],
    ['the status of an approved one', ofApproved({ status: null }), LEAVES],
    ['another word for it', ofApproved({ status: 'granted' }), LEAVES],
    ['whose approved one it is', ofApproved({ user_id: null }), LEAVES],
    ['nothing of one that was rejected', ofApproved({ status: 'rejected', user_id: null })],
  ])('R9: take no leave for clean of which this cannot be judged: %s', async (_, lists, why) => {
    Object.assign(t.lists, { timesheets: [] }, ofLeave({}), ofBalance({}), lists);
    const { exit, stderr } = await run('leaves approve --all --yes --clean');
    expect([exit, writes()]).toEqual([0, why === undefined ? ['PUT /leaves/l1/approve'] : []]);
    expect(stderr).toContain(why ?? '');
  });

  it.each<[what: string, approved: Row, why?: string]>([
    ['nothing of one that was rejected', { status: 'Rejected', user_id: null }],
    ['the status of an approved one', { status: null }, 'approved time requests could not be read'],
    ['whose approved one it is', { user_id: null }, 'approved time requests could not be read'],
  ])('R9: take no time request for clean of which this cannot be judged: %s', async (_, approved, why) => {
    t.lists['time-requests'] = [timeRequest('r1', 18)];
    t.lists['approved time-requests'] = [timeRequest('r9', 18, { status: 'approved', ...approved })];
    const { exit, stderr } = await run('time-requests approve --all --yes --clean');
    expect([exit, writes()]).toEqual([0, why === undefined ? ['POST /time-requests/r1/approve'] : []]);
    expect(stderr).toContain(why ?? '');
  });

  it.each(['--except s1', '--clean', '--where "total_hours > `1`"', '--member 17'])(
    '%s needs --all',
    async (flags) => {
      const { exit, stderr } = await run(`timesheets approve s2 --yes ${flags}`);
      expect([exit, writes()]).toEqual([2, []]);
      if (!flags.startsWith('--member')) expect(stderr).toContain('hint: To approve every');
    },
  );
});

describe('a record named by its member', () => {
  it.each(['bo@example.com', '"Bo Ek"', '"bo ek"'])('%s', async (name) => {
    const { exit } = await run(`timesheets approve ${name} --yes`);
    expect([exit, writes()]).toEqual([0, ['PUT /timesheets/s2/approve']]);
  });

  it.each([
    ['ana@example.com', 2, /"ana@example.com" has 2 submitted timesheets[\s\S]*38:00.*s1\n.*41:00.*s4/],
    // A beginning of a name is none outside a terminal.
    ['bo', 5, /Did you mean Bo Ek \(bo@example.com\)\?/],
    ['elif@example.com', 5, /no member "elif@example.com"/],
  ])('that is of several, of nobody, or only a part is refused: %s', async (name, code, told) => {
    const { exit, stderr } = await run(`timesheets approve ${name} --yes`);
    expect([exit, writes(), stderr]).toEqual([code, [], expect.stringMatching(told)]);
  });

  it('is told apart by the filters', async () => {
    const { exit } = await run('timesheets approve bo@example.com --period 2026-W46 --yes');
    expect([exit, writes()]).toEqual([0, ['PUT /timesheets/s2/approve']]);
    expect(lines().some((line) => /timesheets\?.*date_from/.test(line))).toBe(true);
  });

  it.each(['s1 bo@example.com', 's2', '-'])('filters are not for ids: %s', async (targets) => {
    const { exit, stderr } = await run(`timesheets approve ${targets} --period last-week --yes`);
    expect([exit, lines()]).toEqual([2, []]);
    expect(stderr).toContain('filters need --all');
  });

  it('has nothing to decide on: not found', async () => {
    t.lists.timesheets = [sheet('s1', 17, 38)];
    const { exit, stderr } = await run('timesheets approve bo@example.com --yes');
    expect([exit, writes()]).toEqual([5, []]);
    expect(stderr).toContain('"bo@example.com" has no submitted timesheet that matches');
  });

  it('the list is read once for many', async () => {
    await run('timesheets approve bo@example.com "Mei Tanaka" --yes');
    expect(reads().filter((path) => path === 'timesheets')).toHaveLength(1);
    expect(writes()).toEqual(['PUT /timesheets/s2/approve', 'PUT /timesheets/s3/approve']);
  });
});
