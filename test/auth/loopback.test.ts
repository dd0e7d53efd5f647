import type { ServerOptions } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LoopbackServer } from '../../src/auth/loopback.ts';
import { createTurnedClock, until } from '../support/clocks.ts';
import { freePort } from '../support/oauth.ts';

/** What the loopback server tells Node about requests that are slow. */

const given: ServerOptions[] = [];
vi.mock('node:http', async (importActual) => {
  const actual = await importActual<typeof import('node:http')>();
  const createServer = (options: ServerOptions, listener: Parameters<typeof actual.createServer>[1]) => {
    given.push(options);
    return actual.createServer(options, listener);
  };
  return { ...actual, createServer };
});

const STATE = 'x'.repeat(43);
const authorize = (redirectUri: string) => {
  const query = new URLSearchParams({ redirect_uri: redirectUri, state: STATE });
  return new URL(`https://auth.example.com/oauth/authorize?${query}`);
};

let loopback: LoopbackServer | undefined;
afterEach(() => loopback?.close());

describe('a connection that says nothing, or says it slowly,', () => {
  it('is cut after 5 s, and looked for every second', async () => {
    const redirectUri = `http://127.0.0.1:${await freePort()}/callback`;
    given.length = 0;
    const clock = createTurnedClock(0);
    loopback = new LoopbackServer(authorize(redirectUri), clock);
    await loopback.open();
    expect(given).toHaveLength(1);
    const { headersTimeout = 0, requestTimeout = 0, connectionsCheckingInterval = 0 } = given[0] ?? {};
    for (const limit of [headersTimeout, requestTimeout]) {
      // 0 is no limit.
      expect(limit).toBeGreaterThan(0);
      expect(limit).toBeLessThanOrEqual(5000);
    }
    expect(connectionsCheckingInterval).toBeGreaterThan(0);
    expect(connectionsCheckingInterval).toBeLessThanOrEqual(1000);
  });
});

describe('a browser that was sent back and does not come for the page,', () => {
  it('is waited for no longer than a process has after a signal', async () => {
    const asked: number[] = [];
    const clock = createTurnedClock(0);
    const sleep = (ms: number, signal?: AbortSignal) => {
      asked.push(ms);
      return clock.sleep(ms, signal);
    };
    const redirectUri = `http://127.0.0.1:${await freePort()}/callback`;
    loopback = new LoopbackServer(authorize(redirectUri), { ...clock, sleep });
    await loopback.open();
    await fetch(`${redirectUri}?code=c&state=${STATE}`, { redirect: 'manual' });
    const finished = loopback.close();
    await until(() => asked.length === 1);
    expect(asked[0]).toBeLessThan(800);
    clock.advance(asked[0] ?? 0);
    await finished;
  });
});
