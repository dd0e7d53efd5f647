import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { findWidest as findWidestOf } from '../../src/output/terminal.ts';
import { envelope } from '../support/service.ts';
import { openCli, useCli } from '../support/use-cli.ts';

/** What is missing is asked for at a real terminal, on the embedded sandbox (its `demo` seed). */

const sandbox = useCli({ sandbox: 'demo', env: { TTCTL_WORKSPACE: '101' } });

/** A prompt, once it is on the screen, and what is typed then. */
type Step = readonly [shown: RegExp, keys: string];

const sit = async (line: string, steps: readonly Step[], columns = 80, open = sandbox.terminal) => {
  const terminal = open(line, { columns });
  for (const [shown, keys] of steps) {
    await terminal.until(shown);
    terminal.type(keys);
  }
  const ended = await terminal.ended;
  return { ...ended, text: stripVTControlCharacters(terminal.screen()).replaceAll('\r', '') };
};

/** What was written, by the history. */
const written = async () =>
  [...(await sandbox.entries())].reverse().map(({ operation, target, after }) => [operation, target, after]);

const findWidest = (text: string) => findWidestOf(text.split('\n'));

const DOWN = '\x1b[B';
const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';

describe('records are picked', () => {
  it('people, several of them, marked, whatever is pasted, and confirmed by name', async () => {
    const { exit, restored, text } = await sit('members archive', [
      [/Space to select/, `${DOWN} ${DOWN.repeat(6)} \x1b[200~a i\r1 \r\x1b[201~`],
      [/> \[x\] Mei/, '\r'],
      [/\? \(y\/N\)/, 'y\r'],
    ]);
    expect([exit, restored], text).toEqual([0, true]);
    expect(text).toContain('Members to archive: Arjun Nair, Mei Tanaka');
    expect(text).toMatch(/> \[x\] Mei Tanaka +mei@\S+ +active +invited [^\n]+…\n/);
    expect(text).toMatch(
      / {2}Arjun Nair {2}arjun@lindenhof\.example {2}active +invited \d{4}-\d\d-\d\d\s+109/,
    );
    expect((await written()).map(([operation, id]) => [operation, id]).sort()).toEqual([
      ['members.archive', '106'],
      ['members.archive', '109'],
    ]);
  });

  it('what waits, the oldest first, and a reason that a shell would trip over', async () => {
    const { exit, text } = await sit('leaves reject', [
      [/Leave requests to reject:/, '\r'],
      [/At least one choice must be selected/, ' \r'],
      [/Reason shown to the member:/, '\r'],
      [/Enter a value\./, 'it\'s "$HOME" `now`\r'],
      [/\? \(y\/N\)/, 'y\r'],
    ]);
    expect(exit, text).toBe(0);
    expect(text).toMatch(/reason +it's "\$HOME" `now`/);
    expect(text, 'an id twice').not.toMatch(new RegExp(`(${UUID})\\s+\\1`));
    expect(await written()).toEqual([
      [
        'leaves.reject',
        expect.stringMatching(new RegExp(`^${UUID}$`)),
        { status: 'rejected', reject_reason: 'it\'s "$HOME" `now`' },
      ],
    ]);
  });

  it.each<[what: string, line: string, steps: readonly Step[], done: readonly unknown[]]>([
    [
      'a task by its project, and a member',
      'tasks assign',
      [
        [/Project:/, 'harbour\r'],
        [/Task to assign:/, 'quay\r'],
        [/Member to assign:/, ' \r'],
      ],
      ['tasks.assign', '108', expect.anything()],
    ],
    [
      'contracts of the person chosen; times are asked again until they are right',
      'time-requests create',
      [
        [/Member[\w ]*:/, 'aoife\r'],
        [/Contract:/, '\r'],
        [/Start:/, '2026-02-30T09:00\r'],
        [/is not a time/, '2026-11-19T09:00+01:00\r'],
        [/End:/, '2026-11-19T08:00+01:00\r'],
        [/is not after --start/, '2026-11-19T10:30+01:00\r'],
      ],
      [
        'time-requests.create',
        'new time request',
        expect.objectContaining({
          ...{ user_id: 108, contract_id: 121 },
          ...{ start: '2026-11-19T09:00:00+01:00', end: '2026-11-19T10:30:00+01:00' },
        }),
      ],
    ],
    [
      'the fields of an update, then their values',
      'members update',
      [
        [/Member to update:/, 'mei\r'],
        [/What to change:[\s\S]*--role/, `${DOWN.repeat(4)} \r`],
        [/Role in the workspace:/, 'team\r'],
      ],
      ['members.update', '106', { current_role: 'Team manager' }],
    ],
    [
      'a reason, where a filter tells apart what a member has',
      "timesheets reject 'Samir Haddad' --period last-week",
      [
        [/Reason shown to the member:/, 'Friday is missing\r'],
        [/\? \(y\/N\)/, 'y\r'],
      ],
      ['timesheets.reject', expect.anything(), { status: 'rejected', reject_reason: 'Friday is missing' }],
    ],
  ])('%s', async (_what, line, steps, done) => {
    const { exit, text } = await sit(line, steps);
    expect(exit, text).toBe(0);
    expect(await written()).toEqual([done]);
  });

  it('in no colour where that is asked for', async () => {
    sandbox.env['NO_COLOR'] = '1';
    const { screen } = await sit('members archive', [
      [/Space to select/, ' \r'],
      [/\? \(y\/N\)/, 'n\r'],
    ]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with it
    expect(screen).not.toMatch(/\u001b\[[\d;]*m/);
  });

  it('archived people to restore, and none but them', async () => {
    await sandbox.read('members archive 106 --yes');
    const { exit, text } = await sit('members restore', [[/Members to restore:[\s\S]*Mei/, `${DOWN} \r`]]);
    expect(exit, text).toBe(0);
    expect(text).toMatch(/^✓ restored +Mei Tanaka +mei@lindenhof\.example +106$/m);
  });

  it('jobs, and nothing where nothing waits', async () => {
    await sandbox.read('members archive 106 107 --yes');
    const shown = await sit('jobs show', [[/Job to show:/, '\r']]);
    expect(shown.text).toMatch(/^job +\d{8}-\d{4}-[a-z]+ +done$/m);
    await sandbox.read('time-requests approve --all --yes');
    const none = await sit('time-requests approve', []);
    expect([shown.exit, none.exit]).toEqual([0, 2]);
    expect(none.text).toContain('there is no pending time request to approve');
  });

  it('O6: the last writes to undo, the latest first, and which of them are final', async () => {
    await sandbox.read('members update 106 --weekly-hours-limit 30');
    await sandbox.read('time-requests approve --all --yes');
    await sandbox.run('leaves approve 00000000-0000-4000-8000-000000000000 --yes');
    const { exit, text } = await sit('undo', [
      [/Write to undo:/, DOWN],
      [/> Mei Tanaka mei@\S+ +now/, '\r'],
      [/\? \(y\/N\)/, 'y\r'],
    ]);
    expect(exit, text).toBe(0);
    expect(text).toMatch(/> 3 records +now +final +time-requests approve\n.*members update\n/);
    expect(text, 'what had failed').not.toContain('leaves approve');
    expect(text).toMatch(/Mei Tanaka +mei@\S+ +hours a week: 30 → 40/);
    expect((await written()).at(-1)).toEqual(['members.update', '106', { weekly_hours_limit: 40 }]);
    expect(text).toMatch(/^Undo with: ttctl undo \d{8}-\d{4}-[a-z]+$/m);
  });

  it('O1: at 80 columns, of a file ten by name with old and new values, the rest counted', async () => {
    const people = (await sandbox.rows('members list')).map(({ email }, n) => `${email},${n < 11 ? 38 : 4}`);
    const file = sandbox.file('limits.csv', ['id,weekly_hours_limit', ...people, ''].join('\n'));
    const { exit, text } = await sit(`members update --from-file ${file}`, [[/\? \(y\/N\)/, 'n\r']]);
    expect(exit).toBe(9);
    const shown = text.match(/^ {2}\S.* {2}hours a week: \d+ → \d+ {2,}\S+@\S+$/gm) ?? [];
    expect(shown).toHaveLength(10);
    // Those that few are like come first.
    expect(shown.findIndex((line) => line.includes('→ 38'))).toBe(people.length - 11);
    expect(text).toContain('  Nora Lindqvist    hours a week: 40 → 38  nora@lindenhof.example');
    expect(text).toContain(`  … and ${people.length - 10} more\n`);
    expect(findWidest(text.slice(0, text.indexOf('? Update')))).toBeLessThanOrEqual(80);
  });

  it('at 40 columns, no line wider than the terminal', async () => {
    const { exit, screen, text } = await sit(
      'timesheets approve',
      [
        [/Timesheets to approve:/, ` ${DOWN} \r`],
        [/\? \(y\/N\)/, 'n\r'],
      ],
      40,
    );
    expect(exit).toBe(9);
    // Every place from which something is drawn anew begins a line of its own.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with it
    const lines = screen.split(/\r?\n|\u001b\[[\d;]*[A-HJK]/).map((line) => stripVTControlCharacters(line));
    expect(lines.filter((line) => line.length > 40)).toEqual([]);
    // Whichever week was the last; a year, where it is another, moves the hours to the next line.
    expect(text).toMatch(/^ {2}Arjun Nair +[A-Z][a-z]{2} \d+–([A-Z][a-z]{2} )?\d+( \d{4})?\s+41:30\b/m);
  });
});

it.each([70, 80, 110])('O8 O20: at %i columns a reason is whole, and the help uses them', async (columns) => {
  const reason = 'Friday is missing, and Thursday has eleven hours on the Harbour website. Please split.';
  await sandbox.read(`timesheets reject 'Samir Haddad' --period last-week --reason '${reason}' --yes`);
  const line = 'timesheets list --status rejected --columns member,reject_reason';
  const list = (await sit(line, [], columns)).text;
  expect(list.replace(/\s+/g, ' ')).toContain(`Samir Haddad ${reason}`);
  const help = (await sit('timesheets approve --help', [], columns)).text;
  const spare = Math.min(columns, 100) - findWidest(help);
  expect(spare >= 0 && spare < 10, help).toBe(true);
  expect(`${list}${help}`).not.toContain('…');
  expect(findWidest(list)).toBeLessThanOrEqual(columns);
});

describe('a picker ends at once, the terminal restored, with', () => {
  it.each([
    ['Ctrl-C', '\x03', 130],
    ['Ctrl-D after text', 'me\x04', 9],
  ])('%s', async (_name, keys, exit) => {
    const ended = await sit('members archive', [[/Space to select/, keys]]);
    expect(ended).toMatchObject({ exit, restored: true });
  });
});

it('all pages are read first, and how far that is can be seen; Ctrl-C ends it', async () => {
  const rows = Array.from({ length: 100 }, (_, id) => ({ id, firstname: `P${id}`, lastname: 'X' }));
  const pagination = { total: 5000, per_page: 100, current_page: 1, last_page: 50, from: 1, to: 1 };
  const t = await openCli({
    // A page that never comes is awaited far beyond the patience of `sit`.
    env: { TTCTL_TIMEOUT: '600' },
    service: ({ line }) =>
      /[?&]page=1\b/.test(line) ? { body: envelope(rows, { pagination }) } : { silent: true },
  });
  const steps: Step[] = [[/reading members: 100/, '\x03']];
  const { exit, restored, text } = await sit('members get', steps, 80, t.terminal);
  expect([exit, restored], text).toEqual([130, true]);
});
