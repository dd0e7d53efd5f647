import { beforeEach, describe, expect, it } from 'vitest';
import { type Bench, createBench } from './bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await createBench();
});

const projectId = (name: string): number =>
  Object.values(bench.space.projects).find((project) => project.name === name)?.id ?? 0;
const taskId = (title: string): number =>
  Object.values(bench.space.tasks).find((task) => task.title === title)?.id ?? 0;

describe('tasks', () => {
  const site = () => projectId('Harbour website');
  const list = (query: Record<string, string>) => bench.send('GET', '/tasks', { query });

  it('lists those of a project', () => {
    expect(list({}).status).toBe(400);
    expect(list({ project_id: '1' }).status).toBe(404);
    const project_id = String(site());
    expect(list({ project_id }).body.data).toHaveLength(3);
    expect(list({ project_id, status: '10' }).body.data[0].title).toBe('Home page layout');
    expect(list({ project_id, priority: '10' }).body.data[0].title).toBe('Accessibility review');
    expect(list({ project_id, priority: 'high' }).status).toBe(400);
  });

  it('creates with 201, updates, archives', () => {
    const body = { project_id: site(), title: 'Footer', status: 0, assignees: [bench.userId('aoife')] };
    const answer = bench.send('POST', '/tasks', { body });
    expect(answer.status).toBe(201);
    expect(answer.body.data.assignees[0].user_id).toBe(bench.userId('aoife'));
    const path = `/tasks/${answer.body.data.id}`;
    expect(
      bench.send('PUT', path, { body: { project_id: site(), status: 20, start_date: '2026-03-02' } }).body
        .data,
    ).toBeNull();
    expect(bench.send('GET', path).body.data).toMatchObject({
      status: 20,
      completed_at: '2026-03-18T10:00:00.000Z',
      title: 'Footer',
    });
    expect(bench.send('PUT', path, { body: { end_date: '2026-03-01' } }).status).toBe(400);
    expect(bench.send('PUT', path, { body: { status: 5 } }).status).toBe(400);
    expect(bench.send('PUT', path, { body: { project_id: projectId('Internal') } }).status).toBe(404);
    expect(bench.send('DELETE', path).status).toBe(200);
    expect(bench.send('DELETE', path).status).toBe(400);
    expect(bench.send('GET', path).body.data.deleted_at).not.toBeNull();
    expect(list({ project_id: String(site()) }).body.data).toHaveLength(3);
    expect(bench.send('POST', '/tasks', { body: { project_id: site() } }).status).toBe(400);
    expect(
      bench.send('POST', '/tasks', { body: { ...body, assignees: [bench.userId('grace')] } }).status,
    ).toBe(400);
  });

  it('assigns members of the project only', () => {
    const path = `/tasks/${taskId('Accessibility review')}`;
    const body = { workspace_id: bench.space.id, project_id: site() };
    const mei = bench.userId('mei');
    const answer = bench.send('POST', `${path}/assign/${mei}`, { workspace: false, body });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({
      id: expect.any(Number),
      firstname: 'Mei',
      lastname: 'Tanaka',
      email: 'mei@lindenhof.example',
      user_id: mei,
      task_id: taskId('Accessibility review'),
      assigner_id: bench.userId('nora'),
    });
    expect(bench.send('GET', `${path}/assignees`).body.data).toEqual([answer.body.data]);
    expect(bench.send('POST', `${path}/assign/${mei}`, { body }).status).toBe(400);
    const stranger = bench.send('POST', `${path}/assign/${bench.userId('grace')}`, { body });
    expect(stranger.status).toBe(400);
    expect(stranger.body.message).toMatch(/not a member of the project/);
    expect(bench.send('POST', `${path}/assign/1`, { body }).status).toBe(404);
    expect(
      bench.send('POST', `${path}/assign/${mei}`, { body: { workspace_id: bench.space.id } }).status,
    ).toBe(400);
    expect(bench.send('DELETE', `${path}/unassign/${mei}`, { body }).status).toBe(200);
    expect(bench.send('DELETE', `${path}/unassign/${mei}`, { body }).status).toBe(400);
    expect(bench.send('GET', `${path}/assignees`).body.data).toEqual([]);
  });
});
