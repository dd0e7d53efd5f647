import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createSandbox, SandboxError } from '../../../src/sandbox/library/sandbox.ts';
import type { SandboxOptions, Snapshot } from '../../../src/sandbox/library/types.ts';
import { ask, first, NOW, open, sheets } from './open.ts';

/** What a test of other people gets from `createSandbox`. */

const SEED = {
  workspace: 'Two of us',
  members: [
    { email: 'ana@two.example', firstname: 'Ana', lastname: 'Sousa', role: 'Owner' },
    { email: 'bo@two.example', firstname: 'Bo', lastname: 'Li', role: 'Regular User' },
  ],
};

describe('a sandbox', () => {
  it('begins with the demo, at the machine’s time, with the documented limits', async () => {
    const before = Date.now();
    await using sandbox = await createSandbox();
    expect(sandbox.state().seed).toBe('demo');
    expect(sandbox.state().workspaces[0]?.id).toBe(sandbox.workspaceId);
    expect(sandbox.clock.now().getTime()).toBeGreaterThanOrEqual(before);
    const { headers } = ask(sandbox, { path: '/members' });
    expect(headers['x-ratelimit-remaining']).toBe('149');
  });

  it('begins with any seed: a name, the content of a file, a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ttctl-seed-'));
    const file = join(folder, 'two.json');
    writeFileSync(file, JSON.stringify(SEED));
    for (const seed of [SEED, file] as const) {
      const sandbox = await open({ seed });
      expect(sandbox.state().workspaces).toMatchObject([{ name: 'Two of us', owner: 'ana@two.example' }]);
      expect(ask(sandbox, { path: '/members' }).body.data).toHaveLength(2);
    }
    rmSync(folder, { recursive: true });
    expect((await open({ seed: 'big:7' })).state().workspaces[0]?.members).toHaveLength(7);
  });

  it('is the same for the same options, and another for another number', async () => {
    const story = async (seedNumber: number) => {
      const sandbox = await open({ seedNumber });
      const { token } = sandbox.token();
      const body = {
        workspace_id: sandbox.workspaceId,
        url: 'http://127.0.0.1:9/',
        events: ['tracker.started'],
      };
      const made = ask(sandbox, { method: 'POST', path: '/webhooks', body, token });
      return {
        token,
        made,
        state: sandbox.state(),
        log: sandbox.log().map(({ duration_ms, ...row }) => row),
      };
    };
    const [one, same, other] = [await story(7), await story(7), await story(8)];
    expect(one).toEqual(same);
    expect(other.token).not.toBe(one.token);
    expect(other.made.body.data.id).not.toBe(one.made.body.data.id);
  });

  it('speaks the dialect that it is asked for, as text or as an object', async () => {
    for (const dialect of ['invalid=422,pagination=top', { invalid: '422', pagination: 'top' }] as const) {
      const sandbox = await open({ dialect });
      expect(ask(sandbox, { path: '/members' }).body.pagination.total).toBe(12);
      expect(ask(sandbox, { path: '/members', query: {} }).status).toBe(422);
    }
  });

  it('keeps the limits that it is given, or none', async () => {
    const few = await open({ limits: { requests: 2, perSeconds: 10 } });
    const { token } = few.token();
    const statuses = () => ask(few, { path: '/members', token }).status;
    expect([statuses(), statuses(), statuses()]).toEqual([200, 200, 429]);
    few.clock.advance('10s');
    expect(statuses()).toBe(200);
    const none = await open({ limits: 'off' });
    const free = none.token().token;
    const all = Array.from({ length: 200 }, () => ask(none, { path: '/members', token: free }).status);
    expect(new Set(all)).toEqual(new Set([200]));
  });

  it('ends tokens by its own clock', async () => {
    const sandbox = await open();
    const { token, expires_at } = sandbox.token({ scope: 'read' });
    expect(expires_at).toBe('2026-09-18T10:00:00.000Z');
    sandbox.clock.set('2026-09-18T09:59:59.999Z');
    expect(ask(sandbox, { path: '/members', token }).status).toBe(200);
    sandbox.clock.advance(1);
    expect(ask(sandbox, { path: '/members', token }).status).toBe(401);
  });

  it('gives no token to the lower roles', async () => {
    const strict = await open();
    expect(() => strict.token({ as: 'mei@lindenhof.example' })).toThrow('cannot have a token');
  });

  it('gives tokens to those who may have one, with the scopes that are named', async () => {
    const sandbox = await open();
    const { token, scopes, member } = sandbox.token({ scope: 'read' });
    expect({ scopes, member }).toEqual({ scopes: ['read'], member: 'nora@lindenhof.example' });
    const body = { workspace_id: sandbox.workspaceId, name: 'New' };
    expect(ask(sandbox, { method: 'POST', path: '/projects', body, token })).toMatchObject({
      status: 403,
      body: { meta: { required_scope: ['write', 'admin'], granted_scope: ['read'] } },
    });
    const member2 = first(sandbox.state().workspaces).members.find((row) => row.role === 'Regular User');
    expect(() => sandbox.token({ as: String(member2?.email) })).toThrow('cannot have a token');
  });
});

describe('the clock', () => {
  it('stands, goes on, and is put anywhere', async () => {
    const sandbox = await open();
    expect(sandbox.clock.state()).toMatchObject({ now: NOW, frozen: true });
    expect(sandbox.clock.advance('2h30m').now).toBe('2026-03-18T12:30:00.000Z');
    expect(sandbox.clock.set('2027-01-01').now).toBe('2027-01-01T00:00:00.000Z');
    expect(sandbox.clock.set('2027-01-01T08:00').now).toBe('2027-01-01T08:00:00.000Z');
    expect(sandbox.clock.set(new Date(0)).now).toBe('1970-01-01T00:00:00.000Z');
    expect(sandbox.clock.resume().frozen).toBe(false);
    expect(sandbox.clock.freeze('2026-02-03T04:05:06Z')).toMatchObject({
      now: '2026-02-03T04:05:06.000Z',
      frozen: true,
    });
    expect(sandbox.clock.now()).toEqual(new Date('2026-02-03T04:05:06Z'));
  });

  it('stays where it was when it is told nonsense', async () => {
    const sandbox = await open({ frozen: false });
    const { clock } = sandbox;
    expect(() => clock.freeze('tomorrow')).toThrow(SandboxError);
    expect(() => clock.advance('3 days')).toThrow('"3 days" is not a duration');
    expect(clock.state().frozen).toBe(false);
  });

  it('is not the fake clock of a test', async () => {
    vi.useFakeTimers({ now: new Date('2000-01-01') });
    const sandbox = await open({ now: undefined, frozen: false });
    sandbox.faults.add('members list', { latency: 5 });
    const token = sandbox.token().token;
    const headers = { authorization: `Bearer ${token}` };
    const answer = await sandbox.fetch(`${sandbox.baseUrl}/members?workspace_id=${sandbox.workspaceId}`, {
      headers,
    });
    expect(answer.status).toBe(200);
    expect(sandbox.clock.now().getUTCFullYear()).toBeGreaterThan(2000);
  });
  afterEach(() => void vi.useRealTimers());
});

describe('faults', () => {
  it('meet the next calls of an operation, named in any way', async () => {
    const sandbox = await open();
    const row = sandbox.faults.add('members list', { status: 429, retryAfter: 3, times: 2 });
    expect(row).toMatchObject({ route: 'GET /members', times: 2, left: 2, fault: '429, retry after 3 s' });
    sandbox.faults.add('GET /members/{memberId}', { status: 503 });
    const members = () => ask(sandbox, { path: '/members' });
    expect(members()).toMatchObject({ status: 429, headers: { 'retry-after': '3' } });
    expect(sandbox.faults.list()).toMatchObject([{ left: 1 }, { left: 1 }]);
    expect([members().status, members().status]).toEqual([429, 200]);
    expect(sandbox.faults.clear(row.id)).toBe(1);
    expect(sandbox.faults.clear()).toBe(1);
    expect(ask(sandbox, { path: `/members/${sandbox.workspaceId + 1}` }).status).not.toBe(503);
  });

  it('do the work and then fail, where that is asked for', async () => {
    const sandbox = await open();
    const id = first(sheets(sandbox, 'submitted'));
    sandbox.faults.add('timesheets approve', { status: 500, afterCommit: true });
    const approve = () =>
      ask(sandbox, {
        method: 'PUT',
        path: `/timesheets/${id}/approve`,
        body: { workspace_id: sandbox.workspaceId },
      });
    expect(approve().status).toBe(500);
    expect(sheets(sandbox, 'approved')).toContain(id);
    expect(approve().status).toBe(400);
    expect(sandbox.log()).toMatchObject([{ fault: '500, after commit' }, { fault: null, status: 400 }]);
  });

  it('tell of latency and cuts, and do not wait, where plain records are used', async () => {
    const sandbox = await open();
    sandbox.faults.add('members list', { latency: '1h' });
    sandbox.faults.add('members list', { drop: 'after' });
    expect(ask(sandbox, { path: '/members' })).toMatchObject({
      status: 200,
      wire: { latency_ms: 3_600_000 },
    });
    expect(ask(sandbox, { path: '/members' })).toMatchObject({ wire: { cut: 'unanswered' } });
  });
});

describe('the log', () => {
  it('says what came in, what nobody read, and no secret', async () => {
    const sandbox = await open();
    const query = { workspace_id: sandbox.workspaceId, colour: 'red' };
    const { token } = sandbox.token();
    ask(sandbox, { path: '/members', query, token });
    ask(sandbox, { path: '/nowhere', token });
    expect(sandbox.log()).toMatchObject([
      { route: 'GET /members', status: 200, unread: ['query.colour'], member: 'nora@lindenhof.example' },
      { route: null, status: 404 },
    ]);
    expect(JSON.stringify(sandbox.log())).not.toContain(token);
    sandbox.clearLog();
    expect(sandbox.log()).toEqual([]);
  });
});

describe('the state', () => {
  it('is a copy', async () => {
    const sandbox = await open();
    const [workspace] = sandbox.state().workspaces;
    for (const sheet of workspace?.timesheets ?? []) Object.assign(sheet, { status: 'eaten' });
    expect(sheets(sandbox, 'eaten')).toEqual([]);
    expect(workspace?.members[0]).toMatchObject({ id: expect.any(Number), email: expect.any(String) });
  });

  it('is kept in a snapshot and brought back whole, as often as wanted', async () => {
    const sandbox = await open();
    const { token } = sandbox.token();
    sandbox.faults.add('members list', { status: 500 });
    const before = sandbox.state();
    const snapshot = sandbox.snapshot();
    for (const _ of [1, 2]) {
      const id = first(sheets(sandbox, 'submitted'));
      const body = { workspace_id: sandbox.workspaceId };
      expect(ask(sandbox, { method: 'PUT', path: `/timesheets/${id}/approve`, body, token }).status).toBe(
        200,
      );
      sandbox.clock.advance('30d');
      sandbox.faults.clear();
      sandbox.restore(snapshot);
      expect(sandbox.state()).toEqual(before);
      expect(sandbox.faults.list()).toHaveLength(1);
    }
    // JSON: it may be kept in a file.
    sandbox.restore(JSON.parse(JSON.stringify(snapshot)));
    expect(sandbox.state()).toEqual(before);
    const { now } = snapshot;
    for (const wrong of [{ version: 1, now }, { ...snapshot, now: 'then' }, undefined]) {
      expect(() => sandbox.restore(wrong as Snapshot)).toThrow(SandboxError);
    }
  });

  it('goes on from the time of a snapshot, also in another sandbox, whose clock runs', async () => {
    const snapshot = (await open()).snapshot();
    await using other = await createSandbox({ now: '2030-01-01' });
    other.restore(snapshot);
    const then = Date.parse(snapshot.now);
    expect(other.clock.now().getTime()).toBeGreaterThanOrEqual(then);
    expect(other.clock.now().getTime()).toBeLessThan(then + 3_600_000);
  });

  it('begins again as it was made, or with another seed', async () => {
    const sandbox = await open({ seed: SEED });
    const before = sandbox.state();
    const { token } = sandbox.token();
    expect(ask(sandbox, { path: '/members', token }).status).toBe(200);
    sandbox.clock.advance('400d');
    sandbox.faults.add('members list', { status: 500, times: 9 });
    await sandbox.reset();
    expect(sandbox.state()).toEqual(before);
    expect(sandbox.faults.list()).toEqual([]);
    expect(sandbox.log()).toEqual([]);
    expect(ask(sandbox, { path: '/members', token }).status).toBe(401);
    expect(sandbox.token().token).not.toBe(token);
    await sandbox.reset('month-end');
    expect(sandbox.state().seed).toBe('month-end');
    await sandbox.reset();
    expect(sandbox.state()).toEqual(before);
  });
});

describe('what cannot be', () => {
  const WRONG: readonly (readonly [object, string])[] = [
    [{ sed: 'demo' }, 'unknown option: sed. Did you mean seed?'],
    [{ seed: 'dmeo' }, 'unknown seed: dmeo. Did you mean demo?'],
    [{ seed: { ...SEED, memebers: [] } }, 'Did you mean members?'],
    [{ seed: './no-such-file.json' }, 'cannot read the seed file ./no-such-file.json'],
    [{ dialect: { ids: 'opaqe' } }, 'Did you mean opaque?'],
    [{ dialect: { id: 'opaque' } }, 'Did you mean ids?'],
    [{ limits: 'of' }, 'Did you mean off?'],
    [{ limits: { request: 3 } }, 'Did you mean requests?'],
    [{ limits: { requests: -1 } }, 'requests must be a whole number: -1'],
    [{ seedNumber: 1.5 }, 'seedNumber must be a whole number: 1.5'],
    [{ now: 'noon' }, '"noon" is not a time'],
    [{ autoApprove: 'nobody@example.com' }, 'no user nobody@example.com'],
  ];

  it.each(WRONG)('%j is refused', async (options, message) => {
    const error = await createSandbox(options as SandboxOptions).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(SandboxError);
    expect(String(error)).toContain(message);
  });

  it('is said in the words of the library, not of the command line', async () => {
    const { faults, token } = await open();
    const messages = [
      () => faults.add('timesheets aprove', { status: 500 }),
      () => faults.add('timesheets approve', { retryAfter: 3, status: 500 }),
      () => faults.add('timesheets approve', { afterCommit: true, drop: 'after' }),
      () => token({ scope: 'read wirte' }),
    ].map((work) => {
      try {
        work();
      } catch (error) {
        return String(error);
      }
      return 'nothing was thrown';
    });
    expect(messages[0]).toBe(
      'SandboxError: unknown operation: timesheets aprove. Did you mean timesheets approve? Name a command (timesheets approve) or a route (PUT /timesheets/{timesheetId}/approve).',
    );
    expect(messages[1]).toContain('retryAfter needs status 429 or 503');
    for (const message of messages) {
      expect(message).toMatch(/^SandboxError: /);
      expect(message).not.toMatch(/--|ttctl/);
    }
  });
});
