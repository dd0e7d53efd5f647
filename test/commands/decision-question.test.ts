import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runInProcess, words } from '../support/in-process.ts';
import { envelope, onePage, type Recorder, serviceEnv, startRecorder } from '../support/service.ts';
import { type Prompt, sitDown } from '../support/terminal.ts';

/** What a person at a terminal reads before a decision, and how a person is understood who names members. */

const person = (id: number, firstname: string, lastname: string, weekly_hours_limit: number) => ({
  ...{ id, firstname, lastname, email: `${firstname.toLowerCase()}@example.com` },
  ...{ weekly_hours_limit, status: 'active', current_role: 'Regular User' },
});
const idOf = (start: string): string => `${start}000000-0000-4000-8000-000000000000`;
const sheet = (start: string, user_id: number, total_hours: number, days = ['2026-11-09', '2026-11-15']) => ({
  ...{ id: idOf(start), user_id, total_hours, date_from: days[0], date_to: days[1] },
  ...{ status: 'submitted', submitted_on: '2026-11-16T08:00:00Z' },
});
/** Five short ones without a warning, each on a day of its own. */
const SHORT = ['a1', 'a2', 'a3', 'a4', 'a5'];

let recorder: Recorder;
let rows: Record<string, readonly object[]>;
let refused: RegExp | undefined;
beforeEach(async () => {
  refused = undefined;
  rows = {
    workspaces: [{ id: 7, workspace_name: 'N' }],
    members: [
      person(17, 'Ana', 'Sousa', 40),
      person(18, 'Bo', 'Ek', 30),
      person(19, 'Mei', 'Tanaka', 40),
      person(20, 'Meinhard', 'Vogt', 40),
      person(21, 'Tomasz', 'Zieliński', 10),
    ],
    timesheets: [
      ...SHORT.map((start, i) => sheet(start, 17, 5, [`2026-10-0${i + 1}`, `2026-10-0${i + 1}`])),
      sheet('b1', 18, 45),
      sheet('c1', 21, 12.5),
      sheet('d1', 19, 30, ['2026-11-02', '2026-11-08']),
      sheet('d2', 19, 31),
    ],
  };
  recorder = await startRecorder(({ line, body }) => {
    if (refused?.test(line))
      return { status: 403, body: { success: false, message: 'Not for you.', meta: {} } };
    if (!line.startsWith('GET')) return { body: envelope({ ...(body as object) }) };
    const [path = '', query = ''] = line.slice('GET /'.length).split('?');
    const asked = new URLSearchParams(query);
    const found = (rows[path.split('/').at(-1) ?? ''] ?? []) as readonly Record<string, unknown>[];
    const isMeant = (row: Record<string, unknown>) =>
      ['status', 'user_id', 'email', 'id'].every((name) => {
        return !asked.has(name) || asked.get(name) === String(row[name]);
      });
    return { body: onePage(found.filter(isMeant)) };
  });
});
afterEach(() => recorder.close());

const sit = (line: string, answer: (prompt: Prompt) => string = () => 'n\r') =>
  sitDown(words(line), { env: serviceEnv(recorder, { TZ: 'UTC' }), answer });
const pipe = (line: string) => runInProcess(words(line), { env: serviceEnv(recorder, { TZ: 'UTC' }) });
const sent = () =>
  recorder
    .lines()
    .filter((line) => !line.startsWith('GET'))
    .map((line) => line.split('?')[0]);
const paths = () => recorder.lines().map((line) => line.replace(/[?].*/, ''));

const FLAGGED =
  / {2}Bo Ek +\S+ 9–15( 2026)? +45:00.*\n {4}! 15:00 over the limit of 30:00 a week\n {2}Tomasz Zieliński +\S+ 9–15( 2026)? +12:30.*\n {4}! 2:30 over the limit of 10:00 a week\n/;

describe('approving many', () => {
  it('asks with what has a warning first, in words, and how many have which', async () => {
    const { screen, prompts } = await sit('timesheets approve --all');
    expect(prompts).toEqual([{ message: 'Approve 9 timesheets', kind: 'confirm' }]);
    expect(screen).toMatch(FLAGGED);
    expect(screen).toMatch(
      /! 2:30 over.*\n {2}Ana Sousa[\s\S]*… and 4 more\n\n {2}7 clean, 2 over the limit\n/,
    );
    expect(sent()).toEqual([]);
  });

  it.each([
    ['--all', 8],
    [['a1', 'b1', 'c1', 'd1'].map(idOf).join(' '), 3],
  ])('S3: sends none that changed while it was asked: %s', async (targets, count) => {
    const answer = () => {
      rows['timesheets'] = (rows['timesheets'] ?? []).map((row) =>
        Object(row).id === idOf('b1') ? { ...row, total_hours: 60 } : row,
      );
      return 'y\r';
    };
    const { exit, screen, stdout } = await sit(`timesheets approve ${targets}`, answer);
    expect(exit, screen).toBe(8);
    expect(stdout).toMatch(/changed since:\s+hours:\s+45:00 → 60:00/);
    expect(sent()).toHaveLength(count);
    expect(sent()).not.toContain(`PUT /timesheets/${idOf('b1')}/approve`);
  });

  it('also of records that are named, however late they come', async () => {
    const ids = [...SHORT, 'b1', 'c1'].map(idOf);
    const { screen, prompts } = await sit(`timesheets approve ${ids.join(' ')}`);
    expect(prompts).toEqual([{ message: 'Approve 7 timesheets', kind: 'confirm' }]);
    expect(screen).toMatch(FLAGGED);
    expect(screen).toContain('5 clean, 2 over the limit');
  });

  it.each(['timesheets approve --all', `timesheets approve ${['a1', 'b1', 'c1'].map(idOf).join(' ')}`])(
    'says in a dry run which they are',
    async (line) => {
      const { screen, prompts } = await sit(`${line} --dry-run`);
      expect([prompts, sent()]).toEqual([[], []]);
      expect(screen).toMatch(FLAGGED);
      expect(screen).toMatch(/\d clean, 2 over the limit\./);
    },
  );

  it.each([
    ['at a terminal with --yes', async (line: string) => (await sit(`${line} --yes`)).screen],
    ['in a pipe', async (line: string) => (await pipe(line)).stderr],
    ['beside CSV', async (line: string) => (await pipe(`${line} -o csv`)).stderr],
  ])('a dry run says so %s too', async (_where, read) => {
    expect(await read('timesheets approve --all --dry-run')).toMatch(FLAGGED);
    expect(sent()).toEqual([]);
  });

  it('the results of a dry run have the codes and their words', async () => {
    const line = `timesheets approve ${idOf('a1')} ${idOf('b1')} --dry-run`;
    const results = JSON.parse((await pipe(`${line} --json`)).stdout);
    expect(results).toMatchObject([
      { warnings: [], warning_messages: [] },
      { warnings: ['over_weekly_limit'], warning_messages: ['15:00 over the limit of 30:00 a week'] },
    ]);
    const { stdout } = await pipe(`${line} -o csv --columns warnings,warning_messages`);
    expect(stdout.split('\r\n').slice(2, 3)).toEqual([
      '"[""over_weekly_limit""]","[""15:00 over the limit of 30:00 a week""]"',
    ]);
    expect((await pipe(`${line} -o markdown`)).stdout).toContain('15:00 over the limit of 30:00 a week');
  });

  it.each([
    [/contracts/, [['not_checked'], ['over_weekly_limit', 'not_checked']]],
    [/GET \/timesheets/, [null, null]],
  ])('and what could not be checked where a list was refused: %s', async (list, warnings) => {
    refused = list;
    const { exit, stdout } = await pipe(`timesheets approve ${idOf('a1')} ${idOf('b1')} --dry-run --json`);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout).map((result: Record<string, unknown>) => result['warnings'])).toEqual(warnings);
  });

  it.each([
    ['--all', ['GET /timesheets']],
    [`${idOf('b1')} ${idOf('c1')}`, []],
  ])('with --yes nothing of it is read: %s', async (targets, reads) => {
    await sit(`timesheets approve ${targets} --yes`);
    expect(paths().filter((path) => /timesheets$|contracts|leaves/.test(path))).toEqual(reads);
  });

  it('a list that is refused costs what rests on it, not the decision', async () => {
    refused = /contracts/;
    const { screen, exit } = await sit('timesheets approve --all', () => 'y\r');
    const unread = '! not checked: weekly limits of contracts could not be read';
    expect(screen.replace(/\s+/g, ' ')).toMatch(
      new RegExp(
        `Bo Ek .* ! 15:00 over the limit of 30:00 a week ${unread} .*Tomasz .* ${unread} Ana .* ${unread}`,
      ),
    );
    expect(screen).toContain('0 clean, 2 over the limit, 9 not checked');
    expect([exit, sent().length]).toEqual([0, 9]);
  });

  it('what waits may be refused too', async () => {
    refused = /GET \/timesheets/;
    const { screen, exit } = await sit(`timesheets approve ${idOf('a1')} ${idOf('b1')}`, () => 'y\r');
    expect(screen.replace(/\s+/g, ' ')).toContain('The warnings could not be read: Not for you.');
    expect([exit, sent().length]).toEqual([0, 2]);
  });
});

it('the beginning of an id is enough at a terminal', async () => {
  const { screen } = await sit('timesheets approve b1000000', () => 'y\r');
  expect(screen).toMatch(/Bo Ek/);
  expect(sent()).toEqual([`PUT /timesheets/${idOf('b1')}/approve`]);
});

describe('a member in words', () => {
  it('is written whole: a beginning is answered with whom it may mean', async () => {
    const { screen, exit } = await sit('timesheets reject tomasz --reason late');
    expect(screen).toContain('Did you mean Tomasz Zieliński (tomasz@example.com)?');
    expect([exit, sent()]).toEqual([5, []]);
  });

  it('of several sheets of one member a person picks', async () => {
    const { prompts, screen } = await sit('timesheets approve "Mei Tanaka"', ({ kind }) =>
      kind === 'pick' ? '\r' : 'y\r',
    );
    expect(prompts.map(({ kind }) => kind)).toEqual(['pick', 'confirm']);
    expect(screen).toMatch(/Mei Tanaka .* 30:00\n.*Mei Tanaka .* 31:00\n/);
    expect(sent()).toEqual([`PUT /timesheets/${idOf('d1')}/approve`]);
  });

  it.each([
    ['timesheets reject tomasz --reason late --yes', 'Did you mean Tomasz Zieliński (tomasz@example.com)?'],
    [
      'timesheets list --member mei',
      'Did you mean Mei Tanaka (mei@example.com), or Meinhard Vogt (meinhard@',
    ],
  ])('a beginning is refused without a terminal, with the candidates: %s', async (line, hint) => {
    const { exit, stderr } = await runInProcess(words(line), { env: serviceEnv(recorder) });
    expect([exit, sent()]).toEqual([5, []]);
    expect(stderr).toContain(hint);
  });
});
