import { literal } from '../support/literal.ts';
import { envelope, onePage } from '../support/recorder.ts';

/** Archive takes `workspace_id` in the body (docs/service.md, Where values travel). Fields: docs/service.md, Projects. */

const ALL =
  '--start-date 2026-11-01 --deadline 2026-12-18 --estimation 320.5 --budget 28000 --notes "Phase two" --icon anchor';
const FIELDS =
  '"start_date":"2026-11-01","deadline":"2026-12-18","estimation":320.5,"budget":28000,"notes":"Phase two","icon":"anchor"';

literal(`
projects list
> GET /projects?workspace_id=7&page=1&per_page=100
projects list --name web
> GET /projects?workspace_id=7&name=web&page=1&per_page=100
projects get 17
> GET /projects/17?workspace_id=7
projects create --name "Harbour website" ${ALL}
> GET /projects?workspace_id=7&name=Harbour%20website&page=1&per_page=100
> POST /projects?workspace_id=7 {"workspace_id":7,"name":"Harbour website",${FIELDS}}
projects update 17 --name Harbour ${ALL}
> GET /projects/17?workspace_id=7
> PUT /projects/17?workspace_id=7 {"workspace_id":7,"name":"Harbour",${FIELDS}}
projects update 17 --field is_billable:=true
> GET /projects/17?workspace_id=7
> PUT /projects/17?workspace_id=7 {"workspace_id":7,"is_billable":true}
projects archive 17 --yes
> DELETE /projects/17 {"workspace_id":7}
projects delete 17 18 --yes
> DELETE /projects/17 {"workspace_id":7}
> DELETE /projects/18 {"workspace_id":7}
`);

const ROWS = [
  { id: 5, name: 'Harbour website', deleted_at: null },
  { id: 6, name: 'Harbour website II' },
  { id: 8, name: 'Harbour kiosk', deleted_at: '2026-11-01T00:00:00Z' },
];

literal(
  `
projects get "HARBOUR website"
> GET /projects?workspace_id=7&name=HARBOUR%20website&page=1&per_page=100
> GET /projects/5?workspace_id=7
projects archive --all --name harbour --yes
> GET /projects?workspace_id=7&name=harbour&page=1&per_page=100
> DELETE /projects/5 {"workspace_id":7}
> DELETE /projects/6 {"workspace_id":7}
`,
  ({ line }) => {
    if (line.startsWith('GET /projects/5')) return { body: envelope(ROWS[0]) };
    return { body: line.startsWith('GET') ? onePage(ROWS) : envelope(null) };
  },
);
