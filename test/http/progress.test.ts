import { expect, it } from 'vitest';
import { withProgress } from '../../src/http/links.ts';
import { createRedactor } from '../../src/http/redact.ts';

it('says which request is waited for, how long, and how long at most, with no secret in it', async () => {
  const redactor = createRedactor();
  redactor.register('canary-5d1e77aa');
  let now = 7_000;
  const told: string[] = [];
  const show = async <T>(words: () => string, work: () => Promise<T>): Promise<T> => {
    const answer = await work();
    told.push(words());
    return answer;
  };
  const answer = { status: 200, headers: {}, body: '{}' };
  const next = async () => {
    now += 4_999;
    return answer;
  };
  const options = { show, timeoutMs: 30_000, redactor, clock: { now: () => now } };
  const request = {
    method: 'GET',
    base: 'http://127.0.0.1:1',
    path: '/tokens/canary-5d1e77aa',
    query: [],
    headers: {},
  } as const;
  expect(await withProgress(next, options)(request)).toBe(answer);
  expect(told).toEqual(['waiting for the service, 4 s (at most 30 s): GET /tokens/***']);
});
