import { describe, expect, it } from 'vitest';
import { createBench, useBench } from './bench.ts';

/** Lists, timesheets, leave, time requests, the tracker. What their states allow is in model.test.ts. */

const bench = useBench();
const find = (records: object, status: string): string =>
  Object.values(records).find((row) => row.status === status)?.id ?? '';
const show = (path: string, id: string) => bench.ask(`GET ${path}`, { id }).data[0];

it.each([
  ['/timesheets?date_from=2026-03-22', 7],
  ['/timesheets?date_from=2026-03-23', 0],
  ['/timesheets?date_to=2026-02-23&date_from=2026-02-01', 35],
  ['/timesheets?date_from=2026-03-15&date_to=2026-03-16', 14],
  ['/timesheets?status=submitted', 7],
  ['/timesheets?id=nope', 0],
  ['/timesheets?status=pending', 400],
  ['/timesheets?date_from=2026-02-30', 400],
  ['/timesheets?date_from=2026-03-02&date_to=2026-03-01', 400],
  ['/leaves', 7],
  ['/leaves?status=pending', 3],
  ['/leaves?is_paid=no', 2],
  ['/leaves?user_id=ARJUN', 2],
  ['/leaves?date_from=2026-04-05&date_to=2026-04-05', 1],
  ['/leaves?policy_id=POLICY', 1],
  ['/leaves?is_paid=maybe', 400],
  ['/leaves/policies', 3],
  ['/leaves/policies?id=POLICY', 1],
  ['/expenses?date_from=2026-03-01&date_to=2026-03-31', 3],
  ['/expenses?date_from=2026-03-19&date_to=2026-03-31', 0],
  ['/expenses/categories?id=CATEGORY', 1],
  ['/project-viewers?email=priya@lindenhof.example', 1],
  ['/projects?name=BAKE', 1],
  ['/contracts?status=paused', 1],
  ['/tasks', 400],
  ['/tasks?project_id=1', 404],
  ['/tasks?project_id=SITE', 3],
  ['/tasks?project_id=SITE&status=10', 1],
  ['/tasks?project_id=SITE&priority=10', 1],
  ['/tasks?project_id=SITE&priority=high', 400],
  ['/time-requests', 5],
  ['/time-requests?status=pending', 3],
  ['/time-requests?user_id=ARJUN', 2],
  ['/time-requests?date_from=2026-03-15&date_to=2026-03-16', 2],
])('the list %s has so many, or is refused: %i', (line, expected) => {
  const { projects, leave_policies, categories } = bench.space;
  const ids = {
    ARJUN: String(bench.userId('arjun')),
    SITE: Object.keys(projects)[0],
    POLICY: Object.keys(leave_policies)[1],
    CATEGORY: Object.keys(categories)[1],
  };
  const [path, query] = line.replace(/[A-Z]{4,}/, (name) => ids[name as 'SITE'] ?? name).split('?');
  const { status, body } = bench.ask(`GET ${path}`, Object.fromEntries(new URLSearchParams(query)));
  expect(status === 200 ? (body.meta.pagination?.total ?? body.data.length) : status).toBe(expected);
});

describe('a decision', () => {
  it.each([
    ['timesheets', 'PUT', 'submitted', 'reason', 'reject_reason'],
    ['leaves', 'PUT', 'pending', 'reason', 'reject_reason'],
    ['time_requests', 'POST', 'pending', 'comment', 'comment'],
  ] as const)('to reject one of %s needs a text, which is kept', (kind, method, status, sent, kept) => {
    const path = `/${kind.replace('_', '-')}`;
    const id = find(bench.space[kind], status);
    for (const text of [undefined, '', '  ', 5])
      expect(bench.status(`${method} ${path}/${id}/reject`, { [sent]: text, other: 'x' })).toBe(400);
    expect(show(path, id).status).toBe(status);
    expect(bench.ask(`${method} ${path}/${id}/reject`, { [sent]: 'Friday' }).data).toBeNull();
    expect(show(path, id)).toMatchObject({ status: 'rejected', [kept]: 'Friday' });
  });

  it('sets and clears submitted_on of a timesheet', () => {
    const id = find(bench.space.timesheets, 'open');
    expect(show('/timesheets', id)).toMatchObject({ total_hours: 10, date_to: '2026-03-22' });
    bench.ask(`PUT /timesheets/${id}/submit`);
    expect(show('/timesheets', id).submitted_on).toBe('2026-03-18T10:00:00.000Z');
    bench.ask(`PUT /timesheets/${id}/unsubmit`);
    expect(show('/timesheets', id).submitted_on).toBeNull();
  });

  it('says who decided a leave request', () => {
    const [first, second] = Object.values(bench.space.leaves).filter(({ status }) => status === 'pending');
    bench.ask(`PUT /leaves/${first?.id}/approve`);
    bench.ask(`PUT /leaves/${second?.id}/reject`, { reason: 'Release week' });
    const nora = bench.userId('nora');
    expect(show('/leaves', first?.id ?? '')).toMatchObject({ approved_by: nora, is_paid: 'yes' });
    expect(show('/leaves', second?.id ?? '')).toMatchObject({ approved_by: null, rejected_by: nora });
  });
});

describe('balances', () => {
  const YEAR = { date_from: '2026-01-01', date_to: '2026-12-31' };
  const balanceOf = (id = 0) => bench.ask('GET /leaves/balances', { ...YEAR, user_id: String(id) }).data;

  it('need both days, and take off approved leave', () => {
    expect(bench.status('GET /leaves/balances')).toBe(400);
    expect(bench.status('GET /leaves/balances', { date_from: '2026-01-01' })).toBe(400);
    const [{ leave_information, ...others }] = balanceOf(bench.userId('tomasz'));
    expect(others).toMatchObject({ user_name: 'Tomasz Zieliński', total_balance: '53 days' });
    expect(leave_information.map(Object.values)).toEqual([
      ['Annual leave', '23 days'],
      ['Sick leave', '10 days'],
      ['Unpaid leave', '20 days'],
    ]);
  });

  it('take page, not per_page', async () => {
    const agency = await createBench({ seed: 'agency' });
    const { body } = agency.ask('GET /leaves/balances', { ...YEAR, page: '3', per_page: '50' });
    expect(body.meta.pagination).toMatchObject({ per_page: 20, current_page: 3, last_page: 3, total: 60 });
    expect(agency.log[0]?.unread).toEqual(['query.per_page']);
  });
});

describe('a time request', () => {
  const contractOf = (email: string) =>
    Object.values(bench.space.contracts).find((row) => row.user_id === bench.userId(email));
  const wish = () => ({
    user_id: bench.userId('aoife'),
    contract_id: contractOf('aoife')?.id,
    start: '2026-03-17T09:00:00+02:00',
    end: '2026-03-17T11:30:00+02:00',
    notes: 'Workshop',
  });
  const create = (change = {}) => bench.ask('POST /time-requests', { ...wish(), ...change });

  it('is created pending, with 201', () => {
    const { status, data } = create();
    expect(status).toBe(201);
    expect(data).toMatchObject({
      ...{ status: 'pending', start: '2026-03-17T07:00:00.000Z', comment: null, notes: 'Workshop' },
      project_id: contractOf('aoife')?.project_id,
    });
    expect(bench.ask(`GET /time-requests/${data.id}`).data).toEqual(data);
  });

  it.each([
    () => ({ user_id: undefined }),
    () => ({ user_id: 1 }),
    () => ({ contract_id: contractOf('arjun')?.id }),
    () => ({ contract_id: undefined }),
    () => ({ start: undefined }),
    () => ({ end: '2026-03-17T07:00:00Z' }),
    () => ({ end: 'noon' }),
    () => ({ start: '2026-02-30T09:00:00Z' }),
    () => ({ task_id: 1 }),
    () => ({ user_id: bench.userId('elif'), contract_id: contractOf('elif')?.id }),
  ])('is refused with %s', (change) => {
    expect(create(change()).status).toBe(400);
  });

  it('takes a task of the contract’s project, and of no other', () => {
    const project = contractOf('aoife')?.project_id;
    const isOwn = (task: { project_id: number }) => task.project_id === project;
    const tasks = Object.values(bench.space.tasks);
    expect(create({ task_id: tasks.find(isOwn)?.id }).status).toBe(201);
    expect(create({ task_id: tasks.find((task) => !isOwn(task))?.id }).status).toBe(400);
  });

  it('adds approved time to the sheet of its week, once, or to a new open one', () => {
    const sheets = () =>
      Object.values(bench.space.timesheets).filter((row) => row.user_id === bench.userId('aoife'));
    const minutes = () => sheets().find((sheet) => sheet.date_from === '2026-03-16')?.total_minutes;
    const { id } = create().data;
    expect(minutes()).toBe(600);
    expect([1, 2].map(() => bench.status(`POST /time-requests/${id}/approve`))).toEqual([200, 400]);
    expect(minutes()).toBe(750);
    const before = sheets().length;
    const old = create({ start: '2025-12-31T23:00:00Z', end: '2026-01-01T00:30:00Z' }).data.id;
    bench.ask(`POST /time-requests/${old}/approve`);
    expect(sheets().length).toBe(before + 1);
    const week = { date_from: '2025-12-29', date_to: '2026-01-04' };
    expect(sheets().at(-1)).toMatchObject({ ...week, total_minutes: 90, status: 'open' });
  });
});

it('a tracker of the caller is stopped, once', () => {
  const heard = bench.hear();
  const stop = (sent = {}) => bench.ask('POST /time-tracking/stop', {}, { workspace: false, ...sent });
  expect(stop().data).toEqual({ stopped_at: '2026-03-18T10:00:00.000Z' });
  expect(heard()[0]).toMatchObject({ event: 'tracker.stopped', workspace_id: bench.space.id });
  expect(stop().status).toBe(400);
  expect(stop({ token: bench.tokenFor('samir') }).status).toBe(400);
  expect(Object.keys(bench.world.trackers)).toEqual([String(bench.userId('arjun'))]);
});
