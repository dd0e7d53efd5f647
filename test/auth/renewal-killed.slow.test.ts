import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OAuthService, type ServiceHome, serviceHome, startOAuthService } from '../support/oauth.ts';
import { BIN, finished, promptly, runBinary } from '../support/process.ts';

/**
 * The command is killed at random instants while it renews. `TTCTL_KILLS=1000` for the long
 * run; `TTCTL_SEED` for the same instants again.
 */

const KILLS = Number(process.env.TTCTL_KILLS ?? 30);
const SEED = Number(process.env.TTCTL_SEED ?? Date.now() % 1_000_000);
const CHAINS = 4;

/** mulberry32 */
const chanceOf = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
};

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let service: OAuthService;
beforeAll(async () => {
  service = await startOAuthService();
  service.mood.delayMs = 20;
});
afterAll(() => service.close());

/** In a process group of its own, so that the whole group can be killed, as a closed terminal does. */
const start = (home: ServiceHome) =>
  spawn(process.execPath, [BIN, 'auth', 'refresh'], { env: home.env, detached: true });

const killGroup = ({ pid }: ChildProcess): void => {
  try {
    process.kill(-(pid ?? 0), 'SIGKILL');
  } catch {
    // It has ended already.
  }
};

/** Whether it had ended by itself before. */
const killOnce = async (home: ServiceHome, afterMs: number): Promise<boolean> => {
  const command = start(home);
  const ended = finished(command);
  await sleep(afterMs);
  const wasOver = command.exitCode !== null;
  killGroup(command);
  await ended;
  return wasOver;
};

const chain = async (kills: number, chance: () => number): Promise<void> => {
  const home = serviceHome(service);
  home.keep(service.issue());
  // A little more than the whole takes on this machine now, so that every instant of it is hit.
  const begun = performance.now();
  await finished(start(home));
  let longest = (performance.now() - begun) * 1.2;
  for (let n = 0; n < kills; n += 1) {
    const share = chance();
    const wasOver = await killOnce(home, share * longest);
    // The machine becomes quicker or slower meanwhile.
    if (wasOver) longest *= Math.max(0.8, share);
    else if (share > 0.8) longest *= 1.3;
    const { profiles } = home.read();
    expect(profiles.default).not.toHaveProperty('dead');
  }
  // A lock that nobody holds any more holds nobody up.
  const { exit, stderr } = await promptly(runBinary(['auth', 'refresh'], { env: home.env }));
  expect([exit, stderr]).toEqual([0, '']);
  expect(service.isLive(home.pair())).toBe(true);
  home.remove();
};

describe(`SIGKILL at random instants (seed ${SEED})`, () => {
  it(
    `loses no sign-in, breaks no file, leaves no lock, in ${KILLS} kills`,
    async () => {
      await Promise.all(
        Array.from({ length: CHAINS }, (_, n) => chain(Math.ceil(KILLS / CHAINS), chanceOf(SEED + n))),
      );
      expect(service.spentTwice).toEqual([]);
      // The kills were not all before the first request: each chain begins and ends with one that is not killed.
      expect(service.calls.length).toBeGreaterThan(2 * CHAINS + (KILLS < 100 ? 0 : KILLS / 10));
    },
    240_000 + KILLS * 2_000,
  );

  it('leaves the renewal to whoever comes next: it is not asked for twice', async () => {
    const home = serviceHome(service);
    home.keep(service.issue(), -1000);
    service.mood.delayMs = 700;
    const before = service.calls.length;
    const command = start(home);
    const ended = finished(command);
    while (service.calls.length === before) await sleep(5);
    killGroup(command);
    await ended;
    const { exit } = await runBinary(['workspaces', 'list'], { env: home.env });
    service.mood.delayMs = 20;
    expect([exit, service.calls.length - before]).toEqual([0, 1]);
    home.remove();
  });
});
