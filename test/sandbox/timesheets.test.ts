import { beforeEach, describe, expect, it } from 'vitest';
import type { TimesheetStatus } from '../../src/sandbox/world.ts';
import { type Bench, createBench } from './bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await createBench();
});

const sheetWith = (status: TimesheetStatus): string =>
  Object.values(bench.space.timesheets).find((sheet) => sheet.status === status)?.id ?? '';

describe('timesheets', () => {
  const shown = (id: string) => bench.send('GET', '/timesheets', { query: { id } }).body.data[0];

  it('shows a sheet with its fields', () => {
    expect(shown(sheetWith('open'))).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      user_id: expect.any(Number),
      date_from: '2026-03-16',
      date_to: '2026-03-22',
      total_hours: 10,
      submitted_on: null,
      reject_reason: null,
      status: 'open',
    });
  });

  const MOVES = [
    ['submit', 'open', 'submitted'],
    ['unsubmit', 'submitted', 'open'],
    ['approve', 'submitted', 'approved'],
    ['reject', 'submitted', 'rejected'],
  ] as const;
  const STATES = ['open', 'submitted', 'rejected', 'approved'] as const;

  it.each(
    MOVES.flatMap(([verb, from, to]) =>
      STATES.map((state) => [verb, state, state === from ? to : null] as const),
    ),
  )('%s of one that is %s leads to %s', (verb, state, to) => {
    const id = sheetWith(state);
    const answer = bench.send('PUT', `/timesheets/${id}/${verb}`, { body: { reason: 'Friday is missing' } });
    expect(answer.status).toBe(to === null ? 400 : 200);
    if (to !== null) expect(answer.body.data).toBeNull();
    expect(shown(id).status).toBe(to ?? state);
  });

  it('keeps the reason, and needs one', () => {
    const id = sheetWith('submitted');
    for (const reason of [undefined, '', '  ', 5]) {
      expect(bench.send('PUT', `/timesheets/${id}/reject`, { body: { reason } }).status).toBe(400);
    }
    expect(shown(id).status).toBe('submitted');
    bench.send('PUT', `/timesheets/${id}/reject`, { body: { reason: 'Friday' } });
    expect(shown(id)).toMatchObject({ status: 'rejected', reject_reason: 'Friday' });
  });

  it('sets and clears submitted_on', () => {
    const id = sheetWith('open');
    bench.send('PUT', `/timesheets/${id}/submit`);
    expect(shown(id).submitted_on).toBe('2026-03-18T10:00:00.000Z');
    bench.send('PUT', `/timesheets/${id}/unsubmit`);
    expect(shown(id).submitted_on).toBeNull();
  });

  it('is not found in another workspace', () => {
    const other = Object.values(bench.world.spaces)[1];
    const id = Object.keys(other?.timesheets ?? {})[0];
    for (const unknown of [id, 'nope', '__proto__', 'toString']) {
      expect(bench.send('PUT', `/timesheets/${unknown}/approve`).status).toBe(404);
    }
  });

  it('finds what overlaps a range, and filters by status', () => {
    const count = (query: Record<string, string>) => {
      const answer = bench.send('GET', '/timesheets', { query });
      return answer.status === 200 ? answer.body.meta.pagination.total : answer.status;
    };
    expect(count({ date_from: '2026-03-22' })).toBe(7);
    expect(count({ date_from: '2026-03-23' })).toBe(0);
    expect(count({ date_to: '2026-02-23', date_from: '2026-02-01' })).toBe(35);
    expect(count({ date_from: '2026-03-15', date_to: '2026-03-16' })).toBe(14);
    expect(count({ status: 'submitted' })).toBe(7);
    expect(count({ id: 'nope' })).toBe(0);
    expect(count({ status: 'pending' })).toBe(400);
    expect(count({ date_from: '2026-02-30' })).toBe(400);
    expect(count({ date_from: '2026-03-02', date_to: '2026-03-01' })).toBe(400);
  });
});
