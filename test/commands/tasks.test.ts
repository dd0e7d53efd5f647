import { describe, expect, it } from 'vitest';
import { keepsWrites, literal, ofRequest } from '../support/literal.ts';
import { envelope, onePage } from '../support/recorder.ts';
import { ask } from '../support/use-cli.ts';

/**
 * Assign takes `workspace_id` and `project_id` in the body; the others name no place for them.
 * Fields, and the numbers of status and priority: docs/service.md, Tasks.
 */

const ALL =
  '--title "Home page" --description Layout --status in-progress --priority urgent --start-date 2026-11-01 --end-date 2026-11-30 --assignee 12,13 --assignee 14';
const FIELDS =
  '"title":"Home page","description":"Layout","status":10,"priority":10,"start_date":"2026-11-01","end_date":"2026-11-30","assignees":[12,13,14]';

literal(`
tasks list --project 5
> GET /tasks?workspace_id=7&project_id=5&page=1&per_page=100
tasks list --project 5 --status closed --priority low
> GET /tasks?workspace_id=7&project_id=5&status=30&priority=40&page=1&per_page=100
tasks list --project 5 --status 0 --priority 30
> GET /tasks?workspace_id=7&project_id=5&status=0&priority=30&page=1&per_page=100
tasks get 17
> GET /tasks/17?workspace_id=7
tasks get 17 --project 5
> GET /tasks/17?workspace_id=7&project_id=5
tasks create --project 5 ${ALL}
> GET /tasks?workspace_id=7&project_id=5&page=1&per_page=100
> POST /tasks?workspace_id=7&project_id=5 {"workspace_id":7,"project_id":5,${FIELDS}}
tasks update 17 --project 5 ${ALL}
> GET /tasks/17?workspace_id=7&project_id=5
> PUT /tasks/17?workspace_id=7&project_id=5 {"workspace_id":7,"project_id":5,${FIELDS}}
tasks update 17 --status done
> GET /tasks/17?workspace_id=7
> PUT /tasks/17?workspace_id=7 {"workspace_id":7,"status":20}
tasks archive 17 --yes
> DELETE /tasks/17?workspace_id=7 {"workspace_id":7}
tasks delete 17 --project 5 --yes
> DELETE /tasks/17?workspace_id=7&project_id=5 {"workspace_id":7,"project_id":5}
tasks assignees 17
> GET /tasks/17/assignees?workspace_id=7
tasks assignees 17 --project 5
> GET /tasks/17/assignees?workspace_id=7&project_id=5
tasks assign 17 --project 5 --member 12
> GET /tasks/17/assignees?workspace_id=7&project_id=5
> POST /tasks/17/assign/12 {"workspace_id":7,"project_id":5}
`);

literal(
  `
tasks unassign 17 --project 5 --member 12,13 --yes
> GET /tasks/17/assignees?workspace_id=7&project_id=5
> DELETE /tasks/17/unassign/12?workspace_id=7&project_id=5 {"workspace_id":7,"project_id":5}
> DELETE /tasks/17/unassign/13?workspace_id=7&project_id=5 {"workspace_id":7,"project_id":5}
`,
  keepsWrites({ id: 17 }, [{ user_id: 12 }, { user_id: 13 }]),
);

const ROWS = [
  { id: 55, title: 'A' },
  { id: 56, title: 'B', deleted_at: '2026-11-01' },
];

literal(
  `
tasks assign 17 --project Website --member ana@example.com --member 13 --yes
> GET /projects?workspace_id=7&name=Website&page=1&per_page=100
> GET /members?workspace_id=7&email=ana%40example.com&page=1&per_page=100
> GET /tasks/17/assignees?workspace_id=7&project_id=5
> POST /tasks/17/assign/12 {"workspace_id":7,"project_id":5}
> POST /tasks/17/assign/13 {"workspace_id":7,"project_id":5}
tasks archive --all --project 5 --status done --priority high --yes
> GET /tasks?workspace_id=7&project_id=5&status=20&priority=20&page=1&per_page=100
> DELETE /tasks/55?workspace_id=7&project_id=5 {"workspace_id":7,"project_id":5}
`,
  (request) => {
    const { line } = request;
    if (line.startsWith('GET /projects')) return { body: onePage([{ id: 5, name: 'Website' }]) };
    if (line.startsWith('GET /members')) return { body: onePage([{ id: 12, email: 'ana@example.com' }]) };
    return { body: line.startsWith('GET') ? onePage(ROWS) : envelope(ofRequest(request, { id: 1 })) };
  },
);

describe('tasks', () => {
  it.each([
    ['tasks list', 'missing --project'],
    ['tasks create --title A', 'missing --project'],
    ['tasks assign 17 --member 12', 'missing --project'],
    ['tasks unassign 17 --member 12', 'missing --project'],
    ['tasks assign 17 --project 5', 'missing --member'],
    ['tasks archive --all --yes', 'missing --project'],
    ['tasks archive 17 --status done --yes', 'filters need --all'],
    ['tasks assign 17 --project 5 --member 12,13', 'assigning 2 members'],
    ['tasks update 17 --project 5', 'nothing to change'],
  ])('%s: %s, before any request', async (command, message) => {
    const { exit, stderr, lines } = await ask(command);
    expect([exit, stderr, lines]).toEqual([2, expect.stringContaining(message), []]);
  });

  it('are shown with words for numbers, also unknown ones, and names where there are some', async () => {
    const rows = [
      { id: 1, title: 'A', status: 10, priority: 40, assignees: [{ firstname: 'Ana', lastname: 'Sá' }, 12] },
      { id: 2, title: 'B', status: 15, priority: null, assignees: [] },
    ];
    const bo = { id: 12, firstname: 'Bo', lastname: 'Li' };
    const { stdout } = await ask('tasks list --project 5', ({ line }) => ({
      body: onePage(line.startsWith('GET /members') ? [bo] : rows),
    }));
    expect(stdout).toBe(
      [
        'TITLE  STATUS       PRIORITY  ASSIGNEES      DUE  ID',
        'A      in-progress  low       Ana Sá, Bo Li  -     1',
        'B      15           -         -              -     2',
        '',
      ].join('\n'),
    );
  });
});
