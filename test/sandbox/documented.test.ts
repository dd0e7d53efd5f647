import { describe, expect, it } from 'vitest';
import { DATA, faultsOfAnswer, fieldsOf } from '../support/documented-types.ts';
import { ROUTES } from '../support/sandbox-server.ts';
import { type Bench, createBench, type Got, type Sent } from './bench.ts';

/** Every answer of the sandbox holds what the specification says of its types, read and written, in every seed. */

interface Told {
  /** Wrong values, each once, as `GET /members data[].tax_state is null: string`. */
  readonly faults: Set<string>;
  readonly routes: Set<string>;
  /** `GET /members avatar`: fields that had a value somewhere. */
  readonly fields: Set<string>;
}

const nothing = (): Told => ({ faults: new Set(), routes: new Set(), fields: new Set() });

const hear = (told: Told, route: string, got: Got): void => {
  told.routes.add(route);
  if (got.status > 201) told.faults.add(`${route} answers ${got.status}: ${got.body.message}`);
  const { data } = got.body;
  for (const fault of faultsOfAnswer(route, got.status, got.body)) told.faults.add(fault);
  for (const row of Array.isArray(data) ? data : [data])
    for (const [name, value] of Object.entries(row ?? {}))
      if (value !== null) told.fields.add(`${route} ${name}`);
};

/** Sends a request to a route, its `{names}` filled in order. */
const caller =
  (bench: Bench, told: Told) =>
  (route: string, ids: readonly (string | number)[] = [], fields: object = {}, sent: Sent = {}): Got => {
    const left = [...ids];
    const line = route.replace(/\{\w+\}/g, () => String(left.shift()));
    const got = bench.ask(line, fields, sent);
    hear(told, route, got);
    return got;
  };

type Send = ReturnType<typeof caller>;
type Query = Record<string, string>;

/** Reads all pages of a list, or the first, one in the middle and the last of very many. */
// biome-ignore lint/suspicious/noExplicitAny: records of any kind
const listAll = (send: Send, route: string, query: Query = {}): any[] => {
  const first = send(route, [], { per_page: '100', ...query }).body;
  const last = first.meta?.pagination?.last_page ?? 1;
  const wanted = last > 20 ? [Math.ceil(last / 2), last] : Array.from({ length: last - 1 }, (_, n) => n + 2);
  const more = wanted.flatMap(
    (page) => send(route, [], { per_page: '100', ...query, page: String(page) }).data,
  );
  return [...first.data, ...more];
};

/** They need a day, a project, or no workspace. */
const BOUND = ['GET /leaves/balances', 'GET /tasks', 'GET /workspaces'];
const LISTS = ROUTES.filter((route) => /^GET [^{]*$/.test(route) && !BOUND.includes(route));
const YEAR = { date_from: '2026-01-01', date_to: '2026-12-31' };

/** Every list and, of a few records of each, everything else that can be read. */
const readEverything = (send: Send): void => {
  const few = <T>(rows: readonly T[]): readonly T[] => [...rows.slice(0, 12), ...rows.slice(-2)];
  send('GET /workspaces', [], {}, { workspace: false });
  listAll(send, 'GET /leaves/balances', YEAR);
  for (const list of LISTS) {
    const one = ROUTES.find((route) => route.startsWith(`${list}/{`) && route.endsWith('}'));
    for (const { id } of few(listAll(send, list))) if (one !== undefined) send(one, [id]);
  }
  for (const project of few(listAll(send, 'GET /projects'))) {
    const query = { project_id: String(project.id) };
    for (const { id } of listAll(send, 'GET /tasks', query)) {
      send('GET /tasks/{taskId}', [id], query);
      send('GET /tasks/{taskId}/assignees', [id], query);
    }
  }
};

const SEEDS = ['demo', 'agency', 'month-end', 'big', 'empty'];

describe('what is read', () => {
  it.each(SEEDS)('is as documented in the seed %s', async (seed) => {
    const told = nothing();
    readEverything(caller(await createBench({ seed }), told));
    expect([...told.faults]).toEqual([]);
  });

  it('is as documented for somebody who may not see rates', async () => {
    const told = nothing();
    readEverything(caller(await createBench({ as: 'grace' }), told));
    expect([...told.faults]).toEqual([]);
    expect(told.fields).not.toContain('GET /members rate');
    expect(told.fields).not.toContain('GET /members rate_type');
  });

  it('has every field of every record somewhere in the demo or the agency', async () => {
    const told = nothing();
    for (const seed of ['demo', 'agency']) readEverything(caller(await createBench({ seed }), told));
    const wanted = Object.entries(DATA)
      .filter(([route]) => route.startsWith('GET '))
      .flatMap(([route, type]) => Object.keys(fieldsOf(type) ?? {}).map((name) => `${route} ${name}`));
    // Archived ones are not listed; a list of webhooks shows no secrets.
    const never = [
      ...['/projects', '/projects/{projectId}', '/tasks', '/tasks/{taskId}'].map(
        (path) => `GET ${path} deleted_at`,
      ),
      'GET /webhooks token',
    ];
    expect(wanted.filter((field) => !told.fields.has(field))).toEqual(never);
  });
});

/** Writes that change what can be read, in an order in which all are accepted. */
const writeEverything = (bench: Bench, send: Send): void => {
  const mei = bench.userId('mei');
  const priya = bench.userId('priya');
  const aoife = bench.userId('aoife');
  const ana = { email: 'ana@new.example', firstname: 'Ana', lastname: 'Sousa', role: 'Regular User' };
  const invited = send('POST /members', [], ana).data.user_id;
  send('PUT /members/{memberId}', [invited], { timezone: 'Europe/Lisbon', rate_status: 0 });
  // Whatever can be emptied: a picture by its own flag, the rest by null or an empty text, where that is taken.
  send('PUT /members/{memberId}', [mei], { remove_avatar: 1 });
  const fields = 'email firstname lastname timezone role weekly_hours_limit rate_status';
  for (const field of fields.split(' '))
    for (const value of [null, '']) bench.ask(`PUT /members/${invited}`, { [field]: value });
  send('DELETE /members/{memberId}', [aoife]);
  send('GET /members/{memberId}', [aoife]);
  send('POST /members/{memberId}/restore', [aoife]);

  const guest = { email: 'guest@new.example', firstname: 'Ida', lastname: 'Holm' };
  send('POST /project-viewers', [], guest);
  const project = send('POST /projects', [], { name: 'Quay' }).data.id;
  const body = { project_id: project };
  send('PUT /projects/{projectId}', [project], { notes: 'wide', deadline: '2026-12-01' });
  send('POST /project-viewers/{viewerId}/assign-project', [priya], body);
  send('DELETE /project-viewers/{viewerId}/unassign-project', [priya], body);
  send('DELETE /project-viewers/{viewerId}', [priya]);
  send('POST /project-viewers/{viewerId}/restore', [priya]);

  const contract = send('POST /contracts', [], { ...body, user_id: mei }).data.id;
  send('PUT /contracts/{contractId}', [contract], { status: 'active', weekly_hours_limit: 12 });
  const task = send('POST /tasks', [], { ...body, title: 'Sand' }).data.id;
  send('PUT /tasks/{taskId}', [task], { ...body, status: 20 });
  send('POST /tasks/{taskId}/assign/{userId}', [task, mei], body);
  send('GET /tasks/{taskId}/assignees', [task], { project_id: String(project) });
  send('DELETE /tasks/{taskId}/unassign/{userId}', [task, mei], body);
  const asked = {
    user_id: mei,
    contract_id: contract,
    start: '2026-03-02T09:00:00Z',
    end: '2026-03-02T10:00:00Z',
  };
  const [yes, no] = [1, 2].map(() => send('POST /time-requests', [], asked).data.id);
  send('POST /time-requests/{id}/approve', [yes]);
  send('POST /time-requests/{id}/reject', [no], { comment: 'Twice' });
  send('DELETE /tasks/{taskId}', [task], body);
  send('DELETE /contracts/{contractId}', [contract]);
  send('DELETE /projects/{projectId}', [project]);

  const [open] = listAll(send, 'GET /timesheets', { status: 'open' });
  const [first, second] = listAll(send, 'GET /timesheets', { status: 'submitted' });
  send('PUT /timesheets/{timesheetId}/submit', [open.id]);
  send('PUT /timesheets/{timesheetId}/unsubmit', [open.id]);
  send('PUT /timesheets/{timesheetId}/approve', [first.id]);
  send('PUT /timesheets/{timesheetId}/reject', [second.id], { reason: 'Friday' });
  const [leave, other] = listAll(send, 'GET /leaves', { status: 'pending' });
  send('PUT /leaves/{leaveRequestId}/approve', [leave.id]);
  send('PUT /leaves/{leaveRequestId}/reject', [other.id], { reason: 'Fair' });

  const [category] = listAll(send, 'GET /expenses/categories');
  const cost = { expense_name: 'Rope', date: '2026-03-01', amount: 4.5, category_id: category.id };
  const expense = send('POST /expenses', [], cost).data.id;
  send('PUT /expenses/{expenseId}', [expense], { ...cost, note: 'Blue' });
  send('DELETE /expenses/{expenseId}', [expense]);
  send('POST /time-tracking/stop', [], {}, { workspace: false });

  const hook = { url: 'http://127.0.0.1:9/', events: ['tracker.started'] };
  const id = send('POST /webhooks', [], hook).data.id;
  send('PUT /webhooks/{webhookId}', [id], hook);
  send('GET /webhooks/{webhookId}', [id]);
  send('DELETE /webhooks/{webhookId}', [id]);
};

describe('what is written', () => {
  it('is answered as documented, and reads as documented afterwards; every read is met', async () => {
    const bench = await createBench();
    const told = nothing();
    const send = caller(bench, told);
    writeEverything(bench, send);
    readEverything(send);
    expect([...told.faults]).toEqual([]);
    // That every write is met is held by the sessions (test/scripts).
    expect(ROUTES.filter((route) => route.startsWith('GET ') && !told.routes.has(route))).toEqual([]);
  });
});
