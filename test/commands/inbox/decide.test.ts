import { beforeEach, describe, expect, it } from 'vitest';
import { standingClock } from '../../support/clocks.ts';
import { leave, member, timesheet as sheet, timeRequest as time } from '../../support/records.ts';
import { envelope } from '../../support/service.ts';
import { answerFrom, useCli } from '../../support/use-cli.ts';

/** `inbox decide`: what rules decide is shown, planned or sent, and what is not known is held. */

const toRule = (name: string, kind: string, when: string, outcome: string, reason?: string) =>
  // biome-ignore lint/suspicious/noThenProperty: so a rule calls its outcome
  ({ name, kind, when, then: outcome, reason });

const RULES = [
  toRule('ordinary week', 'timesheet', 'warnings == `[]` && total_hours <= `40`', 'approve'),
  toRule('too long', 'timesheet', "contains(warnings, 'over_weekly_limit')", 'reject', 'Split the overtime.'),
  toRule('empty', 'timesheet', 'total_hours == null', 'reject', 'It has no hours.'),
  toRule('short leave', 'leave', "policy.name == 'Annual' && total.days <= `2`", 'approve'),
  toRule('twice', 'time-request', "contains(warnings, 'same_time')", 'hold', 'One of them has to go.'),
  toRule('of owners', 'time-request', "member.role == 'Owner'", 'reject', 'Owners book their own.'),
];

const t = useCli({
  service: {
    timesheets: [sheet('s1', 17, 38), sheet('s2', 18, 45), sheet('s3', 19, null)],
    leaves: [leave('l1', 17, 1), leave('l2', 19, 5)],
    'time-requests': [time('t1', 18), time('t2', 17), time('t3', 17)],
    members: [
      member(17, 'Ana'),
      member(18, 'Bo', { weekly_hours_limit: 30, current_role: 'Owner' }),
      member(19, 'Mei'),
    ],
    policies: [{ id: 3, name: 'Annual' }],
    projects: [{ id: 5, name: 'Harbour' }],
    balances: [17, 19].map((user_id) => ({
      user_id,
      leave_information: [{ leave_type: 'Annual', balance: '9 days' }],
    })),
  },
  env: { TZ: 'UTC' },
  clock: standingClock('2026-11-20T12:00:00Z'),
});
beforeEach(() => {
  t.answer = (request) => {
    if (!request.line.startsWith('GET')) return { body: envelope(null) };
    // Every record is within the days that are asked for.
    return answerFrom(t.lists, { ...request, line: request.line.replace(/&date_(from|to)=[^&]*/g, '') });
  };
});

/** A command line with a file of these rules, each on its line. */
const toLine = (flags: string, rules: readonly unknown[] = RULES): string => {
  const lines = rules.map((rule) => JSON.stringify(rule)).join(',\n');
  return `inbox decide --rules ${t.file('rules.json', `[\n${lines}\n]`)} ${flags}`;
};
const decide = (flags: string, rules?: readonly unknown[]) => t.run(toLine(flags, rules));
/** By id, how it is decided, and by which rule. */
const outcomes = async (flags = '', rules?: readonly unknown[]) => {
  const all: readonly Record<string, string>[] = await t.json(toLine(flags, rules));
  return Object.fromEntries(all.map(({ id, outcome, rule }) => [id, [outcome, rule]]));
};
const sent = () => [...t.sent()].sort();

const BY_RULES = [
  'POST /time-requests/t1/reject?workspace_id=7 {"workspace_id":7,"comment":"Owners book their own."}',
  'PUT /leaves/l1/approve?workspace_id=7 {"workspace_id":7}',
  'PUT /timesheets/s1/approve?workspace_id=7 {"workspace_id":7}',
  'PUT /timesheets/s2/reject?workspace_id=7 {"workspace_id":7,"reason":"Split the overtime."}',
];

describe('what rules would decide', () => {
  it('is shown, each with its rule or why it is held, and nothing is sent', async () => {
    const { exit, stdout, stderr } = await decide('');
    expect([exit, stdout]).toEqual([0, expect.stringMatching(/^MEMBER +KIND +OUTCOME/)]);
    expect(stderr).toContain('2 to approve, 2 to reject, 4 held. Nothing was sent.');
    expect(await outcomes()).toEqual({
      s1: ['approve', 'ordinary week'],
      s2: ['reject', 'too long'],
      // The rules behind one that is undecided are not asked: `empty` would reject it.
      s3: ['hold', 'ordinary week'],
      l1: ['approve', 'short leave'],
      l2: ['hold', null],
      t1: ['reject', 'of owners'],
      t2: ['hold', 'twice'],
      t3: ['hold', 'twice'],
    });
    expect(sent()).toEqual([]);
  });

  it('has columns of joined records, for no more requests', async () => {
    const { stdout } = await decide('-o csv --columns id,member.role,policy.name');
    expect(stdout).toMatch(/^id,member.role,policy.name\r\n/);
    expect(stdout).toMatch(/,Regular User,\r\n/);
    const { length } = t.requests;
    await decide('-o csv --columns id');
    expect(t.requests).toHaveLength(2 * length);
  });

  it('has the same keys in every format', async () => {
    const all = await t.json(toLine(''));
    expect(all.find(({ id }: { id: string }) => id === 's3')).toMatchObject({
      ...{ kind: 'timesheet', id: 's3', member: 'Mei Ek', email: 'mei@example.com', hours: null },
      ...{ date_from: '2026-11-09', date_to: '2026-11-15', days: null, warnings: ['not_checked'] },
      ...{ outcome: 'hold', rule: 'ordinary week', reason: null, why: 'its hours cannot be read' },
    });
    const { stdout } = await decide('-o csv --columns id,outcome,rule --sort id');
    expect(stdout.split('\r\n')[1]).toBe('l1,approve,short leave');
  });

  it.each(['inbox decide', '--json inbox decide', 'inbox --json decide'])(
    'is of the filters alone: %s',
    async (line) => {
      const list = async (flags: string) => {
        const filters = `${flags} --columns id --json`;
        return JSON.parse((await t.run(toLine(filters).replace('inbox decide', line))).stdout);
      };
      expect(await list('--kind timesheet --member bo@example.com')).toEqual([{ id: 's2' }]);
      expect(await list('--kind leave')).toEqual([{ id: 'l1' }, { id: 'l2' }]);
    },
  );

  it.each(['--limit 1', "--where 'total_hours > `1`'", '--group-by kind', '--discard-draft'])(
    'is not asked for with %s, which is of the inbox alone',
    async (flag) => {
      const { exit, stderr } = await decide(`${flag} --yes`);
      const told = `unknown option '${flag.split(' ')[0]}'`;
      expect([exit, t.lines(), stderr]).toEqual([2, [], expect.stringContaining(told)]);
    },
  );

  it('is not asked for with flags that stand before its name', async () => {
    const { exit } = await t.run(toLine('--yes').replace('inbox', 'inbox --member 18'));
    expect([exit, t.lines()]).toEqual([2, []]);
  });

  it('is an empty list where nothing waits', async () => {
    Object.assign(t.lists, { timesheets: [], leaves: [], 'time-requests': [] });
    expect(await decide('--json')).toMatchObject({ exit: 0, stdout: '[]\n' });
    expect((await decide('--yes --max-changes 5')).exit).toBe(0);
    expect(sent()).toEqual([]);
  });
});

describe('what rules decide is sent', () => {
  it('with --yes and --max-changes: approvals, rejections with their words, nothing of what is held', async () => {
    const results = await t.rows(toLine('--yes --max-changes 4'));
    expect([results.length, sent()]).toEqual([4, BY_RULES]);
  });

  it.each([
    ['--yes', '--yes needs --max-changes'],
    ['--yes --max-changes few', '--max-changes: "few" is not a whole number'],
    ['--explain s1 --yes --max-changes 5', '--explain only reads'],
    ['--backtest last-week --plan p', '--backtest only reads'],
    ['--explain s1 --backtest last-week', '--explain cannot be used with --backtest'],
    ['--exit-code', '--exit-code can only be used with --dry-run'],
  ])('not with %s, and nothing is asked', async (flags, message) => {
    const { exit, stderr } = await decide(flags);
    expect([exit, t.lines(), stderr]).toEqual([2, [], expect.stringContaining(message)]);
  });

  it('not where there are more than --max-changes', async () => {
    const { exit, stderr } = await decide('--yes --max-changes 3');
    const told = '4 requests would be decided, but --max-changes allows 3';
    expect([exit, sent(), stderr]).toEqual([2, [], expect.stringContaining(told)]);
  });

  it('by a plan, which sends the same', async () => {
    const plan = t.file('decisions.ndjson');
    await t.read(toLine(`--plan ${plan}`));
    expect(sent()).toEqual([]);
    await t.read(`plan apply ${plan} --yes`);
    expect(sent()).toEqual(BY_RULES);
  });

  it('is shown by a dry run, whose exit code says whether there is something', async () => {
    expect((await decide('--dry-run --exit-code')).exit).toBe(10);
    expect((await decide('--dry-run --exit-code', [RULES[4]])).exit).toBe(0);
    expect(sent()).toEqual([]);
  });
});

describe('what could not be read', () => {
  const ordinary = (kind: string) => [
    toRule('clean', kind, 'warnings == `[]`', 'approve'),
    toRule('rest', kind, '`true`', 'approve'),
  ];

  it.each([
    ['timesheet', 'contracts', 'weekly limits of contracts could not be read'],
    ['leave', 'balances', 'leave balances could not be read'],
    ['timesheet', 'members', 'its member is unknown'],
    ['leave', 'policies', 'its policy is unknown'],
    ['time-request', 'time-requests\\?.*status=approved', 'approved time requests could not be read'],
    ['timesheet', 'leaves\\?.*status=approved', 'approved leaves could not be read'],
  ])('holds each %s that a rule on warnings is asked about (%s)', async (kind, path, why) => {
    t.refused = new RegExp(`GET /(leaves/)?${path}`);
    const all = await t.rows(toLine(`--kind ${kind}`, ordinary(kind)));
    expect(all.length).toBeGreaterThan(0);
    for (const one of all)
      expect(one).toMatchObject({ outcome: 'hold', rule: 'clean', why: expect.stringContaining(why) });
    await decide(`--kind ${kind} --yes --max-changes 100`, ordinary(kind));
    expect(sent()).toEqual([]);
  });

  it.each([
    ['no row', []],
    ['a row without balances', [{ user_id: 17 }, { user_id: 19, leave_information: null }]],
  ])('holds a leave of whose balance there is %s', async (_, balances) => {
    t.lists.balances = balances;
    const held = ['hold', 'clean'];
    expect(await outcomes('--kind leave', ordinary('leave'))).toEqual({ l1: held, l2: held });
    await decide('--kind leave --yes --max-changes 100', ordinary('leave'));
    expect(sent()).toEqual([]);
    t.lists.policies = [{ id: 3, name: 'Annual', allow_negative_balance: true }];
    await decide('--kind leave --yes --max-changes 100', ordinary('leave'));
    expect(t.writes()).toEqual(['PUT /leaves/l1/approve', 'PUT /leaves/l2/approve']);
  });

  it('does not matter to a rule that does not read it', async () => {
    t.refused = /contracts|balances/;
    const rules = [toRule('rest', 'leave', 'total.days <= `2`', 'approve')];
    expect(await outcomes('--kind leave', rules)).toEqual({ l1: ['approve', 'rest'], l2: ['hold', null] });
  });

  it('of the inbox leaves the rest, and an exit that says so', async () => {
    t.refused = /GET \/leaves\?.*status=pending/;
    const shown = await decide('-o ids');
    expect([shown.exit, shown.stdout.includes('l1')]).toEqual([8, false]);
    expect(shown.stderr).toContain('leave requests are missing: Not for you.');
    // Anything may overlap one of the leave requests: what rests on warnings is held.
    expect((await decide('--yes --max-changes 100')).exit).toBe(8);
    expect(sent()).toEqual([]);
    const { exit } = await decide('--yes --max-changes 100', RULES.slice(5));
    expect([exit, sent()]).toEqual([8, [BY_RULES[0]]]);
  });
});

describe('--explain', () => {
  it('tells of each rule that was asked what made it false', async () => {
    const closing = { decision: 'reject', because: 'by the rule "too long"' };
    expect(await t.json(toLine('--explain s2'))).toEqual([
      {
        ...{ rule: 'ordinary week', result: 'false', outcome: null, ...closing },
        why: 'warnings == `[]` && total_hours <= `40` (warnings is ["over_weekly_limit"], total_hours is 45)',
      },
      {
        ...{ rule: 'too long', result: 'true', outcome: 'reject', ...closing },
        why: "contains(warnings, 'over_weekly_limit')",
      },
    ]);
    expect(sent()).toEqual([]);
  });

  it.each([
    ['s3', /ordinary week.*undecided.*hold/, 'Held: by the rule "ordinary week", which is undecided'],
    ['l2', /total\.days <= `2` \(policy\.name is Annual, total\.days is 5\)/, 'Held: no rule matches.'],
    ['t2', /same_time/, 'Held: by the rule "twice".'],
    ['s2', /too long true reject/, 'To reject: by the rule "too long".'],
  ])('%s', async (id, row, note) => {
    const { stdout, stderr, exit } = await decide(`--explain ${id}`);
    expect([exit, stdout.replace(/\s+/g, ' ')]).toEqual([0, expect.stringMatching(row)]);
    expect(stderr.replace(/\s+/g, ' ')).toContain(note);
  });

  it.each(['bo@example.com', 'BO@EXAMPLE.COM', '"bo ek"', 's2'])('finds it by %s', async (name) => {
    const { exit, stderr } = await decide(`--kind timesheet --explain ${name}`);
    expect([exit, stderr]).toEqual([0, expect.stringContaining('To reject')]);
  });

  it('says in JSON that no rule is true, or that there is none of the kind', async () => {
    const held = { decision: 'hold', because: 'no rule matches' };
    expect(await t.json(toLine('--explain l2'))).toMatchObject([{ result: 'false', ...held }]);
    const none = { rule: null, result: null, why: 'no rule matches', outcome: 'hold', ...held };
    expect(await t.json(toLine('--explain l2', RULES.slice(0, 1)))).toEqual([none]);
  });

  it.each([
    [
      'ana@example.com',
      2,
      /"ana@example.com" has 4 requests that are waiting[\s\S]*\nhint: Name one by its id: s1, /,
    ],
    // The beginning of an id is understood at a terminal.
    ['s', 5, /no request "s" is waiting/],
    ['nobody@example.com', 5, /no request "nobody@example.com" is waiting/],
  ])('of %s is refused, for there is not one', async (name, code, told) => {
    const { exit, stderr } = await decide(`--explain ${name}`);
    expect([exit, stderr]).toEqual([code, expect.stringMatching(told)]);
  });
});

describe('--backtest', () => {
  const agrees = sheet('agrees', 17, 38, { status: 'approved' });
  beforeEach(() => {
    const against = sheet('against', 18, 45, { status: 'approved' });
    t.lists.timesheets = [agrees, against, sheet('unknown', 19, null, { status: 'rejected' })];
    t.lists.leaves = [leave('held', 19, 5, { status: 'rejected' })];
    t.lists['time-requests'] = [];
  });

  it('compares with what people decided; a disagreement is exit 10', async () => {
    const shown = await decide('--backtest 2026-11 -o csv --columns id,member.role');
    expect(shown.stdout).toMatch(/^id,member.role\r\nagainst,Owner\r\n/);
    expect(shown.stderr).toContain('Agree: 1, disagree: 1, held: 1, cannot be replayed: 1.');
    const { stdout, exit } = await decide('--backtest 2026-11 --json');
    expect([exit, sent()]).toEqual([10, []]);
    expect(JSON.parse(stdout)).toMatchObject([
      { id: 'against', decided: 'approved', outcome: 'reject', agreement: 'disagrees' },
      { id: 'agrees', decided: 'approved', outcome: 'approve', agreement: 'agrees' },
      { id: 'held', decided: 'rejected', outcome: 'hold', agreement: 'held' },
      { id: 'unknown', decided: 'rejected', outcome: 'hold', agreement: 'not_replayed' },
    ]);
  });

  it('without a disagreement is exit 0', async () => {
    t.lists.timesheets = [agrees];
    expect((await decide('--backtest 2026-11')).exit).toBe(0);
    Object.assign(t.lists, { timesheets: [], leaves: [] });
    const { exit, stderr } = await decide('--backtest 2026-11');
    expect([exit, stderr]).toEqual([0, expect.stringContaining('Nothing was decided in this period.')]);
  });

  it('reads the decided records of the kinds that rules are about, each list once', async () => {
    await decide('--backtest 2026-11', RULES.slice(0, 3));
    const asked = (status: string) =>
      `GET /timesheets?workspace_id=7&status=${status}&date_from=2026-11-01&date_to=2026-11-30&page=1&per_page=100`;
    expect(
      t
        .lines()
        .filter((line) => line.startsWith('GET /timesheets'))
        .sort(),
    ).toEqual([asked('approved'), asked('rejected')]);
    expect(t.lines().filter((line) => line.includes('status=pending'))).toEqual([]);
    expect(new Set(t.lines()).size).toBe(t.lines().length);
  });
});

describe('a file of rules', () => {
  const good = toRule('a', 'timesheet', '`true`', 'approve');
  const to = (outcome: string) => toRule('b', 'timesheet', '`true`', outcome);

  it.each([
    ['an unknown key', { ...good, wen: 'x' }, 'unknown key "wen"', 'Did you mean "when"?'],
    ['a key that is missing', { ...good, when: undefined }, 'has no "when"', ''],
    ['another kind', { ...good, kind: 'timesheets' }, '"kind" cannot be "timesheets"', '"timesheet"?'],
    ['another outcome', to('aprove'), '"then" cannot be "aprove"', '"approve"?'],
    ['no reason', to('reject'), 'has no "reason"', ''],
    ['a reason too many', { ...good, reason: 'x' }, '"reason" cannot be used with "then": "approve"', ''],
    ['a value of another type', { ...good, name: 5 }, '"name" must be a non-empty string', ''],
    ['no expression', { ...good, when: 'a &&' }, 'the expression cannot be used: a &&', ''],
    ['no condition', { ...good, when: 'total_hours' }, 'the result is of type number, not true or false', ''],
    ['a wrong order', { ...good, when: 'total_hours > 40' }, 'invalid token (Number)', ''],
    ['a joined name', { ...good, when: "member.rol == 'x'" }, 'member has no "rol"', 'role?'],
    ['a doubled name', RULES[1], 'another rule is called "too long"', ''],
    ['no object', 'x', 'not an object', ''],
  ])('with %s is refused with its line before any request', async (_what, rule, message, hint) => {
    const { exit, stderr } = await decide('--json', [RULES[1], rule]);
    const { error } = JSON.parse(stderr);
    expect([exit, t.lines()]).toEqual([2, []]);
    expect(error.message).toContain('rules.json has 1 error; nothing was sent');
    expect(error.errors).toEqual([expect.stringMatching(/rules\.json:3: /)]);
    expect(error.errors[0]).toContain(message);
    expect(JSON.stringify(error).replaceAll('\\"', '"')).toContain(hint);
  });

  it('has all its mistakes told together, each with what could be meant', async () => {
    const mail = { ...good, name: 'c', when: "member.mail == 'x'" };
    const wrong = [{ ...good, wen: 'x' }, to('aprove'), { ...good, name: 'd', kind: 'leaf' }, mail];
    const { exit, stderr } = await decide('', wrong);
    expect([exit, t.lines()]).toEqual([2, []]);
    for (const word of ['4 errors', '"when"?', '"approve"?', '"leave"?', 'email?'])
      expect(stderr).toContain(word);
  });

  it.each([
    ['', 'is not a list of rules'],
    ['{"name":"x"}', 'is not a list of rules'],
    ['[', 'is not a list of rules'],
    ['[{"name" "x"}]', 'is not a list of rules'],
    ['[] x', 'is not a list of rules'],
    ['[]', 'has no rules'],
  ])('that is %j is refused', async (stdin, message) => {
    for (const [name, path] of [
      ['rules.json', t.file('rules.json', stdin)],
      ['stdin', '-'],
    ]) {
      const { exit, stderr } = await t.run(`inbox decide --rules ${path}`, { stdin });
      expect([exit, t.lines(), stderr]).toEqual([2, [], expect.stringContaining(`${name} ${message}`)]);
    }
  });

  it('comes from stdin', async () => {
    const { exit, stderr } = await t.run('inbox decide --rules -', { stdin: JSON.stringify(RULES) });
    expect([exit, stderr]).toEqual([0, expect.stringContaining('2 to approve, 2 to reject')]);
  });

  it('is needed, and has to be there', async () => {
    const none = await t.run('inbox decide');
    expect([none.exit, none.stderr]).toEqual([2, expect.stringContaining('missing --rules')]);
    expect((await t.run(`inbox decide --rules ${t.file('none')}`)).exit).toBe(2);
    expect(t.lines()).toEqual([]);
  });
});
