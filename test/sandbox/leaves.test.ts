import { beforeEach, describe, expect, it } from 'vitest';
import type { DecisionStatus } from '../../src/sandbox/world.ts';
import { type Bench, createBench } from './bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await createBench();
});

const leaveWith = (status: DecisionStatus): string =>
  Object.values(bench.space.leaves).find((leave) => leave.status === status)?.id ?? '';

describe('leaves', () => {
  const shown = (id: string) => bench.send('GET', '/leaves', { query: { id } }).body.data[0];

  it('approves and rejects what is pending, once', () => {
    const id = leaveWith('pending');
    expect(bench.send('PUT', `/leaves/${id}/reject`).status).toBe(400);
    expect(bench.send('PUT', `/leaves/${id}/approve`).body.data).toBeNull();
    expect(shown(id)).toMatchObject({
      status: 'approved',
      approved_by: bench.userId('nora'),
      is_paid: 'yes',
    });
    expect(bench.send('PUT', `/leaves/${id}/approve`).status).toBe(400);
    expect(bench.send('PUT', `/leaves/${id}/reject`, { body: { reason: 'x' } }).status).toBe(400);
    const next = leaveWith('pending');
    expect(bench.send('PUT', `/leaves/${next}/reject`, { body: { reason: 'Release week' } }).status).toBe(
      200,
    );
    expect(shown(next)).toMatchObject({
      status: 'rejected',
      reject_reason: 'Release week',
      rejected_by: bench.userId('nora'),
    });
    expect(bench.send('PUT', '/leaves/none/approve').status).toBe(404);
  });

  it('filters', () => {
    const count = (query: Record<string, string>) =>
      bench.send('GET', '/leaves', { query }).body.meta?.pagination?.total;
    expect(count({})).toBe(6);
    expect(count({ status: 'pending' })).toBe(3);
    expect(count({ is_paid: 'no' })).toBe(2);
    expect(count({ user_id: String(bench.userId('arjun')) })).toBe(2);
    expect(count({ date_from: '2026-04-05', date_to: '2026-04-05' })).toBe(1);
    const policy = Object.keys(bench.space.leave_policies)[1] ?? '';
    expect(count({ policy_id: policy })).toBe(1);
    expect(bench.send('GET', '/leaves', { query: { is_paid: 'maybe' } }).status).toBe(400);
  });

  it('needs both days for balances, and takes off approved leave', () => {
    expect(bench.send('GET', '/leaves/balances').status).toBe(400);
    expect(bench.send('GET', '/leaves/balances', { query: { date_from: '2026-01-01' } }).status).toBe(400);
    const query = { date_from: '2026-01-01', date_to: '2026-12-31', user_id: String(bench.userId('tomasz')) };
    const { body } = bench.send('GET', '/leaves/balances', { query });
    expect(body.data).toEqual([
      {
        user_id: bench.userId('tomasz'),
        user_name: 'Tomasz Zieliński',
        leave_information: [
          { leave_type: 'Annual leave', balance: '23 days' },
          { leave_type: 'Sick leave', balance: '10 days' },
          { leave_type: 'Unpaid leave', balance: '20 days' },
        ],
        total_balance: '53 days',
      },
    ]);
  });

  it('takes nothing off for leave that is pending or rejected', () => {
    const days = (user: number): number => {
      const query = { date_from: '2026-01-01', date_to: '2026-12-31', user_id: String(user) };
      return Number.parseFloat(bench.send('GET', '/leaves/balances', { query }).body.data[0].total_balance);
    };
    const pending = Object.values(bench.space.leaves).filter(({ status }) => status === 'pending');
    const [one, other] = pending;
    if (one === undefined || other === undefined) throw new Error('too few are pending');
    const before = days(one.user_id);
    bench.send('PUT', `/leaves/${one.id}/approve`);
    // It was not taken off before: it is now, by its days.
    expect(before - days(one.user_id)).toBe(one.total.days);
    const others = days(other.user_id);
    bench.send('PUT', `/leaves/${other.id}/reject`, { body: { reason: 'Release week' } });
    expect(days(other.user_id)).toBe(others);
  });

  it('takes page for balances, not per_page', async () => {
    bench = await createBench({ seed: 'agency' });
    const query = { date_from: '2026-01-01', date_to: '2026-12-31', page: '3', per_page: '50' };
    const { body } = bench.send('GET', '/leaves/balances', { query });
    expect(body.meta.pagination).toMatchObject({ per_page: 20, current_page: 3, last_page: 3, total: 60 });
    expect(bench.log[0]?.unread).toEqual(['query.per_page']);
  });

  it('lists policies', () => {
    const { body } = bench.send('GET', '/leaves/policies');
    expect(body.data).toHaveLength(3);
    const id = String(body.data[2].id);
    expect(bench.send('GET', '/leaves/policies', { query: { id } }).body.data).toEqual([body.data[2]]);
  });
});
