import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Machine } from '../../src/platform/machine.ts';
import { makeFolder } from '../support/folder.ts';
import { runInProcess } from '../support/in-process.ts';
import { onePage, type Recorder, serviceEnv, startRecorder } from '../support/service.ts';

/**
 * A 429 to one process is one to the next: what it asks to wait counts as a refusal, bounded by `--max-wait`, and is told truly.
 */

const ASKED = 40;

let recorder: Recorder;
let folder: string;
let refuses: boolean;
beforeEach(async () => {
  folder = makeFolder();
  refuses = true;
  recorder = await startRecorder(() =>
    refuses
      ? {
          status: 429,
          headers: { 'retry-after': String(ASKED) },
          body: { success: false, message: 'Too many requests.', error: null, meta: {} },
        }
      : { body: onePage([{ id: 17, email: 'ana@example.com' }]) },
  );
});
afterEach(() => recorder.close());

/** Waits pass at once; what bounds a request (30 s) does not pass while it is under way. */
let now = 1_800_000_000_000;
const clock: Machine['clock'] = {
  now: () => now,
  random: () => 0.5,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      if (ms === 30_000) return;
      now += ms;
      resolve();
    }),
};
const run = (...args: string[]) =>
  runInProcess(args, {
    env: { ...serviceEnv(recorder), TTCTL_RATE_LIMIT: '150/60,20/1', TTCTL_STATE_DIR: folder },
    machine: { clock },
  });
const errorOf = (stderr: string) => JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error;
const list = ['members', 'list', '--max-wait', '5'];

describe('after a 429', () => {
  it('says how long to wait, in seconds', async () => {
    const { stderr, exit } = await run(...list, '--json');
    expect(exit).toBe(7);
    expect(errorOf(stderr)).toMatchObject({
      code: 'rate_limited',
      retry_after: ASKED,
      hint: expect.stringContaining(`Try again in ${ASKED} s`),
    });
    expect((await run(...list)).stderr).not.toContain('retry after');
  });

  it('the next process fails as soon, and sends nothing', async () => {
    await run(...list);
    refuses = false;
    const before = recorder.lines().length;
    const { stderr, exit } = await run(...list, '--json');
    expect(exit).toBe(7);
    expect(errorOf(stderr)).toMatchObject({
      code: 'rate_limited',
      request: 'GET /members',
      retry_after: ASKED,
      hint: expect.stringContaining(`Try again in ${ASKED} s`),
    });
    expect(recorder.lines()).toHaveLength(before);
  });

  it('the next process waits where it may', async () => {
    await run(...list);
    refuses = false;
    const from = now;
    expect(await run('members', 'list', '--json')).toMatchObject({ exit: 0 });
    expect(now - from).toBeGreaterThanOrEqual(ASKED * 1000);
  });
});
