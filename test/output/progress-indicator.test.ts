import { expect, it } from 'vitest';
import { createProgressIndicator, type Progress } from '../../src/output/progress.ts';

/** Long work as a line on a terminal. */

const setUp = (visible: boolean) => {
  const shown: string[] = [];
  let cleared = 0;
  let now = 0;
  const progress: Progress = {
    visible,
    update: (text) => void shown.push(text),
    clear: () => {
      cleared += 1;
    },
  };
  const clock = {
    now: () => now,
    sleep: async (ms: number, signal?: AbortSignal) => {
      now += ms;
      await new Promise(setImmediate);
      signal?.throwIfAborted();
    },
  };
  return {
    watch: createProgressIndicator(progress, clock),
    shown,
    cleared: () => cleared,
    pass: (ms: number) => (now += ms),
  };
};

/** Lets it tick a few times: each tick is a turn of this process. */
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 4; turn += 1) await new Promise(setImmediate);
};

it('draws what has come of it until it ends, and what is waited for, counted down', async () => {
  const { watch, shown, cleared, pass } = setUp(true);
  let done = 0;
  const answer = await watch.during(
    () => `${done} done`,
    async () => {
      pass(1_000);
      await turns();
      done = 1;
      expect(watch.reportWait('waiting 12 s for the rate limit')).toBe(true);
      pass(2000);
      await turns();
      pass(20_000);
      await turns();
      return 'it';
    },
  );
  expect(answer).toBe('it');
  expect(shown[0]).toBe('0 done');
  expect(shown).toContainEqual(expect.stringMatching(/^1 done; waiting (9|10) s for the rate limit$/));
  expect(shown.at(-1)).toBe('1 done');
  expect(cleared()).toBe(1);
});

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

/** A clock that stands still until it is moved on. */
const still = () => {
  const shown: string[] = [];
  let now = 0;
  const progress: Progress = {
    visible: true,
    update: (text) => void shown.push(text),
    clear: () => void shown.push(''),
  };
  const sleep = async (_ms: number, signal?: AbortSignal) => {
    await new Promise(setImmediate);
    signal?.throwIfAborted();
  };
  const watch = createProgressIndicator(progress, { now: () => now, sleep });
  const at = async (ms: number): Promise<string | undefined> => {
    now = ms;
    shown.length = 0;
    await turns();
    return shown.at(-1);
  };
  return { watch, at, shown };
};

it('tells a request after a second, and the next when the first is answered', async () => {
  const { watch, at } = still();
  const first = open((work) => watch.request(() => 'first', work));
  expect(await at(999)).toBe(undefined);
  const second = open((work) => watch.request(() => 'second', work));
  expect(await at(1_000)).toBe('first');
  await first();
  expect(await at(1_998)).toBe(undefined);
  expect(await at(1_999)).toBe('second');
  await second();
  expect(await at(9_000)).toBe(undefined);
});

it('of a request within something longer says nothing; a wait that nothing else tells is a line of its own', async () => {
  const { watch, at, shown } = still();
  const request = open((work) => watch.request(() => 'request', work));
  expect([watch.reportWait('waiting 3 s'), shown.at(-1)]).toEqual([true, 'waiting 3 s']);
  const long = open((work) => watch.during(() => 'long', work));
  expect(await at(5_000)).toBe('long');
  await long();
  expect(await at(6_000)).toBe('request');
  await request();
});

it('draws nothing while a question has the terminal', async () => {
  const { watch, at } = still();
  const request = open((work) => watch.request(() => 'request', work));
  const release = watch.hold();
  expect(await at(5_000)).toBe(undefined);
  release();
  expect(await at(5_000)).toBe('request');
  await request();
});
