import { beforeEach, describe, expect, it } from 'vitest';
import { type Bench, createBench } from './bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await createBench();
});

const projectId = (name: string): number =>
  Object.values(bench.space.projects).find((project) => project.name === name)?.id ?? 0;

describe('projects', () => {
  it('lists the live ones, by part of the name', () => {
    const names = (query: Record<string, string>) =>
      bench.send('GET', '/projects', { query }).body.data.map((row: { name: string }) => row.name);
    expect(names({})).toHaveLength(5);
    expect(names({ name: 'BAKE' })).toEqual(['Bakery rebrand']);
  });

  it('are billable as they are written, which shows the rates of their contracts', () => {
    const billable = (body: object) =>
      bench.send('POST', '/projects', { body: { name: 'Quay', ...body } }).body.data;
    expect(billable({}).is_billable).toBe(false);
    const { id, is_billable } = billable({ is_billable: true });
    expect(is_billable).toBe(true);
    const contract = { project_id: id, user_id: bench.userId('mei'), rate: 48.5 };
    expect(bench.send('POST', '/contracts', { body: contract }).body.data.rate).toBe(48.5);
    const change = (body: object) => bench.send('PUT', `/projects/${id}`, { body }).status;
    expect([change({ notes: 'wide' }), bench.send('GET', `/projects/${id}`).body.data.is_billable]).toEqual([
      200,
      true,
    ]);
    expect([change({ is_billable: 0 }), bench.send('GET', `/projects/${id}`).body.data.is_billable]).toEqual([
      200,
      false,
    ]);
    expect(change({ is_billable: 'yes' })).toBe(400);
  });

  it('creates with 201, updates, archives', () => {
    const answer = bench.send('POST', '/projects', {
      body: { name: 'Lighthouse', budget: 100, start_date: '2026-04-01' },
    });
    expect(answer.status).toBe(201);
    expect(answer.body.data).toMatchObject({
      name: 'Lighthouse',
      budget_estimation: 100,
      status: 1,
      contracts_count: 0,
    });
    const path = `/projects/${answer.body.data.id}`;
    expect(bench.send('PUT', path, { body: { deadline: '2026-03-31' } }).status).toBe(400);
    expect(bench.send('PUT', path, { body: { deadline: '2026-04-01', name: 'Light' } }).body.data).toBeNull();
    expect(bench.send('GET', path).body.data).toMatchObject({
      name: 'Light',
      deadline: '2026-04-01',
      budget_estimation: 100,
    });
    expect(
      bench.send('DELETE', path, { workspace: false, body: { workspace_id: bench.space.id } }).body.data,
    ).toBeNull();
    expect(bench.send('GET', path).body.data.deleted_at).toBe('2026-03-18T10:00:00.000Z');
    expect(bench.send('PUT', path, { body: { name: 'x' } }).status).toBe(400);
    expect(bench.send('DELETE', path).status).toBe(400);
    expect(bench.send('POST', '/projects', { body: {} }).status).toBe(400);
    expect(bench.send('GET', '/projects/1').status).toBe(404);
  });

  it('hides and does not save financial fields for those who may not view rates', () => {
    const token = bench.tokenFor('grace');
    const site = `/projects/${projectId('Harbour website')}`;
    expect(bench.send('GET', site).body.data).toMatchObject({ rate: 90, budget_estimation: 28000 });
    const seen = bench.send('GET', site, { token }).body.data;
    expect('rate' in seen || 'budget_estimation' in seen).toBe(false);
    bench.send('PUT', site, { token, body: { budget: 1 } });
    expect(bench.send('GET', site).body.data.budget_estimation).toBe(28000);
  });
});

describe('contracts', () => {
  const create = (body: unknown, token = bench.token) => bench.send('POST', '/contracts', { body, token });

  it('shows rates on billable projects only, to those who may view them', () => {
    const contract = (project: string, email: string, token = bench.token) =>
      bench.send('GET', '/contracts', {
        token,
        query: { project_id: String(projectId(project)), user_id: String(bench.userId(email)) },
      }).body.data[0];
    expect(contract('Harbour website', 'aoife')).toMatchObject({ rate: 70, rate_type: 1 });
    expect(contract('Harbour website', 'arjun')).toMatchObject({ rate: 90, rate_type: 3 });
    expect(contract('Harbour website', 'mei')).toMatchObject({ rate: 78, rate_type: 2 });
    expect('rate' in contract('Internal', 'nora')).toBe(false);
    expect('rate' in contract('Harbour website', 'aoife', bench.tokenFor('grace'))).toBe(false);
  });

  it('creates with 201 and the usual settings', () => {
    const answer = create({ project_id: projectId('Internal'), user_id: bench.userId('mei') });
    expect(answer.status).toBe(201);
    expect(answer.body.data).toMatchObject({
      weekly_hours_limit: 168,
      screenshots: 'full',
      screenshots_label: 'Full',
      status: 'active',
      user_role: 'Project manager',
    });
  });

  it('refuses what does not fit', () => {
    const site = projectId('Harbour website');
    const grace = bench.userId('grace');
    for (const body of [
      {},
      { project_id: site },
      { user_id: grace },
      { project_id: 1, user_id: grace },
      { project_id: site, user_id: 1 },
      { project_id: site, user_id: bench.userId('daniel') },
      { project_id: projectId('Museum kiosk'), user_id: grace },
      { project_id: site, user_id: bench.userId('mei') },
      { project_id: site, user_id: grace, screenshots: 'none' },
      { project_id: site, user_id: grace, rate: -1 },
      { project_id: site, user_id: grace, weekly_hours_limit: -1 },
    ]) {
      expect(create(body).status).toBe(400);
    }
  });

  it('saves a rate only for those who may view rates', () => {
    const site = projectId('Bakery rebrand');
    const mine = create({ project_id: site, user_id: bench.userId('mei'), rate: 33 }).body.data;
    expect(mine).toMatchObject({ rate: 33, rate_type: 1 });
    const hers = create(
      { project_id: site, user_id: bench.userId('arjun'), rate: 33 },
      bench.tokenFor('grace'),
    ).body.data;
    expect(bench.send('GET', `/contracts/${hers.id}`).body.data).toMatchObject({ rate: 64, rate_type: 2 });
  });

  it('updates, filters by status, archives', () => {
    const id = create({ project_id: projectId('Internal'), user_id: bench.userId('mei') }).body.data.id;
    const path = `/contracts/${id}`;
    expect(
      bench.send('PUT', path, {
        body: { status: 'paused', screenshots: 'video_full', weekly_hours_limit: 5 },
      }).status,
    ).toBe(200);
    expect(bench.send('GET', path).body.data).toMatchObject({
      status: 'paused',
      weekly_hours_limit: 5,
      screenshots: 'video_full',
    });
    expect(bench.send('GET', '/contracts', { query: { status: 'paused' } }).body.data).toHaveLength(2);
    expect(bench.send('PUT', path, { body: { status: 'ended' } }).status).toBe(400);
    expect(bench.send('DELETE', path).status).toBe(200);
    expect(bench.send('GET', path).status).toBe(404);
    expect(bench.send('DELETE', path).status).toBe(404);
  });
});
