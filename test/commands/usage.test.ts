import { describe, expect, it } from 'vitest';
import { type Answer, envelope, ofRequest, onePage, type Recorded } from '../support/service.ts';
import { leaves } from '../support/tree.ts';
import { ask, useCli } from '../support/use-cli.ts';

/** What is wrong usage: exit 2, found before any request, with its place and a way out; and flags that do not fit. */

const t = useCli();
const UUID = '8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b';
const INVITE = 'members invite a@example.com --firstname A --lastname B';
const EXPENSE = 'expenses create --name a --category 4';
const TIME = 'time-requests create --member ana@example.com --contract 21';

it.each<readonly [line: string, ...told: string[]]>([
  // values
  ['timesheets list --date-from 2026-02-30', '--date-from: "2026-02-30" is not a valid date', 'YYYY-MM-DD'],
  ['timesheets list --period 2027-W53', '"2027-W53" is not a period', '2026-W32'],
  ['timesheets list --period last-week --date-from today', '--date-from or --date-to'],
  [`${INVITE} --role owner`, '--role: "owner" is not one of', 'regular-user, project-manager'],
  ['members update 17 --weekly-hours-limit -1', '--weekly-hours-limit: -1 is out of range', 'at least 0'],
  ['members update 17 --weekly-hours-limit 1.5', '"1.5" is not a whole number', 'takes whole hours.'],
  ['members update 17 --weekly-hours-limit 1e2', '--weekly-hours-limit: "1e2" is not a whole number'],
  [`members update 17 --weekly-hours-limit ${'1'.repeat(31)}`, 'is out of range', 'at most 15 digits'],
  [`${EXPENSE} --date today --amount 12345678901234567890`, 'is out of range', 'at most 15 digits'],
  [`${EXPENSE} --date today --amount 1,5`, '--amount: "1,5" is not a number', 'Did you mean 1.5?'],
  [`${EXPENSE} --date 2026-02-30 --amount 1`, '"2026-02-30" is not a valid date'],
  ['members update 17 --rate-status 2', '--rate-status: 2 is out of range', 'from 0 to 1'],
  ['webhooks create --url ftp://a.example --event x', '--url: "ftp://a.example" is not', 'https:'],
  ['webhooks update w1 --url hooks.example.com --event x', '--url: "hooks.example.com" is not', 'https:'],
  ['webhooks create --url https://h.example/1 --event ""', '--event: needs a value'],
  ['members list --email ana', '--email: "ana" is not an e-mail address'],
  ['members list --limit 0', '--limit: "0" is not a whole number', 'from 1 to 999999999'],
  ['members list --limit 9999999999', '--limit: "9999999999" is not a whole number'],
  ['members list --per-page 101', '--per-page: "101"', 'from 1 to 100'],
  ['members list --page two', '--page: "two"', 'from 1 to 999999999'],
  ['members list --workspace ""', '--workspace has no value'],
  ['members list --profile a/b', 'invalid profile name'],
  ['expenses list --date-from 2026-11-02 --date-to 2026-11-01', 'is before --date-from (2026-11-02)'],
  [`${TIME} --start 2026-11-20T09:00Z --end 2026-11-20T09:00Z`, 'is not after --start'],
  [`${TIME} --start 2026-11-20T09:00Z --end 2026-11-20T09:30+01:00`, 'is not after --start'],
  [`${TIME} --start 2026-11-20 --end 2026-11-20T10:00`, 'is not a time'],
  [`${TIME} --start 2026-03-29T02:30 --end 2026-03-29T05:00 --timezone Europe/Berlin`, 'does not exist in'],
  [`${TIME} --start 2026-11-20T09:00 --end 2026-11-20T10:00 --timezone Mars/X`, 'is not a time zone'],
  ['time-requests list --timezone Europe/Nowhere', 'is not a time zone'],
  ['members update 17 --timezone London', '--timezone: "London" is not', 'Did you mean Europe/London?'],
  ['members update 17 --timezone +05:30', '"+05:30" is not a time zone', 'Use an IANA name'],
  ['tasks list --project 5 --status open --status done', '--status was given more than once'],
  ['members list --limit 1 --limit 1', '--limit was given more than once'],
  ['-o csv leaves list --output=tsv', '--output was given more than once'],
  // what is missing
  [`${TIME} --start 2026-11-20T10:00`, 'missing --end'],
  ['timesheets reject t1 --yes', 'missing --reason'],
  ['leaves reject l1 --yes --reason " "', 'missing --reason'],
  ['time-requests reject t1 --yes --comment " "', 'missing --comment'],
  ['expenses create --name "" --date today --amount 1 --category Travel', 'missing --name'],
  [`expenses update ${UUID}`, 'nothing to change'],
  ['members invite a@example.com --firstname " " --lastname B --role regular-user', 'missing --firstname'],
  [INVITE, 'missing --role'],
  ['members invite', 'missing <email>', 'For example: ttctl members invite ana@example.com --firstname'],
  ['leaves balances --date-from 2026-01-01', 'missing --date-to', 'For example: ttctl leaves balances'],
  ['leaves balances --date-to 2026-02-03', 'missing --date-from'],
  ['tasks list', 'missing --project'],
  ['tasks create --title A', 'missing --project'],
  ['tasks assign 17 --member 12', 'missing --project'],
  ['tasks unassign 17 --member 12', 'missing --project'],
  ['tasks assign 17 --project 5', 'missing --member'],
  ['tasks assign 17', 'missing --member, --project', 'For example: '],
  ['tasks archive --all --yes', 'missing --project'],
  ['tasks update 17 --project 5', 'nothing to change'],
  // too much at once
  ['members restore 17 18 --yes --max-changes 1', '2 members would be restored', '--max-changes allows 1'],
  ['tasks assign 17 --project 5 --member 12,13', 'assigning 2 members needs confirmation'],
  ['leaves approve l1', 'approving 1 leave request needs confirmation'],
  ['tasks archive 17 --status done --yes', 'filters need --all'],
  ['leaves approve l1 --status pending --yes', 'filters need --all'],
  ['leaves approve --all --status rejected --yes', 'only pending leave requests can be approved'],
  ['timesheets approve --all --status open --yes', 'only submitted timesheets', '--status submitted'],
  ['timesheets approve --all --yes --limit 3', '--limit'],
  ['timesheets approve --all --yes --page 1', '--page'],
  // what asks, where nobody can be asked
  ['timesheets approve --all', '--yes'],
  ['timesheets submit --all', '--yes'],
  ['members archive a@x.example', '--yes'],
  ['members restore a@x.example b@x.example', '--yes'],
  ['members archive --from-file -', '--yes'],
  ['members update --from-file - --timezone UTC', '--yes'],
  // columns that no record has
  ['timesheets approve a1 --yes --columns nosuch', '--columns: no record has "nosuch"', 'status'],
  ['timesheets approve a1 a2 --yes --columns target,nosuch', '--columns: no record has "nosuch"', 'status'],
  ['timesheets approve --all --yes --columns nosuch', '--columns: no record has "nosuch"', 'status'],
  ['timesheets approve a1 --yes --sort nosuch', '--sort: no record has "nosuch"', 'status'],
  ['members update 17 --timezone UTC --columns nosuch', '--columns: no record has "nosuch"', 'status'],
  ['members update --from-file - --timezone UTC --columns nosuch --yes', 'no record has "nosuch"'],
  [`${INVITE} --role regular-user --columns nosuch`, '--columns: no record has "nosuch"', 'status'],
  ['projects create --name Dup --columns nosuch', '--columns: no record has "nosuch"', 'status'],
  ['time-tracking stop --columns nosuch', '--columns: no record has "nosuch"', 'status'],
  // ids that cannot be sent
  ['timesheets approve t1 .. --yes', '".." cannot be the id of a timesheet', 'one segment'],
  ['members get ""', '"" cannot be the id of a member', 'one segment'],
  // raw values
  ['members list --param x', '--param: "x" is not name=value'],
  ['members update 17 --field x:=[', '--field x: "[" cannot be read as JSON', 'x='],
  ['members update 17 --input /nonexistent/body.json', 'cannot read /nonexistent/body.json', 'no such file'],
  ['members update 17 --input DIR', 'It is a directory.'],
  ['members update 17 --input DIR/list.json', '--input is not a JSON object'],
  ['members update 17 --input -', 'stdin cannot be read as JSON'],
  ['members list --param workspace_id=9 --workspace 8', 'workspace_id is already set by --workspace'],
  ['projects update 17 --name A --field workspace_id:=9 -w 8', 'workspace_id is already set by --workspace'],
  // all at once
  [
    'members update 17 --email ana --role owner --rate-status maybe --weekly-hours-limit -1',
    ...['--email: ', '--role: ', '--rate-status: ', '--weekly-hours-limit: '],
  ],
  ['timesheets list --status done --period soon --date-from 2026-02-30', '--status: ', '--date-from: '],
])('%s', async (text, ...told) => {
  t.file('list.json', '[1]');
  const line = text.replace('DIR', t.folder);
  const stdin = 'email\na@x.example\nb@x.example\n';
  const { exit, stdout, stderr } = await t.run(line, { stdin });
  expect([exit, stdout], stderr).toEqual([2, '']);
  expect(stderr).toMatch(/^error: /);
  for (const part of told) expect(stderr).toContain(part);
  const inJson = await t.run(`${line} --json`, { stdin });
  expect(inJson).toMatchObject({ exit: 2, stderr: expect.stringMatching(/^.*\n$/) });
  expect(JSON.parse(inJson.stderr).error).toMatchObject({ exit: 2, code: expect.any(String) });
  expect(t.lines()).toEqual([]);
});

it.each(['[?', 'nope(@)'])('members list --query "%s" is wrong before any request', async (query) => {
  const { exit, stderr } = await t.run(['members', 'list', '--query', query]);
  expect([exit, t.lines()]).toEqual([2, []]);
  expect(JSON.parse(stderr).error.message).toContain('the query cannot be used');
});

it('an error never repeats a token', async () => {
  const { stderr } = await t.run('members get .. --debug', { env: { TTCTL_TOKEN: 'canary-5f2e77' } });
  expect(stderr).not.toContain('canary');
});

const errorOf = (stderr: string) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;
const PROJECT = { id: 17, name: 'Dup' };
const created = (request: Recorded): Answer => ({
  body: request.line.startsWith('GET') ? onePage([]) : envelope(ofRequest(request, PROJECT)),
});

describe('a --query that does not fit the answer of a write', () => {
  it.each([
    ['projects create --name Dup', 1, PROJECT],
    ['members update 17 --timezone UTC', 1, { target: '17', status: 'done' }],
    ['timesheets approve a1 --yes', 1, [{ target: 'a1', status: 'done' }]],
    ['timesheets approve a1 a2 --yes --no-journal', 2, [{ target: 'a1' }, { target: 'a2' }]],
    ['api PUT /members/17 --field timezone=UTC', 1, { success: true }],
  ])('%s: all is printed, and it is no wrong usage', async (line, count, printed) => {
    const bad = line.startsWith('timesheets') ? '[].abs(target)' : 'abs(name || target || message)';
    const { exit, sent, stdout, stderr } = await ask(`${line} --query "${bad}"`, created);
    expect([exit, sent.length]).toEqual([1, count]);
    expect(JSON.parse(stdout)).toMatchObject(printed);
    expect(errorOf(stderr)).toMatchObject({
      code: 'bad_query',
      exit: 1,
      reason: expect.stringContaining('must be number, not string'),
      hint: expect.stringContaining('do not run the command again'),
    });
  });

  it('leaves the exit code to what failed at the service', async () => {
    t.refused = /./;
    const line = 'timesheets approve a1 a2 --yes --no-journal --query "[].abs(target)"';
    const { exit, stdout, stderr } = await t.run(line);
    expect([exit, errorOf(stderr).exit]).toEqual([4, 4]);
    expect(JSON.parse(stdout)).toMatchObject([{ status: 'failed' }, { status: 'failed' }]);
    expect(stderr).toContain('warning: the query cannot be used: [].abs(target)');
  });

  it.each(['projects list', 'projects create --name Dup --dry-run'])(
    'is wrong usage where nothing was written: %s',
    async (line) => {
      expect(await t.run(`${line} --query "abs(keys(@))"`)).toMatchObject({ exit: 2, stdout: '' });
    },
  );
});

it.each([
  ['timesheets approve a1 --yes --columns target,data.id', 'target,data.id\r\na1,a1\r\n'],
  ['projects create --name Dup --columns id,name', 'id,name\r\n17,Dup\r\n'],
  ['projects create --name Dup --dry-run --columns target,status', 'target,status\r\nDup,planned\r\n'],
  ['projects create --name Dup --columns name --query "{name: id}"', 'name\r\n17\r\n'],
])('a write has columns: %s', async (line, printed) => {
  const { exit, stdout } = await ask(`${line} -o csv`, created);
  expect([exit, stdout]).toEqual([0, printed]);
});

/** Decisions have a flag of the same name as the inbox above them. */
it.each([
  ['inbox decide --rules RULES --kind leave', 0],
  ['--json inbox decide --rules RULES --kind leave', 0],
  ['inbox decide --kind leave --rules RULES', 0],
  ['inbox decide --rules RULES --kind=leave --timezone UTC --output json', 0],
  ['inbox --kind leave decide --rules RULES', 2],
  ['inbox decide --rules RULES --kind leave --limit 3', 2],
])('a flag is of the command that stands before it: %s', async (line, exit) => {
  const rules = t.file('rules.json', '[{"name":"a","kind":"leave","when":"`true`","then":"hold"}]');
  const ended = await t.run(line.replace('RULES', rules));
  const reads = exit === 0 ? [expect.stringMatching(/^GET \/leaves\?.*status=pending/)] : [];
  expect([ended.exit, t.lines()], ended.stderr).toEqual([exit, reads]);
});

describe('short flags together', () => {
  it.each([
    ['-n -i -X POST', '-in -X POST', '-inX POST', '-niXPOST', '-inXPOST'],
    ['-i -w 8', '-iw8', '-iw 8', '-qiw8'],
    ['-X POST -n -q -f a=b', '-nqXPOST -fa=b', '-XPOST -qnfa=b'],
  ])('mean what %s means, in any order', async (apart, ...together) => {
    const withoutDate = ({ stdout, exit }: { stdout: string; exit: number }) => [
      ...[exit, stdout.replace(/^date: .*$/m, ''), t.lines().at(-1)],
    ];
    const meant = withoutDate(await t.run(`api /members ${apart}`));
    expect(meant[0]).toBe(0);
    for (const flags of together)
      expect(withoutDate(await t.run(`api ${flags} /members`)), flags).toEqual(meant);
  });

  it.each([
    ['api -iw8 -w 9 /members', '--workspace was given more than once'],
    ['api -iqz /members', 'unknown option'],
  ])('are not given twice unseen, and an unknown one is told: %s', async (line, told) => {
    const { exit, stderr } = await t.run(line);
    expect([exit, t.lines(), stderr]).toEqual([2, [], expect.stringContaining(told)]);
  });
});

/** `--query` chooses what is printed; beside `--all` it would be taken for a filter. */
it.each(
  (await leaves())
    .filter(({ path, command }) => !/^sandbox/.test(path) && command.flags.some(({ name }) => name === 'all'))
    .map(({ path, command }) => [path, command.operation?.moves?.past]),
)('%s --all --query is wrong usage before any request: what is %s', async (path, past) => {
  // The name of a project would be looked up.
  const filter = path.startsWith('tasks') ? '--project Site' : '';
  const query = '--query "[?total_hours <= `35`]"';
  const { exit, stderr, stdout } = await t.run(`${path} --all ${filter} --yes --json ${query}`);
  expect([exit, stdout, t.lines()]).toEqual([2, '', []]);
  expect(errorOf(stderr)).toMatchObject({
    message: `--query changes what is printed, not what is ${past}: use --where`,
    hint: expect.stringContaining('--where takes a condition for one record'),
  });
});

it('a query changes what is printed of targets that are named', async () => {
  const { exit, stdout } = await t.run('timesheets approve t1 t2 --yes --query [].target');
  expect([exit, JSON.parse(stdout)]).toEqual([0, ['t1', 't2']]);
});
