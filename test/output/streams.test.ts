import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { fetchPages } from '../../src/api/page.ts';
import { FORMAT_NAMES } from '../../src/output/formats/formats.ts';
import { ProgressIndicator } from '../../src/output/progress.ts';
import { createSink } from '../../src/output/sink.ts';
import { compileQuery } from '../../src/query/run.ts';
import { capture, MEMBERS, memorySink, pagesOf, printList } from './capture.ts';

/** Streams under long work: slow, closed and full ones, the line that tells how far it has come, signals. */

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
  const at = async (ms: number) => {
    now = ms;
    stderr.writes.length = 0;
    for (let turn = 0; turn < 4; turn += 1) await new Promise(setImmediate);
    return stderr.writes.at(-1)?.slice('\r\x1b[2K'.length);
  };
  const watch = new ProgressIndicator({ stderr, enabled, width, clock });
  /** Work that ends when it is told to. */
  const begin = (text: () => string) => {
    let end = (): void => {};
    const work = new Promise<void>((resolve) => {
      end = resolve;
    });
    const ended = watch.during(text, () => work);
    return async () => {
      end();
      await ended;
    };
  };
  return { clock, at, stderr, watch, begin };
};

it('the line of long work tells what has come of long work until it ends, and what is waited for, counted down', async () => {
  const { watch, at, begin, stderr } = setUp({ width: 40 });
  let done = '0\x1b';
  const end = begin(() => `${done} done`);
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

it('the line of long work tells a request after a second, and the next when the first is answered', async () => {
  const { at, begin } = setUp();
  const first = begin(() => 'first');
  const second = begin(() => 'second');
  expect(await at(1_000)).toBe('first');
  await first();
  expect(await at(1_999)).toBe('second');
  await second();
  expect(await at(9_000)).toBe(undefined);
});

it('the line of long work is of the work that others are part of; a wait outside of any is a line', async () => {
  const { watch, at, begin } = setUp();
  const waits = watch.reportWait('waiting 3 s');
  expect([waits, await at(0)]).toEqual([true, 'waiting 3 s']);
  const long = begin(() => 'long');
  const request = begin(() => 'request');
  expect(await at(5_000)).toBe('long');
  await long();
  expect(await at(6_000)).toBe('request');
  await request();
});

it('the line of long work is not drawn while a question has the terminal', async () => {
  const { watch, at, begin } = setUp();
  const request = begin(() => 'request');
  const release = watch.hold();
  expect(await at(5_000)).toBe(undefined);
  release();
  expect(await at(5_000)).toBe('request');
  await request();
});

it.each([{ isTTY: false }, { enabled: false }])(
  'the line of long work is not drawn with %o',
  async (options) => {
    const { watch, at, begin, stderr } = setUp(options);
    const request = begin(() => 'long');
    expect(await at(5_000)).toBe(undefined);
    await request();
    expect([watch.reportWait('waiting 3 s'), stderr.writes]).toEqual([false, []]);
  },
);

it.each([true, false])('a long list is told on a terminal alone: %s', async (isTTY) => {
  const { watch, at, stderr, clock } = setUp({ isTTY });
  const { output, stdout } = capture('json', { clock, stderr, progress: watch });
  const told: unknown[] = [];
  const rows = Array.from({ length: 100 }, (_, id) => ({ id }));
  const slow = async function* () {
    let ms = 0;
    for await (const page of pagesOf([rows, rows, rows], { total: 300 })) {
      ms += 2_000;
      told.push(await at(ms));
      yield page;
    }
  };
  await output.list(slow(), MEMBERS);
  expect(JSON.parse(stdout()).length).toBe(300);
  const lines = ['', ': 100 of 300, 8 s to go', ': 200 of 300, 3 s to go'].map(
    (end) => `reading members${end}`,
  );
  expect(told).toEqual(isTTY ? lines : [undefined, undefined, undefined]);
  expect(stderr.writes.at(-1)).toBe(isTTY ? '\r\x1b[2K' : undefined);
});

it('a sink hands a text over in one write, and the next when the reader has taken that', async () => {
  const calls: string[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      calls.push(chunk.toString());
      setImmediate(done);
    },
    writev: (chunks, done) => done(new Error(`${chunks.length} were joined`)),
  });
  const sink = createSink({ isTTY: false, open: () => stream });
  const texts = ['one\n', 'two\nthree\n', '\n', `${'x'.repeat(10_000)}\n`, 'no newline'];
  await Promise.all(texts.map((text) => sink.write(text)));
  expect(calls).toEqual(texts);
});

const MANY = 5_000;
const many = Array.from({ length: MANY }, (_, id) => ({ id, firstname: `name ${id}`, status: 'active' }));

/** Turns of the event loop until the rows are written; what has to be loaded for them is there before. */
const countTurns = async (format: string, options: Parameters<typeof capture>[1] = {}) => {
  await printList(format, [many.slice(-1)], options);
  let turns = 0;
  let immediate = setImmediate(function count() {
    turns += 1;
    immediate = setImmediate(count);
  });
  const { stdout } = await printList(format, [many], options);
  clearImmediate(immediate);
  expect(stdout).toContain(`${MANY - 1}`);
  return turns;
};

const byId = await compileQuery('[].id');
it.each([
  ...FORMAT_NAMES.map((format) => [format, {}] as const),
  ['table', { width: 80 }] as const,
  ...(['json', 'csv', 'table', 'ids'] as const).map((format) => [format, { query: byId }] as const),
])('a signal has its turn while a long page is formatted: %s %o', async (format, options) => {
  expect(await countTurns(format, options)).toBeGreaterThanOrEqual(MANY / 1000);
});

it.each([
  [MANY, true],
  [100, false],
])('a signal has its turn before a long page is used: %i rows', async (count, isHeard) => {
  let heard = false;
  const fetch = async () => {
    // A signal is read between two rounds of the event loop.
    setImmediate(() => setImmediate(() => (heard = true)));
    const pagination = { page: 1, lastPage: 1, total: count };
    return { data: many.slice(0, count), message: undefined, pagination, envelope: {} };
  };
  for await (const page of fetchPages(fetch, 'pages', 'things')) expect(page.rows).toHaveLength(count);
  expect(heard).toBe(isHeard);
});
