import { literal } from '../support/literal.ts';
import { envelope, onePage } from '../support/recorder.ts';

/** An invitation names only body fields, the others no place for theirs (docs/service.md, Where values travel). */

literal(`
viewers list
> GET /project-viewers?workspace_id=7&page=1&per_page=100
project-viewers list
> GET /project-viewers?workspace_id=7&page=1&per_page=100
viewers list --email eve@client.example
> GET /project-viewers?workspace_id=7&email=eve%40client.example&page=1&per_page=100
viewers get 17
> GET /project-viewers/17?workspace_id=7
viewers invite eve@client.example --firstname Eve --lastname Okafor
> GET /project-viewers?workspace_id=7&email=eve%40client.example&page=1&per_page=100
> POST /project-viewers {"workspace_id":7,"email":"eve@client.example","firstname":"Eve","lastname":"Okafor"}
viewers archive 17 --yes
> GET /project-viewers/17?workspace_id=7
> DELETE /project-viewers/17?workspace_id=7 {"workspace_id":7}
viewers delete 17 --yes
> GET /project-viewers/17?workspace_id=7
> DELETE /project-viewers/17?workspace_id=7 {"workspace_id":7}
viewers restore 17
> POST /project-viewers/17/restore?workspace_id=7 {"workspace_id":7}
viewers assign 17 --project 5
> GET /project-viewers/17?workspace_id=7
> POST /project-viewers/17/assign-project?workspace_id=7&project_id=5 {"workspace_id":7,"project_id":5}
viewers unassign 17 --project 5
> GET /project-viewers/17?workspace_id=7
> DELETE /project-viewers/17/unassign-project?workspace_id=7&project_id=5 {"workspace_id":7,"project_id":5}
`);

const EVE = { id: 31, email: 'Eve@client.example', status: 'active' };
const ROWS = [EVE, { id: 32, status: 'left' }, { id: 33, status: 'active', deleted_at: '2026-11-01' }];

literal(
  `
viewers assign eve@client.example 32 --project "harbour WEBSITE" --yes
> GET /projects?workspace_id=7&name=harbour%20WEBSITE&page=1&per_page=100
> GET /project-viewers?workspace_id=7&email=eve%40client.example&page=1&per_page=100
> POST /project-viewers/31/assign-project?workspace_id=7&project_id=5 {"workspace_id":7,"project_id":5}
> POST /project-viewers/32/assign-project?workspace_id=7&project_id=5 {"workspace_id":7,"project_id":5}
viewers archive --all --max-changes 5 --yes
> GET /project-viewers?workspace_id=7&page=1&per_page=100
> DELETE /project-viewers/31?workspace_id=7 {"workspace_id":7}
`,
  ({ line }) => {
    if (line.startsWith('GET /projects?')) return { body: onePage([{ id: 5, name: 'Harbour website' }]) };
    return { body: line.startsWith('GET') ? onePage(ROWS) : envelope(null) };
  },
);
