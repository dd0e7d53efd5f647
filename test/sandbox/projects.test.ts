import { describe, expect, it } from 'vitest';
import { useBench } from './bench.ts';

/** Projects, contracts, tasks; what they show is in the sessions (test/scripts). */

const bench = useBench();
const projectId = (name: string): number =>
  Object.values(bench.space.projects).find((project) => project.name === name)?.id ?? 0;
const blind = () => ({ token: bench.tokenFor('grace') });

describe('projects', () => {
  it('are billable as they are written, which shows the rates of their contracts', () => {
    expect(bench.ask('POST /projects', { name: 'Quay' }).data.is_billable).toBe(false);
    const { id, is_billable } = bench.ask('POST /projects', { name: 'Quay', is_billable: true }).data;
    expect(is_billable).toBe(true);
    const contract = { project_id: id, user_id: bench.userId('mei'), rate: 48.5 };
    expect(bench.ask('POST /contracts', contract).data.rate).toBe(48.5);
    const isBillableAfter = (change: object) => {
      expect(bench.status(`PUT /projects/${id}`, change)).toBe(200);
      return bench.ask(`GET /projects/${id}`).data.is_billable;
    };
    expect([isBillableAfter({ notes: 'wide' }), isBillableAfter({ is_billable: 0 })]).toEqual([true, false]);
    expect(bench.status(`PUT /projects/${id}`, { is_billable: 'yes' })).toBe(400);
  });

  it('are created with 201, updated, archived once', () => {
    const body = { name: 'Lighthouse', budget: 100, start_date: '2026-04-01' };
    const { status, data } = bench.ask('POST /projects', body);
    expect(status).toBe(201);
    expect(data).toMatchObject({ name: 'Lighthouse', budget_estimation: 100, status: 1, contracts_count: 0 });
    const path = `/projects/${data.id}`;
    expect(bench.status(`PUT ${path}`, { deadline: '2026-03-31' })).toBe(400);
    const changes = { deadline: '2026-04-01', name: 'Light' };
    expect(bench.ask(`PUT ${path}`, changes).data).toBeNull();
    expect(bench.ask(`GET ${path}`).data).toMatchObject({ ...changes, budget_estimation: 100 });
    expect(bench.ask(`DELETE ${path}`).data).toBeNull();
    expect(bench.ask(`GET ${path}`).data.deleted_at).toBe('2026-03-18T10:00:00.000Z');
    expect(bench.status(`PUT ${path}`, { name: 'x' })).toBe(400);
    expect(bench.status(`DELETE ${path}`)).toBe(400);
    expect(bench.status('POST /projects')).toBe(400);
    expect(bench.status('GET /projects/1')).toBe(404);
  });

  it('hide and do not save financial fields for those who may not view rates', () => {
    const site = `/projects/${projectId('Harbour website')}`;
    expect(bench.ask(`GET ${site}`).data).toMatchObject({ rate: 90, budget_estimation: 28000 });
    const seen = bench.ask(`GET ${site}`, {}, blind()).data;
    expect('rate' in seen || 'budget_estimation' in seen).toBe(false);
    bench.ask(`PUT ${site}`, { budget: 1 }, blind());
    expect(bench.ask(`GET ${site}`).data.budget_estimation).toBe(28000);
  });
});

describe('contracts', () => {
  it('show rates on billable projects only, to those who may view them', () => {
    const contract = (project: string, email: string, sent = {}) => {
      const query = { project_id: String(projectId(project)), user_id: String(bench.userId(email)) };
      return bench.ask('GET /contracts', query, sent).data[0];
    };
    expect(contract('Harbour website', 'aoife')).toMatchObject({ rate: 70, rate_type: 1 });
    expect(contract('Harbour website', 'arjun')).toMatchObject({ rate: 90, rate_type: 3 });
    expect(contract('Harbour website', 'mei')).toMatchObject({ rate: 78, rate_type: 2 });
    expect('rate' in contract('Internal', 'nora')).toBe(false);
    expect('rate' in contract('Harbour website', 'aoife', blind())).toBe(false);
  });

  it('are created with 201 and the usual settings, updated, filtered, archived', () => {
    const body = { project_id: projectId('Internal'), user_id: bench.userId('mei') };
    const { status, data } = bench.ask('POST /contracts', body);
    expect(status).toBe(201);
    const usual = { weekly_hours_limit: 168, screenshots: 'full', screenshots_label: 'Full' };
    expect(data).toMatchObject({ ...usual, status: 'active', user_role: 'Project manager' });
    const path = `/contracts/${data.id}`;
    const changes = { status: 'paused', screenshots: 'video_full', weekly_hours_limit: 5 };
    expect(bench.status(`PUT ${path}`, changes)).toBe(200);
    expect(bench.ask(`GET ${path}`).data).toMatchObject(changes);
    expect(bench.status(`PUT ${path}`, { status: 'ended' })).toBe(400);
    expect(bench.status(`DELETE ${path}`)).toBe(200);
    expect(bench.status(`GET ${path}`)).toBe(404);
    expect(bench.status(`DELETE ${path}`)).toBe(404);
  });

  it.each([
    [undefined, undefined],
    ['Harbour website', undefined],
    [undefined, 'grace'],
    ['none', 'grace'],
    ['Harbour website', 'daniel'],
    ['Museum kiosk', 'grace'],
    ['Harbour website', 'mei'],
    ['Harbour website', 'grace', { user_id: 1 }],
    ['Harbour website', 'grace', { screenshots: 'none' }],
    ['Harbour website', 'grace', { rate: -1 }],
    ['Harbour website', 'grace', { weekly_hours_limit: -1 }],
  ])('of %s with %s and %j are refused', (project, email, more: object = {}) => {
    const project_id = project === undefined ? undefined : projectId(project);
    const user_id = email === undefined ? undefined : bench.userId(email);
    expect(bench.status('POST /contracts', { project_id, user_id, ...more })).toBe(400);
  });

  it('save a rate only for those who may view rates', () => {
    const body = { project_id: projectId('Bakery rebrand'), rate: 33 };
    const mine = bench.ask('POST /contracts', { ...body, user_id: bench.userId('mei') }).data;
    expect(mine).toMatchObject({ rate: 33, rate_type: 1 });
    const hers = bench.ask('POST /contracts', { ...body, user_id: bench.userId('arjun') }, blind()).data;
    expect(bench.ask(`GET /contracts/${hers.id}`).data).toMatchObject({ rate: 64, rate_type: 2 });
  });
});

describe('tasks', () => {
  const site = () => projectId('Harbour website');

  it('are created with 201, updated, archived once', () => {
    const body = { project_id: site(), title: 'Footer', status: 0, assignees: [bench.userId('aoife')] };
    const { status, data } = bench.ask('POST /tasks', body);
    expect(status).toBe(201);
    expect(data.assignees[0].user_id).toBe(bench.userId('aoife'));
    const path = `/tasks/${data.id}`;
    const changes = { project_id: site(), status: 20, start_date: '2026-03-02' };
    expect(bench.ask(`PUT ${path}`, changes).data).toBeNull();
    const completed_at = '2026-03-18T10:00:00.000Z';
    expect(bench.ask(`GET ${path}`).data).toMatchObject({ ...changes, completed_at, title: 'Footer' });
    expect(bench.status(`PUT ${path}`, { end_date: '2026-03-01' })).toBe(400);
    expect(bench.status(`PUT ${path}`, { status: 5 })).toBe(400);
    expect(bench.status(`PUT ${path}`, { project_id: projectId('Internal') })).toBe(404);
    expect(bench.status(`DELETE ${path}`)).toBe(200);
    expect(bench.status(`DELETE ${path}`)).toBe(400);
    expect(bench.ask(`GET ${path}`).data.deleted_at).not.toBeNull();
    expect(bench.ask('GET /tasks', { project_id: String(site()) }).data).toHaveLength(3);
    expect(bench.status('POST /tasks', { project_id: site() })).toBe(400);
    expect(bench.status('POST /tasks', { ...body, assignees: [bench.userId('grace')] })).toBe(400);
  });

  it('are assigned to members of the project only, once', () => {
    const task = Object.values(bench.space.tasks).find(({ title }) => title === 'Accessibility review');
    const path = `/tasks/${task?.id}`;
    const [body, mei] = [{ project_id: site() }, bench.userId('mei')];
    const { status, data } = bench.ask(`POST ${path}/assign/${mei}`, body);
    expect(status).toBe(200);
    expect(data).toEqual({
      id: expect.any(Number),
      ...{ firstname: 'Mei', lastname: 'Tanaka', email: 'mei@lindenhof.example' },
      ...{ user_id: mei, task_id: task?.id, assigner_id: bench.userId('nora') },
    });
    expect(bench.ask(`GET ${path}/assignees`).data).toEqual([data]);
    expect(bench.status(`POST ${path}/assign/${mei}`, body)).toBe(400);
    const stranger = bench.ask(`POST ${path}/assign/${bench.userId('grace')}`, body);
    expect(stranger.status).toBe(400);
    expect(stranger.body.message).toMatch(/not a member of the project/);
    expect(bench.status(`POST ${path}/assign/1`, body)).toBe(404);
    expect(bench.status(`POST ${path}/assign/${mei}`)).toBe(400);
    expect(bench.status(`DELETE ${path}/unassign/${mei}`, body)).toBe(200);
    expect(bench.status(`DELETE ${path}/unassign/${mei}`, body)).toBe(400);
    expect(bench.ask(`GET ${path}/assignees`).data).toEqual([]);
  });
});
