import { beforeEach, describe, expect, it } from 'vitest';
import type { DecisionStatus } from '../../src/sandbox/world.ts';
import { type Bench, createBench } from './bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await createBench();
});

const requestWith = (status: DecisionStatus): string =>
  Object.values(bench.space.time_requests).find((row) => row.status === status)?.id ?? '';

describe('time requests', () => {
  const create = (body: unknown) => bench.send('POST', '/time-requests', { body });
  const contractOf = (email: string) =>
    Object.values(bench.space.contracts).find((row) => row.user_id === bench.userId(email));
  const wish = () => ({
    user_id: bench.userId('aoife'),
    contract_id: contractOf('aoife')?.id,
    start: '2026-03-17T09:00:00+02:00',
    end: '2026-03-17T11:30:00+02:00',
    notes: 'Workshop',
  });

  it('creates a pending one with 201', () => {
    const answer = create(wish());
    expect(answer.status).toBe(201);
    expect(answer.body.data).toMatchObject({
      status: 'pending',
      start: '2026-03-17T07:00:00.000Z',
      comment: null,
      notes: 'Workshop',
      project_id: contractOf('aoife')?.project_id,
    });
    expect(bench.send('GET', `/time-requests/${answer.body.data.id}`).body.data).toEqual(answer.body.data);
  });

  it('refuses what does not fit', () => {
    const other = contractOf('arjun')?.id;
    for (const change of [
      { user_id: undefined },
      { user_id: 1 },
      { contract_id: other },
      { contract_id: undefined },
      { start: undefined },
      { end: '2026-03-17T07:00:00Z' },
      { end: 'noon' },
      { start: '2026-02-30T09:00:00Z' },
      { task_id: 1 },
      { user_id: bench.userId('elif'), contract_id: contractOf('elif')?.id },
    ]) {
      expect(create({ ...wish(), ...change }).status).toBe(400);
    }
  });

  it('takes a task of the contract’s project, and of no other', () => {
    const project = contractOf('aoife')?.project_id;
    const tasks = Object.values(bench.space.tasks).filter((task) => task.deleted_at === null);
    const own = tasks.find((task) => task.project_id === project);
    const other = tasks.find((task) => task.project_id !== project);
    if (own === undefined || other === undefined) throw new Error('no such tasks in the seed');
    expect(create({ ...wish(), task_id: own.id }).status).toBe(201);
    expect(create({ ...wish(), task_id: other.id }).status).toBe(400);
  });

  it('adds approved time to the sheet of its week, or to a new open one', () => {
    const { id } = create(wish()).body.data;
    const sheets = () =>
      Object.values(bench.space.timesheets).filter((row) => row.user_id === bench.userId('aoife'));
    const week = () => sheets().find((sheet) => sheet.date_from === '2026-03-16');
    expect(week()?.total_minutes).toBe(600);
    const answer = bench.send('POST', `/time-requests/${id}/approve`);
    expect(answer.body.data).toBeNull();
    expect(week()?.total_minutes).toBe(750);
    expect(bench.send('POST', `/time-requests/${id}/approve`).status).toBe(400);
    expect(week()?.total_minutes).toBe(750);
    const before = sheets().length;
    const old = create({ ...wish(), start: '2025-12-31T23:00:00Z', end: '2026-01-01T00:30:00Z' }).body.data
      .id;
    bench.send('POST', `/time-requests/${old}/approve`);
    expect(sheets().length).toBe(before + 1);
    expect(sheets().at(-1)).toMatchObject({
      date_from: '2025-12-29',
      date_to: '2026-01-04',
      total_minutes: 90,
      status: 'open',
    });
  });

  it('needs a comment to reject', () => {
    const id = requestWith('pending');
    for (const body of [undefined, {}, { comment: '' }, { comment: ' ' }, { reason: 'x' }]) {
      expect(bench.send('POST', `/time-requests/${id}/reject`, { body }).status).toBe(400);
    }
    expect(bench.send('POST', `/time-requests/${id}/reject`, { body: { comment: 'Twice' } }).status).toBe(
      200,
    );
    expect(bench.send('GET', `/time-requests/${id}`).body.data).toMatchObject({
      status: 'rejected',
      comment: 'Twice',
    });
    expect(bench.send('POST', `/time-requests/${id}/approve`).status).toBe(400);
  });

  it('filters', () => {
    const count = (query: Record<string, string>) =>
      bench.send('GET', '/time-requests', { query }).body.meta.pagination.total;
    expect(count({})).toBe(5);
    expect(count({ status: 'pending' })).toBe(3);
    expect(count({ user_id: String(bench.userId('arjun')) })).toBe(2);
    expect(count({ date_from: '2026-03-15', date_to: '2026-03-16' })).toBe(2);
  });
});

describe('time tracking', () => {
  it('stops the tracker of the caller, once', () => {
    const answer = bench.send('POST', '/time-tracking/stop', { workspace: false });
    expect(answer.body.data).toEqual({ stopped_at: '2026-03-18T10:00:00.000Z' });
    expect(bench.events[0]).toMatchObject({ event: 'tracker.stopped', workspace_id: bench.space.id });
    expect(bench.send('POST', '/time-tracking/stop', { workspace: false }).status).toBe(400);
    const samir = { workspace: false, token: bench.tokenFor('samir') } as const;
    expect(bench.send('POST', '/time-tracking/stop', samir).status).toBe(400);
    expect(Object.keys(bench.world.trackers)).toEqual([String(bench.userId('arjun'))]);
  });
});
