import type { ServerOptions } from 'node:http';
import { afterEach, expect, it, vi } from 'vitest';
import { LoopbackServer } from '../../src/auth/loopback.ts';
import { createTurnedClock, until } from '../support/clocks.ts';
import { freePort, isFree } from '../support/oauth.ts';
import { useCli } from '../support/use-cli.ts';

/** How long the loopback server waits: for a request, for a browser that was sent back, for anybody at all. */

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
let loopback: LoopbackServer | undefined;
afterEach(() => loopback?.close());

/** With a clock that turns by hand, and tells what was slept. */
const open = async () => {
  const redirect = `http://127.0.0.1:${await freePort()}/callback`;
  const query = new URLSearchParams({ redirect_uri: redirect, state: STATE });
  const clock = createTurnedClock(0);
  const slept: number[] = [];
  const sleep = (ms: number, signal?: AbortSignal) => {
    slept.push(ms);
    return clock.sleep(ms, signal);
  };
  const url = new URL(`https://auth.example.com/oauth/authorize?${query}`);
  loopback = new LoopbackServer(url, { ...clock, sleep });
  given.length = 0;
  await loopback.open();
  return { loopback, redirect, clock, slept };
};

it('a connection that says nothing, or says it slowly, is cut after 5 s, and looked for every second', async () => {
  await open();
  const [{ headersTimeout = 0, requestTimeout = 0, connectionsCheckingInterval = 0 } = {}, ...more] = given;
  expect(more).toEqual([]);
  // 0 is no limit.
  expect(Math.min(headersTimeout, requestTimeout, connectionsCheckingInterval)).toBeGreaterThan(0);
  expect(Math.max(headersTimeout, requestTimeout)).toBeLessThanOrEqual(5000);
  expect(connectionsCheckingInterval).toBeLessThanOrEqual(1000);
});

it('a browser that was sent back and does not come for the page is waited for no longer than a process has after a signal', async () => {
  const { loopback, redirect, clock, slept } = await open();
  await fetch(`${redirect}?code=c&state=${STATE}`, { redirect: 'manual' });
  const finished = loopback.close();
  await until(() => slept.length === 1);
  expect(slept[0]).toBeLessThan(800);
  clock.advance(slept[0] ?? 0);
  await finished;
});

const PLACE = 'http://127.0.0.1:9';
const { run } = useCli({
  env: {
    ...{ TTCTL_BASE_URL: `${PLACE}/api/v2`, TTCTL_AUTH_URL: PLACE, TTCTL_TOKEN_URL: PLACE },
    ...{ TTCTL_TOKEN: '', TTCTL_CLIENT_SECRET: 'a-secret-of-nobody' },
  },
});

it('where nobody comes, it ends after 300 s with exit 3, whatever --timeout says, and frees the port', async () => {
  const port = await freePort();
  const redirect = `http://127.0.0.1:${port}/callback`;
  const clock = createTurnedClock(Date.now());
  const line = `auth login --no-browser --redirect-uri ${redirect} --timeout 1 --client-id c`;
  const running = run(line, { clock });
  await until(async () => !(await isFree(port)));
  expect((await fetch(`${redirect}?code=x&state=y`)).status).toBe(400);
  clock.advance(299_999);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await isFree(port)).toBe(false);
  clock.advance(1);
  const { exit, stderr } = await running;
  expect([exit, stderr]).toEqual([3, expect.stringContaining('no sign-in within 5 minutes')]);
  expect(await isFree(port)).toBe(true);
});
