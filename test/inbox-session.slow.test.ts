import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { stripVTControlCharacters as plain } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { quoteShellWord } from '../src/parsing/shell-word.ts';
import { until } from './support/clocks.ts';
import { BIN } from './support/process.ts';
import { leave, member, timeRequest, timesheet } from './support/records.ts';
import { runFiles } from './support/runs.ts';
import type { Answer, Recorded } from './support/service.ts';
import { openShell, type Terminal } from './support/terminal.ts';
import { answerFrom, openCli, type Row, useCli } from './support/use-cli.ts';

/** `ttctl inbox` at a real terminal: the built program, what is typed, and what it sends. */

const balances = [17, 18].map((user_id) => ({
  user_id,
  leave_information: [{ leave_type: 'Annual leave', balance: '30 days' }],
}));
const t = useCli({
  service: {
    // The oldest first: l1, t1, t2, t3, r1. The leave is far ahead: it has not begun when this runs.
    leaves: [
      leave('l1', 18, 5, {
        ...{ start_date: '2097-03-01', end_date: '2097-03-05', note: 'Walking in Kerry' },
        created_on: '2026-11-01T09:00:00Z',
      }),
    ],
    timesheets: ['16', '17', '18'].map((day, n) =>
      timesheet(`t${n + 1}`, 17, 38.5, { submitted_on: `2026-11-${day}T08:15:00Z` }),
    ),
    'time-requests': [timeRequest('r1', 18)],
    members: [
      member(17, 'Ana', { lastname: 'Sousa', weekly_hours_limit: null }),
      member(18, 'Bo', { weekly_hours_limit: null }),
    ],
    policies: [{ id: 3, name: 'Annual leave' }],
    balances,
  },
});
/** Of a write it shows nothing but what was written. */
const plainly = (request: Recorded) => answerFrom(request.line.startsWith('GET') ? t.lists : {}, request);
beforeEach(() => {
  t.answer = plainly;
});
const REFUSED: Answer = { status: 400, body: { success: false, message: 'Too late.', meta: {} } };

const READY = /Inbox: 5 waiting/;
const QUESTION = /\? \(y\/N\)/;

/** The review; `end` types, and waits for the end; `send` sends what was decided. */
const wrap = (terminal: Terminal) => {
  const end = (keys: string) => {
    terminal.type(keys);
    return terminal.ended;
  };
  const send = async () => {
    await terminal.press('S', /Enter to (send|preview)/);
    return end('\r');
  };
  return { ...terminal, end, send };
};
const open = async (flags = '', { env = {}, ready = READY, columns = 80 } = {}) => {
  const terminal = wrap(t.terminal(`inbox ${flags}`, { env, columns }));
  await terminal.until(ready);
  return terminal;
};

/** What is kept between two reviews. */
const places = (): readonly { reasons?: string[]; draft?: { decisions: { key: string }[] } }[] =>
  Object.values(JSON.parse(t.text('state/inbox/places.json')));
const reasons = () => places().map((place) => place.reasons);
const drafts = () => places().flatMap(({ draft }) => draft?.decisions.map(({ key }) => key).join(' ') ?? []);

it('a review approves, rejects with a reason, undoes, skips; and sends exactly that', async () => {
  const { press, end } = await open();
  await press('aaa', /3 to approve/);
  await press('u', /Undone\./);
  await press('rFriday is missing\r', /1 to reject/);
  await press('s', /1 skipped/);
  await press('rtracked already\r', /2 to reject/);
  const review = plain(await press('S', /Enter to send/));
  expect(review).toContain('Approve 2 (1 with warnings) and reject 2');
  expect(review).toMatch(/workspace {2}7\s/);
  expect(review).toMatch(/Reject 2\r\n {2}✗ Ana Sousa {2}timesheet {2}Nov 9–15( 2026)? {2}38:30\s/);
  expect(review).toContain('"Friday is missing"');
  const { exit, screen, restored } = await end('\r');
  expect([exit, restored], screen).toEqual([0, true]);
  expect(screen).not.toMatch(QUESTION);
  expect(plain(screen)).toMatch(/\n2 approved, 2 rejected\s+1 still waiting: ttctl inbox/);
  expect(plain(screen).match(/2 rejected/g)).toHaveLength(1);
  expect([...t.sent()].sort()).toEqual([
    'POST /time-requests/r1/reject?workspace_id=7 {"workspace_id":7,"comment":"tracked already"}',
    'PUT /leaves/l1/approve?workspace_id=7 {"workspace_id":7}',
    'PUT /timesheets/t1/approve?workspace_id=7 {"workspace_id":7}',
    'PUT /timesheets/t2/reject?workspace_id=7 {"workspace_id":7,"reason":"Friday is missing"}',
  ]);
});

it('O23: `c` selects all without a warning, and the results name people', async () => {
  const { press, send } = await open('--yes');
  await press('c', /Inbox: 5 waiting, 3 with warnings, 2 selected/);
  await press('a', /2 to approve/);
  const { exit, screen } = await send();
  expect(exit).toBe(0);
  expect(plain(screen)).toMatch(/approved {2}Bo Ek {2}leave .*\s+✓ r1 {2}approved {2}Bo Ek {2}time request /);
  expect(t.writes()).toEqual(['PUT /leaves/l1/approve', 'POST /time-requests/r1/approve']);
});

it('a review offers the reasons that were given before', async () => {
  for (const keys of ['rNo cover that week\r', 'r\x1b[A\r']) {
    const { press, send } = await open('--yes');
    await press(keys, /1 to reject/);
    expect((await send()).exit).toBe(0);
  }
  const line = 'PUT /leaves/l1/reject?workspace_id=7 {"workspace_id":7,"reason":"No cover that week"}';
  expect(t.sent()).toEqual([line, line]);
  expect(reasons()).toEqual([['No cover that week']]);
});

it('a review keeps no reason with a secret in it, and survives a file that is none', async () => {
  t.file('state/inbox/places.json', '{"torn');
  const { press, send } = await open('--yes');
  await press('rsee token-of-the-test\r', /1 to reject/);
  await press('rplain\r', /2 to reject/);
  expect((await send()).exit).toBe(0);
  expect(reasons()).toEqual([['plain']]);
});

it('a review ends in planned results under --dry-run, with no question and no write', async () => {
  const { press, send } = await open('--dry-run');
  await press('arno\r', /1 to reject/);
  const { exit, screen } = await send();
  expect([exit, t.sent()]).toEqual([0, []]);
  expect(plain(screen)).toMatch(/status:\s+pending\s+→\s+approved/);
  expect(screen).not.toMatch(QUESTION);
});

it.each(['TERM', 'HUP', 'INT'])(
  'a review ends with SIG%s, the terminal as it was, and keeps a draft',
  async (signal) => {
    const command = `sh -c 'echo "pid $$"; exec "$0" "$1" inbox' '${process.execPath}' '${BIN}'`;
    const { screen, until: shows, press, close } = openShell(command, t.processEnv());
    await shows(READY);
    await press('a', /1 to approve/);
    process.kill(Number(/pid (\d+)/.exec(screen())?.[1]), `SIG${signal}`);
    await shows(/kept as a draft/);
    expect(screen().lastIndexOf('\x1b[?2004l')).toBeGreaterThan(screen().lastIndexOf('\x1b[?2004h'));
    expect(screen()).toContain('\x1b[?1049l');
    expect(t.sent()).toEqual([]);
    close();
  },
);

it.each([
  ['Ctrl-C', '\x03', 130, /\nerror: cancelled: nothing was sent; /],
  ['q', 'q', 9, /(?<!error: )Nothing was sent; /],
])(
  'decisions that were not sent outlive %s, are offered, sent, and then forgotten',
  async (_name, keys, exit, says) => {
    const first = await open();
    await first.press('arNo cover\r', /1 to reject/);
    const left = await first.end(keys);
    expect([left.exit, left.restored]).toEqual([exit, true]);
    expect(plain(left.screen)).toMatch(says);
    expect(plain(left.screen)).toMatch(
      /2 decisions kept as a draft\.?\s+hint: Continue with: ttctl inbox\s+Discard with: ttctl inbox --discard-draft/,
    );
    expect(statSync(t.file('state/inbox/places.json')).mode & 0o777).toBe(0o600);
    const ready = /Continued with the draft saved (just now|\d+ min ago): 2 decided\.[\s\S]*q quit/;
    const next = await open('', { ready });
    await next.press('S', (screen) => expect(plain(screen)).toMatch(/"No cover"[\s\S]*Enter to send/));
    expect((await next.end('\r')).exit).toBe(0);
    expect([t.sent().length, drafts()]).toEqual([2, []]);
  },
);

it('decisions that were not sent outlive a terminal that is lost', async () => {
  const { press, close } = openShell(`'${process.execPath}' '${BIN}' inbox`, t.processEnv());
  await press('', READY);
  await press('aa', /2 to approve/);
  close();
  await until(() => existsSync(t.file('state/inbox/places.json')));
  expect(drafts()).toEqual(['leave:l1 timesheet:t1']);
});

it('decisions that were not sent are not lost by a look at some of what waits', async () => {
  const first = await open();
  await first.press('aa', /2 to approve/);
  await first.end('q');
  const next = await open('--kind leave', { ready: /the draft saved[\s\S]*q quit/ });
  const { exit, screen } = await next.send();
  expect([exit, screen.includes('Dropped'), t.sent().length]).toEqual([0, false, 1]);
  expect(drafts()).toEqual(['timesheet:t1']);
});

it.each([
  ['', 'u', /Undone\./],
  ['--discard-draft', '', /Inbox/],
])('decisions that were not sent are forgotten: inbox %s, %s', async (flag, keys, shows) => {
  const first = await open();
  await first.press('a', /1 to approve/);
  await first.end('q');
  const next = await open(flag, { ready: /space select/ });
  if (keys !== '') await next.press(keys, shows);
  const { exit, screen, restored } = await next.end('q');
  expect([exit, restored, screen.includes('Draft of 1 decision discarded.')]).toEqual([0, true, flag !== '']);
  expect([drafts(), t.sent()]).toEqual([[], []]);
});

it('decisions that were not sent outlive a run that fails, and a preview', async () => {
  t.answer = (request) => (request.line.startsWith('GET') ? plainly(request) : REFUSED);
  const preview = await open('--dry-run');
  await preview.press('a', /1 to approve/);
  expect([(await preview.send()).exit, drafts()]).toEqual([0, ['leave:l1']]);
  const run = await open();
  expect([(await run.send()).exit, drafts()]).toEqual([6, ['leave:l1']]);
});

it('decisions that were not sent hold the screen open with q where they cannot be kept', async () => {
  t.file('state/inbox', '');
  const { press, end } = await open();
  await press('a', /1 to approve/);
  await press('q', /Cannot keep a draft: [\s\S]*to discard it/);
  const { exit, screen } = await end('\x03');
  expect(exit).toBe(130);
  expect(plain(screen)).toContain('1 decision discarded');
});

describe('what is known around an item', () => {
  const readsSheets = ({ line }: Recorded) => /^GET \/timesheets\?(?!.*status).*date_from/.test(line);

  it('is beside the list, and takes one list for all of a kind', async () => {
    const days = { date_from: '2026-11-02', date_to: '2026-11-08', reject_reason: 'Friday is missing' };
    const earlier = timesheet('t0', 17, 38.5, { status: 'rejected', ...days });
    t.answer = (request) =>
      readsSheets(request)
        ? answerFrom({ timesheets: [earlier] }, { ...request, line: 'GET /timesheets' })
        : plainly(request);
    const { press, end } = await open('', { columns: 120 });
    await press('j', /last decision[\s\S]*"Friday is/);
    // The line of the cursor is drawn anew.
    for (const key of 'jjjkkkkj') await press(key, '\x1b[7m');
    expect((await end('q')).exit).toBe(0);
    expect(t.requests.filter(readsSheets)).toHaveLength(1);
    expect(t.lines().filter((line) => line.startsWith('GET /time-requests?'))).toHaveLength(3);
  });

  it('keeps no key waiting, and is given up with the screen', async () => {
    t.answer = (request) => (readsSheets(request) ? { silent: true } : plainly(request));
    const { press, send } = await open('', { columns: 120 });
    await press('j', /loading\.\.\./);
    await press('a', /1 to approve/);
    expect(await send()).toMatchObject({ exit: 0, restored: true });
    expect(t.sent()).toHaveLength(1);
  });
});

it.each([
  ['with TERM=dumb', '', { TERM: 'dumb' }, ''],
  ['with --no-input', '--no-input', {}, ''],
  ['with --columns', '--columns id,kind', {}, ''],
  ['in CI', '', { CI: 'true' }, ''],
  ['with stdout in a pipe', '', {}, '| cat'],
  ['with stdin in a pipe', '', {}, '</dev/null'],
])('there is a list in place of the screen %s', async (_name, flags, env, redirect) => {
  const { screen } = await t.terminal(`inbox ${flags}`, { env, redirect }).ended;
  expect(screen).not.toContain('\x1b[?1049h');
  expect(screen).toMatch(/leave/);
});

it('there is a list in place of the screen where nothing could be sent: the profile is read-only', async () => {
  await t.read('profile set --read-only');
  const { exit, screen } = await t.terminal('inbox').ended;
  expect(exit).toBe(0);
  expect(screen).toMatch(/View only: profile \S+ is read-only/);
  expect(screen).not.toContain('\x1b[?1049h');
});

it('S3: what changed while it was on the screen is not sent', async () => {
  const { press, end } = await open();
  await press('aaaa', /4 to approve/);
  await press('S', /Enter to send/);
  // Somebody else has decided on t2, and t3 has other hours.
  const change = (row: Row) =>
    ({ t2: { ...row, status: 'rejected' }, t3: { ...row, total_hours: 61 } })[String(row['id'])] ?? row;
  t.lists['timesheets'] = (t.lists['timesheets'] ?? []).map(change);
  const { exit, screen } = await end('\r');
  expect(exit, screen).toBe(8);
  expect(plain(screen)).toMatch(/changed since:\s+status:\s+submitted → rejected/);
  expect(plain(screen)).toMatch(/changed since:\s+hours:\s+38:30 → 61:00/);
  expect([...t.writes()].sort()).toEqual(['PUT /leaves/l1/approve', 'PUT /timesheets/t1/approve']);
});

it('a review of several operations is one job: refused rows come back by command, cut ones are looked up', async () => {
  /** While it is late two writes are refused, one is cut, and no record can be read. */
  let late = true;
  const decided = new Set<string>();
  t.answer = (request) => {
    const [, path = '', id = ''] =
      /^(?:PUT|POST) \/([\w-]+)\/(\w+)\/(?:approve|reject)/.exec(request.line) ?? [];
    if (id === '')
      return late && decided.size > 0 && /[?&]id=/.test(request.line) ? { cut: true } : plainly(request);
    decided.add(id);
    if (late && (id === 't1' || id === 'r1')) return REFUSED;
    t.lists[path] = (t.lists[path] ?? []).map((row) =>
      row['id'] === id ? { ...row, status: 'approved' } : row,
    );
    return id === 't3' ? { cut: true } : plainly(request);
  };
  const { press, send } = await open('--yes', { env: { TTCTL_MAX_WAIT: '0' } });
  // l1 rejected, t1 and t2 and t3 approved, r1 rejected.
  await press('rno\r', /1 to reject/);
  await press('aaa', /3 to approve/);
  await press('rtwice\r', /2 to reject/);
  const { exit, screen } = await send();
  expect(exit, screen).toBe(8);
  expect(plain(screen)).toMatch(/failed\s+See what is still waiting: ttctl inbox/);
  expect(plain(screen)).toContain('3 of 5 requests not decided');
  expect([...decided].sort()).toEqual(['l1', 'r1', 't1', 't2', 't3']);
  const [journal = ''] = runFiles(t.state);
  const failed = journal.replace('.jsonl', '.failed.csv');
  expect(plain(screen).replace(/\s+/g, ' ')).toContain(`retry with --from-file ${quoteShellWord(failed)}`);
  expect(t.text(failed.slice(t.folder.length + 1))).toBe(
    'operation,id,comment,error\r\ntimesheets.approve,t1,,Too late.\r\ntime-requests.reject,r1,twice,Too late.\r\n',
  );
  late = false;
  const before = t.sent().length;
  expect(await t.json(['jobs', 'resume', basename(journal, '.jsonl')])).toMatchObject([
    { target: 't3', status: 'done', operation: 'timesheets.approve' },
  ]);
  expect(t.sent().slice(before)).toEqual([]);
  for (const noun of ['timesheets approve', 'time-requests reject', 'leaves approve']) {
    const again = await t.run([...noun.split(' '), '--from-file', failed, '--yes']);
    expect(again.exit, again.stderr).toBe(noun === 'leaves approve' ? 2 : 0);
  }
  expect(t.sent().slice(before)).toEqual([
    'PUT /timesheets/t1/approve?workspace_id=7 {"workspace_id":7}',
    'POST /time-requests/r1/reject?workspace_id=7 {"workspace_id":7,"comment":"twice"}',
  ]);
});

it.each([
  ['month-end', 280],
  ['messy', 13],
])('the seed %s of the embedded sandbox is shown', async (sandbox, count) => {
  const { terminal } = await openCli({ sandbox });
  const review = wrap(terminal('inbox'));
  await review.until(new RegExp(`Inbox: ${count} waiting`));
  await review.press('Aa', new RegExp(`${count} to approve`));
  await review.press('u', /Undone\./);
  const { exit, screen, restored } = await review.end('q');
  expect([exit, restored]).toEqual([0, true]);
  expect(screen).not.toContain('\x1b]0;');
});

describe('where much is waiting', () => {
  /** `Person 0007` has timesheet t7 alone. */
  const waitFor = (count: number, more: (n: number) => Row = () => ({})) => {
    const all = Array.from({ length: count }, (_, n) => n + 1);
    const lastname = (n: number) => String(n).padStart(4, '0');
    const timesheets = all.map((n) => timesheet(`t${n}`, n, 7.5, more(n)));
    t.lists = { timesheets, members: all.map((n) => member(n, 'Person', { lastname: lastname(n) })) };
  };

  it('2,000: goes anywhere, loses no key, filters, selects, and sends the one decision', async () => {
    waitFor(2_000, (n) => (n === 1_500 ? { total_hours: 0 } : {}));
    const { press, end } = await open('', { columns: 120, ready: /Inbox: 2000 waiting/ });
    /** Until a whole frame has the cursor on this person. */
    const goTo = (keys: string, person: string) =>
      press(keys, new RegExp(`›[^\\n│]*Person ${person}[\\s\\S]*q quit`));
    await goTo('j', '0002');
    await goTo('G', '2000');
    await goTo('g', '0001');
    await goTo('j'.repeat(40), '0041');
    await goTo('k'.repeat(22), '0019');
    await goTo('n', '1500');
    await press('/SON 150', /12 shown: "SON 150"/);
    await press('\r', /12 shown: "SON 150"[\s\S]*q quit/);
    await press('A', /12 selected/);
    await press('\x1b', /a warning, 12 shown[\s\S]*q quit/);
    await press('\x1b', /waiting, 1 with a warning[^,]*\n[\s\S]*q quit/);
    await goTo('gn', '1500');
    await goTo(' ', '1501');
    await press('G', /1 selected/);
    await press('a', /1 to approve/);
    const review = plain(await press('S', /Enter to send/));
    expect(review).toMatch(/Approve 1 \(1 with warnings\)[\s\S]*it has no hours[\s\S]*1999 left undecided/);
    const { exit, screen, restored } = await end('\r');
    expect([exit, restored], screen.slice(-2_000)).toEqual([0, true]);
    expect(plain(screen)).toMatch(/1999 still waiting: ttctl inbox/);
    expect(t.writes()).toEqual(['PUT /timesheets/t1500/approve']);
  });

  it('42: approves 40 and rejects 2 with 12 keys beside names and reasons; one screen is review and question', async () => {
    waitFor(42);
    const { press, ended } = await open('', { ready: /Inbox: 42 waiting[\s\S]*q quit/ });
    await press('A', /42 selected/);
    await press('a', /42 to approve/);
    await press('/', /Filter: /);
    await press('Person 0007', /Filter: Person 0007/);
    await press('\r', /1 shown: [\s\S]*q quit/);
    await press('r', /Reject Person 0007\. Reason[\s\S]*> /);
    await press('Friday is missing', /> Friday is missing/);
    await press('\r', /41 to approve, 1 to reject/);
    await press('/', /Filter: /);
    await press('Person 0030', /Filter: Person 0030/);
    await press('\r', /1 shown: [\s\S]*q quit/);
    await press('rWrong project\r', /40 to approve, 2 to reject/);
    const review = plain(await press('S', /Enter to send/));
    expect(review).toContain('Approve 40 and reject 2');
    expect(review).toMatch(
      /Reject 2[\s\S]*Person 0007 [\s\S]*"Friday is missing"[\s\S]*Person 0030 [\s\S]*"Wrong project"/,
    );
    await press('\r', /40 approved, 2 rejected/);
    const { exit, screen } = await ended;
    expect(exit, screen.slice(-2_000)).toBe(0);
    expect(screen).not.toMatch(QUESTION);
    expect(t.sent().filter((line) => line.includes('/reject'))).toEqual([
      'PUT /timesheets/t7/reject?workspace_id=7 {"workspace_id":7,"reason":"Friday is missing"}',
      'PUT /timesheets/t30/reject?workspace_id=7 {"workspace_id":7,"reason":"Wrong project"}',
    ]);
    expect(t.sent().filter((line) => line.includes('/approve'))).toHaveLength(40);
  });
});
