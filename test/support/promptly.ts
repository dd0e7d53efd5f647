import { cleanHome, runBinary } from './binary.ts';

/** Whether something happens soon, by the measure of the machine as it is now. */

/** A machine that is not busy starts the program many times in this. */
const SOON_MS = 2_000;
/** On a busy one: so many starts of the program more. */
const STARTS = 20;
const TICK_MS = 20;

/** Adds up the time in which this process was not let run: what it waits for was hardly let run then either. */
const watchStalls = () => {
  let [last, stalled] = [performance.now(), 0];
  const tick = setInterval(() => {
    const now = performance.now();
    stalled += Math.max(0, now - last - 2 * TICK_MS);
    last = now;
  }, TICK_MS);
  return (): number => {
    clearInterval(tick);
    return stalled;
  };
};

const startMs = async (): Promise<number> => {
  const home = cleanHome();
  const begun = performance.now();
  await runBinary(['--version'], { env: home.env });
  home.remove();
  return performance.now() - begun;
};

/** From when the work is late until it has ended: the longest that a start takes. */
const slowestStart = async (work: Promise<unknown>): Promise<number> => {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  await Promise.race([work.catch(() => {}), new Promise((resolve) => setTimeout(resolve, SOON_MS))]);
  let slowest = 0;
  while (!isOver) slowest = Math.max(slowest, await startMs());
  return slowest;
};

/**
 * What comes of work that may take two seconds, and on a machine that is busy while it lasts as long as 20 starts of the
 * program more.
 *
 * @throws Error when it took longer
 */
export const promptly = async <T>(work: Promise<T>): Promise<T> => {
  const stalls = watchStalls();
  const begun = performance.now();
  const starts = slowestStart(work);
  const result = await work;
  const took = performance.now() - begun - stalls();
  const allowed = SOON_MS + STARTS * (await starts);
  if (took > allowed) throw new Error(`took ${took.toFixed(0)} ms, where ${allowed.toFixed(0)} ms is soon`);
  return result;
};
