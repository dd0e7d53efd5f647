import { beforeEach, describe, expect, it } from 'vitest';
import type { ClockMove } from '../../src/sandbox/clock.ts';
import { createFollowingClock } from '../../src/sandbox/following-clock.ts';
import { createManualClock, type ManualClock } from '../http/manual-clock.ts';

/** A sandbox whose clock is so far ahead, and what it was asked. */
const sandbox = (machine: ManualClock, honest = true) => {
  let ahead = 3_600_000;
  const moves: ClockMove[] = [];
  const state = () => ({
    now: new Date(machine.now() + ahead).toISOString(),
    frozen: false,
    ahead_seconds: ahead / 1000,
  });
  return {
    moves,
    clock: async () => state(),
    moveClock: async (move: ClockMove) => {
      moves.push(move);
      if (move.action === 'reach' && honest) ahead = Math.max(ahead, move.to_ms - machine.now());
      return state();
    },
  };
};

let machine: ManualClock;
beforeEach(() => {
  machine = createManualClock();
});

describe('a clock that follows the sandbox', () => {
  it('moves the sandbox on in place of sleeping', async () => {
    const control = sandbox(machine);
    const clock = await createFollowingClock(machine, control);
    expect(clock.now()).toBe(1_000_000 + 3_600_000);
    await clock.sleep(60_000);
    expect(control.moves).toEqual([{ action: 'reach', to_ms: 1_000_000 + 3_660_000 }]);
    expect(clock.now()).toBe(1_000_000 + 3_660_000);
    expect(machine.sleeps).toEqual([]);
  });

  it('counts what is answered during a move from the later time', async () => {
    const control = sandbox(machine);
    const clock = await createFollowingClock(machine, control);
    const slept = clock.sleep(60_000);
    expect(clock.now()).toBe(1_000_000 + 3_660_000);
    await slept;
    expect(clock.now()).toBe(1_000_000 + 3_660_000);
  });

  it('knows how far it is ahead, however long the answers are on their way', async () => {
    const control = sandbox(machine);
    const late = async <T>(answer: Promise<T>): Promise<T> => {
      const told = await answer;
      machine.set(machine.now() + 300);
      return told;
    };
    const clock = await createFollowingClock(machine, {
      clock: () => late(control.clock()),
      moveClock: (move) => late(control.moveClock(move)),
    });
    for (const ms of [60_000, 1000]) {
      await clock.sleep(ms);
      const { now } = await control.clock();
      expect(clock.now()).toBe(Date.parse(now));
    }
  });

  it('sleeps really where it is only to look again', async () => {
    const control = sandbox(machine);
    const clock = await createFollowingClock(machine, control);
    const napped = clock.sleep(20);
    await machine.run();
    await napped;
    expect(control.moves).toEqual([]);
    expect(machine.sleeps).toEqual([20]);
  });

  it('sleeps really where the sandbox does not confirm, refuses or is gone', async () => {
    const fails = () => Promise.reject(new Error('403'));
    for (const control of [
      sandbox(machine, false),
      { ...sandbox(machine), moveClock: fails },
      { ...sandbox(machine), moveClock: async () => ({}) as never },
    ]) {
      const before = machine.sleeps.length;
      const slept = (await createFollowingClock(machine, control)).sleep(60_000);
      await machine.run();
      await slept;
      expect(machine.sleeps.slice(before)).toEqual([60_000]);
    }
  });

  it("is the machine's own where there is no sandbox", async () => {
    const control = sandbox(machine);
    const fails = () => Promise.reject(new Error('404'));
    expect(await createFollowingClock(machine, { ...control, clock: fails })).toBe(machine);
    expect(await createFollowingClock(machine, { ...control, clock: async () => ({}) as never })).toBe(
      machine,
    );
  });

  it('ends at once when it is interrupted', async () => {
    const control = sandbox(machine);
    const clock = await createFollowingClock(machine, control);
    await expect(clock.sleep(60_000, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
    expect(control.moves).toEqual([]);
  });
});
