import { describe, expect, it } from 'vitest';
import { loadAllRoutes } from '../../src/sandbox/routes.ts';
import { listVisibleContracts } from '../../src/sandbox/visibility.ts';
import type { Role } from '../../src/sandbox/world.ts';
import { type Bench, createBench } from './bench.ts';

/** The dialect in which lower roles may read contracts and tasks: what each sees, and that it is all. */

const LOWER: readonly Role[] = ['Team manager', 'Project manager', 'Regular User', 'Project viewer'];

const findEmail = ({ world, space }: Bench, role: Role): string => {
  const member = Object.values(space.members).find(
    (one) => one.role === role && one.status === 'active' && one.deleted_at === null,
  );
  return world.users[member?.user_id ?? 0]?.email ?? role;
};

const idsOf = (rows: readonly { readonly id: number }[]): readonly number[] =>
  rows.map(({ id }) => id).sort();

describe('without the dialect', () => {
  it.each(LOWER)('a %s gets no token', async (role) => {
    const bench = await createBench();
    expect(() => bench.tokenFor(findEmail(bench, role))).toThrow('cannot have a token');
  });
});

describe('with it', () => {
  it.each(['lower-roles-read', 'lowerRolesRead=yes'])('is named %s', async (dialect) => {
    const bench = await createBench({ dialect });
    expect(bench.tokenFor(findEmail(bench, 'Regular User'))).toMatch(/^sbx_pat_/);
  });

  it.each(LOWER)('a %s sees its contracts, and the tasks of their projects', async (role) => {
    const bench = await createBench({ dialect: 'lower-roles-read' });
    const email = findEmail(bench, role);
    const token = bench.tokenFor(email);
    const get = (path: string, query = {}) =>
      bench.send('GET', path, { token, query: { per_page: '100', ...query } });
    const caller = bench.space.members[bench.userId(email)];
    if (caller === undefined) throw new Error(`nobody is ${role}`);
    const visible = listVisibleContracts(bench.space, caller);
    const contracts = get('/contracts');
    expect(idsOf(contracts.body.data)).toEqual(idsOf(visible));
    for (const row of contracts.body.data) expect(row).not.toHaveProperty('rate');
    const own = new Set(visible.map(({ project_id }) => project_id));
    const isSeen = (task: { project_id: number }): boolean => own.has(task.project_id);
    for (const task of Object.values(bench.space.tasks)) {
      const query = { project_id: String(task.project_id) };
      const paths = ['/tasks', `/tasks/${task.id}`, `/tasks/${task.id}/assignees`];
      const statuses = paths.map((path) => get(path, query).status);
      expect(statuses, `${role} ${task.id}`).toEqual(paths.map(() => (isSeen(task) ? 200 : 404)));
    }
    expect(Object.values(bench.space.tasks).filter(isSeen).length).toBeGreaterThan(0);
    expect(get('/workspaces').body.data).toHaveLength(1);
  });

  it('they can do nothing else', async () => {
    const bench = await createBench({ dialect: 'lower-roles-read' });
    const token = bench.tokenFor(findEmail(bench, 'Project manager'));
    const allowed = (await loadAllRoutes())
      .filter(({ lowerRoles }) => lowerRoles === true)
      .map(({ route }) => route);
    expect(allowed.sort()).toEqual([
      'GET /contracts',
      'GET /contracts/{contractId}',
      'GET /tasks',
      'GET /tasks/{taskId}',
      'GET /tasks/{taskId}/assignees',
      'GET /workspaces',
    ]);
    for (const { route } of await loadAllRoutes()) {
      if (allowed.includes(route)) continue;
      const [method = '', path = ''] = route.split(' ');
      const { status } = bench.send(method, path.replace(/\{\w+\}/g, '1'), {
        token,
        body: method === 'GET' ? undefined : {},
      });
      expect(status, route).toBe(403);
    }
  });
});
