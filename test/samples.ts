import { allOperations } from '../src/api/operations.ts';
import { type Answer, envelope, ofRequest, onePage, type Recorded, readsList } from './support/service.ts';
import type { SandboxCli } from './support/use-cli.ts';

/**
 * One sample of each write. Dry runs, results, history, plans, undo, repeats, webhooks, lost answers and `--if-missing` are
 * tried with each of them: a new write is a sample here, and nothing elsewhere.
 */
export interface Sample {
  /** A command line for the seed `demo`, without `ttctl`; `ID` is the first of `list`. */
  readonly line: string;
  readonly list?: string;
  /** Makes its record fit for it. */
  readonly before?: string;
  /** What it sends, to the letter; a creation reads before what is like it. */
  readonly request: string;
  /** Of a creation with `--if-missing`: what it says of another record. */
  readonly other?: string;
  /** What reads show once its answer is lost, where `ID` is `x1`. Absent: no record shows it. */
  readonly lost?: Lost;
}

export interface Lost {
  /** Before the write. Default: nothing of a record. */
  readonly before?: Shown;
  /** Where it was done, where it was not, and where nobody can tell. */
  readonly done: Shown;
  readonly notDone: Shown;
  readonly unclear: Shown;
}

/** What every read answers, or by path (`/leaves`): another path is not found. */
export type Shown = Answer | Readonly<Record<`/${string}`, Answer>>;

export const list = (...rows: object[]): Answer => ({ body: onePage(rows) });
export const one = (record: object | null): Answer => ({ body: envelope(record) });
export const gone: Answer = { status: 404, body: { success: false, message: 'Not found.', meta: {} } };
/** An answer that says nothing of the record. */
export const blank: Answer = one(null);

const person = { id: 108, current_role: 'Regular User', weekly_hours_limit: 40, timezone: 'Europe/Berlin' };
const viewer = { id: 112, email: 'v@n.example', status: 'active' };
const project = { id: 114, name: 'Later', budget_estimation: '31000.50', deadline: '2090-03-01T00:00:00Z' };
const contract = { id: 120, project_id: 114, user_id: 104, weekly_hours_limit: 8 };
const task = { id: 132, title: 'Ours', priority: 'urgent', status: 10, project_id: 114, deleted_at: null };
const assigned = { id: 900, user_id: 108, task_id: 133 };
const expense = { id: 'x1', expense_name: 'Taxi', expense_date: 'Nov 3, 2026', amount: '12.50' };
const ferry = { id: 'x1', expense_name: 'Ferry', expense_date: 'Nov 2, 2026', amount: '9.90' };
const named: Shown = {
  '/expenses/categories': list({ id: 4, name: 'Travel' }),
  '/projects': list({ id: 114, name: 'Harbour' }),
};
const hook = { id: 'x1', url: 'https://h.example/a', events: ['tracker.started'] };
const time = { id: 'a', contract_id: 120, start: '2026-11-20T08:00:00.000Z', end: '2026-11-20T11:30:00Z' };
const left = { deleted_at: '2026-11-20T09:00:00Z' };

/** A record that is told by its status in a list. */
const inState = (path: `/${string}`, done: string, notDone: string): Lost => ({
  done: { [path]: list({ id: 'other', status: notDone }, { id: 'x1', status: done }) },
  notDone: { [path]: list({ id: 'x1', status: notDone }) },
  unclear: { [path]: list({ id: 'other', status: done }) },
});
const request = (status: string): Shown => ({ '/time-requests/x1': one({ id: 'x1', status }) });

const SAMPLES: Readonly<Record<string, Sample>> = {
  'members.invite': {
    line: 'members invite new@n.example --firstname New --lastname N --role regular-user',
    other: 'members invite other@n.example --firstname New --lastname N --role regular-user',
    request:
      'POST /members?workspace_id=101 {"workspace_id":101,"email":"new@n.example","firstname":"New","lastname":"N","role":"Regular User"}',
    lost: {
      before: list(),
      done: list({ id: 18, email: 'NEW@n.example', current_role: 'Regular User' }),
      notDone: list(),
      unclear: gone,
    },
  },
  'members.update': {
    line: 'members update 108 --role team-manager --weekly-hours-limit 32 --timezone Europe/Lisbon',
    request:
      'PUT /members/108?workspace_id=101 {"workspace_id":101,"timezone":"Europe/Lisbon","role":"Team manager","weekly_hours_limit":32}',
    lost: {
      done: one({ id: 108, current_role: 'Team Manager', weekly_hours_limit: 32, timezone: 'Europe/Lisbon' }),
      notDone: one(person),
      unclear: one({ id: 108 }),
    },
  },
  'members.archive': {
    line: 'members archive 108',
    request: 'DELETE /members/108?workspace_id=101 {"workspace_id":101}',
    lost: { done: one({ ...person, ...left }), notDone: one({ ...person, deleted_at: null }), unclear: gone },
  },
  'members.restore': {
    line: 'members restore 108',
    before: 'members archive 108 --yes',
    request: 'POST /members/108/restore?workspace_id=101 {"workspace_id":101}',
    lost: { done: one({ ...person, deleted_at: null }), notDone: one({ ...person, ...left }), unclear: gone },
  },
  'viewers.invite': {
    line: 'viewers invite new@n.example --firstname New --lastname N',
    other: 'viewers invite other@n.example --firstname New --lastname N',
    request:
      'POST /project-viewers {"workspace_id":101,"email":"new@n.example","firstname":"New","lastname":"N"}',
    lost: {
      before: list(),
      done: list({ ...viewer, email: 'NEW@n.example' }),
      notDone: list(),
      unclear: gone,
    },
  },
  'viewers.archive': {
    line: 'viewers archive 112',
    request: 'DELETE /project-viewers/112?workspace_id=101 {"workspace_id":101}',
    lost: { done: one({ ...viewer, status: 'left' }), notDone: one(viewer), unclear: blank },
  },
  'viewers.restore': {
    line: 'viewers restore 112',
    before: 'viewers archive 112 --yes',
    request: 'POST /project-viewers/112/restore?workspace_id=101 {"workspace_id":101}',
    lost: { done: one(viewer), notDone: one({ ...viewer, status: 'left' }), unclear: gone },
  },
  'viewers.assign': {
    line: 'viewers assign 113 --project 114',
    request:
      'POST /project-viewers/113/assign-project?workspace_id=101&project_id=114 {"workspace_id":101,"project_id":114}',
    lost: {
      done: one({ projects: [{ project_id: 114 }] }),
      notDone: one({ projects: [{ project_id: 6 }] }),
      unclear: one({ id: 113 }),
    },
  },
  'viewers.unassign': {
    line: 'viewers unassign 112 --project 114',
    request:
      'DELETE /project-viewers/112/unassign-project?workspace_id=101&project_id=114 {"workspace_id":101,"project_id":114}',
    lost: {
      done: one({ projects: [] }),
      notDone: one({ projects: [{ project_id: 114 }] }),
      unclear: one({ id: 112 }),
    },
  },
  'projects.create': {
    line: 'projects create --name Ours --budget 12.50',
    other: 'projects create --name Theirs --budget 12.50',
    request: 'POST /projects?workspace_id=101 {"workspace_id":101,"name":"Ours","budget":12.5}',
    lost: {
      before: list(),
      done: list({ id: 5, name: 'Ours', budget_estimation: '12.50' }),
      notDone: list(),
      unclear: list({ id: 5, name: 'Ours', budget_estimation: '13.00' }),
    },
  },
  'projects.update': {
    line: 'projects update 114 --deadline 2090-03-01 --budget 31000.50 --name Later',
    request:
      'PUT /projects/114?workspace_id=101 {"workspace_id":101,"name":"Later","deadline":"2090-03-01","budget":31000.5}',
    lost: {
      done: one(project),
      notDone: one({ ...project, budget_estimation: '31000.00' }),
      unclear: one({ id: 114, name: 'Later' }),
    },
  },
  'projects.archive': {
    line: 'projects archive 116',
    request: 'DELETE /projects/116 {"workspace_id":101}',
    lost: { done: one({ id: 116, ...left }), notDone: one({ id: 116, deleted_at: null }), unclear: blank },
  },
  'contracts.create': {
    line: 'contracts create --project 114 --member 104 --weekly-hours-limit 8',
    other: 'contracts create --project 114 --member 103 --weekly-hours-limit 8',
    request:
      'POST /contracts?workspace_id=101 {"workspace_id":101,"project_id":114,"user_id":104,"weekly_hours_limit":8}',
    lost: {
      before: list(),
      done: list(contract),
      notDone: list({ ...contract, user_id: 13 }),
      unclear: list({ ...contract, weekly_hours_limit: 168 }),
    },
  },
  'contracts.update': {
    line: 'contracts update 120 --weekly-hours-limit 20 --status paused --screenshots blurred',
    request:
      'PUT /contracts/120?workspace_id=101 {"workspace_id":101,"weekly_hours_limit":20,"screenshots":"blurred","status":"paused"}',
    lost: {
      done: one({ id: 120, weekly_hours_limit: 20, status: 'paused', screenshots: 'blurred' }),
      notDone: one({ id: 120, weekly_hours_limit: 20, status: 'active', screenshots: 'blurred' }),
      unclear: one({ id: 120 }),
    },
  },
  'contracts.archive': {
    line: 'contracts archive 120',
    request: 'DELETE /contracts/120?workspace_id=101 {"workspace_id":101}',
    lost: { done: gone, notDone: one(contract), unclear: blank },
  },
  'tasks.create': {
    line: 'tasks create --project 114 --title Ours --priority urgent',
    other: 'tasks create --project 115 --title Ours --priority urgent',
    request:
      'POST /tasks?workspace_id=101&project_id=114 {"workspace_id":101,"project_id":114,"title":"Ours","priority":10}',
    lost: { before: list(), done: list(task), notDone: list(), unclear: list({ ...task, priority: 'low' }) },
  },
  'tasks.update': {
    line: 'tasks update 132 --project 114 --status done --priority urgent --title Later',
    request:
      'PUT /tasks/132?workspace_id=101&project_id=114 {"workspace_id":101,"project_id":114,"title":"Later","status":20,"priority":10}',
    lost: {
      done: one({ ...task, title: 'Later', status: 20 }),
      notDone: one({ ...task, title: 'Later' }),
      unclear: gone,
    },
  },
  'tasks.archive': {
    line: 'tasks archive 132 --project 114',
    request: 'DELETE /tasks/132?workspace_id=101&project_id=114 {"workspace_id":101,"project_id":114}',
    lost: { done: one({ ...task, ...left }), notDone: one(task), unclear: blank },
  },
  'tasks.assign': {
    line: 'tasks assign 133 --project 114 --member 108',
    request: 'POST /tasks/133/assign/108 {"workspace_id":101,"project_id":114}',
    lost: { done: list(assigned), notDone: list({ ...assigned, user_id: 109 }), unclear: gone },
  },
  'tasks.unassign': {
    line: 'tasks unassign 132 --project 114 --member 108',
    request:
      'DELETE /tasks/132/unassign/108?workspace_id=101&project_id=114 {"workspace_id":101,"project_id":114}',
    lost: { done: list(), notDone: list({ ...assigned, task_id: 132 }), unclear: gone },
  },
  'timesheets.approve': {
    line: 'timesheets approve ID',
    list: 'timesheets list --status submitted',
    request: 'PUT /timesheets/ID/approve?workspace_id=101 {"workspace_id":101}',
    lost: inState('/timesheets', 'approved', 'submitted'),
  },
  'timesheets.reject': {
    line: 'timesheets reject ID --reason Friday',
    list: 'timesheets list --status submitted',
    request: 'PUT /timesheets/ID/reject?workspace_id=101 {"workspace_id":101,"reason":"Friday"}',
    lost: inState('/timesheets', 'rejected', 'submitted'),
  },
  'timesheets.submit': {
    line: 'timesheets submit ID',
    list: 'timesheets list --status open',
    request: 'PUT /timesheets/ID/submit?workspace_id=101 {"workspace_id":101}',
    lost: inState('/timesheets', 'submitted', 'open'),
  },
  'timesheets.unsubmit': {
    line: 'timesheets unsubmit ID',
    list: 'timesheets list --status submitted',
    request: 'PUT /timesheets/ID/unsubmit?workspace_id=101 {"workspace_id":101}',
    lost: inState('/timesheets', 'open', 'submitted'),
  },
  'leaves.approve': {
    line: 'leaves approve ID',
    list: 'leaves list --status pending',
    request: 'PUT /leaves/ID/approve?workspace_id=101 {"workspace_id":101}',
    lost: inState('/leaves', 'approved', 'pending'),
  },
  'leaves.reject': {
    line: 'leaves reject ID --reason Busy',
    list: 'leaves list --status pending',
    request: 'PUT /leaves/ID/reject?workspace_id=101 {"workspace_id":101,"reason":"Busy"}',
    lost: inState('/leaves', 'rejected', 'pending'),
  },
  'time-requests.create': {
    line: 'time-requests create --member 106 --contract 120 --start 2026-11-20T09:00+01:00 --end 2026-11-20T12:30+01:00',
    request:
      'POST /time-requests?workspace_id=101 {"workspace_id":101,"user_id":106,"contract_id":120,"start":"2026-11-20T09:00:00+01:00","end":"2026-11-20T12:30:00+01:00"}',
    lost: {
      before: { '/time-requests': list() },
      done: { '/time-requests': list(time) },
      notDone: { '/time-requests': list({ ...time, contract_id: 22 }) },
      unclear: { '/time-requests': gone },
    },
  },
  'time-requests.approve': {
    line: 'time-requests approve ID',
    list: 'time-requests list --status pending',
    request: 'POST /time-requests/ID/approve?workspace_id=101 {"workspace_id":101}',
    lost: { done: request('approved'), notDone: request('pending'), unclear: gone },
  },
  'time-requests.reject': {
    line: 'time-requests reject ID --comment Why',
    list: 'time-requests list --status pending',
    request: 'POST /time-requests/ID/reject?workspace_id=101 {"workspace_id":101,"comment":"Why"}',
    lost: { done: request('rejected'), notDone: request('pending'), unclear: gone },
  },
  'time-tracking.stop': { line: 'time-tracking stop', request: 'POST /time-tracking/stop' },
  'expenses.create': {
    line: 'expenses create --name Taxi --date 2026-11-03 --amount 12.5 --category Travel',
    other: 'expenses create --name Taxi --date 2026-11-04 --amount 12.5 --category Travel',
    request:
      'POST /expenses?workspace_id=101 {"workspace_id":101,"expense_name":"Taxi","date":"2026-11-03","amount":12.5,"category_id":"4ed5bcec-e476-4e5f-869f-f26e6d86786a"}',
    lost: {
      before: { ...named, '/expenses': list() },
      done: { ...named, '/expenses': list(expense) },
      notDone: { ...named, '/expenses': list({ ...expense, amount: 12 }) },
      unclear: { ...named, '/expenses': gone },
    },
  },
  'expenses.update': {
    line: 'expenses update ID --name Ferry --date 2026-11-02 --amount 9.90 --category Travel --project 114 --billable',
    list: 'expenses list',
    request:
      'PUT /expenses/ID?workspace_id=101 {"workspace_id":101,"expense_name":"Ferry","date":"2026-11-02","amount":9.9,"category_id":"4ed5bcec-e476-4e5f-869f-f26e6d86786a","project_id":114,"is_billable":true}',
    lost: {
      before: { ...named, '/expenses': list(expense) },
      done: {
        ...named,
        '/expenses': list({ ...ferry, category: 'Travel', project: 'Harbour', type: 'billable', note: null }),
      },
      notDone: {
        ...named,
        '/expenses': list({ ...ferry, category: 'Travel', project: 'Harbour', type: 'non-billable' }),
      },
      unclear: { ...named, '/expenses': list({ ...ferry, type: 'billable' }) },
    },
  },
  'expenses.delete': {
    line: 'expenses delete ID',
    list: 'expenses list',
    request: 'DELETE /expenses/ID?workspace_id=101 {"workspace_id":101}',
    lost: {
      done: { '/expenses': list({ ...expense, id: 'other' }) },
      notDone: { '/expenses': list(expense) },
      unclear: gone,
    },
  },
  'webhooks.create': {
    line: 'webhooks create --url https://h.example/a --event tracker.started',
    other: 'webhooks create --url https://h.example/a --event tracker.stopped',
    request: 'POST /webhooks {"workspace_id":101,"url":"https://h.example/a","events":["tracker.started"]}',
    lost: {
      before: { '/webhooks': list() },
      done: { '/webhooks': list(hook) },
      notDone: { '/webhooks': list({ ...hook, events: ['tracker.stopped'] }) },
      unclear: { '/webhooks': gone },
    },
  },
  'webhooks.update': {
    line: 'webhooks update ID --url https://h.example/x --event tracker.stopped',
    list: 'webhooks list',
    request: 'PUT /webhooks/ID {"workspace_id":101,"url":"https://h.example/x","events":["tracker.stopped"]}',
    lost: {
      done: { '/webhooks/x1': one({ ...hook, url: 'https://h.example/x', events: ['tracker.stopped'] }) },
      notDone: { '/webhooks/x1': one(hook) },
      unclear: { '/webhooks/x1': gone },
    },
  },
  'webhooks.delete': {
    line: 'webhooks delete ID',
    list: 'webhooks list',
    request: 'DELETE /webhooks/ID {"workspace_id":101}',
    lost: { done: { '/webhooks/x1': gone }, notDone: { '/webhooks/x1': one(hook) }, unclear: blank },
  },
};

export interface NamedSample extends Sample {
  /** `members.update`. */
  readonly operation: string;
}

/** Of every write there is. @throws Error for one without */
export const samples: readonly NamedSample[] = allOperations
  .filter(({ method }) => method !== 'GET')
  .map(({ id }) => {
    const sample = SAMPLES[id];
    if (sample === undefined) throw new Error(`test/samples.ts: no sample of ${id}`);
    return { operation: id, ...sample };
  });
for (const id of Object.keys(SAMPLES))
  if (!samples.some(({ operation }) => operation === id))
    throw new Error(`test/samples.ts: no write is ${id}`);

/** Makes its record fit for it. @returns its line and its request, for the record that is found */
export const prepareSample = async (
  { rows, read }: Pick<SandboxCli, 'rows' | 'read'>,
  { line, list: where, before, request: sent }: Sample,
) => {
  if (before !== undefined) await read(before);
  const [found] = where === undefined ? [] : await rows(where);
  const id = String(found?.['id']);
  return { id, line: line.replace('ID', id), request: sent.replace('ID', id) };
};

/** Each write, and a raw one, on the ids of a stub: the path of its command, and its line. */
export const writeLines: readonly (readonly [path: string, line: string])[] = [
  ...samples.map(({ operation, line }) => [operation.replace('.', ' '), line.replace('ID', 'x1')] as const),
  ['api', 'api PUT /members/17 --field weekly_hours_limit:=32'],
];

/** What a stub answers to a read: lists have what the command line names, so that names and addresses are found. */
export const answerRead = (request: Recorded, args: readonly string[], record: object = {}): Answer => {
  const { searchParams } = new URL(request.line.slice('GET '.length), 'http://h');
  const wanted = searchParams.get('name') ?? searchParams.get('email');
  const texts = wanted === null ? [...new Set(args)] : [wanted];
  // Who is taken off a task is on it.
  const assignee = (text: string) => (args.includes('unassign') ? { user_id: text } : {});
  const rows = texts.map((text, index) => ({ id: 17 + index, name: text, email: text, ...assignee(text) }));
  return { body: readsList(request) ? onePage(rows) : envelope(ofRequest(request, { id: 17, ...record })) };
};
