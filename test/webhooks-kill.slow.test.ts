import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { chanceOf } from './support/faulty-service.ts';
import { openCli } from './support/use-cli.ts';
import { eventBody, post, startListener } from './support/webhooks.ts';

/**
 * A listener that is killed again and again while deliveries come, each sent until it is answered 2xx, some of them once
 * more; handlers that fail, hang and are killed; a disk that is full now and then. TTCTL_DELIVERIES=1000 does many.
 */

const COUNT = Number(process.env.TTCTL_DELIVERIES ?? 100);
const SEED = Number(process.env.TTCTL_SEED ?? Date.now() % 1_000_000);

it(`a listener killed at random keeps each delivery that it answered, once, and forwards it at least once (TTCTL_SEED=${SEED})`, {
  timeout: 240_000 + COUNT * 1_000,
}, async () => {
  /** So many are sent at once, and so many are ahead of their handlers. */
  const [LANES, AHEAD] = [8, 20];
  /** A kill for so many handlers that were begun. */
  const EACH = 20;
  /** What becomes of an attempt is told by which delivery it is of, and by how many there were before. */
  const HANDLER = `
cat > /dev/null
n=\${TTCTL_DELIVERY_ID#msg_}
tries=$(wc -l < "$LEDGER/$n" 2> /dev/null || echo 0)
echo begun >> "$LEDGER/$n"
printf . >> "$LEDGER/all"
[ $((n % 50)) = 7 ] && exit 1
case $(((n * 7 + tries * 3 + ${SEED % 10}) % 10)) in
  0) exit 1;;
  1) sleep 5 | cat; exit 1;;
  2) kill -9 $$;;
esac
echo accepted >> "$LEDGER/$n"
`;
  const isNeverAccepted = (n: number): boolean => n % 50 === 7;
  const findsFullDisk = (n: number): boolean => n % 25 === 12;
  const bodyOf = (n: number): string =>
    eventBody('tracker.started', { n, text: 'x'.repeat((n * 97) % 5000) });
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  const t = await openCli();
  const chance = chanceOf(SEED);
  const [ledger, script] = [t.file('ledger'), t.file('handler.sh', HANDLER)];
  t.file('ledger/all', '');
  const folder = join(t.state, 'webhooks');
  const quick = { NODE_OPTIONS: `--require "${t.file('quick.cjs', quickly(t.file('full')))}"` };
  const setFull = (full: boolean) => (full ? t.file('full', '') : rmSync(t.file('full'), { force: true }));
  // A second of real time.
  const flags = ['--exec', `sh ${script}`, '--pass-env', 'LEDGER'];
  const start = () => startListener(flags, t.processEnv({ ...quick, LEDGER: ledger }));
  const countBegun = (): number => statSync(join(ledger, 'all')).size;
  const linesOf = (n: number): readonly string[] => {
    const file = join(ledger, String(n));
    return statSync(file, { throwIfNoEntry: false }) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  };
  const readStored = () =>
    readdirSync(folder)
      .filter((name) => /^delivery\.\w+\.json$/.test(name))
      .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  let listener = await start();
  let [next, sends, refusals, kills, isStarting, isSent] = [0, 0, 0, 0, false, false];

  const isTaken = async (n: number): Promise<boolean> => {
    sends += 1;
    const answer = await post(listener.url, bodyOf(n), { 'webhook-id': `msg_${n}` }).catch(() => undefined);
    if (answer?.status === 503) refusals += 1;
    if (findsFullDisk(n) && answer !== undefined) setFull(false);
    return answer?.status === 200;
  };
  const deliver = async (n: number): Promise<void> => {
    while (countBegun() < n - AHEAD || (findsFullDisk(n) && isStarting)) await pause(5);
    if (findsFullDisk(n)) setFull(true);
    while (!(await isTaken(n))) await pause(5);
    if (chance() < 0.2) await isTaken(n);
  };
  const sendAll = async (): Promise<void> => {
    while (next < COUNT) {
      next += 1;
      await deliver(next - 1);
    }
  };
  const isDone = (): boolean =>
    isSent &&
    readStored().every(({ id, state }) => isNeverAccepted(Number(id.slice(4))) || state === 'accepted');
  const killAgainAndAgain = async (): Promise<void> => {
    for (;;) {
      const goal = countBegun() + Math.ceil(EACH * (0.5 + chance()));
      while (countBegun() < goal) {
        if (isDone()) return;
        await pause(5);
      }
      isStarting = true;
      listener.child.kill('SIGKILL');
      await listener.ended;
      kills += 1;
      // On a full disk none starts.
      setFull(false);
      listener = await start();
      isStarting = false;
    }
  };
  try {
    const sending = Promise.all(Array.from({ length: LANES }, sendAll)).then(() => {
      isSent = true;
    });
    await Promise.all([killAgainAndAgain(), sending]);
    expect(await t.rows('webhooks received')).toHaveLength(COUNT);
    const stored = readStored();
    expect(new Set(stored.map(({ id }) => id)).size).toBe(COUNT);
    for (const { id, body, state } of stored) {
      const n = Number(id.slice(4));
      expect(Buffer.from(body, 'base64').toString()).toBe(bodyOf(n));
      expect(linesOf(n), id).toContain('begun');
      expect(linesOf(n).includes('accepted'), id).toBe(state === 'accepted');
      expect(state === 'accepted', id).toBe(!isNeverAccepted(n));
    }
    expect(kills).toBeGreaterThan(COUNT / EACH / 3);
    expect(refusals).toBeGreaterThan(0);
    const handlers = countBegun();
    process.stderr.write(
      `${COUNT} deliveries, ${sends} sent, ${refusals} refused, ${handlers} handlers, ${kills} kills\n`,
    );
  } finally {
    listener.child.kill('SIGKILL');
    await listener.ended;
  }
});

/**
 * Loaded before the program: time goes a thousand times faster, from one moment on for all processes, and the disk is full
 * while the file of that name is there.
 */
function quickly(marker: string, begin = Date.now()): string {
  return `
const fs = require('node:fs');
const [now, wait] = [Date.now, setTimeout];
Date.now = () => Math.round(${begin} + (now() - ${begin}) * 1000);
globalThis.setTimeout = (work, ms, ...rest) => wait(work, (ms ?? 0) / 1000, ...rest);
const { fsyncSync } = fs;
fs.fsyncSync = (fd) => {
  if (fs.existsSync(${JSON.stringify(marker)}))
    throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  return fsyncSync(fd);
};
require('node:module').syncBuiltinESMExports();
`;
}
