import { expect, it } from 'vitest';
import { createProgress } from '../../src/output/progress.ts';
import { memorySink } from './capture.ts';

const setUp = (isTTY: boolean, enabled = true) => {
  let now = 0;
  const stderr = memorySink(isTTY);
  const clock = { now: () => now, sleep: async () => {}, random: () => 0 };
  const progress = createProgress({ stderr, enabled, width: 20, clock });
  const at = async (ms: number, text: string): Promise<void> => {
    now = ms;
    progress.update(text);
    await Promise.resolve().then(() => undefined);
    await new Promise(setImmediate);
  };
  return { progress, at, stderr };
};

it('is one line, drawn seldom, on a terminal only', async () => {
  const { progress, at, stderr } = setUp(true);
  await at(6_000, 'page 3\x1b of very many pages');
  await at(6_050, 'too soon');
  expect(stderr.writes).toEqual(['\r\x1b[2Kpage 3\\x1b of ve...']);
  progress.clear();
  progress.clear();
  expect(stderr.writes.slice(1)).toEqual(['\r\x1b[2K']);
  for (const quiet of [setUp(false), setUp(true, false)]) {
    await quiet.at(0, 'a');
    await quiet.at(9_000, 'b');
    expect(quiet.stderr.writes).toEqual([]);
  }
});
