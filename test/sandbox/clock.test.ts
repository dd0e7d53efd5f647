import { beforeEach, describe, expect, it } from 'vitest';
import { moveClock, readClock } from '../../src/sandbox/clock.ts';
import { type OpenSandbox, openSandbox } from '../../src/sandbox/open.ts';
import { createSeed } from '../../src/sandbox/seeds/seed.ts';
import { createMemoryState, type MemoryState } from '../../src/sandbox/state-access.ts';
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
  it('goes as the machine does until it is moved', () => {
    expect(readClock(world, machine)).toEqual({
      now: '2026-03-18T10:00:00.000Z',
      frozen: false,
      ahead_seconds: 0,
    });
    machine += 1500;
    expect(now()).toBe('2026-03-18T10:00:01.500Z');
  });

  it('is set and advanced, and runs on from there', () => {
    move({ action: 'set', to_ms: Date.parse('2030-01-01T00:00:00Z') });
    machine += 1000;
    expect(now()).toBe('2030-01-01T00:00:01.000Z');
    move({ action: 'advance', by_ms: 60_000 });
    expect(now()).toBe('2030-01-01T00:01:01.000Z');
    move({ action: 'set', to_ms: Date.parse('2020-01-01T00:00:00Z') });
    expect(readClock(world, machine).ahead_seconds).toBeLessThan(0);
    move({ action: 'reset' });
    expect(now()).toBe('2026-03-18T10:00:01.000Z');
  });

  it('stands still, is moved while it does, and runs on from where it stands', () => {
    move({ action: 'freeze' });
    machine += 5000;
    expect(readClock(world, machine)).toMatchObject({ now: '2026-03-18T10:00:00.000Z', frozen: true });
    move({ action: 'advance', by_ms: 1000 });
    machine += 5000;
    expect(now()).toBe('2026-03-18T10:00:01.000Z');
    move({ action: 'resume' });
    expect(readClock(world, machine)).toMatchObject({ now: '2026-03-18T10:00:01.000Z', frozen: false });
    machine += 1000;
    expect(now()).toBe('2026-03-18T10:00:02.000Z');
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

describe('what follows the clock', () => {
  let hosted: OpenSandbox<MemoryState>;
  beforeEach(async () => {
    hosted = openSandbox({
      state: createMemoryState(await createSeed('demo', { now: NOW })),
      clock: { now: () => machine, sleep: async () => {}, random: () => 0.5 },
    });
  });
  const advance = (days: number) => hosted.control.moveClock({ action: 'advance', by_ms: days * 86_400_000 });
  const ask = (token: string) =>
    hosted.answer({
      method: 'GET',
      path: '/api/v2/workspaces',
      query: [],
      headers: { authorization: `Bearer ${token}` },
      body: '',
    });

  it('a Personal Access Token, for six calendar months', async () => {
    const issued = await hosted.control.createToken({ as: 'nora@lindenhof.example', scopes: ['read'] });
    expect(issued.expires_at).toBe('2026-09-18T10:00:00.000Z');
    await hosted.control.moveClock({ action: 'set', to_ms: Date.parse(issued.expires_at) - 1 });
    expect((await ask(issued.token)).status).toBe(200);
    await advance(1 / 86_400_000);
    const ended = await ask(issued.token);
    expect(ended.status).toBe(401);
    expect(JSON.parse(ended.body).meta.timestamp).toBe('2026-09-18T10:00:00.000000Z');
  });

  it('the limits, and the seeds of a reset, which leaves the clock as it is', async () => {
    const { token } = await hosted.control.createToken({ as: 'nora@lindenhof.example', scopes: ['read'] });
    for (let sent = 0; sent < 150; sent += 1) await ask(token);
    expect((await ask(token)).status).toBe(429);
    await advance(1 / 1440);
    expect((await ask(token)).status).toBe(200);
    await hosted.control.moveClock({ action: 'set', to_ms: Date.parse('2031-05-10T00:00:00Z') });
    const status = await hosted.control.reset({ seed: 'demo' });
    expect(status.now).toBe('2031-05-10T00:00:00.000Z');
    const sheets = Object.values(hosted.state.world().spaces)[0]?.timesheets ?? {};
    const latest = Object.values(sheets)
      .map((sheet) => sheet.date_to)
      .sort()
      .at(-1);
    expect(latest).toMatch(/^2031-05/);
  });
});
