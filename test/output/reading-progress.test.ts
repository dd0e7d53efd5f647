import { expect, it } from 'vitest';
import { createReadingProgress } from '../../src/output/list.ts';
import { createProgress, createProgressIndicator } from '../../src/output/progress.ts';
import { capture, MEMBERS, memorySink, pagesOf } from './capture.ts';

/** How far a long list has come. */

const ROWS = Array.from({ length: 100 }, (_, id) => ({ id }));

it('tells rows, of how many, and how long it goes on at this pace', async () => {
  let now = 0;
  const reading = createReadingProgress('members', { now: () => now });
  const told = [reading.formatText()];
  for await (const _ of reading.countPages(pagesOf([ROWS, ROWS, ROWS], { total: 500 }))) {
    now += 20_000;
    told.push(reading.formatText());
  }
  expect(told).toEqual([
    'reading members',
    'reading members: 100 of 500, 1 min 20 s to go',
    'reading members: 200 of 500, 1 min 0 s to go',
    'reading members: 300 of 500, 40 s to go',
  ]);
});

/** A list of three pages that take two seconds each, into a file. */
const listed = async (terminal: boolean) => {
  let now = 0;
  const pass = async (ms: number) => {
    now += ms;
    await new Promise(setImmediate);
  };
  const clock = { now: () => now, sleep: async () => pass(0), random: () => 0 };
  const stderr = memorySink(terminal);
  const progress = createProgress({ stderr, enabled: true, width: 80, clock });
  const { output, stdout } = capture('json', {
    clock,
    stderr,
    progress,
    watch: createProgressIndicator(progress, clock),
  });
  const slow = async function* () {
    for await (const page of pagesOf([ROWS, ROWS, ROWS], { total: 300 })) {
      for (let i = 0; i < 20; i++) await pass(100);
      yield page;
    }
  };
  await output.list(slow(), MEMBERS);
  return { rows: JSON.parse(stdout()), told: stderr.writes.join('') };
};

it('is drawn on a terminal while the rows go elsewhere, and taken away', async () => {
  const { rows, told } = await listed(true);
  expect(rows.length).toBe(300);
  expect(told).toContain('\r\x1b[2Kreading members: 100 of 300, 4 s to go');
  expect(told.endsWith('\r\x1b[2K')).toBe(true);
});

it('is not drawn in a pipe', async () => {
  expect(await listed(false)).toMatchObject({ told: '' });
});
