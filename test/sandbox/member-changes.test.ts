import { beforeEach, describe, expect, it } from 'vitest';
import { type Bench, createBench } from './bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await createBench();
});

describe('PUT /members/{memberId}', () => {
  it('changes what is sent and nothing else', () => {
    const id = bench.userId('nora');
    const before = bench.send('GET', `/members/${id}`).body.data;
    const body = {
      firstname: 'Norah',
      timezone: 'Asia/Tokyo',
      rate_status: 0,
      weekly_hours_limit: 0,
      remove_avatar: 1,
    };
    const answer = bench.send('PUT', `/members/${id}`, { body });
    expect(answer.body.data).toBeNull();
    const after = bench.send('GET', `/members/${id}`).body.data;
    const { avatar, ...others } = before;
    expect(avatar).toBe('nora.png');
    expect(after).toEqual({
      ...others,
      firstname: 'Norah',
      timezone: 'Asia/Tokyo',
      rate_status: 0,
      weekly_hours_limit: 0,
      updated_at: '2026-03-18T10:00:00.000Z',
    });
  });

  it.each([
    { rate_status: 2 },
    { rate_status: '1' },
    { weekly_hours_limit: -1 },
    { weekly_hours_limit: 1.5 },
    { remove_avatar: 3 },
    { role: 'Owner' },
    { timezone: 'Mars/Olympus' },
    { email: 'grace@lindenhof.example' },
    { email: 'x' },
  ])('refuses %j', (body) => {
    expect(bench.send('PUT', `/members/${bench.userId('mei')}`, { body }).status).toBe(400);
  });

  it("keeps the owner's role, and the own address is no other's", () => {
    const nora = `/members/${bench.userId('nora')}`;
    expect(bench.send('PUT', nora, { body: { role: 'Regular User' } }).status).toBe(400);
    expect(bench.send('PUT', nora, { body: { email: 'nora@lindenhof.example' } }).status).toBe(200);
  });

  it('saves a rate only for those who may view rates', () => {
    const mei = `/members/${bench.userId('mei')}`;
    bench.send('PUT', mei, { body: { rate: 99 }, token: bench.tokenFor('grace') });
    expect(bench.send('GET', mei).body.data.rate).toBe(78);
    bench.send('PUT', mei, { body: { rate: 99 } });
    expect(bench.send('GET', mei).body.data.rate).toBe(99);
  });
});

describe('archive and restore', () => {
  it('archives softly and restores what was', () => {
    const mei = `/members/${bench.userId('mei')}`;
    expect(bench.send('POST', `${mei}/restore`).status).toBe(400);
    expect(bench.send('DELETE', mei).body.data).toBeNull();
    expect(bench.send('GET', mei).body.data).toMatchObject({
      deleted_at: '2026-03-18T10:00:00.000Z',
      status: 'left',
    });
    bench.now += 60_000;
    expect(bench.send('DELETE', mei).status).toBe(200);
    expect(bench.send('GET', mei).body.data.deleted_at).toBe('2026-03-18T10:00:00.000Z');
    expect(bench.send('PUT', mei, { body: { firstname: 'M' } }).status).toBe(400);
    expect(bench.send('POST', `${mei}/restore`).status).toBe(200);
    expect(bench.send('GET', mei).body.data).toMatchObject({ deleted_at: null, status: 'active' });
    expect(bench.send('POST', `${mei}/restore`).status).toBe(400);
  });

  it('does not archive the owner', () => {
    const answer = bench.send('DELETE', `/members/${bench.userId('nora')}`);
    expect(answer.status).toBe(400);
  });
});
