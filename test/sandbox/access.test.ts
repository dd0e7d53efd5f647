import { describe, expect, it } from 'vitest';
import { findRoute } from '../../src/sandbox/routes.ts';
import { NOW, useBench } from './bench.ts';

const bench = useBench();

describe('a route', () => {
  // The one with more braces stands first: order does not decide.
  const lines = ['GET /leaves/{id}', 'GET /leaves/policies', 'PUT /leaves/{id}/approve'];
  const routes = lines.map((route) => ({ route }));

  it.each([
    ['GET', '/leaves/7', 'GET /leaves/{id}', { id: '7' }],
    ['GET', '/leaves/a%2Fb', 'GET /leaves/{id}', { id: 'a/b' }],
    ['GET', '/leaves/policies', 'GET /leaves/policies', {}],
    ['PUT', '/leaves/%C3%A9/approve', 'PUT /leaves/{id}/approve', { id: 'é' }],
  ])('of %s %s is %s', (method, path, route, values) => {
    expect(findRoute(routes, method, path)).toEqual({ route: { route }, path: values });
  });

  it.each([
    ['PATCH', '/leaves/7'],
    ['GET', '/leaves/'],
    ['GET', '/timesheets/a/approve'],
    ['GET', '/leaves/7/'],
    ['GET', 'leaves/7'],
    ['GET', '/leaves/%ff'],
    ['PUT', '/leaves//approve'],
    ['GET', '/constructor/7'],
    ['GET', '/time-entries'],
  ])('of %s %s is none: 404, even without a token', (method, path) => {
    expect(findRoute(routes, method, path)).toBeUndefined();
    expect(bench.status(`${method} ${path}`, {}, { token: null })).toBe(404);
  });
});

describe('tokens', () => {
  it.each([null, 'sbx_pat_unknown', 'real-token', '__proto__', 'sbx_'])('refuse %s with 401', (token) => {
    const { status, body } = bench.ask('GET /members', {}, { token });
    expect([status, body.message]).toEqual([401, expect.stringContaining('valid Bearer token')]);
    expect(/begin with sbx_/.test(body.message)).toBe(!`${token ?? 'sbx_'}`.startsWith('sbx_'));
  });

  it('end after 6 calendar months, to the millisecond, and when they are revoked', () => {
    bench.now = Date.parse('2026-09-18T10:00:00Z') - 1;
    expect(bench.status('GET /workspaces')).toBe(200);
    bench.now += 1;
    expect(bench.status('GET /workspaces')).toBe(401);
    bench.now = NOW;
    Object.assign(bench.world.tokens[bench.token] ?? {}, { revoked: true });
    expect(bench.status('GET /workspaces')).toBe(401);
  });
});

it('the scope read may not write: 403 with both lists; write alone may read', () => {
  const token = bench.tokenFor('nora', ['read']);
  expect(bench.status('GET /members', {}, { token })).toBe(200);
  const { status, body } = bench.ask('POST /members', {}, { token });
  expect([status, body.message]).toEqual([403, expect.stringMatching(/write or admin.*read/)]);
  expect(body.meta).toMatchObject({ required_scope: ['write', 'admin'], granted_scope: ['read'] });
  expect(bench.status('GET /members', {}, { token: bench.tokenFor('nora', ['write']) })).toBe(200);
});

describe('workspaces and roles', () => {
  it('need an integer workspace_id', () => {
    expect(bench.status('GET /members', {}, { workspace: false })).toBe(400);
    for (const workspace_id of ['x', '1.5', '', ' 1', '1e2'])
      expect(bench.status('GET /members', { workspace_id })).toBe(400);
  });

  it('are named in the query or in the body; two that differ are refused', () => {
    const path = `PUT /timesheets/${Object.keys(bench.space.timesheets)[0]}/submit`;
    const workspace_id = bench.space.id;
    expect(bench.status(path, { workspace_id }, { workspace: false })).toBe(200);
    expect(bench.ask(path, { workspace_id }).body.message).toMatch(/submitted/);
    expect(bench.ask(path, { workspace_id: 999 }).body.message).toMatch(/different/);
    expect(bench.status(path, { workspace_id: '101' }, { workspace: false })).toBe(400);
  });

  // These name the body as the place of workspace_id.
  it.each([
    'POST /project-viewers',
    'DELETE /projects/1',
    'POST /tasks/1/assign/1',
    'POST /webhooks',
    'PUT /webhooks/1',
    'DELETE /webhooks/1',
  ])('are named nowhere but in the body of %s', (line) => {
    const workspace_id = bench.space.id;
    const query = { workspace_id: String(workspace_id) };
    const inQuery = bench.ask(line, { project_id: 1 }, { workspace: false, query });
    const message = 'The workspace_id field is required in the body.';
    expect(inQuery).toMatchObject({ status: 400, body: { message } });
    const inBody = bench.ask(line, { workspace_id, project_id: 1 }, { workspace: false });
    expect(inBody.body.message).not.toMatch(/workspace_id/);
  });

  it('answer 403 for the wrong workspace and for the wrong role, without scopes in meta', () => {
    const workspace_id = Object.keys(bench.world.spaces)[1] ?? '';
    const asRegular = bench.ask('GET /members', { workspace_id });
    const message = expect.stringContaining('Owners and Executive Managers');
    expect(asRegular).toMatchObject({ status: 403, body: { message } });
    expect(asRegular.body.meta.required_scope).toBeUndefined();
    expect(bench.status('GET /members', { workspace_id: '424242' })).toBe(403);
    const asSamir = bench.ask('GET /members', { workspace_id }, { token: bench.tokenFor('samir') });
    expect(asSamir.body.message).toMatch(/no access/);
  });

  it('are checked in order: route, token, scope, workspace', () => {
    const token = bench.tokenFor('nora', ['read']);
    expect(bench.status('POST /nope', {}, { token: 'x' })).toBe(404);
    expect(bench.status('POST /members', {}, { token: 'x', workspace: false })).toBe(401);
    expect(bench.status('POST /members', {}, { token, workspace: false })).toBe(403);
    expect(bench.status('POST /members', {}, { workspace: false })).toBe(400);
  });
});

describe('bodies', () => {
  it.each(['{', '[]', '"x"', 'null', '7'])('like %s are refused', (raw) => {
    expect(bench.status('POST /members', {}, { raw })).toBe(400);
  });

  it('are forms of webhooks only, and of no other type', () => {
    const type = 'application/x-www-form-urlencoded';
    expect(bench.status('POST /members', {}, { raw: 'email=a%40b.example', type })).toBe(400);
    expect(bench.status('POST /webhooks', {}, { raw: 'x', type: 'text/plain' })).toBe(400);
  });

  it('are noted where nobody reads them', () => {
    bench.ask('GET /members', { colour: 'red' });
    bench.ask(`PUT /members/${bench.userId('mei')}`, { lastname: 'Mori', shoe: 41 });
    expect(bench.log.map((entry) => entry.unread)).toEqual([['query.colour'], ['body.shoe']]);
    expect(bench.log[1]?.route).toBe('PUT /members/{memberId}');
  });
});
