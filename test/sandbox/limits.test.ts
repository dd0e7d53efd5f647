import { beforeEach, describe, expect, it } from 'vitest';
import { DOCUMENTED_LIMITS } from '../../src/sandbox/access.ts';
import { type Bench, createBench, NOW } from './bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await createBench();
});

describe('limits', () => {
  beforeEach(async () => {
    bench = await createBench({ limits: DOCUMENTED_LIMITS });
  });
  const get = () => bench.send('GET', '/workspaces');
  const write = () => bench.send('DELETE', '/members/1');

  it('lets 150 requests a minute through and refuses the next with Retry-After 60', () => {
    for (let i = 0; i < 150; i += 1) {
      bench.now = NOW + i * 100;
      const answer = get();
      expect(answer.status).toBe(200);
      expect(answer.headers['x-ratelimit-remaining']).toBe(String(149 - i));
    }
    const refused = get();
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('60');
    bench.now = NOW + 59_999;
    expect(get().status).toBe(429);
    bench.now = NOW + 60_000;
    expect(get().status).toBe(200);
    expect(get().status).toBe(429);
    bench.now = NOW + 60_100;
    expect(get().status).toBe(200);
  });

  it('lets 20 writes a second through and refuses the next with Retry-After 1', () => {
    for (let i = 0; i < 20; i += 1) expect(write().status).toBe(404);
    expect(write().headers['retry-after']).toBe('1');
    expect(get().status).toBe(200);
    bench.now = NOW + 999;
    expect(write().status).toBe(429);
    bench.now = NOW + 1000;
    expect(write().status).toBe(404);
  });

  it('counts each token by itself, and refused requests not at all', () => {
    for (let i = 0; i < 300; i += 1) get();
    expect(bench.send('GET', '/workspaces', { token: bench.tokenFor('samir') }).status).toBe(200);
    bench.now = NOW + 60_000;
    expect(get().headers['x-ratelimit-remaining']).toBe('149');
  });

  it('forgets moments that a clock set back has put into the future', () => {
    for (let i = 0; i < 150; i += 1) get();
    bench.now = NOW - 1;
    expect(get().status).toBe(200);
  });
});
