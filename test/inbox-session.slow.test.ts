import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { quoteShellWord } from '../src/parsing/shell-word.ts';
import { until } from './support/clocks.ts';
import { BIN, cleanHome, type Home, runBinary } from './support/process.ts';
import { runFiles } from './support/runs.ts';
import {
  type Answer,
  envelope,
  ofRequest,
  onePage,
  type Recorded,
  type Recorder,
  serviceEnv,
  startRecorder,
} from './support/service.ts';
import { openShell, openTerminal, type Terminal } from './support/terminal.ts';

/** `ttctl inbox` at a real terminal: the built program, what is typed, and what it sends. */

const sheet = (id: string, day: string) => ({
  id,
  user_id: 17,
  status: 'submitted',
  date_from: '2026-11-09',
  date_to: '2026-11-15',
  total_hours: 38.5,
  submitted_on: `${day}T08:15:00Z`,
});
/** Far ahead: it has not begun when this runs. */
const leave = {
  policy_id: 3,
  id: 'l1',
  user_id: 18,
  status: 'pending',
  start_date: '2097-03-01',
  end_date: '2097-03-05',
  total: { days: 5, hours: 40 },
  note: 'Walking in Kerry',
  created_on: '2026-11-01T09:00:00Z',
};
const time = {
  id: 'r1',
  user_id: 18,
  status: 'pending',
  start: '2026-11-18T09:00:00Z',
  end: '2026-11-18T11:00:00Z',
  created_at: '2026-11-18T17:00:00Z',
};
const people = [
  { id: 17, email: 'ana@example.com', firstname: 'Ana', lastname: 'Sousa' },
  { id: 18, email: 'bo@example.com', firstname: 'Bo', lastname: 'Ek' },
].map((one) => ({ weekly_hours_limit: null, ...one }));

const leave_information = [{ leave_type: 'Annual leave', balance: '30 days' }];
const BALANCES = [17, 18].map((user_id) => ({ user_id, leave_information }));

/** The oldest first: l1, t1, t2, t3, r1. */
const SHEETS = [sheet('t1', '2026-11-16'), sheet('t2', '2026-11-17'), sheet('t3', '2026-11-18')];

/** The record that was decided on, with the reason that was sent. */
const decidedRecord = (request: Recorded) => envelope(ofRequest(request, { ...Object(request.body) }));

const plainly = (request: Recorded): Answer => {
  const { line } = request;
  if (line.includes('status=approved')) return { body: onePage([]) };
  if (line.startsWith('GET /timesheets')) return { body: onePage(SHEETS) };
  if (line.startsWith('GET /leaves/policies')) return { body: onePage([{ id: 3, name: 'Annual leave' }]) };
  if (line.startsWith('GET /leaves/balances')) return { body: onePage(BALANCES) };
  if (line.startsWith('GET /leaves?')) return { body: onePage([leave]) };
  if (line.startsWith('GET /time-requests?')) return { body: onePage([time]) };
  if (line.startsWith('GET /time-requests/')) return { body: envelope(time) };
  if (line.startsWith('GET /members')) return { body: onePage(people) };
  return { body: line.startsWith('GET') ? onePage([]) : decidedRecord(request) };
};

let home: Home;
let recorder: Recorder;
let answer: (request: Recorded) => Answer;
beforeEach(async () => {
  home = cleanHome();
  answer = plainly;
  recorder = await startRecorder((request) => answer(request));
});
afterEach(async () => {
  await recorder.close();
  home.remove();
});

const env = (more: Readonly<Record<string, string>> = {}) => ({
  ...home.env,
  ...serviceEnv(recorder),
  TTCTL_STATE_DIR: join(home.folder, 'state'),
  ...more,
});
const writes = () => recorder.lines().filter((line) => !line.startsWith('GET'));

const READY = /Inbox: 5 waiting/;
const QUESTION = /\? \(y\/N\)/;
const [MARK_PASTES, MARK_NO_PASTES] = ['\x1b[?2004h', '\x1b[?2004l'];

const open = (args: readonly string[] = [], more: Readonly<Record<string, string>> = {}): Terminal =>
  openTerminal(['inbox', ...args], { env: env(more) });

/** Types, and waits until the screen shows it. */
const type = async (terminal: Terminal, keys: string, shows: RegExp): Promise<void> => {
  terminal.type(keys);
  await terminal.until(shows);
};

const kept = (): readonly { readonly reasons: readonly string[] }[] =>
  Object.values(JSON.parse(readFileSync(join(home.folder, 'state/inbox/places.json'), 'utf8')));

const plain = (screen: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal is told
  screen.replace(/\x1b\[[0-9;?]*[a-zA-Z]/g, '');

describe('a review', () => {
  it('approves, rejects with a reason, undoes, skips; and sends exactly that', async () => {
    const terminal = open();
    await terminal.until(READY);
    await type(terminal, 'aaa', /3 to approve/);
    await type(terminal, 'u', /Undone\./);
    await type(terminal, 'rFriday is missing\r', /1 to reject/);
    await type(terminal, 's', /1 skipped/);
    await type(terminal, 'rtracked already\r', /2 to reject/);
    const review = plain(await terminal.press('S', /Enter to send/));
    expect(review).toContain('Approve 2 (1 with warnings) and reject 2');
    expect(review).toMatch(/workspace {2}7\s/);
    expect(review).toMatch(/Reject 2\r\n {2}✗ Ana Sousa {2}timesheet {2}Nov 9–15( 2026)? {2}38:30\s/);
    expect(review).toContain('"Friday is missing"');
    terminal.type('\r');
    const { exit, screen, restored } = await terminal.ended;
    expect([exit, restored], screen).toEqual([0, true]);
    expect(screen).not.toMatch(QUESTION);
    expect(plain(screen)).toMatch(/\n2 approved, 2 rejected\s+1 still waiting: ttctl inbox/);
    expect(plain(screen).match(/2 rejected/g)).toHaveLength(1);
    expect(writes().sort()).toEqual([
      'POST /time-requests/r1/reject?workspace_id=7 {"workspace_id":7,"comment":"tracked already"}',
      'PUT /leaves/l1/approve?workspace_id=7 {"workspace_id":7}',
      'PUT /timesheets/t1/approve?workspace_id=7 {"workspace_id":7}',
      'PUT /timesheets/t2/reject?workspace_id=7 {"workspace_id":7,"reason":"Friday is missing"}',
    ]);
  });

  it('offers the reasons that were given before', async () => {
    for (const keys of ['rNo cover that week\r', 'r\x1b[A\r']) {
      const terminal = open(['--yes']);
      await terminal.until(READY);
      await type(terminal, keys, /1 to reject/);
      await type(terminal, 'S', /Enter to send/);
      terminal.type('\r');
      expect((await terminal.ended).exit).toBe(0);
    }
    const line = 'PUT /leaves/l1/reject?workspace_id=7 {"workspace_id":7,"reason":"No cover that week"}';
    expect(writes()).toEqual([line, line]);
    expect(kept()).toMatchObject([{ reasons: ['No cover that week'] }]);
  });

  it('keeps no reason with a secret in it, and survives a file that is none', async () => {
    mkdirSync(join(home.folder, 'state/inbox'), { recursive: true, mode: 0o700 });
    writeFileSync(join(home.folder, 'state/inbox/places.json'), '{"torn', { mode: 0o600 });
    const terminal = open(['--yes']);
    await terminal.until(READY);
    await type(terminal, 'rsee token-of-the-test\r', /1 to reject/);
    await type(terminal, 'rplain\r', /2 to reject/);
    await type(terminal, 'S', /Enter to send/);
    terminal.type('\r');
    expect((await terminal.ended).exit).toBe(0);
    expect(kept()).toMatchObject([{ reasons: ['plain'] }]);
  });

  it('ends in planned results under --dry-run, with no question and no write', async () => {
    const terminal = open(['--dry-run']);
    await terminal.until(READY);
    await type(terminal, 'arno\r', /1 to reject/);
    await type(terminal, 'S', /Enter to preview/);
    terminal.type('\r');
    const { exit, screen } = await terminal.ended;
    expect(exit).toBe(0);
    expect(plain(screen)).toMatch(/status:\s+pending\s+→\s+approved/);
    expect(screen).not.toMatch(QUESTION);
    expect(writes()).toEqual([]);
  });

  it('S20 is drawn on at most 1,000 columns', async () => {
    const terminal = openTerminal(['inbox'], { env: env(), columns: 9_000 });
    await terminal.until(/q quit/);
    terminal.type('q');
    const lines = plain((await terminal.ended).screen).split(/[\r\n]+/);
    expect(lines.reduce((longest, { length }) => Math.max(longest, length), 0)).toBeLessThanOrEqual(1_000);
  });

  it('has no colour with NO_COLOR, and tells decisions by their marks', async () => {
    const terminal = open([], { NO_COLOR: '1' });
    await terminal.until(READY);
    await terminal.press('arno\r', /1 to reject[\s\S]*✓ .* Bo Ek[\s\S]*✗.* Ana Sousa/);
    terminal.type('\x03');
    const { exit, screen } = await terminal.ended;
    expect(exit).toBe(130);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a colour would begin with it
    expect(screen).not.toMatch(/\x1b\[\d*(;\d+)*m/);
  });
});

describe('nothing is sent, and the terminal is as it was, after', () => {
  const ways: [string, readonly [keys: string, shows: RegExp][], string, number][] = [
    ['q with no choice', [], 'q', 0],
    ['q with choices', [['a', /1 to approve/]], 'q', 9],
  ];
  it.each(ways)('%s', async (_name, steps, last, expected) => {
    const terminal = open();
    await terminal.until(READY);
    for (const [keys, shows] of steps) await type(terminal, keys, shows);
    terminal.type(last);
    const { exit, screen, restored } = await terminal.ended;
    expect([exit, restored], screen).toEqual([expected, true]);
    expect(screen).toContain('\x1b[?1049l');
    expect(screen.lastIndexOf('\x1b[?25h')).toBeGreaterThan(screen.lastIndexOf('\x1b[?25l'));
    expect(screen.lastIndexOf(MARK_NO_PASTES)).toBeGreaterThan(screen.lastIndexOf(MARK_PASTES));
    expect(writes()).toEqual([]);
  });

  it.each(['TERM', 'HUP', 'INT'] as const)('SIG%s', async (signal) => {
    const { screen, until, press, close } = openShell(
      `sh -c 'echo "pid $$"; exec "$0" "$1" inbox' '${process.execPath}' '${BIN}'`,
      env(),
    );
    await until(READY);
    await press('a', /1 to approve/);
    process.kill(Number(/pid (\d+)/.exec(screen())?.[1]), `SIG${signal}`);
    await until(/kept as a draft/);
    expect(screen().lastIndexOf(MARK_NO_PASTES)).toBeGreaterThan(screen().lastIndexOf(MARK_PASTES));
    expect(screen()).toContain('\x1b[?1049l');
    expect(writes()).toEqual([]);
    close();
  });
});

/** In its marks, as a terminal sends it. */
const paste = (text: string): string => `\x1b[200~${text}\x1b[201~`;

describe('a paste, a burst, a held key', () => {
  const TEXT = 'Friday is missing\ra\raaS\r\ry\r\r';

  it('in the marks of a terminal is a reason on one line, and no key', async () => {
    const terminal = open();
    await terminal.until(READY, MARK_PASTES);
    await type(terminal, 'r', /Reason/);
    await type(terminal, paste(TEXT), /> Friday is missing a aaS y/);
    await type(terminal, '\r', /1 to reject/);
    await type(terminal, paste(TEXT), /1 to reject[\s\S]*Pasted text is ignored here\./);
    await type(terminal, 'S', /Enter to send/);
    await terminal.press(paste(TEXT), /Pasted text is ignored here\.[\s\S]*Enter to send/);
    expect(writes()).toEqual([]);
    terminal.type('\r');
    expect((await terminal.ended).exit).toBe(0);
    expect(writes()).toEqual([
      'PUT /leaves/l1/reject?workspace_id=7 {"workspace_id":7,"reason":"Friday is missing a aaS y"}',
    ]);
  });

  it('on the review sends nothing, and Enter by itself does', async () => {
    const terminal = open();
    await terminal.until(READY);
    await type(terminal, 'a', /1 to approve/);
    await type(terminal, 'S', /Enter to send/);
    await terminal.press('Friday\r\r', /Approve 1[\s\S]*Enter to send/);
    expect(writes()).toEqual([]);
    terminal.type('\r\r\r');
    expect((await terminal.ended).exit).toBe(0);
    expect(writes()).toHaveLength(1);
  });
});

describe('decisions that were not sent', () => {
  const file = () => join(home.folder, 'state/inbox/places.json');
  const keys = () =>
    Object.values(
      JSON.parse(readFileSync(file(), 'utf8')) as Record<
        string,
        { draft?: { decisions: { key: string }[] } }
      >,
    ).flatMap(({ draft }) => (draft === undefined ? [] : draft.decisions.map(({ key }) => key).join(' ')));

  const HINT =
    '2 decisions kept as a draft\\.?\\s+hint: Continue with: ttctl inbox\\s+Discard with: ttctl inbox --discard-draft';
  it.each([
    ['Ctrl-C', '\x03', 130, /\nerror: cancelled: nothing was sent; /],
    ['q', 'q', 9, /(?<!error: )Nothing was sent; /],
  ])('outlive %s, are offered, sent, and then forgotten', async (_name, end, exit, says) => {
    const first = open();
    await first.until(READY);
    await type(first, 'arNo cover\r', /1 to reject/);
    first.type(end);
    const left = await first.ended;
    expect([left.exit, left.restored]).toEqual([exit, true]);
    expect(plain(left.screen)).toMatch(new RegExp(`${says.source}${HINT}`));
    expect(statSync(file()).mode & 0o777).toBe(0o600);

    const next = open();
    await next.until(/Continued with the draft saved (just now|\d+ min ago): 2 decided\.[\s\S]*q quit/);
    await next.press('S', (screen) => expect(plain(screen)).toMatch(/"No cover"[\s\S]*Enter to send/));
    next.type('\r');
    expect((await next.ended).exit).toBe(0);
    expect(writes()).toHaveLength(2);
    expect(keys()).toEqual([]);
  });

  it('outlive a terminal that is lost', async () => {
    const { press, close } = openShell(`'${process.execPath}' '${BIN}' inbox`, env());
    await press('', READY);
    await press('aa', /2 to approve/);
    close();
    await until(() => existsSync(file()));
    expect(keys()).toEqual(['leave:l1 timesheet:t1']);
  });

  it('are not lost by a look at some of what waits', async () => {
    const first = open();
    await first.until(READY);
    await type(first, 'aa', /2 to approve/);
    first.type('q');
    await first.ended;
    const next = open(['--kind', 'leave']);
    await next.until(/the draft saved[\s\S]*q quit/, (screen) => expect(screen).not.toContain('Dropped'));
    await type(next, 'S', /Enter to send/);
    next.type('\r');
    expect((await next.ended).exit).toBe(0);
    expect(writes()).toHaveLength(1);
    expect(keys()).toEqual(['timesheet:t1']);
  });

  it('are forgotten with u, and with --discard-draft', async () => {
    for (const args of [[], ['--discard-draft']]) {
      const first = open();
      await first.until(READY);
      await type(first, 'a', /1 to approve/);
      first.type('q');
      await first.ended;
      const next = open(args);
      await next.until(READY, /space select/);
      if (args.length === 0) await type(next, 'u', /Undone\./);
      next.type('q');
      const { exit, screen } = await next.ended;
      expect(exit, screen).toBe(0);
      if (args.length > 0) expect(screen).toContain('Draft of 1 decision discarded.');
      expect(keys()).toEqual([]);
    }
  });

  it('outlive a run that fails, and a preview', async () => {
    answer = (request) => (request.line.startsWith('GET') ? plainly(request) : REFUSED);
    for (const args of [['--dry-run'], []]) {
      const terminal = open(args);
      await terminal.until(READY);
      if (args.length > 0) await type(terminal, 'a', /1 to approve/);
      await type(terminal, 'S', /Enter to (send|preview)/);
      terminal.type('\r');
      expect((await terminal.ended).exit).toBe(args.length === 0 ? 6 : 0);
      expect(keys()).toEqual(['leave:l1']);
    }
  });

  it('hold the screen open with q where they cannot be kept', async () => {
    mkdirSync(join(home.folder, 'state'), { recursive: true, mode: 0o700 });
    writeFileSync(join(home.folder, 'state/inbox'), '');
    const terminal = open();
    await terminal.until(READY);
    await type(terminal, 'a', /1 to approve/);
    await type(terminal, 'q', /Cannot keep a draft: [\s\S]*to discard it/);
    terminal.type('\x03');
    const { exit, screen } = await terminal.ended;
    expect(exit).toBe(130);
    expect(plain(screen)).toContain('1 decision discarded');
  });
});

describe('what is known around an item', () => {
  const reads = (path: string) =>
    recorder.lines().filter((line) => line.startsWith(`GET ${path}?`) && !line.includes('status=submitted'));

  /** The line of the cursor is drawn anew. */
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal is told
  const MOVED = /\x1b\[7m/;

  it('is beside the list, and takes one list for all of a kind', async () => {
    const earlier = {
      ...sheet('t0', '2026-11-09'),
      status: 'rejected',
      date_from: '2026-11-02',
      date_to: '2026-11-08',
      reject_reason: 'Friday is missing',
    };
    answer = (request) =>
      request.line.startsWith('GET /timesheets?') && !request.line.includes('submitted')
        ? { body: onePage([earlier]) }
        : plainly(request);
    const terminal = openTerminal(['inbox'], { env: env(), columns: 120 });
    await terminal.until(READY);
    await type(terminal, 'j', /last decision[\s\S]*"Friday is/);
    for (const key of ['j', 'j', 'j', 'k', 'k', 'k', 'k', 'j']) await terminal.press(key, MOVED);
    terminal.type('q');
    expect((await terminal.ended).exit).toBe(0);
    expect(reads('/timesheets')).toHaveLength(1);
    expect(recorder.lines().filter((line) => line.startsWith('GET /time-requests?'))).toHaveLength(3);
  });

  it('keeps no key waiting, and is given up with the screen', async () => {
    answer = (request) =>
      request.line.startsWith('GET /timesheets?') && /date_from/.test(request.line)
        ? { silent: true }
        : plainly(request);
    const terminal = openTerminal(['inbox'], { env: env(), columns: 120 });
    await terminal.until(READY);
    await type(terminal, 'j', /loading\.\.\./);
    await type(terminal, 'a', /1 to approve/);
    await type(terminal, 'S', /Enter to send/);
    terminal.type('\r');
    expect(await terminal.ended).toMatchObject({ exit: 0, restored: true });
    expect(writes()).toHaveLength(1);
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
  ])('%s', async (_name, args, more, redirect) => {
    const { screen } = await openTerminal(['inbox', ...args], { env: env(more), redirect }).ended;
    expect(screen).not.toContain('\x1b[?1049h');
    expect(screen).toMatch(/leave/);
  });

  it('where nothing could be sent: the profile is read-only', async () => {
    const { TTCTL_BASE_URL: url = '', ...others } = env();
    const profile = ['profile', 'set', '--profile', 'look', '--base-url', url, '--read-only'];
    expect(await runBinary(profile, { env: others })).toMatchObject({ exit: 0 });
    const ended = await openTerminal(['inbox', '--profile', 'look'], { env: others }).ended;
    expect(ended.exit).toBe(0);
    expect(ended.screen).toContain('View only: profile look is read-only');
    expect(ended.screen).not.toContain('\x1b[?1049h');
  });
});

interface BusyService {
  /** While it is: two writes are refused, one is cut, and no record can be read. */
  late: boolean;
  readonly decided: Set<string>;
}

const REFUSED: Answer = { status: 400, body: { success: false, message: 'Too late.', meta: {} } };

const ofBusyService = ({ late, decided }: BusyService, request: Recorded): Answer => {
  const [, id] = /^(?:PUT|POST) \/[\w-]+\/(\w+)\/(?:approve|reject)/.exec(request.line) ?? [];
  if (id === undefined) {
    const one = /[?&]id=(\w+)/.exec(request.line)?.[1];
    if (one === undefined) return plainly(request);
    if (!decided.has(one)) return { body: onePage([...SHEETS, leave].filter(({ id: own }) => own === one)) };
    return late ? { cut: true } : { body: onePage([{ id: one, status: 'approved' }]) };
  }
  decided.add(id);
  if (id === 't3') return { cut: true };
  return late && (id === 't1' || id === 'r1') ? REFUSED : { body: decidedRecord(request) };
};

describe('what goes wrong', () => {
  it('S3: what changed while it was on the screen is not sent', async () => {
    const terminal = open();
    await terminal.until(READY);
    await type(terminal, 'aaaa', /4 to approve/);
    await type(terminal, 'S', /Enter to send/);
    // Somebody else has decided on t2, and t3 has other hours.
    const now = [SHEETS[0], { ...SHEETS[1], status: 'rejected' }, { ...SHEETS[2], total_hours: 61 }];
    answer = (request) => {
      const id = /^GET \/timesheets\?.*[?&]id=(\w+)/.exec(request.line)?.[1];
      if (id !== undefined) return { body: onePage(now.filter((one) => one?.id === id)) };
      if (!/^GET \/timesheets\?.*status=submitted/.test(request.line)) return plainly(request);
      return { body: onePage(now.filter((one) => one?.status === 'submitted')) };
    };
    terminal.type('\r');
    const { exit, screen } = await terminal.ended;
    expect(exit, screen).toBe(8);
    expect(plain(screen)).toMatch(/changed since: status:\s+submitted → rejected/);
    expect(plain(screen)).toMatch(/changed since: hours:\s+38:30 → 61:00/);
    expect(
      writes()
        .map((line) => line.replace(/[?].*/, ''))
        .sort(),
    ).toEqual(['PUT /leaves/l1/approve', 'PUT /timesheets/t1/approve']);
  });

  it('a run of several operations is one job: refused rows come back by command, cut ones are looked up', async () => {
    const service = { late: true, decided: new Set<string>() };
    const { decided } = service;
    answer = (request) => ofBusyService(service, request);
    const terminal = open(['--yes'], { TTCTL_MAX_WAIT: '0' });
    await terminal.until(READY);
    // l1 rejected, t1 and t2 and t3 approved, r1 rejected.
    await type(terminal, 'rno\r', /1 to reject/);
    await type(terminal, 'aaa', /3 to approve/);
    await type(terminal, 'rtwice\r', /2 to reject/);
    await type(terminal, 'S', /Enter to send/);
    terminal.type('\r');
    const { exit, screen } = await terminal.ended;
    expect(exit, screen).toBe(8);
    expect(plain(screen)).toMatch(/failed\s+See what is still waiting: ttctl inbox/);
    expect(plain(screen)).toContain('3 of 5 requests not decided');
    expect([...decided].sort()).toEqual(['l1', 'r1', 't1', 't2', 't3']);

    const [journal = ''] = runFiles(join(home.folder, 'state'));
    const failed = journal.replace('.jsonl', '.failed.csv');
    expect(plain(screen).replace(/\s+/g, ' ')).toContain(`retry with --from-file ${quoteShellWord(failed)}`);
    expect(readFileSync(failed, 'utf8')).toBe(
      'operation,id,comment,error\r\ntimesheets.approve,t1,,Too late.\r\ntime-requests.reject,r1,twice,Too late.\r\n',
    );

    service.late = false;
    const before = writes().length;
    const resumed = await runBinary(['jobs', 'resume', basename(journal, '.jsonl'), '--json'], {
      env: env(),
    });
    expect(JSON.parse(resumed.stdout)).toMatchObject([
      { target: 't3', status: 'done', operation: 'timesheets.approve' },
    ]);
    expect(writes().slice(before)).toEqual([]);

    for (const noun of ['timesheets approve', 'time-requests reject', 'leaves approve']) {
      const args = [...noun.split(' '), '--from-file', failed, '--yes'];
      const again = await runBinary(args, { env: env() });
      expect(again.exit, again.stderr).toBe(noun === 'leaves approve' ? 2 : 0);
    }
    expect(writes().slice(before)).toEqual([
      'PUT /timesheets/t1/approve?workspace_id=7 {"workspace_id":7}',
      'POST /time-requests/r1/reject?workspace_id=7 {"workspace_id":7,"comment":"twice"}',
    ]);
  });
});

describe('on the embedded sandbox', () => {
  const embedded = () => ({ ...home.env, TTCTL_STATE_DIR: join(home.folder, 'state') });
  it.each([
    ['month-end', 280],
    ['messy', 13],
  ])('the seed %s is shown', async (seed, count) => {
    await runBinary(['--profile', 'sandbox', 'sandbox', 'reset', '--seed', seed, '--yes'], {
      env: embedded(),
    });
    const terminal = openTerminal(['--profile', 'sandbox', 'inbox'], { env: embedded() });
    await terminal.until(new RegExp(`Inbox: ${count} waiting`));
    await type(terminal, 'Aa', new RegExp(`${count} to approve`));
    await type(terminal, 'u', /Undone\./);
    terminal.type('q');
    const { exit, screen, restored } = await terminal.ended;
    expect([exit, restored]).toEqual([0, true]);
    expect(screen).not.toContain('\x1b]0;');
  });
});
