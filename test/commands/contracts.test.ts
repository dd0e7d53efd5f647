import { describe, expect, it } from 'vitest';
import { literal, ofRequest } from '../support/literal.ts';
import { envelope, onePage } from '../support/recorder.ts';
import { ask } from '../support/use-cli.ts';

/** Requests and fields are those of docs/service.md, Contracts. */

literal(`
contracts list
> GET /contracts?workspace_id=7&page=1&per_page=100
contracts list --project 5 --member 12 --status paused
> GET /contracts?workspace_id=7&project_id=5&user_id=12&status=paused&page=1&per_page=100
contracts get 17
> GET /contracts/17?workspace_id=7
# A rate may be dropped by role.
contracts create --project 5 --member 12 --weekly-hours-limit 20 --screenshots no_screenshot --rate 75.5
> GET /contracts?workspace_id=7&project_id=5&user_id=12&page=1&per_page=100
> POST /contracts?workspace_id=7 {"workspace_id":7,"project_id":5,"user_id":12,"weekly_hours_limit":20,"screenshots":"no_screenshot","rate":75.5}
> GET /contracts/17?workspace_id=7
contracts update 17 --weekly-hours-limit 0 --screenshots video_full_silent --rate 80 --status paused
> GET /contracts/17?workspace_id=7
> PUT /contracts/17?workspace_id=7 {"workspace_id":7,"weekly_hours_limit":0,"screenshots":"video_full_silent","rate":80,"status":"paused"}
> GET /contracts/17?workspace_id=7
contracts archive 17 --yes
> DELETE /contracts/17?workspace_id=7 {"workspace_id":7}
contracts delete 17 --yes
> DELETE /contracts/17?workspace_id=7 {"workspace_id":7}
`);

literal(
  `
contracts create --project Website --member ana@example.com
> GET /projects?workspace_id=7&name=Website&page=1&per_page=100
> GET /members?workspace_id=7&email=ana%40example.com&page=1&per_page=100
> GET /contracts?workspace_id=7&project_id=5&user_id=12&page=1&per_page=100
> POST /contracts?workspace_id=7 {"workspace_id":7,"project_id":5,"user_id":12}
contracts archive --all --project 5 --member 12 --status active --yes
> GET /contracts?workspace_id=7&project_id=5&user_id=12&status=active&page=1&per_page=100
> DELETE /contracts/40?workspace_id=7 {"workspace_id":7}
`,
  (request) => {
    const { line } = request;
    if (line.startsWith('GET /projects')) return { body: onePage([{ id: 5, name: 'Website' }]) };
    if (line.startsWith('GET /members')) return { body: onePage([{ id: 12, email: 'ana@example.com' }]) };
    if (line.startsWith('GET')) return { body: onePage([{ id: 40 }, { id: 41, deleted_at: '2026-11-01' }]) };
    return { body: envelope(ofRequest(request, { id: 42 })) };
  },
);

describe('contracts', () => {
  const ana = { id: 1, project_name: 'Site', user_firstname: 'Ana', user_lastname: 'Sá', status: 'active' };
  const shown = (...rows: readonly object[]) => ask('contracts list', () => ({ body: onePage(rows) }));

  it('show rates only to those who get them, and whose rate it is in words', async () => {
    expect((await shown(ana)).stdout).not.toMatch(/RATE/);
    const rated = { ...ana, id: 2, rate: 75.5, rate_type: 3 };
    const { stdout } = await shown(ana, rated, { ...ana, id: 3, rate_type: 9 });
    expect(stdout).toMatch(/RATE {2}RATE FROM/);
    expect(stdout).toMatch(/75\.50 {2}project's/);
    expect(stdout).toMatch(/- {2}9/);
  });

  it('fetch names only where the records lack them', async () => {
    expect((await shown({ ...ana, project_id: 5, user_id: 12 })).lines).toHaveLength(1);
    expect((await shown({ id: 1, project_id: 5, user_id: 12 })).lines.slice(1).sort()).toEqual([
      'GET /members?workspace_id=7&page=1&per_page=100',
      'GET /projects?workspace_id=7&page=1&per_page=100',
    ]);
  });
});
