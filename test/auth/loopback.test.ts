import type { ServerOptions } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Expected } from '../../src/auth/callback.ts';
import { type Loopback, openLoopback } from '../../src/auth/loopback.ts';
import { freePort } from '../support/sign-in.ts';
import { createTurnedClock } from '../support/turned-clock.ts';

/** What the loopback server tells Node about requests that are slow (design/reliability.md, A2). */

const given: ServerOptions[] = [];
vi.mock('node:http', async (importActual) => {
  const actual = await importActual<typeof import('node:http')>();
  const createServer = (options: ServerOptions, listener: Parameters<typeof actual.createServer>[1]) => {
    given.push(options);
    return actual.createServer(options, listener);
  };
  return { ...actual, createServer };
});

let loopback: Loopback | undefined;
afterEach(() => loopback?.finish(undefined));

describe('a connection that says nothing, or says it slowly,', () => {
  it('is cut after 5 s, and looked for every second', async () => {
    const redirectUri = `http://127.0.0.1:${await freePort()}/callback`;
    given.length = 0;
    loopback = await openLoopback({ redirectUri, state: 'x'.repeat(43) } as Expected, createTurnedClock(0));
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
