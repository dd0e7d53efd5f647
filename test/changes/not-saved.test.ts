import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cleanHome, runBinary } from '../support/binary.ts';
import { type FaultyService, startFaultyService } from '../support/faulty-service.ts';
import { runInProcess } from '../support/in-process.ts';
import { quickClock } from '../support/quick-clock.ts';
import {
  type Answer,
  envelope,
  onePage,
  type Recorded,
  type Recorder,
  serviceEnv,
  startRecorder,
} from '../support/recorder.ts';
import { words } from '../support/words.ts';

/**
 * A write is not called done when it was not (docs/service.md, Rates:
 * rates are saved only for those who may view them, and nobody is told).
 */

let recorder: Recorder | undefined;
afterEach(async () => {
  await recorder?.close();
  recorder = undefined;
});

const folder = mkdtempSync(join(tmpdir(), 'ttctl-not-saved-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fileOf = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

/** The error object, the last line of stderr. */
const errorOf = ({ stderr }: { readonly stderr: string }) =>
  JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error as Record<string, unknown>;

const reads = ({ line }: Recorded): boolean => line.startsWith('GET');

/** What an expense shows by name. */
const NAMED: Readonly<Record<string, readonly object[]>> = {
  'GET /expenses/categories': [
    { id: 4, name: 'Travel' },
    { id: 8, name: 'Food' },
  ],
  'GET /projects': [
    { id: 9, name: 'Harbour' },
    { id: 10, name: 'Pier' },
  ],
};

/**
 * Runs a command against a service that answers each write with `answer`, and after it each read of one record with
 * `record`, each list with it alone.
 */
const attempt = async (
  command: string,
  answer: unknown,
  record?: object,
  more: readonly string[] = ['--json'],
  listedBefore: readonly object[] = [],
) => {
  let written = 0;
  recorder = await startRecorder((request) => {
    if (!reads(request)) {
      written += 1;
      return { body: envelope(answer) };
    }
    const named = command.startsWith('expenses') ? NAMED[request.line.split('?')[0] ?? ''] : undefined;
    if (named !== undefined) return { body: onePage(named) };
    const isList =
      /^GET \/(contracts|members|projects|tasks|expenses|timesheets|leaves|project-viewers|time-requests|webhooks|expenses\/categories|tasks\/\d+\/assignees)\?/.test(
        request.line,
      );
    const rows = written === 0 || record === undefined ? listedBefore : [record];
    return { body: isList ? onePage(rows) : envelope(record ?? null) };
  });
  const ended = await runInProcess([...words(command), ...more], { env: serviceEnv(recorder) });
  const lines = recorder.lines();
  await recorder.close();
  recorder = undefined;
  const sent = lines.findIndex((line) => !line.startsWith('GET'));
  const [after = [], lookUps = []] = [true, false].map((isRecord) =>
    lines.slice(sent + 1).filter((line) => (NAMED[line.split('?')[0] ?? ''] === undefined) === isRecord),
  );
  return { ...ended, after, lookUps, written };
};

const CONTRACT = 'contracts create --project 5 --member 12';
const TRAIN = 'expenses create --name Train --date 2026-11-20 --amount 48.60 --category 4';
const train = {
  id: 'e1',
  expense_name: 'Train',
  expense_date: 'Nov 20, 2026',
  amount: '48.6',
  category: 'Travel',
  project: null,
  note: null,
  type: 'non-billable',
};
const REQUEST =
  'time-requests create --member 12 --contract 40 --start 2026-11-20T09:00:00Z --end 2026-11-20T11:30:00Z';
const request = {
  id: 'r1',
  user_id: 12,
  contract_id: 40,
  start: '2026-11-20T10:00:00+01:00',
  end: '2026-11-20T11:30:00.000Z',
  notes: null,
};
const TASK = 'tasks create --project 5 --title Home --status in-progress --priority high --assignee 12';
const task = { id: 55, project_id: 5, title: 'Home', status: 10, priority: 20, assignees: [{ user_id: 12 }] };
const INVITE = 'members invite ana@example.com --firstname Ana --lastname Sousa --role team-manager';
const link = { user_id: 31, invitation_link: 'https://x.example/i' };
const HOOK = 'webhooks create --url https://h.example/x --event tracker.started --event tracker.stopped';
const hook = {
  id: 'w1',
  url: 'https://h.example/x',
  events: ['tracker.stopped', 'tracker.started'],
  token: 't',
};

type Case = [command: string, answer: unknown, record: object, fields: readonly string[]];

describe('a field that the record does not show as it was sent is `failed`, not_saved, exit 6', () => {
  it.each<Case>([
    ['contracts update 40 --rate 999', null, { id: 40, rate: 75 }, ['rate']],
    [
      'contracts update 40 --rate 999 --weekly-hours-limit 20',
      null,
      { id: 40, weekly_hours_limit: 20 },
      ['rate'],
    ],
    ['contracts update 40 --rate 999', { id: 40, rate: 999 }, { id: 40, rate: 75 }, ['rate']],
    ['contracts update 40 --rate 999', null, { id: 40, rate: null }, ['rate']],
    ['contracts update 40 --field rate:=999', null, { id: 40 }, ['rate']],
    ['members update 17 --field rate:=99', null, { id: 17, firstname: 'Ana' }, ['rate']],
    [
      'members update 17 --role team-manager',
      { id: 17, current_role: 'Regular User' },
      { id: 17, current_role: 'Regular User' },
      ['role'],
    ],
    ['members update 17 --field title=Lead', null, { id: 17, title: 'Clerk' }, ['title']],
    ['projects update 5 --budget 500', null, { id: 5, budget_estimation: 300 }, ['budget']],
    ['projects update 5 --field is_billable:=true', null, { id: 5, is_billable: false }, ['is_billable']],
    [
      'projects update 5 --deadline 2026-12-18',
      { id: 5, deadline: '2026-12-17' },
      { id: 5, deadline: '2026-12-17' },
      ['deadline'],
    ],
    [
      'members update 17 --email a_b@x.example',
      { id: 17, email: 'a-b@x.example' },
      { id: 17, email: 'a-b@x.example' },
      ['email'],
    ],
    [
      'expenses update e1 --name Train --date 2026-11-20 --amount 48.60 --category 4',
      { ...train, category: 'Food', category_id: 8 },
      { ...train, category: 'Food', category_id: 8 },
      ['category_id'],
    ],
    ['tasks update 55 --status done', { ...task }, task, ['status']],
    ['webhooks update w1 --url https://h.example/y --event tracker.started', hook, hook, ['url', 'events']],
    [
      `${CONTRACT} --rate 75.5`,
      { id: 40, project_id: 5, user_id: 12 },
      { id: 40, project_id: 5, user_id: 12 },
      ['rate'],
    ],
    [`${CONTRACT} --rate 75.5`, null, { id: 40, project_id: 5, user_id: 12 }, ['rate']],
    [
      `${CONTRACT} --weekly-hours-limit 20`,
      { id: 40, weekly_hours_limit: 168 },
      { id: 40, weekly_hours_limit: 168 },
      ['weekly_hours_limit'],
    ],
    [
      'projects create --name Site --estimation 40',
      { id: 5, name: 'Site', estimation: '39:30' },
      { id: 5, name: 'Site', estimation: '39:30' },
      ['estimation'],
    ],
    [TASK, { ...task, assignees: [] }, { ...task, assignees: [13] }, ['assignees']],
    [`${TRAIN} --billable`, train, train, ['is_billable']],
    [`${TRAIN} --project 9`, train, train, ['project_id']],
    [`${TRAIN} --project 9`, train, { ...train, project: 'Pier' }, ['project_id']],
    [TRAIN, { ...train, category: 'Food' }, { ...train, category: 'Food' }, ['category_id']],
    [TRAIN, null, { ...train, category: 'Food' }, ['category_id']],
    [
      'expenses update e1 --name Train --date 2026-11-20 --amount 48.60 --category 4 --project 9',
      { ...train, category: 'Food', project: 'Pier' },
      { ...train, category: 'Food', project: 'Pier' },
      ['category_id', 'project_id'],
    ],
    [
      REQUEST,
      { ...request, end: '2026-11-20T12:30:00Z' },
      { ...request, end: '2026-11-20T12:30:00Z' },
      ['end'],
    ],
    [INVITE, { ...link, role: 'Regular User' }, { id: 31, current_role: 'Regular User' }, ['role']],
    [HOOK, { ...hook, events: ['tracker.started'] }, { ...hook, events: ['tracker.started'] }, ['events']],
  ])('%s', async (command, answer, record, fields) => {
    const ended = await attempt(command, answer, record);
    const error = errorOf(ended);
    expect(ended.exit, ended.stderr).toBe(6);
    expect(error).toMatchObject({ code: 'not_saved', exit: 6, fields });
    for (const name of fields) expect(error.message).toContain(name);
    const result = JSON.parse(ended.stdout);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'not_saved' } });
    // What is told of the record is what was read, never what was asked for.
    for (const name of ['rate', 'title', 'url']) {
      if (fields.includes(name))
        expect(result.data[name] ?? null).toBe((record as Record<string, unknown>)[name] ?? null);
    }
    expect(ended.written).toBe(1);
    // Whoever made a record is told which it is, so that nobody makes it again.
    if (/ (create|invite) /.test(command)) {
      const id = String((record as { id: unknown }).id);
      expect(error).toMatchObject({ created: id, message: expect.stringContaining(id) });
      expect(error.hint).toContain('Do not create it again');
      expect(error.hint).not.toMatch(/ttctl \S+ (create|invite)/);
    }
  });

  it.each([
    ['timesheets approve t1 --yes', 'submitted', 'approved'],
    ['timesheets reject t1 --reason x --yes', 'submitted', 'rejected'],
    ['timesheets submit t1', 'open', 'submitted'],
    ['timesheets unsubmit t1', 'submitted', 'open'],
    ['leaves approve t1 --yes', 'pending', 'approved'],
    ['leaves reject t1 --reason x --yes', 'pending', 'rejected'],
    ['time-requests approve t1 --yes', 'pending', 'approved'],
    ['time-requests reject t1 --comment x --yes', 'pending', 'rejected'],
  ])('%s', async (command, was, wanted) => {
    const stays = await attempt(command, { id: 't1', status: was }, { id: 't1', status: was });
    expect([stays.exit, errorOf(stays)]).toMatchObject([6, { code: 'not_saved', fields: ['status'] }]);
    expect(JSON.parse(stays.stdout)).toMatchObject([{ status: 'failed', error: { code: 'not_saved' } }]);
    // The answer may be older than the record.
    const moved = await attempt(command, { id: 't1', status: was }, { id: 't1', status: wanted });
    expect([moved.exit, JSON.parse(moved.stdout)]).toMatchObject([0, [{ status: 'done' }]]);
    expect((await attempt(command, { id: 't1', status: wanted })).after).toEqual([]);
    // A reason may be lost; a change of state without one is what the answer says.
    const blind = await attempt(command, null, { id: 't1', status: wanted });
    expect([blind.exit, blind.after.length]).toEqual([0, command.includes(' x ') ? 1 : 0]);
  });

  it.each([
    ['timesheets reject t1 --reason Late --yes', 'reason', 'reject_reason'],
    ['leaves reject t1 --reason Late --yes', 'reason', 'reject_reason'],
    ['time-requests reject t1 --comment Late --yes', 'comment', 'comment'],
  ])('%s', async (command, name, shownAs) => {
    const shows = (text: unknown) => ({ id: 't1', status: 'rejected', [shownAs]: text });
    for (const text of ['Early', null, '']) {
      const lost = await attempt(command, shows(text), shows(text));
      expect([lost.exit, errorOf(lost)]).toMatchObject([6, { code: 'not_saved', fields: [name] }]);
      expect(lost.after).toHaveLength(1);
      const blind = await attempt(command, null, shows(text));
      expect([blind.exit, errorOf(blind)]).toMatchObject([6, { code: 'not_saved', fields: [name] }]);
    }
    // The answer may be older than the record.
    expect((await attempt(command, shows('Early'), shows('Late'))).exit).toBe(0);
    for (const answer of [shows('Late'), { id: 't1', status: 'rejected', title: 'Early' }]) {
      const saved = await attempt(command, answer);
      expect([saved.exit, saved.after]).toEqual([0, []]);
    }
    const back = await attempt(command, null, { ...shows('Late'), status: 'submitted' });
    const isKnown = command.startsWith('timesheets');
    expect([back.exit, back.after.length]).toEqual([isKnown ? 6 : 0, 1]);
  });

  it('no filter that chose the records is held against them, or sent when the run is resumed', async () => {
    const command = 'leaves reject --all --member 12 --period 2026-11 --reason Late --yes';
    let signedOut = true;
    const bodies: unknown[] = [];
    recorder = await startRecorder((asked) => {
      if (reads(asked))
        return { body: onePage(['t1', 't2'].map((id) => ({ id, user_id: 12, status: 'pending' }))) };
      if (signedOut) return { status: 401, body: { success: false, message: 'No.', meta: {} } };
      bodies.push(asked.body);
      const [, id] = /leaves\/(\w+)/.exec(asked.line) ?? [];
      return { body: envelope({ id, user_id: 99, status: 'rejected', reject_reason: 'Late' }) };
    });
    const env = serviceEnv(recorder, { TTCTL_STATE_DIR: mkdtempSync(join(folder, 'state-')) });
    const begun = await runInProcess([...words(command), '--json'], { env });
    signedOut = false;
    const before = recorder.lines().length;
    const ended = await runInProcess(['jobs', 'resume', String(errorOf(begun).job), '--json'], { env });
    expect(ended.exit, ended.stderr).toBe(0);
    expect(recorder.lines().slice(before)).not.toContainEqual(expect.stringMatching(/^GET/));
    expect(bodies.length).toBeGreaterThan(0);
    for (const body of bodies) expect(body).toEqual({ workspace_id: 7, reason: 'Late' });
  });

  it.each([
    ['members archive 17 --yes', { id: 17, deleted_at: null }],
    ['members restore 17', { id: 17, deleted_at: '2026-11-20' }],
    ['projects archive 17 --yes', { id: 17, deleted_at: null }],
    ['viewers archive 17 --yes', { id: 17, status: 'active' }],
    ['members archive 17 --yes', { id: 17, status: 'active' }],
    ['expenses delete 9a --yes', { id: '9a', deleted_at: null }],
    ['tasks assign 17 --project 5 --member 15', { id: 17, assignees: [] }],
    [
      'tasks unassign 17 --project 5 --member 12 --yes',
      { id: 17, user_id: 12, assignees: [{ user_id: 12 }] },
    ],
    ['viewers restore 17', { id: 17, status: 'left' }],
    ['viewers assign 17 --project 5', { id: 17, projects: [] }],
  ])('%s', async (command, record) => {
    const stays = await attempt(command, record, record, ['--json'], [{ user_id: 12 }]);
    expect([stays.exit, errorOf(stays)]).toMatchObject([6, { code: 'not_saved' }]);
  });

  it.each([
    [
      'members update 17 --rate-status hidden',
      { id: 17, rate_status: 1 },
      'sent hidden, the record shows visible',
    ],
    ['members update 17 --field title=', { id: 17, title: 'Clerk' }, 'sent "", the record shows Clerk'],
  ])('%s is told in words', async (command, record, told) => {
    expect(errorOf(await attempt(command, record, record)).reason).toContain(told);
  });

  it('does not repeat a long text', async () => {
    const note = 'n'.repeat(5000);
    const answer = { ...train, note: 'm'.repeat(5000) };
    const ended = await attempt(`${TRAIN} --note ${note}`, answer, answer);
    expect([ended.exit, String(errorOf(ended).reason).length < 200]).toEqual([6, true]);
  });

  it.each<Case>([
    ['members update 17 --firstname Ana', null, { id: 17, firstname: 'Ann' }, ['firstname']],
    ['members update 17 --firstname Ana', {}, { id: 17, firstname: 'Ann' }, ['firstname']],
    ['members update 17 --firstname Ana', [], { id: 17, firstname: 'Ann' }, ['firstname']],
    [
      'contracts update 40 --status paused',
      { id: 41, status: 'paused' },
      { id: 40, status: 'active' },
      ['status'],
    ],
    ['projects update 5 --name Pier', { id: '6', name: 'Pier' }, { id: 5, name: 'Dock' }, ['name']],
    ['tasks update 55 --title Away', null, task, ['title']],
    [`${TRAIN.replace('create', 'update e1')} --note x`, null, train, ['note']],
    ['webhooks update w1 --url https://h.example/y --event tracker.started', null, hook, ['url', 'events']],
    [
      'timesheets approve t1 --yes',
      { id: 't2', status: 'approved' },
      { id: 't1', status: 'submitted' },
      ['status'],
    ],
    ['members archive 17 --yes', { id: 18, deleted_at: 'x' }, { id: 17, deleted_at: null }, ['deleted_at']],
    ['viewers archive 17 --yes', { id: 18, status: 'left' }, { id: 17, status: 'active' }, ['status']],
    ['expenses delete e1 --yes', { id: 'e2' }, train, ['deleted_at']],
  ])('where the answer does not show the record: %s %j', async (command, answer, record, fields) => {
    const ended = await attempt(command, answer, record);
    expect([ended.exit, errorOf(ended)]).toMatchObject([6, { code: 'not_saved', fields }]);
    expect([ended.written, ended.after.length]).toEqual([1, 1]);
    const [result] = [JSON.parse(ended.stdout)].flat();
    // What is told is of the record that was meant.
    expect(String(result.data?.id ?? record['id' as never])).toBe(String(record['id' as never]));
  });

  it('never is a tick for people', async () => {
    const ended = await attempt('contracts update 40 --rate 999', null, { id: 40, rate: 75 }, []);
    expect(ended.exit).toBe(6);
    expect(ended.stdout + ended.stderr).not.toMatch(/✓|updated/);
    expect(ended.stderr).toContain('error: rate was not saved\n  rate: sent 999, the record shows 75');
  });

  it.each([
    [{ rate: 75, rate_type: 2 }, 'the record shows 75 (inherited)'],
    [{ rate: null, rate_type: 1 }, 'the record shows none'],
  ])('says what a contract shows: %j', async (shown, words) => {
    const ended = await attempt('contracts update 40 --rate 999', null, { id: 40, ...shown }, []);
    expect(ended.exit).toBe(6);
    expect(ended.stderr).toContain(`\n  rate: sent 999, ${words}\n`);
  });
});

describe('the same value in another form is saved', () => {
  it.each<[string, unknown, object]>([
    ['contracts update 40 --rate 999', null, { id: 40, rate: '999.00' }],
    [`${CONTRACT} --rate 75.5`, { id: 40 }, { id: 40, rate: '75.50' }],
    ['projects update 5 --budget 500', null, { id: 5, budget_estimation: '500.0' }],
    [
      'members update 17 --role team-manager --email ANA@x.example',
      { id: 17, current_role: 'Team Manager', email: 'ana@x.example' },
      {},
    ],
    ['projects update 5 --budget 31000', null, { id: 5, budget_estimation: '31,000.00' }],
    ['projects create --name Site --estimation 320', { id: 5, name: 'Site', estimation: '320:00:00' }, {}],
    [
      'webhooks update w1 --url https://h.example --event tracker.started',
      { ...hook, url: 'https://h.example/', events: ['tracker.started'] },
      {},
    ],
    ['members update 17 --remove-avatar', { id: 17, avatar: null }, {}],
    ['members update 17 --rate-status visible', { id: 17, rate_status: true }, {}],
    [
      'projects update 5 --deadline 2026-12-18 --notes " two\r\nlines "',
      { id: 5, deadline: 'Dec 18, 2026', notes: 'two\nlines' },
      {},
    ],
    ['projects create --name Site --estimation 40.5', { id: 5, name: 'Site', estimation: '40:30' }, {}],
    ['tasks update 55 --status in-progress', { id: 55, status: 'In progress' }, {}],
    ['tasks update 55 --priority high', { id: 55, priority: '20' }, {}],
    [TASK, task, {}],
    [`${TRAIN} --no-billable`, train, {}],
    [`${TRAIN} --project 9`, { ...train, project: 'Harbour' }, {}],
    [REQUEST, request, {}],
    [REQUEST, { ...request, start: '2026-11-20 09:00:00', end: undefined }, {}],
    [INVITE, link, {}],
    [INVITE, { ...link, role: 'Team manager' }, {}],
    // A person who has an account already keeps the name in it.
    [INVITE, { ...link, firstname: 'Anna' }, {}],
    ['viewers invite eve@c.example --firstname Eve --lastname Oka', { id: 31, firstname: 'Eva' }, {}],
    [HOOK, hook, {}],
  ])('%s', async (command, answer, record) => {
    const ended = await attempt(command, answer, record);
    expect(ended.exit, ended.stderr).toBe(0);
    expect(ended.after.length).toBe(/rate 999|rate 75|budget/.test(command) ? 1 : 0);
  });

  it('where names are shown, which are looked up once for a run', async () => {
    const file = fileOf(
      'expenses.csv',
      `name,date,amount,category,project\n${'Train,2026-11-20,48.60,4,9\n'.repeat(3)}`,
    );
    const ended = await attempt(
      `expenses create --from-file ${file} --yes --no-history`,
      { ...train, project: 'Harbour' },
      undefined,
    );
    expect([ended.exit, ended.written]).toEqual([0, 3]);
    expect(ended.lookUps.map((line) => line.replace(/[?].*/, '')).sort()).toEqual(Object.keys(NAMED));
  });

  it('where a name may not be looked up', async () => {
    const shown = { ...train, category: 'Elsewhere' };
    const unknown = await attempt(TRAIN.replace('category 4', 'category 77'), shown);
    expect(unknown.exit, unknown.stderr).toBe(0);
  });

  it('costs no request where nothing can have been dropped', async () => {
    for (const command of [
      'members update 17 --weekly-hours-limit 32 --role team-manager',
      'contracts update 40 --weekly-hours-limit 20 --status paused',
      'projects update 5 --name Pier',
      'tasks update 55 --title Home',
      `${TRAIN.replace('create', 'update e1')} --billable`,
      'webhooks update w1 --url https://h.example/y --event tracker.started',
    ]) {
      const [, , id] = words(command);
      const ended = await attempt(command, { id });
      expect([ended.exit, ended.after], command).toEqual([0, []]);
    }
  });

  it.each<[string, unknown, object]>([
    ['members update 17 --weekly-hours-limit 32', null, { id: 17, weekly_hours_limit: 32 }],
    ['members update 17 --weekly-hours-limit 32', { id: 18 }, { id: 17, weekly_hours_limit: '32' }],
    ['members update 17 --weekly-hours-limit 32', null, { id: 17 }],
    ['timesheets approve t1 --yes', { id: 't2', status: 'submitted' }, { id: 't1', status: 'approved' }],
    ['members archive 17 --yes', { id: 18, deleted_at: null }, { id: 17, deleted_at: '2026-11-20' }],
  ])(
    'costs one look-up where the answer is of no record, or of another: %s %j',
    async (command, answer, record) => {
      const ended = await attempt(command, answer, record);
      expect([ended.exit, ended.after.length], ended.stderr).toEqual([0, 1]);
      // Nothing is told of a record that nobody named.
      expect(ended.stdout).not.toMatch(/"id": "?(18|t2)/);
    },
  );

  it('a field that no record shows is not judged', async () => {
    const ended = await attempt('members update 17 --field colour=red', null, { id: 17 });
    expect(ended.exit, ended.stderr).toBe(0);
  });
});

describe('a record that cannot be read again', () => {
  const blind = async (command: string, answer: unknown) => {
    recorder = await startRecorder((asked) => {
      if (!reads(asked)) return { body: envelope(answer) };
      return asked.line.includes('/contracts/40') ? { status: 500, body: {} } : { body: onePage([]) };
    });
    const env = { ...serviceEnv(recorder), TTCTL_MAX_WAIT: '0' };
    return runInProcess([...words(command), '--json'], { env });
  };

  it('leaves it unknown, never done', async () => {
    const ended = await blind('contracts update 40 --rate 999', null);
    expect(ended.exit).toBe(7);
    expect(JSON.parse(ended.stdout)).toMatchObject({ status: 'unknown', error: { fields: ['rate'] } });
    expect(errorOf(ended).message).toBe('it is not known whether rate was saved');
  });

  it.each<[string, unknown, readonly string[]]>([
    ['contracts update 40 --status paused --weekly-hours-limit 20', null, ['weekly_hours_limit', 'status']],
    ['contracts update 40 --status paused', { id: 41, status: 'paused' }, ['status']],
    ['timesheets reject t1 --reason x --yes', null, ['reason']],
    ['timesheets approve t1 --yes', { id: 't2', status: 'approved' }, ['status']],
  ])('leaves it unknown where no answer showed it: %s %j', async (command, answer, fields) => {
    const ended = await blind(command, answer);
    expect([ended.exit, errorOf(ended)]).toMatchObject([7, { code: 'unknown_outcome', fields }]);
  });

  it('says which record was made, and not to make it again', async () => {
    const ended = await blind(`${CONTRACT} --rate 75`, { id: 40 });
    expect(ended.exit).toBe(7);
    expect(errorOf(ended)).toMatchObject({
      created: '40',
      hint: expect.stringContaining('Do not create it again'),
    });
  });
});

describe('in a run over many', () => {
  interface Row {
    readonly id: number;
    readonly project_id: number;
    readonly user_id: number;
    readonly rate?: number;
  }
  /** A service that saves no rates. */
  const service = async (fault: (request: Recorded) => Answer | undefined = () => undefined) => {
    const rows: Row[] = [];
    const posts: unknown[] = [];
    recorder = await startRecorder((asked) => {
      const wrong = fault(asked);
      if (wrong !== undefined) return wrong;
      const [, id] = /^GET \/contracts\/(\d+)/.exec(asked.line) ?? [];
      if (id !== undefined) return { body: envelope(rows.find((row) => row.id === Number(id)) ?? null) };
      if (reads(asked)) return { body: onePage(rows) };
      const { project_id, user_id } = asked.body as Row;
      const row = { id: 40 + rows.length, project_id, user_id };
      if (asked.line.startsWith('POST')) rows.push(row);
      posts.push(asked.body);
      return { body: envelope(asked.line.startsWith('POST') ? row : null) };
    });
    const state = mkdtempSync(join(folder, 'state-'));
    const env = serviceEnv(recorder, { TTCTL_STATE_DIR: state, TTCTL_MAX_WAIT: '0' });
    const run = (...args: string[]) => runInProcess(args, { env, machine: { clock: quickClock } });
    return { run, rows, posts };
  };

  const file = fileOf('contracts.csv', 'project,member,rate\n5,12,75\n5,13,\n5,14,80\n');

  it('a record that was made is failed, and is not in the file that is fed back', async () => {
    const { run, rows } = await service();
    const ended = await run('contracts', 'create', '--from-file', file, '--yes', '--json');
    expect(ended.exit).toBe(8);
    const results = JSON.parse(ended.stdout) as { status: string; error?: object }[];
    expect(results.map(({ status }) => status)).toEqual(['failed', 'done', 'failed']);
    expect(results[0]?.error).toMatchObject({ code: 'not_saved', created: '40' });
    const error = errorOf(ended);
    expect(error).not.toHaveProperty('failed_file');
    expect(error.hint).toContain('2 records were created with some fields missing. Do not create them again');
    expect(error.hint).not.toContain('feed');
    const again = await run('jobs', 'resume', String(error.job), '--json');
    expect([again.exit, errorOf(again).job]).toEqual([8, error.job]);
    expect(rows).toHaveLength(3);
  });

  it('stands beside rows that can be fed back', async () => {
    const { run, rows } = await service((asked) =>
      !reads(asked) && (asked.body as Row).user_id === 13
        ? { status: 422, body: { success: false, message: 'No.', meta: {} } }
        : undefined,
    );
    const ended = await run('contracts', 'create', '--from-file', file, '--yes', '--json');
    const { failed_file: failed, hint } = errorOf(ended);
    expect(readFileSync(String(failed), 'utf8')).toBe('project,member,rate,error\r\n5,13,,No.\r\n');
    expect(hint).toContain('2 records were created');
    expect(rows).toHaveLength(2);
  });

  it('an update that was not saved is fed back like any other', async () => {
    const { run, rows } = await service();
    rows.push({ id: 40, project_id: 5, user_id: 12 }, { id: 41, project_id: 5, user_id: 13 });
    const updates = fileOf('updates.csv', 'id,rate\n40,75\n41,80\n');
    const ended = await run('contracts', 'update', '--from-file', updates, '--yes', '--json');
    expect(ended.exit).toBe(6);
    const { failed_file: failed } = errorOf(ended);
    expect(readFileSync(String(failed), 'utf8')).toContain(
      '40,75,the record does not show that rate was saved',
    );
  });

  it('of what was made and could not be read again nothing is sent twice by going on', async () => {
    let blind = true;
    const { run, rows, posts } = await service((asked) =>
      blind && /^GET \/contracts\/\d/.test(asked.line) ? { status: 500, body: {} } : undefined,
    );
    const ended = await run('contracts', 'create', '--from-file', file, '--yes', '--json');
    const { job } = errorOf(ended);
    expect((JSON.parse(ended.stdout) as { status: string }[]).map(({ status }) => status)).toEqual([
      'unknown',
      'done',
      'unknown',
    ]);
    // Its list shows it no more: still it was made.
    const [kept] = rows.splice(0, 1);
    blind = false;
    const gone = await run('jobs', 'resume', String(job), '--json');
    expect((JSON.parse(gone.stdout) as { status: string }[]).map(({ status }) => status)).toEqual([
      'unknown',
      'failed',
    ]);
    rows.unshift(kept as Row);
    const again = await run('jobs', 'resume', String(job), '--json');
    expect(JSON.parse(again.stdout)).toMatchObject([
      { status: 'failed', error: { code: 'not_saved', created: '40' } },
    ]);
    expect([again.exit, posts.length]).toEqual([8, 3]);
  });

  it('a lost answer is no reason to call it done', async () => {
    const rows: Row[] = [];
    recorder = await startRecorder((asked) => {
      if (asked.line.startsWith('GET /contracts/')) return { body: envelope(rows[0] ?? null) };
      if (reads(asked)) return { body: onePage(rows) };
      rows.push({ id: 40, project_id: 5, user_id: 12 });
      return { cut: true };
    });
    const env = serviceEnv(recorder, { TTCTL_MAX_WAIT: '0' });
    const ended = await runInProcess([...words(`${CONTRACT} --rate 75`), '--json'], { env });
    expect([ended.exit, errorOf(ended)]).toMatchObject([6, { code: 'not_saved', created: '40' }]);
  });
});

describe('against the sandbox, by somebody who may not see rates', () => {
  const home = cleanHome();
  const services: FaultyService[] = [];
  const as = async (email?: string) => {
    const service = await startFaultyService({
      seed: 'demo',
      keyOf: (line) => line,
      ...(email === undefined ? {} : { as: email }),
    });
    services.push(service);
    return { ...service, env: { ...home.env, ...service.env } };
  };
  let blind: FaultyService;
  let owner: FaultyService;
  let contract: { readonly id: number; readonly rate: number; readonly project_id: number };
  beforeAll(async () => {
    // An Executive Manager whose own rate_status is 0.
    [blind, owner] = [await as('grace@lindenhof.example'), await as()];
    const { stdout } = await runBinary(['contracts', 'list', '--json'], { env: owner.env });
    contract = (JSON.parse(stdout) as (typeof contract)[]).find(
      ({ rate }) => rate != null,
    ) as typeof contract;
  });
  afterAll(async () => {
    for (const service of services) await service.close();
    home.remove();
  });
  const contracts = () => Object.values(Object.values(blind.hosted.world().spaces)[0]?.contracts ?? {});

  it('a rate is not saved, and nobody is told that it was', async () => {
    const rateOf = () => contracts().find(({ id }) => id === contract.id)?.rate;
    const before = rateOf();
    const args = ['contracts', 'update', String(contract.id), '--rate', '999'];
    const ended = await runBinary([...args, '--json'], { env: blind.env });
    expect([ended.exit, errorOf(ended)]).toMatchObject([6, { code: 'not_saved', fields: ['rate'] }]);
    const seen = await runBinary(args, { env: blind.env });
    expect([seen.exit, seen.stdout.includes('✓')]).toEqual([6, false]);
    expect(rateOf()).toBe(before);
    const told = await runBinary([...args, '--json'], { env: owner.env });
    expect([told.exit, told.stderr]).toEqual([0, '']);
  });
});
