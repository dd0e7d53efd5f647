import { beforeEach, describe, expect, it } from 'vitest';
import { blank, gone, list, one, type Shown, samples } from '../samples.ts';
import { quickClock } from '../support/clocks.ts';
import { type Answer, envelope, onePage } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';

/**
 * Writes whose answer is lost: what the service shows afterwards decides, and nothing is sent twice. Of each write the
 * sample says how it looks where it was done, where it was not, and where nobody can tell.
 */

type Case = readonly [line: string, become: 'done' | 'not done' | 'unclear', after: Shown, before: Shown];

const t = useCli();

/** What a read of this path answers; a record (`/leaves/l1`) may be told by its list. */
const answerTo = (path: string, shown: Shown): Answer => {
  if (Object.keys(shown).some((key) => !key.startsWith('/'))) return shown;
  const answers = shown as Readonly<Record<string, Answer>>;
  const [, place = '', id] = /^(\/[\w-]+)\/([^/]+)$/.exec(path) ?? [];
  const { data } = Object(answers[place]?.body);
  const row = Array.isArray(data) ? data.find((row) => String(row.id) === id) : undefined;
  return answers[path] ?? (row ? one(row) : gone);
};

/** Silence is never no, so that what is not done is unknown too. */
const check = async (...[line, become, after, before]: Case): Promise<void> => {
  t.answer = ({ line: asked }) => {
    if (!asked.startsWith('GET')) return { cut: true };
    return answerTo(asked.replace(/^GET ([^?]*).*$/, '$1'), t.sent().length === 0 ? before : after);
  };
  const { exit, stdout, stderr } = await t.run(`${line} --yes --json --max-wait 0`);
  expect(t.sent()).toHaveLength(1);
  expect(exit, stderr).toBe(become === 'done' ? 0 : 7);
  if (become === 'done') return;
  expect([JSON.parse(stdout)].flat()).toMatchObject([{ status: 'unknown' }]);
  const { hint } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;
  expect(hint.includes('may still be carried out'), hint).toBe(become === 'not done');
};

it.each(
  samples.flatMap(({ line: written, lost }): readonly Case[] => {
    const line = written.replace('ID', 'x1');
    if (lost === undefined)
      return [blank, list(), list({ id: 17 })].map((shown) => [line, 'unclear', shown, shown]);
    const { before = blank, done, notDone, unclear } = lost;
    return [
      [line, 'done', done, before],
      [line, 'not done', notDone, before],
      [line, 'unclear', unclear, before],
    ];
  }),
)('by its sample in test/samples.ts: %s → %s', (...one) => check(...one));

const invite = 'members invite eve@x.example --firstname Eve --lastname Okafor --role regular-user';
const eve = { id: 18, email: 'EVE@x.example', current_role: 'Regular User' };
const guest = { ...eve, current_role: 'Project viewer' };
const ana = { id: 17, current_role: 'Regular User', weekly_hours_limit: 32, avatar: 'a.png' };
const inviteViewer = 'viewers invite eve@c.example --firstname Eve --lastname Okafor';
const viewer = { id: 31, email: 'eve@c.example', firstname: 'Eve', lastname: 'Oka' };
const project = 'projects create --name Site --budget 500 --deadline 2026-12-18';
const site = { id: 5, name: 'Site', budget_estimation: '500.00', deadline: '2026-12-18T00:00:00Z' };
const task = 'tasks create --project 5 --title Home --status done --assignee 12';
const home = { id: 55, title: 'Home', status: 20, project_id: 5, assignees: [12] };
const contract = 'contracts create --project 5 --member 12 --rate 75.5';
const rated = { id: 40, project_id: 5, user_id: 12, rate: '75.50' };
const sheet = (status: string): Shown => ({ '/timesheets': list({ id: 't1', status }) });
const leave = (status: string): Shown => ({ '/leaves': list({ id: 'l1', status }) });
const asked = (status: string): Shown => ({ '/time-requests/r1': one({ id: 'r1', status }) });
const ask =
  'time-requests create --member 17 --contract 21 --start 2026-11-20T09:00+01:00 --end 2026-11-20T12:00+01:00';
const time = { id: 'a', contract_id: 21, start: '2026-11-20T08:00:00.000Z', end: '2026-11-20T11:00:00Z' };
const times = (...rows: object[]): Shown => ({ '/time-requests': list(...rows) });
const expense = 'expenses create --name Train --date 2026-11-20 --amount 48.6 --category 4';
const train = { id: 'e1', expense_name: 'Train', amount: '48.60', expense_date: 'Nov 20, 2026' };
const expenses = (...rows: object[]): Shown => ({ '/expenses': list(...rows) });
const book = expense.replace('create', 'update e1');
const booked = { ...train, category: 'Travel', project: 'Harbour', type: 'billable', note: null };
const shown = (row: object): Shown => ({
  '/expenses/categories': list({ id: 4, name: 'Travel' }),
  '/projects': list({ id: 9, name: 'Harbour' }),
  ...expenses(row),
});
const webhook = 'webhooks create --url https://h.example --event a,b';
const hook = { id: 'w1', url: 'https://h.example', events: ['b', 'a'] };

it.each<Case>([
  // One that was there before is not the one that was made.
  [invite, 'done', list(eve), list(guest)],
  [invite, 'not done', list(guest), list()],
  [inviteViewer, 'not done', list(viewer), list(viewer)],
  [inviteViewer, 'done', list(viewer), list()],
  [project, 'not done', list(site), list(site)],
  [project, 'done', list(site, { ...site, id: 6 }), list(site)],
  [project, 'unclear', list({ ...site, deadline: '2027-01-01' }), list()],
  [task, 'not done', list(home), list(home)],
  [task, 'done', list(home, { ...home, id: 56 }), list(home)],
  [task, 'unclear', list({ ...home, status: 10 }), list()],
  [contract, 'done', list(rated), list()],
  [contract, 'not done', list(rated), list(rated)],
  [ask, 'not done', times(time), times(time)],
  [ask, 'done', times(time, { ...time, id: 'b' }), times(time)],
  [ask, 'not done', times({ ...time, end: '2026-11-20T11:01:00Z' }), times()],
  [ask, 'unclear', times(time), { '/time-requests': gone }],
  [expense, 'not done', expenses(train), expenses(train)],
  [expense, 'done', expenses(train, { ...train, id: 'e2' }), expenses(train)],
  [expense, 'unclear', expenses(train), gone],
  [webhook, 'done', { '/webhooks': list(hook) }, { '/webhooks': list() }],
  [webhook, 'not done', { '/webhooks': list(hook) }, { '/webhooks': list(hook) }],
  // Somebody who was a member before may have been invited again.
  [invite, 'unclear', list(eve), list(eve)],
  ['members update 17 --weekly-hours-limit 32', 'unclear', gone, blank],
  ['members update 17 --role team-manager', 'not done', one(ana), blank],
  ['members update 17 --remove-avatar', 'not done', one(ana), blank],
  ['members update 17 --remove-avatar', 'done', one({ ...ana, avatar: null }), blank],
  ['members archive 17', 'unclear', blank, blank],
  ['members restore 17', 'unclear', blank, blank],
  ['viewers archive 31', 'done', gone, blank],
  // Nothing is not 0.
  ['projects update 5 --budget 0', 'not done', one({ ...site, budget_estimation: '' }), blank],
  ['projects update 5 --budget 0', 'not done', one({ ...site, budget_estimation: null }), blank],
  ['projects update 5 --budget 0', 'done', one({ ...site, budget_estimation: '0.00' }), blank],
  ['projects update 5 --field colour=red', 'unclear', one(site), blank],
  ['projects update 5 --field name=Pier', 'not done', one(site), blank],
  // One more than was sent.
  ['tasks update 55 --assignee 12', 'not done', one({ ...home, assignees: [12, 13] }), blank],
  [
    'tasks update 55 --assignee 12',
    'done',
    one({ ...home, assignees: [{ user_id: 12, task_id: 55 }] }),
    blank,
  ],
  ['tasks update 55 --assignee 12', 'unclear', one({ ...home, assignees: 'Ana' }), blank],
  ['tasks update 55 --assignee 13', 'not done', one(home), blank],
  ['tasks update 55 --assignee 12,13', 'not done', one(home), blank],
  // Newer services say `pending` for `open`.
  ['timesheets submit t1', 'not done', sheet('pending'), blank],
  ['timesheets unsubmit t1', 'done', sheet('pending'), blank],
  ['timesheets reject t1 --reason late', 'not done', sheet('approved'), blank],
  // The document does not name the states that follow.
  ['leaves approve l1', 'unclear', leave('granted'), blank],
  ['leaves reject l1 --reason no', 'unclear', leave('refused'), blank],
  ['leaves approve l1', 'not done', leave('rejected'), blank],
  ['leaves reject l1 --reason no', 'not done', leave('approved'), blank],
  ['time-requests reject r1 --comment no', 'not done', asked('approved'), blank],
  ['time-requests reject r1 --comment no', 'unclear', asked('refused'), blank],
  [book, 'done', shown({ ...booked, expense_date: '2026-11-20' }), blank],
  [book, 'not done', shown({ ...booked, expense_date: 'Nov 21, 2026' }), blank],
  [book, 'not done', shown({ ...booked, amount: 48.5 }), blank],
  [book, 'not done', shown({ ...booked, category: 'Meals' }), blank],
  [book, 'unclear', { ...expenses(booked), '/expenses/categories': list() }, blank],
  [`${book} --project 9 --billable --note x`, 'done', shown({ ...booked, note: 'x' }), blank],
  [`${book} --project 9`, 'not done', shown({ ...booked, project: null }), blank],
  [`${book} --no-billable`, 'not done', shown(booked), blank],
  [book, 'unclear', expenses(), blank],
])('read in another way: %s → %s', (...one) => check(...one));

describe('new records in bulk: what the proof costs, and rows that cannot be told apart', () => {
  /** What there is: those that were made, and what a test adds. */
  let expenses: object[];
  /** What becomes of the nth new expense (from 1) of this name; nothing: it is made. */
  let fault: (name: string, n: number) => Answer | undefined;
  let sent: string[];
  /** Nothing can be read. */
  let isBlind: boolean;
  const bulk = useCli({
    env: { TTCTL_TIMEOUT: '50' },
    clock: quickClock,
    service({ line, body }) {
      if (line.startsWith('GET')) return isBlind ? { cut: true } : { body: onePage(expenses) };
      const { expense_name: name, amount } = Object(body);
      sent.push(name);
      const answer = fault(name, sent.length);
      if (answer !== undefined) return answer;
      expenses.push({ id: `e${expenses.length}`, expense_name: name, amount });
      return { body: envelope(expenses.at(-1)) };
    },
  });
  beforeEach(() => {
    [expenses, sent, isBlind] = [[], [], false];
    fault = () => undefined;
  });

  const statusesOf = ({ stdout }: { readonly stdout: string }): readonly string[] =>
    (JSON.parse(stdout) as { status: string }[]).map(({ status }) => status);
  /** Creates them, of the same day or of one day each; gives what became of them. */
  const create = async (names: readonly string[], isSameDay = true) => {
    const rows = names.map(
      (name, n) => `${name},2026-11-${isSameDay ? '02' : String(1 + (n % 28)).padStart(2, '0')},12,4\n`,
    );
    const stdin = `name,date,amount,category\n${rows.join('')}`;
    return statusesOf(await bulk.run('expenses create --from-file - --yes --json', { stdin }));
  };
  const resume = async () => {
    sent = [];
    const ended = await bulk.run(`jobs resume ${(await bulk.read('jobs list -o ids')).trim()} --json`);
    return [ended.exit, statusesOf(ended), sent];
  };
  const reads = () => bulk.lines().filter((line) => line.startsWith('GET /expenses?'));

  it('what was there before is read once for all rows, over all their days', async () => {
    const names = Array.from({ length: 60 }, (_, n) => `Item ${n}`);
    expect(new Set(await create(names, false))).toEqual(new Set(['done']));
    expect([sent.length, reads().length]).toEqual([60, 1]);
    expect(reads()[0]).toContain('date_from=2026-11-01&date_to=2026-11-28');
  });

  it('a twin that was there before is not taken for the new one', async () => {
    expenses.push({ id: 'old', expense_name: 'Item 1', amount: 12 });
    fault = (name) => (name === 'Item 1' ? { cut: true } : undefined);
    expect(await create(['Item 0', 'Item 1', 'Item 2'], false)).toEqual(['done', 'unknown', 'done']);
  });

  it('equal rows go one after another, and each is made', async () => {
    expect(await create(['Lunch', 'Lunch', 'Lunch'])).toEqual(['done', 'done', 'done']);
    expect(expenses).toHaveLength(3);
    // The second and third had each to see what the one before them had made.
    expect(reads().length).toBe(3);
  });

  it('the answer of one of two equal rows is lost: which of them is there is known all the same', async () => {
    fault = (_name, n) => (n === 2 ? { cut: true } : undefined);
    expect(await create(['Lunch', 'Lunch'])).toEqual(['done', 'unknown']);
    expect(expenses).toHaveLength(1);
  });

  it('those of other days tell nothing of one that was lost', async () => {
    const made = [1, 3, 5, 7, 9, 11];
    fault = (name, day) => {
      if (!made.includes(day)) return { cut: true };
      expenses.push({ id: `d${day}`, expense_name: name, amount: 12, expense_date: `Nov ${day}, 2026` });
      return day < 6 ? { cut: true } : { body: envelope(expenses.at(-1)) };
    };
    const days = Array.from({ length: 12 }, (_, n) => n + 1);
    const statuses = await create(
      days.map(() => 'Lunch'),
      false,
    );
    expect(statuses).toEqual(days.map((day) => (made.includes(day) ? 'done' : 'unknown')));
  });

  it('behind a row of unknown outcome its equals are not sent; they go on once it is known', async () => {
    fault = (name) => (name === 'Lunch' ? { silent: true } : undefined);
    const statuses = await create(['Lunch', 'Taxi', 'Lunch', 'Lunch']);
    expect(statuses).toEqual(['unknown', 'done', 'skipped', 'skipped']);
    expect(sent).toEqual(['Lunch', 'Taxi']);
    fault = () => undefined;
    expect(await resume()).toEqual([0, ['done', 'done', 'done'], ['Lunch', 'Lunch', 'Lunch']]);
    expect(expenses).toHaveLength(4);
  });

  it('on going on the equal of a row of which still nobody knows is not sent', async () => {
    fault = (name) => (name === 'Lunch' ? { silent: true } : undefined);
    expect(await create(['Lunch', 'Lunch', 'Taxi'])).toEqual(['unknown', 'skipped', 'done']);
    fault = () => undefined;
    isBlind = true;
    expect(await resume()).toEqual([8, ['unknown', 'skipped'], []]);
  });

  it('on going on the equal of a row that was made all the same is sent', async () => {
    fault = (name) => {
      expenses.push({ id: 'late', expense_name: name, amount: 12 });
      // Nobody can read that it is there until the run has ended.
      isBlind = true;
      return { cut: true };
    };
    expect(await create(['Lunch', 'Lunch'])).toEqual(['unknown', 'skipped']);
    isBlind = false;
    fault = () => undefined;
    expect(await resume()).toEqual([0, ['done', 'done'], ['Lunch']]);
  });
});
