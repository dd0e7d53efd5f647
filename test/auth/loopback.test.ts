import type { ServerOptions } from 'node:http';
import { expect, it, vi } from 'vitest';
import { LoopbackServer } from '../../src/auth/loopback.ts';
import { createTurnedClock } from '../support/clocks.ts';
import { freePort, isFree } from '../support/oauth.ts';
import { useCli } from '../support/use-cli.ts';

/** How long the loopback server waits: for a request, for a browser that was sent back, for anybody at all. */

const given = vi.hoisted((): ServerOptions[] => []);
vi.mock('node:http', async (importActual) => {
  const actual = await importActual<typeof import('node:http')>();
  const createServer = (options: ServerOptions, listener: Parameters<typeof actual.createServer>[1]) => {
    given.push(options);
    return actual.createServer(options, listener);
  };
  return { ...actual, createServer };
});
const { run } = useCli();

it('a connection that says nothing is cut after 5 s; a browser that does not come for the page is not waited for', async () => {
  const redirect = `http://127.0.0.1:${await freePort()}/callback`;
  const state = 'x'.repeat(43);
  const query = new URLSearchParams({ redirect_uri: redirect, state });
  const clock = createTurnedClock(0);
  const loopback = new LoopbackServer(new URL(`https://auth.example.com/oauth/authorize?${query}`), clock);
  given.length = 0;
  await loopback.open();
  const [{ headersTimeout = 0, requestTimeout = 0, connectionsCheckingInterval = 0 } = {}, ...more] = given;
  expect(more).toEqual([]);
  // 0 is no limit.
  expect(Math.min(headersTimeout, requestTimeout, connectionsCheckingInterval)).toBeGreaterThan(0);
  expect(Math.max(headersTimeout, requestTimeout)).toBeLessThanOrEqual(5000);
  expect(connectionsCheckingInterval).toBeLessThanOrEqual(1000);

  await fetch(`${redirect}?code=c&state=${state}`, { redirect: 'manual' });
  const before = clock.sleeps.length;
  const closed = loopback.close();
  await vi.waitFor(() => expect(clock.sleeps.length).toBe(before + 1));
  // A process has that long after a signal.
  expect(clock.sleeps.at(-1)).toBeLessThan(800);
  clock.advance(800);
  await closed;
});

it('where nobody comes, it ends after 300 s with exit 3, whatever --timeout says, and frees the port', async () => {
  const port = await freePort();
  const redirect = `http://127.0.0.1:${port}/callback`;
  const place = 'http://127.0.0.1:9';
  const clock = createTurnedClock(Date.now());
  const running = run(`auth login --no-browser --redirect-uri ${redirect} --timeout 1 --client-id c`, {
    env: { TTCTL_AUTH_URL: place, TTCTL_TOKEN_URL: place, TTCTL_TOKEN: '', TTCTL_CLIENT_SECRET: 'of-nobody' },
    clock,
  });
  await vi.waitFor(async () => expect(await isFree(port)).toBe(false), { timeout: 60_000 });
  expect((await fetch(`${redirect}?code=x&state=y`)).status).toBe(400);
  clock.advance(299_999);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await isFree(port)).toBe(false);
  clock.advance(1);
  const { exit, stderr } = await running;
  expect([exit, stderr]).toEqual([3, expect.stringContaining('no sign-in within 5 minutes')]);
  expect(await isFree(port)).toBe(true);
});
