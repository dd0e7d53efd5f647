import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanHome, type Home, runBinary } from './support/binary.ts';
import { chanceOf } from './support/faulty-service.ts';
import { type Listener, startListener } from './support/listener.ts';
import { prepareQuickProcesses } from './support/quick-process.ts';
import { eventBody, post } from './support/webhook-sender.ts';

/**
 * Handlers that fail, hang and are killed, a disk that is full now and then, and a listener that is killed again and
 * again while deliveries come and are retried. TTCTL_DELIVERIES=1000 does many.
 */

const COUNT = Number(process.env.TTCTL_DELIVERIES ?? 100);
const SEED = Number(process.env.TTCTL_SEED ?? Date.now() % 1_000_000);
/** So many are sent at once. */
const LANES = 8;
/** A kill for so many handlers that were begun. */
const EACH = 20;
/** So many wait for their handler at most. */
const MAX_AHEAD = 20;

const TIMEOUT_MS = 240_000 + COUNT * 1_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

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

const neverAccepted = (n: number): boolean => n % 50 === 7;

interface Trial {
  readonly home: Home;
  readonly ledger: string;
  readonly start: () => Promise<Listener>;
  readonly setFull: (full: boolean) => void;
  readonly chance: () => number;
  listener: Listener;
  /** None starts while the disk is full. */
  isStarting: boolean;
  sends: number;
  refusals: number;
}

/** Some find the disk full at first. */
const findsFull = (n: number): boolean => n % 25 === 12;

const deliver = async (trial: Trial, n: number): Promise<void> => {
  while (countBegun(trial) < n - MAX_AHEAD) await pause(5);
  if (findsFull(n)) {
    while (trial.isStarting) await pause(5);
    trial.setFull(true);
  }
  for (;;) {
    trial.sends += 1;
    const answer = await post(trial.listener.url, eventBody('tracker.started', { n }), {
      'webhook-id': `msg_${n}`,
    }).catch(() => undefined);
    if (answer?.status === 503) trial.refusals += 1;
    if (findsFull(n) && answer !== undefined) trial.setFull(false);
    if (answer?.status === 200) return;
    await pause(5);
  }
};

const linesOf = (trial: Trial, n: number, line: string): number => {
  try {
    return readFileSync(join(trial.ledger, String(n)), 'utf8')
      .split('\n')
      .filter((text) => text === line).length;
  } catch {
    return 0;
  }
};

const countBegun = ({ ledger }: Trial): number => statSync(join(ledger, 'all')).size;

/** What the disk says of those that are to be forwarded. */
const readStates = ({ home }: Trial): readonly { readonly state: string }[] => {
  const folder = join(home.folder, '.local/state/ttctl/webhooks');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.state'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
};

/** Until everything is done or given up. @returns how often it was killed */
const killAgainAndAgain = async (trial: Trial, isSent: () => boolean): Promise<number> => {
  let kills = 0;
  for (;;) {
    const goal = countBegun(trial) + Math.ceil(EACH * (0.5 + trial.chance()));
    while (countBegun(trial) < goal) {
      if (isSent() && readStates(trial).every(({ state }) => state !== 'pending')) return kills;
      await pause(5);
    }
    trial.isStarting = true;
    trial.listener.child.kill('SIGKILL');
    await trial.listener.ended;
    kills += 1;
    trial.setFull(false);
    trial.listener = await trial.start();
    trial.isStarting = false;
  }
};

const openTrial = async (): Promise<Trial> => {
  const home = cleanHome();
  const [ledger, script] = [join(home.folder, 'ledger'), join(home.folder, 'handler.sh')];
  mkdirSync(ledger);
  writeFileSync(script, HANDLER);
  writeFileSync(join(ledger, 'all'), '');
  const quick = prepareQuickProcesses(home.folder);
  const env = { ...home.env, ...quick.env, LEDGER: ledger };
  // A second of real time.
  const flags = ['--exec', `sh ${script}`, '--pass-env', 'LEDGER', '--handler-timeout', '1000'];
  const start = () => startListener(flags, env);
  const { setFull } = quick;
  return {
    ...{ home, ledger, start, setFull, chance: chanceOf(SEED), listener: await start() },
    ...{ isStarting: false, sends: 0, refusals: 0 },
  };
};

describe.runIf(process.platform !== 'win32')(`a listener that forwards (TTCTL_SEED=${SEED})`, () => {
  it('forwards each that it answered at least once, and its states are true', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const trial = await openTrial();
    let [next, sent] = [0, false];
    const lane = async (): Promise<void> => {
      while (next < COUNT) {
        next += 1;
        await deliver(trial, next - 1);
      }
    };
    try {
      const sending = Promise.all(Array.from({ length: LANES }, lane)).then(() => (sent = true));
      const [kills] = await Promise.all([killAgainAndAgain(trial, () => sent), sending]);
      const { stdout } = await runBinary(['webhooks', 'received', '--json'], { env: trial.home.env });
      const rows: readonly Record<string, unknown>[] = JSON.parse(stdout);
      expect(rows).toHaveLength(COUNT);
      for (const { id, state, attempts, next_attempt_at: due } of rows) {
        const n = Number(String(id).slice(4));
        const [begun, accepted] = [linesOf(trial, n, 'begun'), linesOf(trial, n, 'accepted')];
        expect([state, due], String(id)).toEqual([neverAccepted(n) ? 'failed' : 'done', null]);
        expect(accepted > 0, String(id)).toBe(state === 'done');
        expect(begun, String(id)).toBeGreaterThan(0);
        if (state === 'failed') expect([attempts, begun <= 10], String(id)).toEqual([10, true]);
      }
      expect(kills).toBeGreaterThan(COUNT / EACH / 3);
      expect(trial.refusals).toBeGreaterThan(0);
      const begun = countBegun(trial);
      const { sends, refusals } = trial;
      process.stderr.write(
        `${COUNT} deliveries, ${sends} sent, ${refusals} refused, ${begun} handlers, ${kills} kills\n`,
      );
    } finally {
      trial.listener.child.kill('SIGKILL');
      await trial.listener.ended;
      trial.home.remove();
    }
  });
});
