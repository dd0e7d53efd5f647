import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanHome, runBinary } from './support/binary.ts';
import { chanceOf } from './support/faulty-service.ts';
import { type Listener, startListener } from './support/listener.ts';
import { eventBody, post } from './support/webhook-sender.ts';

/**
 * A receiver that is killed again and again while deliveries come, each sent until it is answered 2xx: every one that
 * was answered is kept, once. TTCTL_DELIVERIES=1000 does many.
 */

const COUNT = Number(process.env.TTCTL_DELIVERIES ?? 120);
const SEED = Number(process.env.TTCTL_SEED ?? Date.now() % 1_000_000);
/** So many are sent at once. */
const LANES = 8;
/** A kill for so many deliveries. */
const EACH = 20;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Trial {
  /** Ids that were answered 2xx. */
  readonly answered: Set<string>;
  /** Where the receiver is now. */
  url: string;
  sends: number;
}

const bodyOf = (n: number): string => eventBody('tracker.started', { n, text: 'x'.repeat((n * 97) % 5000) });

/** Sends one until it is taken; some once more though they were. */
const deliver = async (trial: Trial, n: number, chance: () => number): Promise<void> => {
  const id = `msg_${n}`;
  let again = chance() < 0.2 ? 2 : 1;
  while (again > 0) {
    trial.sends += 1;
    const answer = await post(trial.url, bodyOf(n), { 'webhook-id': id }).catch(() => undefined);
    if (answer === undefined || answer.status >= 300) await pause(5);
    else {
      trial.answered.add(id);
      again -= 1;
    }
  }
};

describe(`a receiver killed at random instants (TTCTL_SEED=${SEED})`, () => {
  it('keeps every delivery that it answered, once', { timeout: 240_000 + COUNT * 200 }, async () => {
    const home = cleanHome();
    const chance = chanceOf(SEED);
    const trial: Trial = { answered: new Set(), url: 'http://127.0.0.1:1/', sends: 0 };
    let [next, kills, done] = [0, 0, false];
    const lane = async (): Promise<void> => {
      while (next < COUNT) {
        next += 1;
        await deliver(trial, next - 1, chance);
      }
    };
    let listener: Listener = await startListener([], home.env);
    trial.url = listener.url;
    const kill = async (): Promise<void> => {
      while (!done) {
        const goal = trial.answered.size + Math.ceil(EACH * (0.5 + chance()));
        while (!done && trial.answered.size < goal) await pause(1);
        if (done) return;
        listener.child.kill('SIGKILL');
        await listener.ended;
        kills += 1;
        listener = await startListener([], home.env);
        trial.url = listener.url;
      }
    };
    try {
      const killing = kill();
      await Promise.all(Array.from({ length: LANES }, lane));
      done = true;
      await killing;
      listener.child.kill('SIGKILL');
      await listener.ended;

      const list = await runBinary(['webhooks', 'received', '--output', 'ids'], { env: home.env });
      const kept = list.stdout.trim().split('\n');
      expect(trial.answered.size).toBe(COUNT);
      expect(kept.length).toBe(new Set(kept).size);
      expect([...kept].sort()).toEqual([...trial.answered].sort());
      const folder = join(home.folder, '.local/state/ttctl/webhooks');
      const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
      expect(files).toHaveLength(COUNT);
      for (const name of files) {
        const { id, body } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
        expect(Buffer.from(body, 'base64').toString()).toBe(bodyOf(Number(id.slice(4))));
      }
      expect(kills).toBeGreaterThan(COUNT / EACH / 3);
      process.stderr.write(`${COUNT} deliveries, ${trial.sends} sent, ${kills} kills\n`);
    } finally {
      listener.child.kill('SIGKILL');
      home.remove();
    }
  });
});
