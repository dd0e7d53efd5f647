import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { promptly } from './support/process.ts';
import { member, timesheet } from './support/records.ts';
import { envelope } from './support/service.ts';
import { answerFrom, useCli } from './support/use-cli.ts';

/** The built program at a real terminal: questions, their answers, Ctrl-C. */

const timesheets = ['t1', 't2', 't3'].map((id) => timesheet(id, 17, 38.5));
const workspaces = [{ id: 7, role: 'Owner', workspace_name: 'N' }];
const members = [member(17, 'Ana', { lastname: 'Sousa' })];
const t = useCli({
  service: (request) =>
    request.line.startsWith('GET')
      ? answerFrom({ timesheets, members, workspaces }, request)
      : { body: envelope(null) },
});

const QUESTION = /\? \(y\/N\)/;
/** As a table has them; the year where it is no longer this one. */
const DAYS_AND_HOURS = /Ana Sousa {2}Nov 9–15( 2026)? {2}38:30 {2}t1/;
const TWO = 'timesheets approve t1 t2';
const plain = (screen: string): string => stripVTControlCharacters(screen).replaceAll('\r', '');

it('a result says whose it is and what comes next; a script is told neither', async () => {
  const terminal = t.terminal(TWO);
  await terminal.until(QUESTION, DAYS_AND_HOURS);
  terminal.type('y\r');
  const { exit, screen } = await terminal.ended;
  expect(exit).toBe(0);
  expect(screen).toMatch(/approved {2}Ana Sousa {2}Nov 9–15( 2026)? {2}38:30/);
  expect(screen).toContain('See the rest: ttctl timesheets list --status submitted');
  expect(await t.process(`${TWO} --yes`)).toEqual({
    ...{ stdout: '✓ t1  approved\n✓ t2  approved\n', stderr: '2 approved\n', exit: 0 },
  });
});

it.each([
  ['members list', 1],
  ['members update --template csv', 0],
  ['jobs list', 0],
  ['webhooks received', 0],
])('the sandbox is named where it is used: %s', async (line, times) => {
  for (const name of ['TTCTL_BASE_URL', 'TTCTL_TOKEN', 'TTCTL_WORKSPACE']) delete t.env[name];
  const { exit, screen } = await t.terminal(`--profile sandbox ${line}`).ended;
  expect(exit, screen).toBe(0);
  expect(screen.split('Using the sandbox (practice data).')).toHaveLength(times + 1);
});

it.each(['timesheets list', 'timesheets approve --all --dry-run', 'members list --wrong', 'help limits'])(
  'R17 a terminal of 0 columns is 80 wide: %s',
  async (line) => {
    const read = async (columns: number) => (await t.terminal(line, { columns }).ended).screen;
    expect(await read(0)).toBe(await read(80));
  },
);

it('a narrow terminal has errors and plans that break between words', async () => {
  const wrong = await t.terminal('timesheets list --date-from 2026-02-30', { columns: 40 }).ended;
  expect(plain(wrong.screen)).toContain('hint: Use YYYY-MM-DD, today, tomorrow,\n  -7d or +7d.\n');
  const planned = await t.terminal(`${TWO} --dry-run`, { columns: 40 }).ended;
  expect(plain(planned.screen)).toMatch(
    /→ t1 {2}Ana Sousa {2}Nov 9–15( 2026)? {2}38:30\n {4}status: submitted → approved\n/,
  );
  expect((await t.process(`${TWO} --dry-run`)).stdout).toMatch(
    /^→ t1 {2}Ana Sousa {2}Nov 9–15( 2026)? {2}38:30 {2}status: submitted → approved\n/,
  );
});

it('a question shows account, workspace, how many and a sample; Enter alone means no', async () => {
  const terminal = t.terminal(TWO);
  await terminal.until(QUESTION, 'default (TTCTL_TOKEN)', 'N (7)', 't1', 't2', 'Approve 2 timesheets?');
  terminal.type('\r');
  const { exit, screen, restored } = await terminal.ended;
  expect([exit, restored]).toEqual([9, true]);
  expect(screen).toContain('cancelled: nothing was sent');
  expect(t.sent()).toEqual([]);
});

it('a question is asked of --all with names in place of ids, and exactly those are acted on', async () => {
  const terminal = t.terminal('timesheets approve --all');
  await terminal.until(QUESTION, 'Approve 3 timesheets?', DAYS_AND_HOURS);
  terminal.type('y\r');
  expect((await terminal.ended).exit).toBe(0);
  expect(t.writes()).toEqual(['t1', 't2', 't3'].map((id) => `PUT /timesheets/${id}/approve`));
});

it('a question is asked though stdout goes elsewhere, and not a byte of it goes there', async () => {
  const terminal = t.terminal(`${TWO} --json`, { redirect: `>'${t.file('out')}'` });
  await terminal.until(QUESTION);
  terminal.type('y\r');
  expect((await terminal.ended).exit).toBe(0);
  expect(JSON.parse(t.text('out'))).toHaveLength(2);
});

it.each([
  ['--yes', {}, '', 0],
  ['--no-input', {}, '', 2],
  ['', { CI: 'true' }, '', 2],
  ['', { TTCTL_NO_INPUT: '1' }, '', 2],
  ['--dry-run', {}, '', 0],
  ['', {}, '</dev/null', 2],
])('a question is not asked with %s %j %s', async (flag, env, redirect, exit) => {
  const ended = await t.terminal(`${TWO} ${flag}`, { env, redirect }).ended;
  expect(ended.exit).toBe(exit);
  expect(ended.screen).not.toMatch(QUESTION);
  expect(t.sent()).toHaveLength(flag === '--yes' ? 2 : 0);
  if (exit === 2) expect(ended.screen).toContain('--yes');
});

it.each([
  ['Ctrl-C', '\x03', 130],
  ['Ctrl-D', '\x04', 9],
])('a question ends at once, the terminal restored, with %s', async (_name, keys, exit) => {
  const terminal = t.terminal(TWO);
  await terminal.until(QUESTION);
  terminal.type(keys);
  expect(await promptly(terminal.ended)).toMatchObject({ exit, restored: true });
  expect(t.sent()).toEqual([]);
});

it('Ctrl-C drops a read at once', async () => {
  let arrived = (): void => {};
  const came = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  t.answer = () => {
    arrived();
    return { silent: true };
  };
  const terminal = t.terminal('members list');
  await came;
  terminal.type('\x03');
  expect(await terminal.ended).toMatchObject({ exit: 130, restored: true });
});

describe('a secret', () => {
  const login = () => {
    delete t.env['TTCTL_TOKEN'];
    return t.terminal('auth login --token-stdin');
  };

  it.each([true, false])(
    'is not shown while it is typed, and is stored; an address there: %s',
    async (isThere) => {
      const { baseUrl } = t;
      if (!isThere) delete t.env['TTCTL_BASE_URL'];
      const terminal = login();
      if (!isThere) {
        await terminal.until(/Base URL of the API, such as [^\n]*:/);
        terminal.type(`${baseUrl}\r`);
      }
      await terminal.until(/Personal Access Token:/);
      terminal.type('pat_hush_77\r');
      const { exit, screen, restored } = await terminal.ended;
      expect([exit, restored], screen).toEqual([0, true]);
      expect(screen).not.toContain('hush');
      expect(t.requests[0]?.headers.authorization).toBe('Bearer pat_hush_77');
      expect(t.text('config/credentials.json')).toContain('pat_hush_77');
    },
  );

  it('that is not given stores nothing', async () => {
    const terminal = login();
    await terminal.until(/Personal Access Token:/);
    terminal.type('pat_ha\x03');
    const { exit, screen, restored } = await terminal.ended;
    expect([exit, restored]).toEqual([130, true]);
    expect(screen).not.toContain('pat_ha');
    expect(t.requests).toEqual([]);
  });
});
