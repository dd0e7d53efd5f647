import { describe, expect, it } from 'vitest';
import { type Answer, envelope, ofRequest, onePage, plainAnswer, type Recorded } from '../support/service.ts';
import { ask } from '../support/use-cli.ts';

/** Options that do not fit what the command answers, or say a thing twice. */

const errorOf = (stderr: string) =>
  JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error as Readonly<Record<string, unknown>>;

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
    expect(sent).toHaveLength(count);
    expect(JSON.parse(stdout)).toMatchObject(printed);
    expect(exit).toBe(1);
    expect(errorOf(stderr)).toMatchObject({
      code: 'bad_query',
      exit: 1,
      reason: expect.stringContaining('must be number, not string'),
      hint: expect.stringContaining('do not run the command again'),
    });
  });

  it('leaves the exit code to what failed at the service', async () => {
    const { exit, stdout, stderr } = await ask(
      'timesheets approve a1 a2 --yes --no-journal --query "[].abs(target)"',
      () => ({ status: 403, body: { success: false, message: 'No.', data: null } }),
    );
    expect(exit).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject([{ status: 'failed' }, { status: 'failed' }]);
    expect(stderr).toContain('warning: the query cannot be used: [].abs(target)');
    expect(errorOf(stderr)).toMatchObject({ exit: 4 });
  });

  it('is wrong usage where nothing was written', async () => {
    for (const line of ['projects list', 'projects create --name Dup --dry-run']) {
      const { exit, stdout } = await ask(`${line} --query "abs(keys(@))"`);
      expect([exit, stdout]).toEqual([2, '']);
    }
  });
});

describe('--columns and --sort of a write', () => {
  it.each([
    'timesheets approve a1 --yes --columns nosuch',
    'timesheets approve a1 a2 --yes --columns target,nosuch',
    'timesheets approve --all --yes --columns nosuch',
    'timesheets approve a1 --yes --sort nosuch',
    'members update 17 --timezone UTC --columns nosuch',
    'members invite a@x.example --firstname A --lastname B --role regular-user --columns nosuch',
    'projects create --name Dup --columns nosuch',
    'time-tracking stop --columns nosuch',
  ])('%s is refused before anything is sent', async (line) => {
    const { exit, lines, stdout, stderr } = await ask(line);
    expect(lines).toEqual([]);
    expect([exit, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/--(columns|sort): no record has "nosuch"/);
    expect(stderr).toContain('status');
  });

  it('may name what a row of a file answers', async () => {
    const { exit, lines } = await ask('members update --from-file - --columns nosuch --yes', plainAnswer, {
      stdin: 'id,timezone\n17,UTC\n',
    });
    expect([exit, lines]).toEqual([2, []]);
  });

  it.each([
    ['timesheets approve a1 --yes --columns target,data.id', 'target,data.id\r\na1,a1\r\n'],
    ['projects create --name Dup --columns id,name', 'id,name\r\n17,Dup\r\n'],
    ['projects create --name Dup --dry-run --columns target,status', 'target,status\r\nDup,planned\r\n'],
    ['projects create --name Dup --columns name --query "{name: id}"', 'name\r\n17\r\n'],
  ])('%s passes', async (line, printed) => {
    const { exit, stdout } = await ask(`${line} -o csv`, created);
    expect([exit, stdout]).toEqual([0, printed]);
  });
});

describe('a value that --param or --field and a flag give', () => {
  it.each([
    'members list --param workspace_id=9 --workspace 8',
    'projects update 17 --name A --field workspace_id:=9 --workspace 8',
  ])('%s is refused', async (line) => {
    const { exit, lines, stderr } = await ask(line);
    expect(lines).toEqual([]);
    expect(exit).toBe(2);
    expect(stderr).toContain('workspace_id is already set by --workspace');
  });

  it.each([
    ['members list --param status=active', 'GET /members?workspace_id=7&status=active&page=1&per_page=100'],
    ['members list --param workspace_id=9', 'GET /members?workspace_id=9&page=1&per_page=100'],
    ['workspaces list --param page=2', 'GET /workspaces?page=2'],
    [
      'projects update 17 --name A --field workspace_id:=9',
      'GET /projects/17?workspace_id=9',
      'PUT /projects/17?workspace_id=9 {"workspace_id":9,"name":"A"}',
    ],
  ])('%s is sent alone', async (line, ...requests) => {
    expect((await ask(line)).lines).toEqual(requests);
  });

  it('is that of the flag, which lies over an --input', async () => {
    const stdin = '{"workspace_id":9,"name":"B"}';
    const { lines } = await ask('projects update 17 --workspace 8 --input -', plainAnswer, { stdin });
    expect(lines).toEqual([
      'GET /projects/17?workspace_id=8',
      'PUT /projects/17?workspace_id=8 {"workspace_id":8,"name":"B"}',
    ]);
    const alone = await ask('projects update 17 --input -', plainAnswer, { stdin });
    expect(alone.lines).toEqual([
      'GET /projects/17?workspace_id=9',
      'PUT /projects/17?workspace_id=9 {"workspace_id":9,"name":"B"}',
    ]);
  });
});

describe('what asks, where nobody can be asked', () => {
  it.each([
    'timesheets approve --all',
    'timesheets submit --all',
    'members archive a@x.example',
    'members restore a@x.example b@x.example',
    'members archive --from-file -',
    'members update --from-file - --timezone UTC',
  ])('%s reads nothing either', async (line) => {
    const { exit, lines, stderr } = await ask(line, plainAnswer, {
      stdin: 'email\na@x.example\nb@x.example\n',
    });
    expect([exit, lines]).toEqual([2, []]);
    expect(stderr).toContain('--yes');
  });
});

describe('a flag of a command and of the one below it', () => {
  const decide = 'inbox decide --rules -';
  const rules = JSON.stringify([{ name: 'a', kind: 'leave', when: '`true`' }]).replace(
    '}',
    ',"then":"hold"}',
  );
  it.each([
    [`${decide} --kind leave`],
    [`--json ${decide} --kind leave`],
    ['inbox decide --kind leave --rules -'],
    ['inbox decide --rules - --kind=leave --timezone UTC --output json'],
  ])('is of the one that the line names: %s', async (line) => {
    const { exit, lines } = await ask(line, () => ({ body: onePage([]) }), { stdin: rules });
    expect([exit, lines.length]).toEqual([0, 1]);
    expect(lines[0]).toMatch(/^GET \/leaves\?.*status=pending/);
  });

  it.each(['inbox --kind leave decide --rules -', `${decide} --limit 3`])(
    'is not taken for the other one: %s',
    async (line) => {
      const { exit, lines } = await ask(line, plainAnswer, { stdin: rules });
      expect([exit, lines]).toEqual([2, []]);
    },
  );
});
