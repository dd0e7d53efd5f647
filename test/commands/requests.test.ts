import { describe, expect, it } from 'vitest';
import { literal, plainAnswer } from '../support/literal.ts';
import { envelope, onePage, type Recorded } from '../support/recorder.ts';
import { ask } from '../support/use-cli.ts';

/**
 * Each command line and the request that it makes, written from docs/service.md:
 * method, path, query, body, and where `workspace_id` goes.
 */

const ID = '8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b';

literal(`
workspaces list
> GET /workspaces
members list
> GET /members?workspace_id=7&page=1&per_page=100
members list --email ana@example.com --status active --role team-manager
> GET /members?workspace_id=7&email=ana%40example.com&status=active&role=Team%20manager&page=1&per_page=100
members list --page 2 --per-page 20
> GET /members?workspace_id=7&page=2&per_page=20
members list --param team=blue
> GET /members?workspace_id=7&team=blue&page=1&per_page=100
members get 17
> GET /members/17?workspace_id=7
members invite ana@example.com --firstname Ana --lastname Sousa --role regular-user
> GET /members?workspace_id=7&email=ana%40example.com&page=1&per_page=100
> POST /members?workspace_id=7 {"workspace_id":7,"email":"ana@example.com","firstname":"Ana","lastname":"Sousa","role":"Regular User"}
members update 17 --email a@example.com --firstname A --lastname B --timezone Europe/Lisbon --role project-manager --rate-status visible --weekly-hours-limit 32 --remove-avatar
> GET /members/17?workspace_id=7
> PUT /members/17?workspace_id=7 {"workspace_id":7,"email":"a@example.com","firstname":"A","lastname":"B","timezone":"Europe/Lisbon","role":"Project manager","rate_status":1,"weekly_hours_limit":32,"remove_avatar":1}
members update 17 --rate-status 0
> GET /members/17?workspace_id=7
> PUT /members/17?workspace_id=7 {"workspace_id":7,"rate_status":0}
members update 17 --field title=Lead --field tags:=["a"]
> GET /members/17?workspace_id=7
> PUT /members/17?workspace_id=7 {"workspace_id":7,"title":"Lead","tags":["a"]}
members archive 17 --yes
> GET /members/17?workspace_id=7
> DELETE /members/17?workspace_id=7 {"workspace_id":7}
members delete 17 --yes
> GET /members/17?workspace_id=7
> DELETE /members/17?workspace_id=7 {"workspace_id":7}
members restore 17
> POST /members/17/restore?workspace_id=7 {"workspace_id":7}
timesheets list --status submitted --date-from 2026-11-01 --date-to 2026-11-30
> GET /timesheets?workspace_id=7&status=submitted&date_from=2026-11-01&date_to=2026-11-30&page=1&per_page=100
timesheets list --period 2026-W32
> GET /timesheets?workspace_id=7&date_from=2026-08-03&date_to=2026-08-09&page=1&per_page=100
timesheets list --id ${ID}
> GET /timesheets?workspace_id=7&id=${ID}&page=1&per_page=100
timesheets approve ${ID} --yes
> PUT /timesheets/${ID}/approve?workspace_id=7 {"workspace_id":7}
timesheets reject ${ID} --reason no --yes
> PUT /timesheets/${ID}/reject?workspace_id=7 {"workspace_id":7,"reason":"no"}
timesheets submit ${ID}
> GET /timesheets?workspace_id=7&id=${ID}&page=1&per_page=100
> PUT /timesheets/${ID}/submit?workspace_id=7 {"workspace_id":7}
timesheets unsubmit ${ID}
> GET /timesheets?workspace_id=7&id=${ID}&page=1&per_page=100
> PUT /timesheets/${ID}/unsubmit?workspace_id=7 {"workspace_id":7}
api GET /reports/tracked-hours?start_date=2026-11-01
> GET /reports/tracked-hours?workspace_id=7&start_date=2026-11-01
api GET members --no-workspace
> GET /members
api GET members --param workspace_id=9
> GET /members?workspace_id=9
api post /time-entries --field note=x
> POST /time-entries?workspace_id=7 {"note":"x"}
api PUT /members/17 --field workspace_id:=9
> PUT /members/17 {"workspace_id":9}
api DELETE /members/17
> DELETE /members/17?workspace_id=7
`);

it('every request carries the bearer token, asks for JSON and says how long its body is', async () => {
  let headers: object = {};
  await ask('members restore 17', (request) => {
    headers = request.headers;
    return plainAnswer(request);
  });
  expect(headers).toMatchObject({
    authorization: 'Bearer token-of-the-test',
    accept: 'application/json',
    'content-type': 'application/json',
    'content-length': '18',
  });
});

describe('--input', () => {
  it('is the body; flags lie over it, workspace_id is added', async () => {
    const stdin = '{"firstname":"Eve","lastname":"Sousa","nickname":null}';
    const { exit, sent } = await ask('members update 17 --input - --firstname Ana', plainAnswer, { stdin });
    expect([exit, sent]).toEqual([
      0,
      [
        'PUT /members/17?workspace_id=7 {"workspace_id":7,"firstname":"Ana","lastname":"Sousa","nickname":null}',
      ],
    ]);
  });

  it('may bring what a flag would have brought, and its own workspace', async () => {
    const { exit, lines } = await ask(
      'members invite ana@example.com --input -',
      () => ({ body: envelope({ user_id: 1, invitation_link: 'https://x.example/i' }) }),
      {
        env: { TTCTL_WORKSPACE: '' },
        stdin: '{"workspace_id":9,"firstname":"Ana","lastname":"Sousa","role":"Regular User"}',
      },
    );
    // Whether the address is a member already is looked for where it will be one.
    expect([exit, ...lines]).toEqual([
      0,
      expect.stringMatching(/^GET \/members\?(?=.*workspace_id=9)(?=.*email=ana%40example\.com)/),
      expect.stringMatching(/^POST \/members\?workspace_id=9 \{"workspace_id":9,/),
    ]);
  });
});

describe('a member by e-mail', () => {
  const ana = { id: 17, email: 'Ana@example.com', firstname: 'Ana', lastname: 'Sousa', status: 'active' };
  const lists =
    (...rows: readonly object[]) =>
    ({ line }: Recorded) => ({ body: line.startsWith('GET') ? onePage(rows) : envelope(null) });

  it('is looked up once a run', async () => {
    const line = 'members archive ana@example.com ana@example.com --yes --json';
    const { exit, stdout, lines } = await ask(line, lists(ana));
    expect(exit).toBe(0);
    expect(lines).toEqual([
      'GET /members?workspace_id=7&email=ana%40example.com&page=1&per_page=100',
      'DELETE /members/17?workspace_id=7 {"workspace_id":7}',
    ]);
    expect(JSON.parse(stdout)).toMatchObject([
      { target: 'ana@example.com', status: 'done', operation: 'members.archive' },
      { target: 'ana@example.com', status: 'skipped' },
    ]);
  });

  it('that matches none is exit 5, several exit 2 with the candidates', async () => {
    expect((await ask('members get no@example.com', lists())).exit).toBe(5);
    const { exit, stderr, lines } = await ask('members get ana@example.com', lists(ana, { ...ana, id: 18 }));
    expect([exit, lines.length]).toEqual([2, 1]);
    expect(stderr).toMatch(/17 {2}Ana Sousa[\s\S]*18 {2}Ana Sousa/);
  });
});

describe('a workspace by name', () => {
  const rows = ['Northwind', 'Twin', 'twin'].map((name, n) => ({
    id: 7 + n,
    workspace_name: name,
    role: 'Owner',
  }));
  const answer = ({ line }: Recorded) => ({ body: onePage(line === 'GET /workspaces' ? rows : []) });

  it('is looked up, whatever its case', async () => {
    const { exit, lines } = await ask('-w northwind members list', answer);
    expect([exit, ...lines]).toEqual([
      0,
      'GET /workspaces',
      'GET /members?workspace_id=7&page=1&per_page=100',
    ]);
  });

  it('is refused when it is ambiguous', async () => {
    const { exit, stderr } = await ask('-w Twin members list', answer);
    expect([exit, stderr]).toEqual([2, expect.stringMatching(/8 {2}Twin[\s\S]*9 {2}twin/)]);
  });
});
