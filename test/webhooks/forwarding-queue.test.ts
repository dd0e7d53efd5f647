import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Handler, openQueue, readStates } from '../support/forwarding.ts';
import { createTurnedClock, type TurnedClock, until } from '../support/turned-clock.ts';

/** What was received is forwarded until it is accepted: when, how often, and what is on the disk meanwhile. */

const START = Date.UTC(2026, 10, 21, 9);
let folder: string;
let clock: TurnedClock;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ttctl-queue-'));
  clock = createTurnedClock(START);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Lets everything happen that needs no time. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 2));

const open = (handler: Handler, faults: Parameters<typeof openQueue>[3] = {}) =>
  openQueue(folder, clock, handler, faults);
const states = () => readStates(folder);

const all = () => true;
const SECOND = 1000;
const [MINUTE, HOUR] = [60 * SECOND, 3600 * SECOND];

describe('a delivery that is not accepted', () => {
  it('is tried ten times: after 5 s, 30 s, 2 min, 10 min, 1 h and then hourly', async () => {
    const times: number[] = [];
    const { receive, seen } = open(() => {
      times.push(clock.now() - START);
      return 1;
    });
    await receive('m');
    const waits = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, HOUR, HOUR, HOUR, HOUR];
    for (const [n, wait] of waits.entries()) {
      expect(states()).toEqual({ m: `pending ${n + 1}` });
      clock.advance(wait - 1);
      await settle();
      expect(times).toHaveLength(n + 1);
      clock.advance(1);
      await until(() => seen.length === n + 2);
    }
    expect(states()).toEqual({ m: 'failed 10' });
    clock.advance(100 * HOUR);
    await settle();
    expect(times).toHaveLength(10);
  });

  it('keeps nobody waiting: others go on meanwhile, and it is done in the end', async () => {
    const seen: string[] = [];
    let broken = true;
    const { receive } = open((id, repeat) => {
      seen.push(`${id}${repeat ? ' again' : ''}`);
      return id === 'a' && broken ? 1 : 0;
    });
    await Promise.all([receive('a'), receive('b'), receive('c')]);
    broken = false;
    clock.advance(5 * SECOND);
    await until(() => states()['a'] === 'done 2');
    expect(seen).toEqual(['a', 'b', 'c', 'a again']);
  });

  it('is tried at once when it is sent again, and begun anew where it was done or given up', async () => {
    let code = 1;
    const { receive } = open(() => code);
    await receive('m');
    await receive('m');
    expect(states()).toEqual({ m: 'pending 2' });
    code = 0;
    await receive('m');
    expect(states()).toEqual({ m: 'done 3' });
    code = 1;
    await receive('m');
    expect(states()).toEqual({ m: 'pending 1' });
  });

  it('is left to whoever has forwarded it meanwhile', async () => {
    let runs = 0;
    const { receive, progress, store } = open(() => {
      runs += 1;
      return 1;
    });
    await receive('m');
    const [key = ''] = store.keys();
    progress.write(key, { state: 'done', attempts: 2, next_attempt_at: null, last_error: null });
    clock.advance(HOUR);
    await settle();
    expect([runs, states()]).toEqual([1, { m: 'done 2' }]);
  });
});

describe('the next listener', () => {
  it('goes on where the one before ended: with what waits, when it is due, in the order it came', async () => {
    const first = open(() => 1);
    await Promise.all(['a', 'b'].map((id) => first.receive(id)));
    first.stop.abort();
    await first.queue.drain();
    clock.advance(2 * SECOND);
    const order: string[] = [];
    const second = open((id) => {
      order.push(id);
      return 0;
    });
    expect(second.queue.resume(all)).toBe(2);
    await settle();
    expect(order).toEqual([]);
    clock.advance(3 * SECOND);
    await until(() => order.length === 2);
    expect(order).toEqual(['a', 'b']);
    await until(() => states()['b'] === 'done 2');
    expect(open(() => 0).queue.resume(all)).toBe(0);
  });

  it('leaves what it is not meant for, and waits no longer than it has to by a clock that was set back', async () => {
    const first = open(() => 1);
    await first.receive('m');
    first.stop.abort();
    clock = createTurnedClock(START - 100 * HOUR);
    expect(open(() => 0).queue.resume(() => false)).toBe(0);
    const { queue, seen } = open(() => 0);
    expect(queue.resume(all)).toBe(1);
    clock.advance(5 * SECOND);
    await until(() => seen.length === 1);
    expect(states()).toEqual({ m: 'done 2' });
  });

  it('does not count an attempt that the end of a listener cut short, and begins nothing any more', async () => {
    const ends: ((code: number) => void)[] = [];
    const first = open(() => new Promise((resolve) => void ends.push(resolve)));
    const replies = ['a', 'b'].map((id) => first.receive(id));
    await until(() => ends.length === 1);
    expect(states()).toEqual({ a: 'pending 1', b: 'pending 0' });
    first.stop.abort();
    const ended = first.queue.drain();
    ends[0]?.(143);
    await ended;
    expect(await replies[1]).toBeUndefined();
    expect(states()).toEqual({ a: 'pending 0', b: 'pending 0' });
    expect(await first.queue.add('c', false)).toBeUndefined();
    // One that ends well although it is interrupted is done.
    const second = open(() => new Promise((resolve) => void ends.push(resolve)));
    second.queue.resume(all);
    await until(() => ends.length === 2);
    second.stop.abort();
    ends[1]?.(0);
    await second.queue.drain();
    expect(states()).toEqual({ a: 'done 1', b: 'pending 0' });
  });

  it('gives up what has killed ten listeners, and forwards what no state can be read of', async () => {
    const first = open(() => 0);
    await Promise.all(['a', 'b'].map((id) => first.receive(id)));
    const [one = '', other = ''] = first.store.keys();
    first.progress.write(one, { state: 'pending', attempts: 10, next_attempt_at: null, last_error: null });
    writeFileSync(join(folder, `delivery.${other}.state`), '{"state":"do');
    writeFileSync(join(folder, `delivery.${'0'.repeat(32)}.state`), '{"version":1}');
    const second = open(() => 0);
    expect(second.queue.resume(all)).toBe(1);
    await until(() => second.seen.length === 1);
    expect(Object.values(states()).sort()).toEqual(['done 1', 'failed 10']);
    // What nothing is stored of is swept.
    expect(readdirSync(folder).filter((name) => name.endsWith('.state'))).toHaveLength(2);
  });
});

describe('a full disk', () => {
  it('lets no attempt begin that it could not record, and is told of once', async () => {
    let [isFull, runs] = [false, 0];
    const { receive, faults } = open(
      () => {
        runs += 1;
        return 1;
      },
      { full: () => isFull },
    );
    await receive('m');
    isFull = true;
    for (let n = 0; n < 5; n += 1) {
      clock.advance(5 * SECOND);
      await settle();
    }
    expect([runs, faults.length, states()]).toEqual([1, 1, { m: 'pending 1' }]);
    expect(() => receive('n')).toThrow(expect.objectContaining({ code: 'disk_full' }));
    isFull = false;
    clock.advance(5 * SECOND);
    await until(() => states()['m'] === 'pending 2');
    expect(runs).toBe(2);
  });

  it('makes nothing run twice that has ended: what came of it is written as soon as there is room', async () => {
    let [isFull, runs] = [false, 0];
    const { receive } = open(
      () => {
        runs += 1;
        isFull = true;
        return 0;
      },
      { full: () => isFull },
    );
    expect(await receive('m')).toMatchObject({ progress: { state: 'done' } });
    expect(states()).toEqual({ m: 'pending 1' });
    isFull = false;
    clock.advance(5 * SECOND);
    await until(() => states()['m'] === 'done 1');
    expect(runs).toBe(1);
  });

  it('of one state alone holds up no other', async () => {
    const { receive, store, seen } = open(() => 0);
    await receive('a');
    const path = join(folder, `delivery.${store.keys()[0]}.state`);
    rmSync(path);
    mkdirSync(join(path, 'in the way'), { recursive: true });
    expect(await receive('a')).toBeUndefined();
    await receive('b');
    expect(seen).toEqual(['a done 1', 'b done 1']);
  });
});

describe('in flight', () => {
  it('are never more than so many, and never the same one twice', async () => {
    let most = 0;
    const running: string[] = [];
    const twice: string[] = [];
    const { receive, queue } = open(
      async (id) => {
        if (running.includes(id)) twice.push(id);
        running.push(id);
        most = Math.max(most, running.length);
        await settle();
        running.splice(running.indexOf(id), 1);
        return 0;
      },
      { maxInFlight: 3 },
    );
    for (let n = 0; n < 20; n += 1) void receive(`m${n % 5}`);
    await queue.drain();
    expect([most, twice, Object.keys(states())]).toEqual([3, [], expect.arrayContaining(['m0', 'm4'])]);
    expect(new Set(Object.values(states()))).toEqual(new Set(['done 1']));
  });
});
