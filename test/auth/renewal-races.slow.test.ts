import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { until } from '../support/clocks.ts';
import { chanceOf } from '../support/faulty-service.ts';
import { home, run, type ServiceHome, service, serviceHome, useService } from '../support/oauth.ts';
import { BIN, type Finished, finished, promptly, runBinary } from '../support/process.ts';

/**
 * Many processes and one sign-in (`TTCTL_ROUNDS=20` for the long run); and a command that is killed at random instants
 * while it renews (`TTCTL_KILLS=1000`; `TTCTL_SEED` for the same instants again).
 */

useService();
const ROUNDS = Number(process.env.TTCTL_ROUNDS ?? 2);
const KILLS = Number(process.env.TTCTL_KILLS ?? 30);
const SEED = Number(process.env.TTCTL_SEED ?? Date.now() % 1_000_000);

/** In a process group of its own, so that the whole group can be killed, as a closed terminal does. */
const start = (line: string, { env }: ServiceHome = home) =>
  spawn(process.execPath, [BIN, ...line.split(' ')], { env, detached: true });

const killGroup = async (command: ChildProcess, ended: Promise<Finished>): Promise<void> => {
  try {
    process.kill(-(command.pid ?? 0), 'SIGKILL');
  } catch {
    // It has ended already.
  }
  await ended;
};

it.each(['ended', 'refused'] as const)(
  '64 processes with one token that is %s send one refresh, and none of them fails',
  { timeout: 240_000 + ROUNDS * 60_000 },
  async (kind) => {
    for (let round = 1; round <= ROUNDS; round += 1) {
      // Between the moment a refresh token is spent and the answer.
      service.mood.delayMs = 50;
      const first = service.issue();
      home.keep(first, kind === 'ended' ? -1000 : undefined);
      if (kind === 'refused') service.endAccess(first.access);
      const running = Array.from({ length: 64 }, () => finished(start('workspaces list --json')));
      // What each of them says is long: what differs is told.
      const ends = (await Promise.all(running)).map(({ exit, stderr }) => `${exit} ${stderr}`);
      expect([...new Set(ends)]).toEqual(['0 ']);
      expect(service.calls).toHaveLength(round);
      expect(service.isLive(home.pair())).toBe(true);
      expect(readdirSync(home.config).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    }
  },
);

it(`SIGKILL at random instants (seed ${SEED}) loses no sign-in, breaks no file, leaves no lock, in ${KILLS} kills`, {
  timeout: 240_000 + KILLS * 2_000,
}, async () => {
  const CHAINS = 4;
  service.mood.delayMs = 20;
  const chain = async (chance: () => number): Promise<void> => {
    const own = serviceHome(service);
    own.keep(service.issue());
    // A little more than the whole takes on this machine now, so that every instant of it is hit.
    const begun = performance.now();
    await finished(start('auth refresh', own));
    let longest = (performance.now() - begun) * 1.2;
    for (let n = 0; n < KILLS / CHAINS; n += 1) {
      const share = chance();
      const command = start('auth refresh', own);
      const ended = finished(command);
      await sleep(share * longest);
      const wasOver = command.exitCode !== null;
      await killGroup(command, ended);
      // The machine becomes quicker or slower meanwhile.
      if (wasOver) longest *= Math.max(0.8, share);
      else if (share > 0.8) longest *= 1.3;
      expect(own.read().profiles.default).not.toHaveProperty('dead');
    }
    // A lock that nobody holds any more holds nobody up.
    const { exit, stderr } = await promptly(runBinary(['auth', 'refresh'], { env: own.env }));
    expect([exit, stderr]).toEqual([0, '']);
    expect(service.isLive(own.pair())).toBe(true);
    own.remove();
  };
  await Promise.all(Array.from({ length: CHAINS }, (_, n) => chain(chanceOf(SEED + n))));
  expect(service.spentTwice).toEqual([]);
  // The kills were not all before the first request: each chain begins and ends with one that is not killed.
  expect(service.calls.length).toBeGreaterThan(2 * CHAINS + (KILLS < 100 ? 0 : KILLS / 10));
});

it('SIGKILL leaves the renewal to whoever comes next: it is not asked for twice', async () => {
  home.keep(service.issue(), -1000);
  service.mood.delayMs = 700;
  const command = start('auth refresh');
  const ended = finished(command);
  await until(() => service.calls.length === 1);
  await killGroup(command, ended);
  const { exit } = await run('workspaces list');
  expect([exit, service.calls.length]).toEqual([0, 1]);
});
