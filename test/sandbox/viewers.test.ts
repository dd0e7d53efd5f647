import { beforeEach, describe, expect, it } from 'vitest';
import { type Bench, createBench } from './bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await createBench();
});

describe('project viewers', () => {
  const viewer = () => `/project-viewers/${bench.userId('priya')}`;

  it('lists them with their projects', () => {
    const { body } = bench.send('GET', '/project-viewers', { query: { email: 'priya@lindenhof.example' } });
    expect(body.data).toHaveLength(1);
    expect(Object.keys(body.data[0])).toEqual([
      'id',
      'email',
      'firstname',
      'lastname',
      'status',
      'member_since',
      'projects',
    ]);
    expect(body.data[0].projects[0]).toEqual({
      project_id: expect.any(Number),
      project_name: 'Harbour website',
    });
  });

  it('invites with 201, and all three fields are needed', () => {
    const body = { workspace_id: bench.space.id, email: 'c@client.example', firstname: 'C', lastname: 'D' };
    const answer = bench.send('POST', '/project-viewers', { workspace: false, body });
    expect(answer.status).toBe(201);
    expect(answer.body.data).toMatchObject({ email: 'c@client.example', status: 'active', projects: [] });
    expect(bench.send('POST', '/project-viewers', { workspace: false, body }).status).toBe(400);
    expect(
      bench.send('POST', '/project-viewers', { body: { email: 'd@client.example', firstname: 'D' } }).status,
    ).toBe(400);
  });

  it('is not found where a member is no viewer', () => {
    expect(bench.send('GET', `/project-viewers/${bench.userId('mei')}`).status).toBe(404);
    expect(bench.send('DELETE', `/project-viewers/${bench.userId('mei')}`).status).toBe(404);
  });

  it('assigns and unassigns projects, by query or body', () => {
    const [, , brand] = Object.keys(bench.space.projects);
    const names = () =>
      bench.send('GET', viewer()).body.data.projects.map((row: { project_id: number }) => row.project_id);
    expect(
      bench.send('POST', `${viewer()}/assign-project`, { body: { project_id: Number(brand) } }).body.data,
    ).toBeNull();
    expect(names()).toContain(Number(brand));
    expect(
      bench.send('DELETE', `${viewer()}/unassign-project`, { query: { project_id: brand ?? '' } }).status,
    ).toBe(200);
    expect(names()).not.toContain(Number(brand));
    expect(
      bench.send('DELETE', `${viewer()}/unassign-project`, { query: { project_id: brand ?? '' } }).status,
    ).toBe(400);
    expect(bench.send('POST', `${viewer()}/assign-project`).status).toBe(400);
    expect(bench.send('POST', `${viewer()}/assign-project`, { body: { project_id: 1 } }).status).toBe(404);
  });

  it('archives and restores', () => {
    expect(bench.send('POST', `${viewer()}/restore`).status).toBe(400);
    expect(bench.send('DELETE', viewer()).body.data).toBeNull();
    expect(bench.send('GET', viewer()).body.data.status).toBe('left');
    expect(bench.send('POST', `${viewer()}/restore`).status).toBe(200);
    expect(bench.send('GET', viewer()).body.data.status).toBe('active');
  });
});
