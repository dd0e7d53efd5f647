import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countPending } from '../../src/webhooks/progress.ts';
import { chanceOf } from '../support/faulty-service.ts';
import { type Handler, NEVER, openQueue, readStates } from '../support/forwarding.ts';
import { createTurnedClock, type TurnedClock } from '../support/turned-clock.ts';

/** TTCTL_DELIVERIES=1000 does many. The listener as a process: webhooks-forward-kill.test.ts. */

let folder: string;
let clock: TurnedClock;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ttctl-faults-'));
  clock = createTurnedClock(Date.UTC(2026, 10, 21, 9));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const [SECOND, HOUR] = [1000, 3_600_000];
const COUNT = Number(process.env.TTCTL_DELIVERIES ?? 300);
const SEED = Number(process.env.TTCTL_SEED ?? Date.now() % 1_000_000);

interface Trial {
  readonly chance: () => number;
  /** How many handlers have begun, and accepted, by id. */
  readonly begun: Map<string, number>;
  readonly accepted: Map<string, number>;
  handlers: number;
  listeners: number;
  /** Whether the listener of this moment is gone: nothing that it still does is of any effect. */
  killed: boolean;
  full: boolean;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

const count = (counts: Map<string, number>, id: string) => void counts.set(id, (counts.get(id) ?? 0) + 1);

/** Whatever ends in 00 is never accepted. */
const refuses = ({ chance }: Trial, id: string): boolean => id.endsWith('00') || chance() < 0.3;

const startListener = (trial: Trial) => {
  const own = trial.listeners;
  const isKilled = () => own !== trial.listeners || trial.killed;
  const killSometimes = () => {
    if (trial.chance() < 0.01) trial.killed = true;
  };
  const handler: Handler = async (id) => {
    count(trial.begun, id);
    // Deliveries come faster than they are forwarded.
    for (let n = 0; n < 3; n += 1) await turn();
    killSometimes();
    trial.handlers += 1;
    if (trial.handlers % 50 === 49) trial.killed = true;
    if (isKilled()) return NEVER;
    if (refuses(trial, id)) return trial.chance() < 0.5 ? 1 : 137;
    count(trial.accepted, id);
    killSometimes();
    return isKilled() ? NEVER : 0;
  };
  const listener = openQueue(folder, clock, handler, { maxInFlight: 2, full: () => trial.full, isKilled });
  listener.queue.resume(() => true);
  return listener;
};

/** Sends each until it is answered. @returns the listener that is there at the end */
const receiveAll = async (trial: Trial) => {
  let listener = startListener(trial);
  const goOn = async (): Promise<typeof listener> => {
    await turn();
    if (!trial.killed) return listener;
    trial.listeners += 1;
    // On a full disk none would start.
    [trial.killed, trial.full] = [false, false];
    listener = startListener(trial);
    return listener;
  };
  for (let n = 0; n < COUNT; ) {
    trial.full = trial.chance() < 0.05;
    try {
      void listener.receive(`m${n}`);
      n += 1;
    } catch (error) {
      expect(error).toMatchObject({ code: 'disk_full' });
    }
    if (trial.chance() < 0.2) clock.advance(trial.chance() * 10 * SECOND);
    await goOn();
  }
  trial.full = false;
  return goOn;
};

describe(`${COUNT} deliveries, handlers that fail, listeners that are killed, full disks (TTCTL_SEED=${SEED})`, () => {
  it('are each forwarded at least once, none forgotten, and their states are true', async () => {
    const counts = { begun: new Map<string, number>(), accepted: new Map<string, number>() };
    const trial: Trial = {
      chance: chanceOf(SEED),
      ...counts,
      handlers: 0,
      listeners: 0,
      killed: false,
      full: false,
    };
    const goOn = await receiveAll(trial);
    while (countPending((await goOn()).progress) > 0) {
      clock.advance(HOUR);
      for (let turn = 0; turn < 100; turn += 1) await goOn();
    }
    const ended = readStates(folder);
    expect(Object.keys(ended)).toHaveLength(COUNT);
    for (const [id, state] of Object.entries(ended)) {
      expect(trial.begun.get(id), id).toBeGreaterThan(0);
      if (state.startsWith('done')) expect(trial.accepted.get(id), id).toBeGreaterThan(0);
      else expect(state, id).toBe('failed 10');
      if (/00$/.test(id)) expect(state, id).toBe('failed 10');
    }
    const done = Object.values(ended).filter((state) => state.startsWith('done'));
    expect(done.length).toBeGreaterThan(COUNT * 0.95);
    expect(trial.listeners).toBeGreaterThan(2);
  }, 120_000);
});
