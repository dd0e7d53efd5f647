import { beforeEach, describe, expect, it } from 'vitest';
import { moveClock, readClock } from '../../src/sandbox/control.ts';
import { open } from '../../src/sandbox/open.ts';
import { createSeed } from '../../src/sandbox/seeds/seed.ts';
import { createMemoryStore } from '../../src/sandbox/state.ts';
import type { World } from '../../src/sandbox/world.ts';
import { NOW } from './bench.ts';

/** The machine's time, which goes on by itself. */
let machine: number;
let world: World;
beforeEach(async () => {
  machine = NOW;
  world = await createSeed('empty', { now: NOW });
});

const now = (): string => readClock(world, machine).now;
const move = (wanted: Parameters<typeof moveClock>[1]): void => moveClock(world, wanted, machine);

describe('the clock', () => {
  it('goes as the machine does until it is moved, and runs on from there', () => {
    machine += 1500;
    expect(readClock(world, machine)).toEqual({
      ...{ now: '2026-03-18T10:00:01.500Z', frozen: false, ahead_seconds: 0 },
    });
    move({ action: 'set', to_ms: Date.parse('2030-01-01T00:00:00Z') });
    machine += 1000;
    expect(now()).toBe('2030-01-01T00:00:01.000Z');
    move({ action: 'advance', by_ms: 60_000 });
    expect(now()).toBe('2030-01-01T00:01:01.000Z');
    move({ action: 'set', to_ms: Date.parse('2020-01-01T00:00:00Z') });
    expect(readClock(world, machine).ahead_seconds).toBeLessThan(0);
    move({ action: 'reset' });
    expect(now()).toBe('2026-03-18T10:00:02.500Z');
  });

  it('stands still, is moved while it does, and runs on from where it stands', () => {
    move({ action: 'freeze' });
    machine += 5000;
    move({ action: 'advance', by_ms: 1000 });
    machine += 5000;
    expect(readClock(world, machine)).toMatchObject({ now: '2026-03-18T10:00:01.000Z', frozen: true });
    move({ action: 'resume' });
    machine += 1000;
    expect(readClock(world, machine)).toMatchObject({ now: '2026-03-18T10:00:02.000Z', frozen: false });
  });

  it('refuses moments that nothing can be dated with, and unknown moves', () => {
    for (const to_ms of [
      -1,
      Date.parse('9999-12-31T23:59:59.999Z') + 1,
      Number.NaN,
      Number.POSITIVE_INFINITY,
    ]) {
      expect(() => move({ action: 'set', to_ms })).toThrow(/1970 and 9999/);
    }
    expect(() => move({ action: 'advance', by_ms: 1e18 })).toThrow(/1970 and 9999/);
    expect(now()).toBe('2026-03-18T10:00:00.000Z');
    for (const wrong of [{ action: 'set' }, { action: 'set', to_ms: '7' }, { action: 'advance', by_ms: '7' }])
      expect(() => move(wrong as never)).toThrow(/1970 and 9999/);
    for (const wrong of [{}, { action: 'constructor' }])
      expect(() => move(wrong as never)).toThrow(/unknown move/);
  });
});

it('a reset leaves the clock as it is, and dates its seed by it', async () => {
  const state = createMemoryStore(world);
  const clock = { now: () => machine, sleep: async () => {}, random: () => 0.5 };
  const { control } = open({ store: state, clock });
  await control.moveClock({ action: 'set', to_ms: Date.parse('2031-05-10T00:00:00Z') });
  expect((await control.reset({ seed: 'demo' })).now).toBe('2031-05-10T00:00:00.000Z');
  const [space] = Object.values(state.world().spaces);
  const days = Object.values(space?.timesheets ?? {}).map((sheet) => sheet.date_to);
  expect(days.sort().at(-1)).toMatch(/^2031-05/);
});
