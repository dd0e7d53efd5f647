import { beforeEach, describe, expect, it } from 'vitest';
import { addMonthsTo } from '../../src/sandbox/tokens.ts';
import { type Bench, createBench } from './bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await createBench();
});

describe('routes', () => {
  it.each([
    ['GET', '/nothing'],
    ['GET', '/members/1/2'],
    ['PATCH', '/members/7'],
    ['GET', '/members/'],
    ['GET', '/timesheets/a/approve'],
    ['POST', '/timesheets/a/approve'],
    ['GET', '/%E0%A4%A'],
    ['GET', '/time-entries'],
  ])('answers %s %s with 404, even without a token', (method, path) => {
    expect(bench.send(method, path, { token: null }).status).toBe(404);
  });
});

describe('tokens', () => {
  it.each([null, 'sbx_pat_unknown', 'abc', '__proto__', 'sbx_'])(
    'refuses %s with 401 and asks for a valid Bearer token',
    (token) => {
      const answer = bench.send('GET', '/members', { token });
      expect(answer.status).toBe(401);
      expect(answer.body.message).toMatch(/valid Bearer token/);
    },
  );

  it('says that it takes only its own tokens', () => {
    expect(bench.send('GET', '/members', { token: 'real-token' }).body.message).toMatch(/sbx_/);
  });

  it('ends a Personal Access Token after 6 calendar months, to the millisecond', () => {
    bench.now = Date.parse('2026-09-18T10:00:00Z') - 1;
    expect(bench.send('GET', '/workspaces').status).toBe(200);
    bench.now += 1;
    expect(bench.send('GET', '/workspaces').status).toBe(401);
  });

  it('counts months by the calendar', () => {
    expect(addMonthsTo(Date.parse('2026-08-31T12:00:00Z'), 6)).toBe(Date.parse('2027-02-28T12:00:00Z'));
    expect(addMonthsTo(Date.parse('2027-08-31T12:00:00Z'), 6)).toBe(Date.parse('2028-02-29T12:00:00Z'));
  });

  it('refuses a revoked one', () => {
    const token = bench.world.tokens[bench.token];
    if (token !== undefined) token.revoked = true;
    expect(bench.send('GET', '/workspaces').status).toBe(401);
  });

  it('are given only to active Owners and Executive Managers, and never with admin', () => {
    for (const email of ['tomasz', 'mei', 'aoife', 'elif', 'daniel', 'priya', 'nobody']) {
      expect(() => bench.tokenFor(email)).toThrow();
    }
    expect(() => bench.tokenFor('nora', ['admin'])).toThrow(/admin/);
    expect(() => bench.tokenFor('nora', [])).toThrow(/at least one/);
    expect(bench.tokenFor('samir')).toMatch(/^sbx_/);
  });
});

describe('scopes', () => {
  it('read may not write: 403 with both lists', () => {
    const token = bench.tokenFor('nora', ['read']);
    expect(bench.send('GET', '/members', { token }).status).toBe(200);
    const answer = bench.send('POST', '/members', { token });
    expect(answer.status).toBe(403);
    expect(answer.body.meta.required_scope).toEqual(['write', 'admin']);
    expect(answer.body.meta.granted_scope).toEqual(['read']);
    expect(answer.body.message).toMatch(/write or admin/);
    expect(answer.body.message).toMatch(/read/);
  });

  it('write alone may read', () => {
    expect(bench.send('GET', '/members', { token: bench.tokenFor('nora', ['write']) }).status).toBe(200);
  });
});

describe('workspaces and roles', () => {
  it('needs an integer workspace_id', () => {
    expect(bench.send('GET', '/members', { workspace: false }).status).toBe(400);
    for (const id of ['x', '1.5', '', ' 1', '1e2']) {
      expect(bench.send('GET', '/members', { query: { workspace_id: id } }).status).toBe(400);
    }
  });

  it('takes it from the query or the body, and refuses two that differ', () => {
    const [id] = Object.keys(bench.space.timesheets);
    const path = `/timesheets/${id}/submit`;
    expect(bench.send('PUT', path, { workspace: false, body: { workspace_id: bench.space.id } }).status).toBe(
      200,
    );
    const both = bench.send('PUT', path, { body: { workspace_id: bench.space.id } });
    expect(both.body.message).toMatch(/submitted/);
    expect(bench.send('PUT', path, { body: { workspace_id: 999 } }).body.message).toMatch(/different/);
    expect(bench.send('PUT', path, { workspace: false, body: { workspace_id: '101' } }).status).toBe(400);
  });

  // These name the body as the place of workspace_id.
  it.each([
    ['POST', '/project-viewers'],
    ['DELETE', '/projects/1'],
    ['POST', '/tasks/1/assign/1'],
    ['POST', '/webhooks'],
    ['PUT', '/webhooks/1'],
    ['DELETE', '/webhooks/1'],
  ])('takes it from nowhere but the body for %s %s', (method, path) => {
    const workspace_id = bench.space.id;
    const inQuery = bench.send(method, path, {
      workspace: false,
      query: { workspace_id: String(workspace_id) },
      body: { project_id: 1 },
    });
    expect(inQuery.status).toBe(400);
    expect(inQuery.body.message).toBe('The workspace_id field is required in the body.');
    const inBody = bench.send(method, path, { workspace: false, body: { workspace_id, project_id: 1 } });
    expect(inBody.body.message).not.toMatch(/workspace_id/);
  });

  it('takes the fields of a body from nowhere else', () => {
    const person = { email: 'new@lindenhof.example', firstname: 'Ana', lastname: 'Sousa' };
    const invited = bench.send('POST', '/members', { query: { ...person, role: 'Regular User' } });
    expect(invited.body.message).toBe('The email field is required.');
    const project = String(Object.keys(bench.space.projects)[0]);
    const [task] = Object.values(bench.space.tasks);
    const assigned = bench.send('POST', `/tasks/${task?.id}/assign/${bench.userId('mei')}`, {
      query: { project_id: project },
    });
    expect(assigned.body.message).toBe('The project_id field is required.');
  });

  it('answers 403 for the wrong workspace and for the wrong role, without scopes in meta', () => {
    const neighbour = Object.keys(bench.world.spaces)[1] ?? '';
    const asRegular = bench.send('GET', '/members', { query: { workspace_id: neighbour } });
    expect(asRegular.status).toBe(403);
    expect(asRegular.body.message).toMatch(/Owners and Executive Managers/);
    expect(asRegular.body.meta.required_scope).toBeUndefined();
    expect(bench.send('GET', '/members', { query: { workspace_id: '424242' } }).status).toBe(403);
    const samir = bench.send('GET', '/members', {
      token: bench.tokenFor('samir'),
      query: { workspace_id: neighbour },
    });
    expect(samir.body.message).toMatch(/no access/);
  });

  it('shuts out a manager who was archived since', () => {
    const token = bench.tokenFor('samir');
    expect(bench.send('DELETE', `/members/${bench.userId('samir')}`).status).toBe(200);
    expect(bench.send('GET', '/members', { token }).status).toBe(403);
    expect(bench.send('GET', '/workspaces', { token }).status).toBe(403);
  });

  it('checks in order: route, token, limit, scope, workspace, role, validation', () => {
    const read = bench.tokenFor('nora', ['read']);
    expect(bench.send('POST', '/nope', { token: 'x' }).status).toBe(404);
    expect(bench.send('POST', '/members', { token: 'x', workspace: false }).status).toBe(401);
    expect(bench.send('POST', '/members', { token: read, workspace: false }).status).toBe(403);
    expect(bench.send('POST', '/members', { workspace: false }).status).toBe(400);
  });
});

describe('bodies', () => {
  it.each(['{', '[]', '"x"', 'null', '7'])('refuses the body %s', (raw) => {
    expect(bench.send('POST', '/members', { raw }).status).toBe(400);
  });

  it('refuses a form but for webhooks, and other types always', () => {
    const form = 'application/x-www-form-urlencoded';
    expect(bench.send('POST', '/members', { raw: 'email=a%40b.example', type: form }).status).toBe(400);
    expect(bench.send('POST', '/webhooks', { raw: 'x', type: 'text/plain' }).status).toBe(400);
  });

  it('notes what was sent and not read', () => {
    bench.send('GET', '/members', { query: { colour: 'red' } });
    bench.send('PUT', `/members/${bench.userId('mei')}`, { body: { lastname: 'Mori', shoe: 41 } });
    expect(bench.log.map((entry) => entry.unread)).toEqual([['query.colour'], ['body.shoe']]);
    expect(bench.log[1]?.route).toBe('PUT /members/{memberId}');
  });
});
