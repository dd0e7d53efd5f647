import { describe, expect, it } from 'vitest';
import { ProgressIndicator } from '../../src/output/progress.ts';
import { capture, MEMBERS, memorySink, pagesOf } from './capture.ts';

/** Long work as a line on a terminal. */

/** A clock that stands still until it is moved on: each tick is a turn of this process. */
const setUp = ({ isTTY = true, enabled = true, width = 80 } = {}) => {
  let now = 0;
  const stderr = memorySink(isTTY);
  const sleep = async (_ms: number, signal?: AbortSignal) => {
    await new Promise(setImmediate);
    signal?.throwIfAborted();
  };
  const clock = { now: () => now, sleep, random: () => 0 };
  /** What is on the line at that time. */
  const at = async (ms: number): Promise<string | undefined> => {
    now = ms;
    stderr.writes.length = 0;
    for (let turn = 0; turn < 4; turn += 1) await new Promise(setImmediate);
    return stderr.writes.at(-1)?.slice('\r\x1b[2K'.length);
  };
  return { clock, at, stderr, watch: new ProgressIndicator({ stderr, enabled, width, clock }) };
};

/** Works that end when they are told to. */
const open = (begin: (work: () => Promise<void>) => Promise<void>) => {
  let end = (): void => {};
  const ended = begin(
    () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  );
  return () => {
    end();
    return ended;
  };
};

describe('the line', () => {
  it('tells what has come of long work until it ends, and what is waited for, counted down', async () => {
    const { watch, at, stderr } = setUp({ width: 40 });
    let done = '0\x1b';
    const end = open((work) => watch.during(() => `${done} done`, work));
    expect(await at(999)).toBe(undefined);
    expect(await at(1_000)).toBe('0\\x1b done');
    done = '1';
    expect(watch.reportWait('waiting 12 s for the rate limit')).toBe(true);
    expect(await at(3_000)).toBe('1 done; waiting 10 s for the rate limit');
    done = '100';
    expect(await at(4_000)).toBe('100 done; waiting 9 s for the rate l...');
    expect(await at(20_000)).toBe('100 done');
    await end();
    expect(stderr.writes.at(-1)).toBe('\r\x1b[2K');
  });

  it('tells a request after a second, and the next when the first is answered', async () => {
    const { watch, at } = setUp();
    const first = open((work) => watch.during(() => 'first', work));
    const second = open((work) => watch.during(() => 'second', work));
    expect(await at(1_000)).toBe('first');
    await first();
    expect(await at(1_999)).toBe('second');
    await second();
    expect(await at(9_000)).toBe(undefined);
  });

  it('is of the work that others are part of; a wait outside of any is a line', async () => {
    const { watch, at } = setUp();
    const waits = watch.reportWait('waiting 3 s');
    expect([waits, await at(0)]).toEqual([true, 'waiting 3 s']);
    const long = open((work) => watch.during(() => 'long', work));
    const request = open((work) => watch.during(() => 'request', work));
    expect(await at(5_000)).toBe('long');
    await long();
    expect(await at(6_000)).toBe('request');
    await request();
  });

  it('is not drawn while a question has the terminal', async () => {
    const { watch, at } = setUp();
    const request = open((work) => watch.during(() => 'request', work));
    const release = watch.hold();
    expect(await at(5_000)).toBe(undefined);
    release();
    expect(await at(5_000)).toBe('request');
    await request();
  });

  it.each([{ isTTY: false }, { enabled: false }])('is not drawn with %o', async (options) => {
    const { watch, at, stderr } = setUp(options);
    const request = open((work) => watch.during(() => 'long', work));
    expect(await at(5_000)).toBe(undefined);
    await request();
    expect([watch.reportWait('waiting 3 s'), stderr.writes]).toEqual([false, []]);
  });
});

describe('a long list', () => {
  const ROWS = Array.from({ length: 100 }, (_, id) => ({ id }));

  it.each([true, false])('is told while the rows go elsewhere, on a terminal alone: %s', async (isTTY) => {
    const { watch, at, stderr, clock } = setUp({ isTTY });
    const { output, stdout } = capture('json', { clock, stderr, progress: watch });
    const told: unknown[] = [];
    const slow = async function* () {
      let ms = 0;
      for await (const page of pagesOf([ROWS, ROWS, ROWS], { total: 300 })) {
        ms += 2_000;
        told.push(await at(ms));
        yield page;
      }
    };
    await output.list(slow(), MEMBERS);
    expect(JSON.parse(stdout()).length).toBe(300);
    const lines = [
      'reading members',
      'reading members: 100 of 300, 8 s to go',
      'reading members: 200 of 300, 3 s to go',
    ];
    expect(told).toEqual(isTTY ? lines : [undefined, undefined, undefined]);
    expect(stderr.writes.at(-1)).toBe(isTTY ? '\r\x1b[2K' : undefined);
  });
});
