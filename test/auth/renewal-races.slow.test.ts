import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OAuthService, type ServiceHome, serviceHome, startOAuthService } from '../support/oauth.ts';
import { BIN, type Finished, finished, promptly, runBinary } from '../support/process.ts';

/**
 * Many processes and one sign-in (`TTCTL_ROUNDS=20` for the long run); and a command that is killed at random instants
 * while it renews (`TTCTL_KILLS=1000`; `TTCTL_SEED` for the same instants again).
 */

const PROCESSES = 64;
const ROUNDS = Number(process.env.TTCTL_ROUNDS ?? 2);
const KILLS = Number(process.env.TTCTL_KILLS ?? 30);
const SEED = Number(process.env.TTCTL_SEED ?? Date.now() % 1_000_000);
const CHAINS = 4;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** In a process group of its own, so that the whole group can be killed, as a closed terminal does. */
const start = (home: ServiceHome, line: string) =>
  spawn(process.execPath, [BIN, ...line.split(' ')], { env: home.env, detached: true });

describe.each(['ended', 'refused'] as const)('64 processes with one token that is %s', (kind) => {
  it(
    'send one refresh, and none of them fails',
    async () => {
      for (let n = 0; n < ROUNDS; n += 1) {
        const service = await startOAuthService();
        const home = serviceHome(service);
        // Between the moment a refresh token is spent and the answer.
        service.mood.delayMs = 50;
        const first = service.issue();
        home.keep(first, kind === 'ended' ? -1000 : undefined);
        if (kind === 'refused') service.endAccess(first.access);
        const running = Array.from({ length: PROCESSES }, () =>
          finished(start(home, 'workspaces list --json')),
        );
        // What each of them says is long: what differs is told, and how often.
        const ends = new Map<string, number>();
        for (const { exit, stderr } of await Promise.all(running))
          ends.set(`${exit} ${stderr}`, (ends.get(`${exit} ${stderr}`) ?? 0) + 1);
        expect(Object.fromEntries(ends), [...ends].join('\n')).toEqual({ '0 ': PROCESSES });
        expect(service.calls).toHaveLength(1);
        expect(service.isLive(home.pair())).toBe(true);
        expect(readdirSync(home.config).filter((name) => name.endsWith('.tmp'))).toEqual([]);
        await service.close();
        home.remove();
      }
    },
    240_000 + ROUNDS * 60_000,
  );
});

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

let service: OAuthService;
beforeAll(async () => {
  service = await startOAuthService();
  service.mood.delayMs = 20;
});
afterAll(() => service.close());

const killGroup = async (command: ChildProcess, ended: Promise<Finished>): Promise<void> => {
  try {
    process.kill(-(command.pid ?? 0), 'SIGKILL');
  } catch {
    // It has ended already.
  }
  await ended;
};

const chain = async (kills: number, chance: () => number): Promise<void> => {
  const home = serviceHome(service);
  home.keep(service.issue());
  // A little more than the whole takes on this machine now, so that every instant of it is hit.
  const begun = performance.now();
  await finished(start(home, 'auth refresh'));
  let longest = (performance.now() - begun) * 1.2;
  for (let n = 0; n < kills; n += 1) {
    const share = chance();
    const command = start(home, 'auth refresh');
    const ended = finished(command);
    await sleep(share * longest);
    const wasOver = command.exitCode !== null;
    await killGroup(command, ended);
    // The machine becomes quicker or slower meanwhile.
    if (wasOver) longest *= Math.max(0.8, share);
    else if (share > 0.8) longest *= 1.3;
    expect(home.read().profiles.default).not.toHaveProperty('dead');
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
    const command = start(home, 'auth refresh');
    const ended = finished(command);
    while (service.calls.length === before) await sleep(5);
    await killGroup(command, ended);
    const { exit } = await runBinary(['workspaces', 'list'], { env: home.env });
    service.mood.delayMs = 20;
    expect([exit, service.calls.length - before]).toEqual([0, 1]);
    home.remove();
  });
});
