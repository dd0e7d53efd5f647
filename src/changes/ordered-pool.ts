import { takeTurn } from '../clock.ts';

export interface PoolOptions {
  /** How many are under way at once. */
  readonly width: number;
  /** How many results may wait for an earlier one. */
  readonly ahead: number;
  /** Asked before each start; once true, nothing more is begun. */
  readonly stopped: () => boolean;
}

const PART = 100;

/**
 * Starts the items in order, several under way at once, and gives their results in that order. What is under way is
 * waited for in any case, also when the reader goes or a start fails.
 */
export async function* runOrderedPool<T, R>(
  items: readonly T[],
  start: (item: T) => Promise<R>,
  { width, ahead, stopped }: PoolOptions,
): AsyncGenerator<R> {
  const inOrder: Promise<R>[] = [];
  let [next, underWay, isOver] = [0, 0, false];
  const fill = (): void => {
    while (!isOver && underWay < width && inOrder.length < ahead && next < items.length && !stopped()) {
      underWay += 1;
      const result = start(items[next] as T);
      next += 1;
      inOrder.push(result);
      result.then(ended, () => {
        isOver = true;
        ended();
      });
    }
  };
  const ended = (): void => {
    underWay -= 1;
    fill();
  };
  try {
    fill();
    for (let first = inOrder.shift(), n = 1; first !== undefined; first = inOrder.shift(), n += 1) {
      yield await first;
      // What waits for nothing, as in a dry run, would leave signals no turn.
      if (n % PART === 0) await takeTurn();
      fill();
    }
  } finally {
    isOver = true;
    await Promise.allSettled(inOrder);
  }
}
