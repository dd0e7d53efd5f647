import { beforeEach, describe, expect, it } from 'vitest';
import { Cancelled, EXIT } from '../../src/errors.ts';
import { type Answer, envelope } from '../support/service.ts';
import { answerFrom, type Row, type RunMore, useCli } from '../support/use-cli.ts';

/** One write for each of many targets. */

const sheets = (count: number) => Array.from({ length: count }, (_, n) => `t${n + 1}`);
const submitted = (count: number) => sheets(count).map((id) => ({ id, status: 'submitted' }));
const done: Answer = { body: envelope(null) };
const createGate = () => {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { gate, open };
};

/** What becomes of the approval of a sheet. */
let answer: (id: string) => Answer | Promise<Answer>;
const t = useCli();
beforeEach(() => {
  answer = () => done;
  t.lists = { workspaces: [{ id: 7 }], timesheets: submitted(3) };
  t.answer = (request) => {
    const [, id] = /^PUT \/timesheets\/(\w+)\//.exec(request.line) ?? [];
    return id === undefined ? answerFrom(t.lists, request) : answer(id);
  };
});
const approve = async (targets: string, more: RunMore = {}) => {
  const ended = await t.run(`timesheets approve ${targets} --yes --json`, more);
  const results: readonly Row[] = JSON.parse(ended.stdout || '[]');
  const became = results.map(({ target, status }) => `${target} ${status}`);
  const [, error] = /^(\{"error".*\})$/m.exec(ended.stderr) ?? [];
  return { ...ended, results, became, error: error === undefined ? {} : JSON.parse(error).error };
};
const sent = () => t.writes().map((line) => line.split('/')[2]);

it('results come in the order given, though the answers do not', async () => {
  const [ten, finished] = [sheets(10), [] as string[]];
  const { gate, open } = createGate();
  answer = async (id) => {
    if (id === 't1') await gate;
    finished.push(id);
    if (finished.length === 9) open();
    return done;
  };
  expect((await approve(ten.join(' '))).became).toEqual(ten.map((id) => `${id} done`));
  expect([finished.at(-1), sent().length]).toEqual(['t1', 10]);
});

it('writes are on their way 32 at once, and no more', async () => {
  let [now, most] = [0, 0];
  const { gate, open } = createGate();
  answer = async () => {
    now += 1;
    most = Math.max(most, now);
    // One more would come meanwhile.
    if (now === 32) setTimeout(open, 200);
    await gate;
    now -= 1;
    return done;
  };
  await approve('-', { stdin: sheets(80).join('\n') });
  expect(most).toBe(32);
});

it.each<[string, string, Readonly<Record<string, number>>, number, string?]>([
  ['all done', 't1 t2', {}, 0],
  ['one target', 't1', { t1: 404 }, 5, 'not_found'],
  ['all failed alike', 't1 t2 t3', { t1: 404, t2: 404, t3: 404 }, 5, 'not_found'],
  ['all failed, not alike', 't1 t2', { t1: 404, t2: 400 }, 8, 'partial'],
  ['some failed', 't1 t2', { t1: 404 }, 8, 'partial'],
  ['the last failed', 't1 t2 t3', { t3: 403 }, 8, 'partial'],
  ['one target, named twice', 't1 t1', { t1: 404 }, 5, 'not_found'],
])('a run ends by what became of its rows: %s', async (_name, targets, refused, exit, code) => {
  const message = { success: false, message: 'No.', meta: {} };
  answer = (id) => (refused[id] === undefined ? done : { status: refused[id], body: message });
  const ended = await approve(targets);
  expect([ended.exit, ended.error.code]).toEqual([exit, code]);
});

describe('targets', () => {
  it('named twice are sent once', async () => {
    expect((await approve('t1 t2 t1')).became).toEqual(['t1 done', 't2 done', 't1 skipped']);
    expect(sent().sort()).toEqual(['t1', 't2']);
  });

  it('come from stdin, one a line: BOM, CRLF, blanks and empty lines are fine', async () => {
    const { became } = await approve('-', { stdin: '\ufeff1\r\n\r\n  2 \n3' });
    expect(became).toEqual(['1 done', '2 done', '3 done']);
  });

  it.each(['', '- t1', 't1 --all', '- --all'])('%j is wrong usage', async (targets) => {
    expect((await approve(targets, { stdin: 't2\n' })).exit).toBe(2);
    expect(t.lines()).toEqual([]);
  });
});

it.each<[string | number, string, boolean]>([
  [2, 't1 t2 t3', false],
  [3, 't1 t2 t3', true],
  [1, 't1 t1', true],
  [0, 't1', false],
  ...['x', '-1', "''", '1.5', 'Infinity', '1e3'].map(
    (text) => [text, 't1', false] as [string, string, boolean],
  ),
])('--max-changes=%s with %j: sent %s', async (most, targets, sends) => {
  const ended = await approve(`${targets} --max-changes=${most}`);
  expect([ended.exit, sent().length > 0]).toEqual([sends ? 0 : 2, sends]);
  if (!sends) expect(ended.error.message).toContain('--max-changes');
});

describe('--all', () => {
  it('acts on those that match and are in the right state, of one reading of the list', async () => {
    t.lists['timesheets'] = [...submitted(3), { id: 't4', status: 'approved' }];
    expect((await approve('--all')).became).toEqual(['t1 done', 't2 done', 't3 done']);
    expect(t.lines().filter((line) => line.startsWith('GET /timesheets'))).toHaveLength(1);
    t.lists['timesheets'] = [];
    const { exit, stderr } = await t.run('timesheets approve --all --yes');
    expect([exit, stderr]).toEqual([0, 'No timesheets to approve.\n']);
  });

  it('shows ten and how many more there are; declined, it sends nothing', async () => {
    t.lists['timesheets'] = submitted(12);
    const { screen, exit } = await t.sit('timesheets approve --all', () => 'n\r');
    expect(screen).toContain('Approve 12 timesheets?');
    expect(screen.match(/\bt\d+\b/g)).toHaveLength(10);
    expect(screen).toContain('and 2 more');
    expect([exit, sent()]).toEqual([9, []]);
  });
});

it('one target alone is asked about where that decides, several always', async () => {
  for (const [line, exit] of [
    ['timesheets approve t1', 2],
    ['timesheets submit t1', 0],
    ['timesheets submit t1 t2', 2],
    ['timesheets approve t1 t2 --dry-run', 0],
  ] as const)
    expect([line, (await t.run(line)).exit]).toEqual([line, exit]);
});

it('an interrupt begins nothing new, finishes what is on its way, and gives a result for each target', async () => {
  const [many, stop, ends] = [sheets(80), new AbortController(), [] as string[]];
  answer = async (id) => {
    if (id === 't2') stop.abort(new Cancelled('terminated', EXIT.terminated));
    await new Promise((resolve) => setTimeout(resolve, 20));
    ends.push(id);
    return done;
  };
  const ended = await approve('-', { stdin: many.join('\n'), interrupted: stop.signal });
  const began = new Set(sent());
  expect(began.size).toBeLessThan(many.length);
  expect([...ends].sort()).toEqual([...began].sort());
  expect(ended.became).toEqual(many.map((id) => `${id} ${began.has(id) ? 'done' : 'skipped'}`));
  expect(ended.results.at(-1)).toMatchObject({ message: 'interrupted; not sent' });
  const message = `interrupted: ${began.size} approved, 0 failed, ${80 - began.size} not sent`;
  expect([ended.exit, ended.error.message]).toEqual([143, message]);
});

/** What a question says of many changes: whoever agrees must not overlook the one that matters. */
describe('S4: a question over several records', () => {
  const sandbox = useCli({ sandbox: 'agency', shared: true });
  const { read, rows, file } = sandbox;
  const ask = async (line: string) => (await sandbox.sit(line, () => 'n\r', { columns: 120 })).screen;

  it('counts the changes by field, and shows the grave first: of a file, a plan, and an undo', async () => {
    const members = (await rows('members list --status active')).filter(
      ({ current_role: role }) => role === 'Regular User',
    );
    expect(members.length).toBeGreaterThan(10);
    // New hours for every member; one of them, in the middle, gets another role.
    const lines = members.map(({ id }, n) => `${id},17,${n === 7 ? 'Team manager' : ''}`);
    const all = file('rows.csv', ['id,weekly_hours_limit,role', ...lines].join('\n'));
    const expectGraveFirst = (screen: string, grave: RegExp) => {
      expect(screen).toContain(` role 1, hours a week ${members.length}\n`);
      expect(/\n\n {2}(.*)\n/.exec(screen)?.[1]).toMatch(grave);
    };
    const becomes = / role: Regular User → Team manager, hours a week: \d+ → 17 /;
    expectGraveFirst(await ask(`members update --from-file ${all}`), becomes);
    const plan = file('plan.ndjson');
    await read(`members update --from-file ${all} --plan ${plan}`);
    expectGraveFirst(await ask(`plan apply ${plan}`), becomes);
    await read(`plan apply ${plan} --yes`);
    const undo = await ask(`undo ${(await rows('jobs list'))[0]?.['id']}`);
    expectGraveFirst(undo, / role: Team manager → Regular User, hours/);
  });

  it('calls nothing moved that is as a plan would make it', async () => {
    const [one, another, third] = (await read('members list --status active -o ids')).split('\n').slice(-4);
    const three = file('three.csv', `id,weekly_hours_limit\n${one},23\n${another},23\n${third},23\n`);
    const plan = file('three.ndjson');
    await read(`members update --from-file ${three} --plan ${plan}`);
    await read(`members update ${one} --weekly-hours-limit 23`);
    await read(`members update ${another} --weekly-hours-limit 24`);
    expect(await ask(`plan apply ${plan}`)).toMatch(/moved +1 changed since/);
  });

  it('counts no ids of what a member is assigned to', async () => {
    const task = (await read('tasks list --project 162 --limit 1 --output ids')).trim();
    const screen = await ask(`tasks assign ${task} --project 162 --member 106 --member 107`);
    expect(screen).toMatch(/ task +\d+\n/);
    expect(screen).not.toContain('fields');
  });

  it('names no fields where records are deleted', async () => {
    const ids = (await read('expenses list --limit 2 --output ids')).trim().split('\n');
    const screen = await ask(`expenses delete ${ids.join(' ')}`);
    expect(screen).toMatch(/Delete 2 expenses/);
    expect(screen).not.toContain('fields');
  });
});
