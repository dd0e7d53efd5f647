import { beforeEach, describe, expect, it } from 'vitest';
import { standingClock } from '../../support/clocks.ts';
import { leave, member, timesheet as sheet, timeRequest as time } from '../../support/records.ts';
import { envelope } from '../../support/service.ts';
import { answerFrom, useCli } from '../../support/use-cli.ts';

/** `inbox decide`: what rules decide is shown, planned or sent, and what is not known is held. */

const NOW = Date.parse('2026-11-20T12:00:00Z');

const toRule = (name: string, kind: string, when: string, outcome: string, reason?: string) =>
  Object.fromEntries(Object.entries({ name, kind, when, reason }).concat([['then', outcome]]));

const RULES = [
  toRule('ordinary week', 'timesheet', 'warnings == `[]` && total_hours <= `40`', 'approve'),
  toRule('too long', 'timesheet', "contains(warnings, 'over_weekly_limit')", 'reject', 'Split the overtime.'),
  toRule('empty', 'timesheet', 'total_hours == null', 'reject', 'It has no hours.'),
  toRule('short leave', 'leave', "policy.name == 'Annual' && total.days <= `2`", 'approve'),
  toRule('twice', 'time-request', "contains(warnings, 'same_time')", 'hold', 'One of them has to go.'),
  toRule('of owners', 'time-request', "member.role == 'Owner'", 'reject', 'Owners book their own.'),
];

const clock = standingClock(NOW);
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
  clock,
});
// What was sent is saved; every record is within the days that are asked for.
beforeEach(() => {
  t.answer = (request) =>
    request.line.startsWith('GET')
      ? answerFrom(t.lists, { ...request, line: request.line.replace(/&date_(from|to)=[^&]*/g, '') })
      : { body: envelope({ ...Object(request.body) }) };
});
const run = (line: string, stdin?: string) => t.run(line, stdin === undefined ? {} : { stdin });
const write = (text: string): string => t.file('rules.json', text);
const decide = (flags: string, rules: unknown = RULES) =>
  run(`inbox decide --rules ${write(JSON.stringify(rules))} ${flags}`);
const sent = () =>
  t.requests
    .filter(({ line }) => !line.startsWith('GET'))
    .map(({ line, body }) => {
      const { reason = '', comment = reason } = body as Record<string, string>;
      return `${line.replace(/[?].*/, '')} ${comment}`.trim();
    })
    .sort();
const reads = () => t.lines().map((line) => line.replace('workspace_id=7', ''));

const outcomes = async (flags = '', rules: unknown = RULES) => {
  const { stdout } = await decide(`${flags} --json`, rules);
  const all = JSON.parse(stdout) as {
    id: string;
    outcome: string;
    rule: string | null;
    why: string | null;
  }[];
  return Object.fromEntries(all.map(({ id, outcome, rule }) => [id, [outcome, rule]]));
};

const DECIDED = [
  'POST /time-requests/t1/reject Owners book their own.',
  'PUT /leaves/l1/approve',
  'PUT /timesheets/s1/approve',
  'PUT /timesheets/s2/reject Split the overtime.',
];

describe('what rules would decide', () => {
  it('is shown, each with its rule or why it is held, and nothing is sent', async () => {
    const { exit, stdout, stderr } = await decide('');
    expect([exit, sent()]).toEqual([0, []]);
    expect(stderr).toContain('2 to approve, 2 to reject, 4 held. Nothing was sent.');
    expect(stdout).toMatch(/^MEMBER +KIND +OUTCOME/);
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
    expect([exit, sent()]).toEqual([0, []]);
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
    const { stdout } = await decide('--json');
    const found = JSON.parse(stdout).find(({ id }: { id: string }) => id === 's3');
    expect(found).toMatchObject({
      ...{ kind: 'timesheet', id: 's3', member: 'Mei Ek', email: 'mei@example.com', hours: null },
      ...{ date_from: '2026-11-09', date_to: '2026-11-15', days: null, warnings: ['not_checked'] },
      ...{ outcome: 'hold', rule: 'ordinary week', reason: null, why: 'its hours cannot be read' },
    });
    expect((await decide('-o csv --columns id,outcome,rule --sort id')).stdout.split('\r\n')[1]).toBe(
      'l1,approve,short leave',
    );
  });

  it('is of the filters alone', async () => {
    expect(Object.keys(await outcomes('--kind timesheet --member bo@example.com'))).toEqual(['s2']);
    expect(Object.keys(await outcomes('--kind leave'))).toEqual(['l1', 'l2']);
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
    const { exit, stdout } = await decide('--yes --max-changes 4 --json');
    expect(sent()).toEqual(DECIDED);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(4);
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
    expect([exit, t.lines()]).toEqual([2, []]);
    expect(stderr).toContain(message);
  });

  it('not where there are more than --max-changes', async () => {
    const { exit, stderr } = await decide('--yes --max-changes 3');
    expect([exit, sent()]).toEqual([2, []]);
    expect(stderr).toContain('4 requests would be decided, but --max-changes allows 3');
  });

  it('by a plan, which sends the same', async () => {
    const plan = t.file('decisions.ndjson');
    expect((await decide(`--plan ${plan}`)).exit).toBe(0);
    expect(sent()).toEqual([]);
    const { exit } = await run(`plan apply ${plan} --yes`);
    expect([exit, sent()]).toEqual([0, DECIDED]);
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
    const { stdout, exit } = await decide(`--kind ${kind} --json`, ordinary(kind));
    const all = JSON.parse(stdout);
    expect(exit).toBe(0);
    expect(all.length).toBeGreaterThan(0);
    for (const one of all) {
      expect(one).toMatchObject({ outcome: 'hold', rule: 'clean' });
      expect(one.why).toContain(why);
    }
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
    expect(sent()).toEqual(['PUT /leaves/l1/approve', 'PUT /leaves/l2/approve']);
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
    expect([exit, sent()]).toEqual([8, [DECIDED[0]]]);
  });
});

describe('--explain', () => {
  it('tells of each rule that was asked what made it false', async () => {
    const { stdout, exit } = await decide('--explain s2 --json');
    expect([exit, sent()]).toEqual([0, []]);
    const closing = { decision: 'reject', because: 'by the rule "too long"' };
    expect(JSON.parse(stdout)).toEqual([
      {
        rule: 'ordinary week',
        result: 'false',
        why: 'warnings == `[]` && total_hours <= `40` (warnings is ["over_weekly_limit"], total_hours is 45)',
        outcome: null,
        ...closing,
      },
      {
        ...{ rule: 'too long', result: 'true', outcome: 'reject', ...closing },
        why: "contains(warnings, 'over_weekly_limit')",
      },
    ]);
  });

  it.each([
    ['s3', /ordinary week.*undecided.*hold/, 'Held: by the rule "ordinary week", which is undecided'],
    ['l2', /total\.days <= `2` \(policy\.name is Annual, total\.days is 5\)/, 'Held: no rule matches.'],
    ['t2', /same_time/, 'Held: by the rule "twice".'],
    ['s2', /too long true reject/, 'To reject: by the rule "too long".'],
  ])('%s', async (id, row, note) => {
    const { stdout, stderr, exit } = await decide(`--explain ${id}`);
    expect(exit).toBe(0);
    expect(stdout.replace(/\s+/g, ' ')).toMatch(row);
    expect(stderr.replace(/\s+/g, ' ')).toContain(note);
  });

  it.each(['bo@example.com', 'BO@EXAMPLE.COM', '"bo ek"', 's2'])('finds it by %s', async (name) => {
    const { exit, stderr } = await decide(`--kind timesheet --explain ${name}`);
    expect([exit, stderr]).toEqual([0, expect.stringContaining('To reject')]);
  });

  it('of several is refused with the candidates', async () => {
    const { exit, stderr } = await decide('--explain ana@example.com');
    expect(exit).toBe(2);
    expect(stderr).toContain('"ana@example.com" has 4 requests that are waiting');
    expect(stderr).toMatch(/hint: Name one by its id: s1, /);
  });

  it('says in JSON that no rule is true, or that there is none of the kind', async () => {
    const held = { decision: 'hold', because: 'no rule matches' };
    expect(JSON.parse((await decide('--explain l2 --json')).stdout)).toMatchObject([
      { result: 'false', ...held },
    ]);
    const { stdout } = await decide('--explain l2 --json', RULES.slice(0, 1));
    expect(JSON.parse(stdout)).toEqual([
      { rule: null, result: null, why: 'no rule matches', outcome: 'hold', ...held },
    ]);
  });

  it('of nothing is not found', async () => {
    // The beginning of an id is understood at a terminal.
    expect((await decide('--explain s')).exit).toBe(5);
    const { exit, stderr } = await decide('--explain nobody@example.com');
    expect([exit, stderr]).toEqual([
      5,
      expect.stringContaining('no request "nobody@example.com" is waiting'),
    ]);
  });
});

describe('--backtest', () => {
  beforeEach(() => {
    t.lists.timesheets = [
      sheet('agrees', 17, 38, { status: 'approved' }),
      sheet('against', 18, 45, { status: 'approved' }),
      sheet('unknown', 19, null, { status: 'rejected' }),
    ];
    t.lists.leaves = [leave('held', 19, 5, { status: 'rejected' })];
    t.lists['time-requests'] = [];
  });

  it('compares with what people decided; a disagreement is exit 10', async () => {
    const shown = await decide('--backtest 2026-11 -o csv --columns id,member.role');
    expect(shown.stdout).toMatch(/^id,member.role\r\nagainst,Owner\r\n/);
    expect(shown.stderr).toContain('Agree: 1, disagree: 1, held: 1, cannot be replayed: 1.');
    const { stdout, exit } = await decide('--backtest 2026-11 --json');
    expect([exit, sent()]).toEqual([10, []]);
    const all = JSON.parse(stdout) as Record<string, unknown>[];
    expect(all.map(({ id, decided, outcome, agreement }) => [id, decided, outcome, agreement])).toEqual([
      ['against', 'approved', 'reject', 'disagrees'],
      ['agrees', 'approved', 'approve', 'agrees'],
      ['held', 'rejected', 'hold', 'held'],
      ['unknown', 'rejected', 'hold', 'not_replayed'],
    ]);
  });

  it('without a disagreement is exit 0', async () => {
    t.lists.timesheets = [sheet('agrees', 17, 38, { status: 'approved' })];
    expect((await decide('--backtest 2026-11')).exit).toBe(0);
    t.lists.timesheets = [];
    t.lists.leaves = [];
    const { exit, stderr } = await decide('--backtest 2026-11');
    expect([exit, stderr]).toEqual([0, expect.stringContaining('Nothing was decided in this period.')]);
  });

  it('reads the decided records of the kinds that rules are about, each list once', async () => {
    await decide('--backtest 2026-11', RULES.slice(0, 3));
    const lists = reads().map((line) => line.replace(/[?]&?/, '?').replace(/&?(page|per_page)=\d+/g, ''));
    expect(lists.filter((line) => line.startsWith('GET /timesheets')).sort()).toEqual([
      'GET /timesheets?status=approved&date_from=2026-11-01&date_to=2026-11-30',
      'GET /timesheets?status=rejected&date_from=2026-11-01&date_to=2026-11-30',
    ]);
    expect(lists.filter((line) => line.includes('status=pending'))).toEqual([]);
    expect(new Set(lists).size).toBe(lists.length);
  });
});

describe('a file of rules', () => {
  const good = RULES[0];
  const thenTo = (outcome: string) => toRule('a', 'timesheet', '`true`', outcome);
  const onLines = (...rules: readonly unknown[]) =>
    `[\n${rules.map((rule) => JSON.stringify(rule)).join(',\n')}\n]`;

  it.each([
    ['an unknown key', { ...good, wen: 'x' }, 'unknown key "wen"', 'Did you mean "when"?'],
    ['a key that is missing', { ...good, when: undefined }, 'has no "when"', ''],
    ['another kind', { ...good, kind: 'timesheets' }, '"kind" cannot be "timesheets"', '"timesheet"?'],
    ['another outcome', thenTo('aprove'), '"then" cannot be "aprove"', '"approve"?'],
    ['no reason', thenTo('reject'), 'has no "reason"', ''],
    ['a reason too many', { ...good, reason: 'x' }, '"reason" cannot be used with "then": "approve"', ''],
    ['a value of another type', { ...good, name: 5 }, '"name" must be a non-empty string', ''],
    ['no expression', { ...good, when: 'a &&' }, 'the expression cannot be used: a &&', ''],
    ['no condition', { ...good, when: 'total_hours' }, 'the result is of type number, not true or false', ''],
    ['a wrong order', { ...good, when: 'total_hours > 40' }, 'Invalid token (Number)', ''],
    ['a joined name', { ...good, when: "member.rol == 'x'" }, 'member has no "rol"', 'role?'],
    ['a doubled name', RULES[1], 'another rule is called "too long"', ''],
    ['no object', 'x', 'not an object', ''],
  ])('with %s is refused with its line before any request', async (_what, rule, message, hint) => {
    const file = write(onLines(RULES[1], rule));
    const { exit, stderr } = await run(`inbox decide --rules ${file} --json`);
    const { error } = JSON.parse(stderr.trim());
    expect([exit, t.lines()]).toEqual([2, []]);
    expect(error.message).toContain('rules.json has 1 mistake; nothing was sent');
    expect(error.errors[0]).toMatch(/rules\.json:3: /);
    expect(error.errors[0]).toContain(message);
    expect(JSON.stringify(error).replaceAll('\\"', '"')).toContain(hint);
  });

  it('has all its mistakes told together, each with what could be meant', async () => {
    const file = write(
      onLines(
        { ...good, wen: 'x' },
        thenTo('aprove'),
        { ...good, name: 'b', kind: 'leaf' },
        { ...good, name: 'c', when: "member.mail == 'x'" },
      ),
    );
    const { exit, stderr } = await run(`inbox decide --rules ${file}`);
    expect([exit, t.lines()]).toEqual([2, []]);
    expect(stderr).toContain('4 mistakes');
    for (const word of ['"when"?', '"approve"?', '"leave"?', 'email?']) expect(stderr).toContain(word);
  });

  it.each([
    ['', 'is not a list of rules'],
    ['{"name":"x"}', 'is not a list of rules'],
    ['[', 'is not a list of rules'],
    ['[{"name" "x"}]', 'is not a list of rules'],
    ['[] x', 'is not a list of rules'],
    ['[]', 'has no rules'],
  ])('that is %j is refused', async (text, message) => {
    for (const { exit, stderr } of [
      await run(`inbox decide --rules ${write(text)}`),
      await run('inbox decide --rules -', text),
    ]) {
      expect([exit, t.lines()]).toEqual([2, []]);
      expect(stderr).toContain(message);
      expect(stderr).toMatch(/rules\.json|stdin/);
    }
  });

  it('comes from stdin', async () => {
    const { exit, stderr } = await run('inbox decide --rules -', JSON.stringify(RULES));
    expect([exit, stderr]).toEqual([0, expect.stringContaining('2 to approve, 2 to reject')]);
  });

  it('is needed, and has to be there', async () => {
    const none = await run('inbox decide');
    expect([none.exit, none.stderr]).toEqual([2, expect.stringContaining('missing --rules')]);
    expect((await run(`inbox decide --rules ${t.file('none')}`)).exit).toBe(2);
    expect(t.lines()).toEqual([]);
  });
});
