import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { quoteShellWord } from '../src/parsing/shell-word.ts';
import { until } from './support/clocks.ts';
import { BIN } from './support/process.ts';
import { leave, member, timeRequest, timesheet } from './support/records.ts';
import { runFiles } from './support/runs.ts';
import { type Answer, envelope, ofRequest, onePage, type Recorded } from './support/service.ts';
import { openShell, type Terminal } from './support/terminal.ts';
import { openCli, useCli } from './support/use-cli.ts';

/** `ttctl inbox` at a real terminal: the built program, what is typed, and what it sends. */

const plain = (screen: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal is told
  screen.replace(/\x1b\[[0-9;?]*[a-zA-Z]/g, '');

/** The oldest first: l1, t1, t2, t3, r1. The leave is far ahead: it has not begun when this runs. */
const LEAVE = leave('l1', 18, 5, {
  ...{ start_date: '2097-03-01', end_date: '2097-03-05', note: 'Walking in Kerry' },
  created_on: '2026-11-01T09:00:00Z',
});
const SHEETS = ['16', '17', '18'].map((day, n) =>
  timesheet(`t${n + 1}`, 17, 38.5, { submitted_on: `2026-11-${day}T08:15:00Z` }),
);
const TIME = timeRequest('r1', 18);
const PEOPLE = [
  member(17, 'Ana', { lastname: 'Sousa', weekly_hours_limit: null }),
  member(18, 'Bo', { weekly_hours_limit: null }),
];
const leave_information = [{ leave_type: 'Annual leave', balance: '30 days' }];
const BALANCES = [17, 18].map((user_id) => ({ user_id, leave_information }));

/** The record that was decided on, with the reason that was sent. */
const decidedRecord = (request: Recorded) => envelope(ofRequest(request, { ...Object(request.body) }));

const plainly = (request: Recorded): Answer => {
  const { line } = request;
  if (line.includes('status=approved')) return { body: onePage([]) };
  if (line.startsWith('GET /time-requests/')) return { body: envelope(TIME) };
  const lists: Record<string, readonly object[]> = {
    ...{ timesheets: SHEETS, leaves: [LEAVE], 'time-requests': [TIME], members: PEOPLE },
    ...{ 'leaves/policies': [{ id: 3, name: 'Annual leave' }], 'leaves/balances': BALANCES },
  };
  const [, path = ''] = /^GET \/([\w/-]+)/.exec(line) ?? [];
  return { body: line.startsWith('GET') ? onePage(lists[path] ?? []) : decidedRecord(request) };
};
const REFUSED: Answer = { status: 400, body: { success: false, message: 'Too late.', meta: {} } };

const t = useCli({ service: plainly });

const READY = /Inbox: 5 waiting/;
const QUESTION = /\? \(y\/N\)/;
const [MARK_PASTES, MARK_NO_PASTES] = ['\x1b[?2004h', '\x1b[?2004l'];

/** The review, and the keys that its tests press. */
const wrap = (terminal: Terminal) => {
  /** Types, and waits until the screen shows it. */
  const type = async (keys: string, shows: RegExp): Promise<void> => {
    terminal.type(keys);
    await terminal.until(shows);
  };
  /** Types, and waits for the end. */
  const end = (keys: string) => {
    terminal.type(keys);
    return terminal.ended;
  };
  /** Sends what was decided, and waits for the end. */
  const send = async () => {
    await type('S', /Enter to (send|preview)/);
    return end('\r');
  };
  return { ...terminal, type, end, send };
};
const open = async (args: readonly string[] = [], env = {}, ready: RegExp = READY, columns = 80) => {
  const terminal = wrap(t.terminal(['inbox', ...args], { env, columns }));
  await terminal.until(ready);
  return terminal;
};

const places = (): Readonly<
  Record<string, { reasons?: string[]; draft?: { decisions: { key: string }[] } }>
> => JSON.parse(t.text('state/inbox/places.json'));
const reasons = () => Object.values(places()).map((place) => place.reasons);
const drafts = () =>
  Object.values(places()).flatMap(({ draft }) => draft?.decisions.map(({ key }) => key).join(' ') ?? []);

describe('a review', () => {
  it('approves, rejects with a reason, undoes, skips; and sends exactly that', async () => {
    const { type, press, end } = await open();
    await type('aaa', /3 to approve/);
    await type('u', /Undone\./);
    await type('rFriday is missing\r', /1 to reject/);
    await type('s', /1 skipped/);
    await type('rtracked already\r', /2 to reject/);
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

  it('offers the reasons that were given before', async () => {
    for (const keys of ['rNo cover that week\r', 'r\x1b[A\r']) {
      const { type, send } = await open(['--yes']);
      await type(keys, /1 to reject/);
      expect((await send()).exit).toBe(0);
    }
    const line = 'PUT /leaves/l1/reject?workspace_id=7 {"workspace_id":7,"reason":"No cover that week"}';
    expect(t.sent()).toEqual([line, line]);
    expect(reasons()).toEqual([['No cover that week']]);
  });

  it('keeps no reason with a secret in it, and survives a file that is none', async () => {
    mkdirSync(t.file('state/inbox'), { recursive: true, mode: 0o700 });
    writeFileSync(t.file('state/inbox/places.json'), '{"torn', { mode: 0o600 });
    const { type, send } = await open(['--yes']);
    await type('rsee token-of-the-test\r', /1 to reject/);
    await type('rplain\r', /2 to reject/);
    expect((await send()).exit).toBe(0);
    expect(reasons()).toEqual([['plain']]);
  });

  it('ends in planned results under --dry-run, with no question and no write', async () => {
    const { type, send } = await open(['--dry-run']);
    await type('arno\r', /1 to reject/);
    const { exit, screen } = await send();
    expect(exit).toBe(0);
    expect(plain(screen)).toMatch(/status:\s+pending\s+→\s+approved/);
    expect(screen).not.toMatch(QUESTION);
    expect(t.sent()).toEqual([]);
  });

  it('has no colour with NO_COLOR, and tells decisions by their marks', async () => {
    const { press, end } = await open([], { NO_COLOR: '1' });
    await press('arno\r', /1 to reject[\s\S]*✓ .* Bo Ek[\s\S]*✗.* Ana Sousa/);
    const { exit, screen } = await end('\x03');
    expect(exit).toBe(130);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a colour would begin with it
    expect(screen).not.toMatch(/\x1b\[\d*(;\d+)*m/);
  });
});

describe('nothing is sent, and the terminal is as it was, after', () => {
  it('q with no choice', async () => {
    const { exit, screen, restored } = await (await open()).end('q');
    expect([exit, restored], screen).toEqual([0, true]);
    expect(screen).toContain('\x1b[?1049l');
    expect(screen.lastIndexOf('\x1b[?25h')).toBeGreaterThan(screen.lastIndexOf('\x1b[?25l'));
    expect(screen.lastIndexOf(MARK_NO_PASTES)).toBeGreaterThan(screen.lastIndexOf(MARK_PASTES));
    expect(t.sent()).toEqual([]);
  });

  it.each(['TERM', 'HUP', 'INT'])('SIG%s', async (signal) => {
    const command = `sh -c 'echo "pid $$"; exec "$0" "$1" inbox' '${process.execPath}' '${BIN}'`;
    const { screen, until: shows, press, close } = openShell(command, t.processEnv());
    await shows(READY);
    await press('a', /1 to approve/);
    process.kill(Number(/pid (\d+)/.exec(screen())?.[1]), `SIG${signal}`);
    await shows(/kept as a draft/);
    expect(screen().lastIndexOf(MARK_NO_PASTES)).toBeGreaterThan(screen().lastIndexOf(MARK_PASTES));
    expect(screen()).toContain('\x1b[?1049l');
    expect(t.sent()).toEqual([]);
    close();
  });
});

/** In its marks, as a terminal sends it. */
const paste = (text: string): string => `\x1b[200~${text}\x1b[201~`;

describe('a paste, a burst, a held key', () => {
  const TEXT = 'Friday is missing\ra\raaS\r\ry\r\r';

  it('in the marks of a terminal is a reason on one line, and no key', async () => {
    const { until: shows, type, press, end } = await open();
    await shows(MARK_PASTES);
    await type('r', /Reason/);
    await type(paste(TEXT), /> Friday is missing a aaS y/);
    await type('\r', /1 to reject/);
    await type(paste(TEXT), /1 to reject[\s\S]*Pasted text is ignored here\./);
    await type('S', /Enter to send/);
    await press(paste(TEXT), /Pasted text is ignored here\.[\s\S]*Enter to send/);
    expect(t.sent()).toEqual([]);
    expect((await end('\r')).exit).toBe(0);
    expect(t.sent()).toEqual([
      'PUT /leaves/l1/reject?workspace_id=7 {"workspace_id":7,"reason":"Friday is missing a aaS y"}',
    ]);
  });
});

describe('decisions that were not sent', () => {
  const HINT =
    '2 decisions kept as a draft\\.?\\s+hint: Continue with: ttctl inbox\\s+Discard with: ttctl inbox --discard-draft';
  it.each([
    ['Ctrl-C', '\x03', 130, /\nerror: cancelled: nothing was sent; /],
    ['q', 'q', 9, /(?<!error: )Nothing was sent; /],
  ])('outlive %s, are offered, sent, and then forgotten', async (_name, keys, exit, says) => {
    const first = await open();
    await first.type('arNo cover\r', /1 to reject/);
    const left = await first.end(keys);
    expect([left.exit, left.restored]).toEqual([exit, true]);
    expect(plain(left.screen)).toMatch(new RegExp(`${says.source}${HINT}`));
    expect(statSync(t.file('state/inbox/places.json')).mode & 0o777).toBe(0o600);
    const continued = /Continued with the draft saved (just now|\d+ min ago): 2 decided\.[\s\S]*q quit/;
    const next = await open([], {}, continued);
    await next.press('S', (screen) => expect(plain(screen)).toMatch(/"No cover"[\s\S]*Enter to send/));
    expect((await next.end('\r')).exit).toBe(0);
    expect(t.sent()).toHaveLength(2);
    expect(drafts()).toEqual([]);
  });

  it('outlive a terminal that is lost', async () => {
    const { press, close } = openShell(`'${process.execPath}' '${BIN}' inbox`, t.processEnv());
    await press('', READY);
    await press('aa', /2 to approve/);
    close();
    await until(() => existsSync(t.file('state/inbox/places.json')));
    expect(drafts()).toEqual(['leave:l1 timesheet:t1']);
  });

  it('are not lost by a look at some of what waits', async () => {
    const first = await open();
    await first.type('aa', /2 to approve/);
    await first.end('q');
    const next = await open(['--kind', 'leave'], {}, /the draft saved[\s\S]*q quit/);
    const { exit, screen } = await next.send();
    expect([exit, screen.includes('Dropped')]).toEqual([0, false]);
    expect(t.sent()).toHaveLength(1);
    expect(drafts()).toEqual(['timesheet:t1']);
  });

  it('are forgotten with u, and with --discard-draft', async () => {
    for (const args of [[], ['--discard-draft']]) {
      const first = await open();
      await first.type('a', /1 to approve/);
      await first.end('q');
      const next = await open(args, {}, /space select/);
      if (args.length === 0) await next.type('u', /Undone\./);
      const { exit, screen } = await next.end('q');
      expect(exit, screen).toBe(0);
      expect(screen.includes('Draft of 1 decision discarded.')).toBe(args.length > 0);
      expect(drafts()).toEqual([]);
    }
  });

  it('outlive a run that fails, and a preview', async () => {
    t.answer = (request) => (request.line.startsWith('GET') ? plainly(request) : REFUSED);
    for (const args of [['--dry-run'], []]) {
      const { type, send } = await open(args);
      if (args.length > 0) await type('a', /1 to approve/);
      expect((await send()).exit).toBe(args.length === 0 ? 6 : 0);
      expect(drafts()).toEqual(['leave:l1']);
    }
  });

  it('hold the screen open with q where they cannot be kept', async () => {
    mkdirSync(t.state, { recursive: true, mode: 0o700 });
    t.file('state/inbox', '');
    const { type, end } = await open();
    await type('a', /1 to approve/);
    await type('q', /Cannot keep a draft: [\s\S]*to discard it/);
    const { exit, screen } = await end('\x03');
    expect(exit).toBe(130);
    expect(plain(screen)).toContain('1 decision discarded');
  });
});

describe('what is known around an item', () => {
  const readsSheets = ({ line }: Recorded) => /^GET \/timesheets\?(?!.*status).*date_from/.test(line);
  /** The line of the cursor is drawn anew. */
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal is told
  const MOVED = /\x1b\[7m/;

  it('is beside the list, and takes one list for all of a kind', async () => {
    const days = { date_from: '2026-11-02', date_to: '2026-11-08', reject_reason: 'Friday is missing' };
    const earlier = timesheet('t0', 17, 38.5, { status: 'rejected', ...days });
    t.answer = (request) => (readsSheets(request) ? { body: onePage([earlier]) } : plainly(request));
    const { type, press, end } = await open([], {}, READY, 120);
    await type('j', /last decision[\s\S]*"Friday is/);
    for (const key of ['j', 'j', 'j', 'k', 'k', 'k', 'k', 'j']) await press(key, MOVED);
    expect((await end('q')).exit).toBe(0);
    expect(t.requests.filter(readsSheets)).toHaveLength(1);
    expect(t.lines().filter((line) => line.startsWith('GET /time-requests?'))).toHaveLength(3);
  });

  it('keeps no key waiting, and is given up with the screen', async () => {
    t.answer = (request) => (readsSheets(request) ? { silent: true } : plainly(request));
    const { type, send } = await open([], {}, READY, 120);
    await type('j', /loading\.\.\./);
    await type('a', /1 to approve/);
    expect(await send()).toMatchObject({ exit: 0, restored: true });
    expect(t.sent()).toHaveLength(1);
  });
});

describe('there is a list in place of the screen', () => {
  it.each([
    ['with TERM=dumb', [], { TERM: 'dumb' }, ''],
    ['with --no-input', ['--no-input'], {}, ''],
    ['with --columns', ['--columns', 'id,kind'], {}, ''],
    ['in CI', [], { CI: 'true' }, ''],
    ['with stdout in a pipe', [], {}, '| cat'],
    ['with stdin in a pipe', [], {}, '</dev/null'],
  ])('%s', async (_name, args, env, redirect) => {
    const { screen } = await t.terminal(['inbox', ...args], { env, redirect }).ended;
    expect(screen).not.toContain('\x1b[?1049h');
    expect(screen).toMatch(/leave/);
  });

  it('where nothing could be sent: the profile is read-only', async () => {
    const url = t.baseUrl;
    delete t.env['TTCTL_BASE_URL'];
    await t.read(`profile set --profile look --base-url ${url} --read-only`);
    const { exit, screen } = await t.terminal('inbox --profile look').ended;
    expect(exit).toBe(0);
    expect(screen).toContain('View only: profile look is read-only');
    expect(screen).not.toContain('\x1b[?1049h');
  });
});

describe('what goes wrong', () => {
  it('S3: what changed while it was on the screen is not sent', async () => {
    const { type, end } = await open();
    await type('aaaa', /4 to approve/);
    await type('S', /Enter to send/);
    // Somebody else has decided on t2, and t3 has other hours.
    const now = [SHEETS[0], { ...SHEETS[1], status: 'rejected' }, { ...SHEETS[2], total_hours: 61 }];
    t.answer = (request) => {
      const [, id, status] =
        /^GET \/timesheets\?.*[?&](?:id=(\w+)|status=(submitted))/.exec(request.line) ?? [];
      if ((id ?? status) === undefined) return plainly(request);
      return { body: onePage(now.filter((one) => one?.['id'] === id || one?.['status'] === status)) };
    };
    const { exit, screen } = await end('\r');
    expect(exit, screen).toBe(8);
    expect(plain(screen)).toMatch(/changed since: status:\s+submitted → rejected/);
    expect(plain(screen)).toMatch(/changed since: hours:\s+38:30 → 61:00/);
    expect([...t.writes()].sort()).toEqual(['PUT /leaves/l1/approve', 'PUT /timesheets/t1/approve']);
  });

  it('a run of several operations is one job: refused rows come back by command, cut ones are looked up', async () => {
    /** While it is late two writes are refused, one is cut, and no record can be read. */
    let late = true;
    const decided = new Set<string>();
    const decide = (id: string, request: Recorded): Answer => {
      decided.add(id);
      if (id === 't3') return { cut: true };
      return late && (id === 't1' || id === 'r1') ? REFUSED : { body: decidedRecord(request) };
    };
    const look = (id: string): Answer => {
      if (!decided.has(id)) return { body: onePage([...SHEETS, LEAVE].filter((row) => row['id'] === id)) };
      return late ? { cut: true } : { body: onePage([{ id, status: 'approved' }]) };
    };
    t.answer = (request) => {
      const [, decides] = /^(?:PUT|POST) \/[\w-]+\/(\w+)\/(?:approve|reject)/.exec(request.line) ?? [];
      if (decides !== undefined) return decide(decides, request);
      const [, looks] = /[?&]id=(\w+)/.exec(request.line) ?? [];
      return looks === undefined ? plainly(request) : look(looks);
    };
    const { type, send } = await open(['--yes'], { TTCTL_MAX_WAIT: '0' });
    // l1 rejected, t1 and t2 and t3 approved, r1 rejected.
    await type('rno\r', /1 to reject/);
    await type('aaa', /3 to approve/);
    await type('rtwice\r', /2 to reject/);
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
});

it.each([
  ['month-end', 280],
  ['messy', 13],
])('the seed %s of the embedded sandbox is shown', async (sandbox, count) => {
  const { terminal } = await openCli({ sandbox });
  const review = wrap(terminal('inbox'));
  await review.until(new RegExp(`Inbox: ${count} waiting`));
  await review.type('Aa', new RegExp(`${count} to approve`));
  await review.type('u', /Undone\./);
  const { exit, screen, restored } = await review.end('q');
  expect([exit, restored]).toEqual([0, true]);
  expect(screen).not.toContain('\x1b]0;');
});

describe('where much is waiting', () => {
  const emailOf = (n: number): string => `m${n}@example.com`;
  /** `Person 007` */
  const nameOf = (n: number): string => `Person ${String(n).padStart(3, '0')}`;

  /** A sandbox of so many members in which these timesheets of a day are waiting. */
  const openSeed = async (
    people: number,
    sheets: readonly { of: number; daysAgo: number; hours: number }[],
  ) => {
    const owner = { email: 'owner@example.com', firstname: 'Ona', lastname: 'Vance', role: 'Owner' };
    const members = Array.from({ length: people }, (_, n) => {
      const [firstname, lastname] = nameOf(n).split(' ');
      return { email: emailOf(n), firstname, lastname, weekly_hours_limit: 40 };
    });
    const timesheets = sheets.map(({ of, daysAgo, hours }) => ({
      ...{ member: emailOf(of), status: 'submitted', total_hours: hours },
      ...{ date_from: `-${daysAgo}d`, date_to: `-${daysAgo}d` },
    }));
    const seed = t.file('seed.json', JSON.stringify({ members: [owner, ...members], timesheets }));
    const cli = await openCli({ sandbox: { seed } });
    const listSheets = () => cli.rows('timesheets list --columns +member.name');
    return { cli, listSheets };
  };

  /** Types, and waits for a whole frame with the cursor on the item of this person, at this place (from 1) or about it. */
  const goTo = async (terminal: Terminal, keys: string, at: number, name: string) => {
    await terminal.press(keys, (screen) => {
      const frame = plain(screen.slice(screen.lastIndexOf('Inbox: ')));
      const [, first, last, count] = /(\d+)–(\d+) of (\d+)[\s\S]*q quit/.exec(frame)?.map(Number) ?? [];
      const current = /›[^\n│]*(Person \d+)/.exec(frame)?.[1];
      expect([count, current, (first ?? 0) <= at && at <= (last ?? 0)]).toEqual([2_000, name, true]);
    });
  };

  it('2,000: goes anywhere, loses no key, filters, selects, and sends the one decision', async () => {
    const [PERSONS, COUNT, FLAGGED] = [200, 2_000, 1_500];
    /** The oldest first, each of another day. */
    const nameAt = (place: number): string => nameOf((place - 1) % PERSONS);
    const sheets = Array.from({ length: COUNT }, (_, n) => ({
      ...{ of: n % PERSONS, daysAgo: COUNT + 7 - n, hours: n + 1 === FLAGGED ? 0 : 7.5 },
    }));
    const { cli, listSheets } = await openSeed(PERSONS, sheets);
    const terminal = cli.terminal('inbox', { columns: 120 });
    await terminal.until(/Inbox: 2000 waiting/);
    await goTo(terminal, 'j', 2, nameAt(2));
    await goTo(terminal, 'G', COUNT, nameAt(COUNT));
    await goTo(terminal, 'g', 1, nameAt(1));
    await goTo(terminal, 'j'.repeat(40), 41, nameAt(41));
    await goTo(terminal, 'k'.repeat(22), 19, nameAt(19));
    await goTo(terminal, 'n', FLAGGED, nameAt(FLAGGED));
    await terminal.press('/M17@', /10 shown: "M17@"/);
    await terminal.press('\r', /10 shown: "M17@"[\s\S]*q quit/);
    await terminal.press('A', /10 selected/);
    await terminal.press('\x1b', (screen) => expect(screen).toMatch(/waiting, 10 shown[\s\S]*q quit/));
    await terminal.press('\x1b', /Inbox: 2000 waiting[^,]*\n[\s\S]*q quit/);
    await goTo(terminal, 'n', FLAGGED, nameAt(FLAGGED));
    await goTo(terminal, ' ', FLAGGED + 1, nameAt(FLAGGED + 1));
    await terminal.press('G', /1 selected/);
    await terminal.press('a', /1 to approve/);
    const review = plain(await terminal.press('S', /Enter to send/));
    expect(review).toMatch(/Approve 1 \(1 with warnings\)[\s\S]*it has no hours[\s\S]*1999 left undecided/);
    const { exit, screen, restored } = await wrap(terminal).end('\r');
    expect([exit, restored], screen.slice(-2_000)).toEqual([0, true]);
    expect(plain(screen)).toMatch(/1999 still waiting: ttctl inbox/);
    expect(await cli.writes()).toEqual([expect.stringMatching(/^PUT \/(.*\/)?timesheets\/[\w-]+\/approve$/)]);
    const decided = (await listSheets()).filter((row) => row['status'] !== 'submitted');
    expect(decided).toMatchObject([{ status: 'approved', member: { name: nameAt(FLAGGED) } }]);
  });

  it('42: approves 40 and rejects 2 with 12 keys beside names and reasons; one screen is review and question', async () => {
    const sheets = Array.from({ length: 42 }, (_, n) => ({ of: n, daysAgo: 50 - n, hours: 7.5 }));
    const { cli, listSheets } = await openSeed(42, sheets);
    const terminal = cli.terminal('inbox');
    await terminal.until(/Inbox: 42 waiting[\s\S]*q quit/);
    let keys = 0;
    /** Keys are counted; what is written as text is a name or a reason. */
    const press = (key: string, shows: RegExp) => {
      if (key.length === 1) keys += 1;
      return terminal.press(key, shows);
    };
    await press('A', /42 selected/);
    await press('a', /42 to approve/);
    for (const [n, reason] of [
      [7, 'Friday is missing'],
      [30, 'Wrong project'],
    ] as const) {
      await press('/', /Filter: /);
      await press(nameOf(n), new RegExp(`Filter: ${nameOf(n)}`));
      await press('\r', /1 shown: [\s\S]*q quit/);
      await press('r', new RegExp(`Reject ${nameOf(n)}\\. Reason[\\s\\S]*> `));
      await press(reason, new RegExp(`> ${reason}`));
      await press('\r', n === 7 ? /41 to approve, 1 to reject/ : /40 to approve, 2 to reject/);
    }
    const review = plain(await press('S', /Enter to send/));
    expect(review).toContain('Approve 40 and reject 2');
    expect(review).toMatch(
      /Reject 2[\s\S]*Person 007 [\s\S]*"Friday is missing"[\s\S]*Person 030 [\s\S]*"Wrong project"/,
    );
    await press('\r', /40 approved, 2 rejected/);
    const { exit, screen } = await terminal.ended;
    expect(exit, screen.slice(-2_000)).toBe(0);
    expect(screen).not.toMatch(QUESTION);
    expect(keys).toBeLessThanOrEqual(12);
    const after = (await listSheets()).map(({ status, member: of, reject_reason: reason }) =>
      status === 'rejected' ? `${Object(of).name}: ${reason}` : status,
    );
    expect(after.filter((one) => one === 'approved')).toHaveLength(40);
    expect(after.filter((one) => one !== 'approved').sort()).toEqual([
      'Person 007: Friday is missing',
      'Person 030: Wrong project',
    ]);
  });
});
