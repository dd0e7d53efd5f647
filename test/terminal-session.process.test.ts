import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cleanHome, type Home, promptly, runBinary } from './support/process.ts';
import {
  type Answer,
  envelope,
  onePage,
  type Recorded,
  type Recorder,
  serviceEnv,
  startRecorder,
} from './support/service.ts';
import { openTerminal } from './support/terminal.ts';

/** The built program at a real terminal: questions, their answers, Ctrl-C. */

const sheets = ['t1', 't2', 't3'].map((id) => ({
  id,
  user_id: 17,
  status: 'submitted',
  date_from: '2026-11-09',
  date_to: '2026-11-15',
  total_hours: 38.5,
}));
const ana = { id: 17, email: 'ana@example.com', firstname: 'Ana', lastname: 'Sousa' };

const plainly = ({ line }: Recorded): Answer => {
  if (line.startsWith('GET /timesheets')) return { body: onePage(sheets) };
  if (line.startsWith('GET /members')) return { body: onePage([ana]) };
  if (line === 'GET /workspaces') return { body: onePage([{ id: 7, role: 'Owner', workspace_name: 'N' }]) };
  return { body: envelope(null) };
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

const env = () => ({ ...home.env, ...serviceEnv(recorder) });
const writes = () => recorder.lines().filter((line) => !line.startsWith('GET'));
const QUESTION = /\? \(y\/N\)/;
/** As a table has them; the year where it is no longer this one. */
const DAYS_AND_HOURS = /Ana Sousa {2}Nov 9–15( 2026)? {2}38:30 {2}t1/;
const two = ['timesheets', 'approve', 't1', 't2'];

describe('a result', () => {
  it('says whose it is and what comes next; a script is told neither', async () => {
    const terminal = openTerminal(two, { env: env() });
    await terminal.until(QUESTION, DAYS_AND_HOURS);
    terminal.type('y\r');
    const { exit, screen } = await terminal.ended;
    expect(exit).toBe(0);
    expect(screen).toMatch(/approved {2}Ana Sousa {2}Nov 9–15( 2026)? {2}38:30/);
    expect(screen).toContain('See the rest: ttctl timesheets list --status submitted');
    const piped = await runBinary([...two, '--yes'], { env: env() });
    expect(piped.stdout).toBe('✓ t1  approved\n✓ t2  approved\n');
    expect(piped.stderr).toBe('2 approved\n');
  });
});

describe('the sandbox', () => {
  it.each([
    ['members list', 1],
    ['members update --template csv', 0],
    ['jobs list', 0],
    ['webhooks received', 0],
  ])('is named where it is used: %s', async (line, times) => {
    const terminal = openTerminal(['--profile', 'sandbox', ...line.split(' ')], { env: home.env });
    const { exit, screen } = await terminal.ended;
    expect(exit, screen).toBe(0);
    expect(screen.split('Using the sandbox (practice data).')).toHaveLength(times + 1);
  });
});

describe('a terminal of 0 columns', () => {
  it('R17 is 80 wide', async () => {
    const read = async (columns: number, line: string) =>
      (await openTerminal(line.split(' '), { env: env(), columns }).ended).screen;
    for (const line of [
      'timesheets list',
      'timesheets approve --all --dry-run',
      'members list --wrong',
      'help limits',
    ])
      expect(await read(0, line), line).toBe(await read(80, line));
  });
});

describe('a narrow terminal', () => {
  it('has errors and plans that break between words', async () => {
    const wrong = openTerminal(['timesheets', 'list', '--date-from', '2026-02-30'], {
      env: env(),
      columns: 40,
    });
    expect(stripVTControlCharacters((await wrong.ended).screen).replaceAll('\r', '')).toContain(
      'hint: Use YYYY-MM-DD, today, yesterday\n  or -7d.\n',
    );
    const planned = openTerminal([...two, '--dry-run'], { env: env(), columns: 40 });
    expect(stripVTControlCharacters((await planned.ended).screen).replaceAll('\r', '')).toMatch(
      /→ t1 {2}Ana Sousa {2}Nov 9–15( 2026)? {2}38:30\n {4}status: submitted → approved\n/,
    );
    const piped = await runBinary([...two, '--dry-run'], { env: env() });
    expect(piped.stdout.split('\n')[0]).toMatch(
      /^→ t1 {2}Ana Sousa {2}Nov 9–15( 2026)? {2}38:30 {2}status: submitted → approved$/,
    );
  });
});

describe('a question', () => {
  it('shows account, workspace, how many and a sample; Enter alone means no', async () => {
    const terminal = openTerminal(two, { env: env() });
    await terminal.until(QUESTION, 'default (TTCTL_TOKEN)', 'N (7)', 't1', 't2', 'Approve 2 timesheets?');
    terminal.type('\r');
    const { exit, screen, restored } = await terminal.ended;
    expect([exit, restored]).toEqual([9, true]);
    expect(screen).toContain('cancelled: nothing was sent');
    expect(writes()).toEqual([]);
  });

  it('is asked of --all with names in place of ids, and exactly those are acted on', async () => {
    const terminal = openTerminal(['timesheets', 'approve', '--all'], { env: env() });
    await terminal.until(QUESTION, 'Approve 3 timesheets?', DAYS_AND_HOURS);
    terminal.type('y\r');
    expect((await terminal.ended).exit).toBe(0);
    expect(writes().map((line) => /t\d/.exec(line)?.[0])).toEqual(['t1', 't2', 't3']);
  });

  it('is asked though stdout goes elsewhere, and not a byte of it goes there', async () => {
    const file = join(home.folder, 'out');
    const terminal = openTerminal([...two, '--json'], { env: env(), redirect: `>'${file}'` });
    await terminal.until(QUESTION);
    terminal.type('y\r');
    expect((await terminal.ended).exit).toBe(0);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveLength(2);
  });

  it.each([
    ['--yes', [...two, '--yes'], {}, 0],
    ['--no-input', [...two, '--no-input'], {}, 2],
    ['CI', two, { CI: 'true' }, 2],
    ['TTCTL_NO_INPUT', two, { TTCTL_NO_INPUT: '1' }, 2],
    ['--dry-run', [...two, '--dry-run'], {}, 0],
  ])('is not asked with %s', async (_name, args, more, exit) => {
    const ended = await openTerminal(args, { env: { ...env(), ...more } }).ended;
    expect(ended.exit).toBe(exit);
    expect(ended.screen).not.toMatch(QUESTION);
  });

  it('is not asked when stdin is no terminal', async () => {
    const ended = await openTerminal(two, { env: env(), redirect: '</dev/null' }).ended;
    expect(ended.exit).toBe(2);
    expect(ended.screen).toContain('--yes');
    expect(writes()).toEqual([]);
  });
});

describe('a question is not answered by', () => {
  it('a paste, in the marks of a terminal or without', async () => {
    const terminal = openTerminal(two, { env: env() });
    await terminal.until(QUESTION, '\x1b[?2004h');
    await terminal.press('\x1b[200~y\r\nls\r\x1b[201~', 'y ls');
    await terminal.press('\x15', /\(y\/N\)/);
    await terminal.press('y\rls\r', /More keys came with the answer[\s\S]*\(y\/N\)/);
    terminal.type('\r');
    expect(await terminal.ended).toMatchObject({ exit: 9, restored: true });
    expect(terminal.screen().lastIndexOf('\x1b[?2004l')).toBeGreaterThan(
      terminal.screen().lastIndexOf('\x1b[?2004h'),
    );
    expect(writes()).toEqual([]);
  });
});

describe('a question ends at once, the terminal restored, with', () => {
  it.each([
    ['Ctrl-C', '\x03', 130],
    ['Ctrl-D', '\x04', 9],
  ])('%s', async (_name, keys, exit) => {
    const terminal = openTerminal(two, { env: env() });
    await terminal.until(QUESTION);
    terminal.type(keys);
    expect(await promptly(terminal.ended)).toMatchObject({ exit, restored: true });
    expect(writes()).toEqual([]);
  });
});

describe('Ctrl-C while the service is asked', () => {
  it('drops a read at once', async () => {
    let arrived = (): void => {};
    const came = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    answer = () => {
      arrived();
      return { silent: true };
    };
    const terminal = openTerminal(['members', 'list'], { env: env() });
    await came;
    terminal.type('\x03');
    expect(await terminal.ended).toMatchObject({ exit: 130, restored: true });
  });
});

describe('a secret', () => {
  const login = (more: Readonly<Record<string, string>> = {}) => {
    const { TTCTL_TOKEN: _token, ...signedOut } = { ...env(), ...more };
    return openTerminal(['auth', 'login', '--token-stdin'], { env: signedOut });
  };

  it('is not shown while it is typed, and is stored', async () => {
    const terminal = login();
    await terminal.until(/Personal Access Token:/);
    terminal.type('pat_hush_77\r');
    const { exit, screen, restored } = await terminal.ended;
    expect([exit, restored], screen).toEqual([0, true]);
    expect(screen).not.toContain('hush');
    expect(recorder.requests[0]?.headers.authorization).toBe('Bearer pat_hush_77');
    expect(readFileSync(join(home.folder, '.config/ttctl/credentials.json'), 'utf8')).toContain(
      'pat_hush_77',
    );
  });

  it('without an address is asked for after it', async () => {
    const terminal = login({ TTCTL_BASE_URL: '' });
    await terminal.until(/Base URL of the API, such as [^\n]*:/);
    terminal.type(`${recorder.baseUrl}\r`);
    await terminal.until(/Personal Access Token:/);
    terminal.type('pat_hush_77\r');
    const { exit, screen } = await terminal.ended;
    expect(exit, screen).toBe(0);
    expect(recorder.requests[0]?.headers.authorization).toBe('Bearer pat_hush_77');
  });

  it('that is not given stores nothing', async () => {
    const terminal = login();
    await terminal.until(/Personal Access Token:/);
    terminal.type('pat_ha\x03');
    const { exit, screen, restored } = await terminal.ended;
    expect([exit, restored]).toEqual([130, true]);
    expect(screen).not.toContain('pat_ha');
    expect(recorder.requests).toEqual([]);
  });
});
