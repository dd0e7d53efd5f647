import { takeTurn } from '../clock.ts';

/** What waits for nothing, as in a dry run, would leave signals no turn. */
const PART = 100;

/**
 * Starts the items in order, several under way at once, and gives their results in that order. What is under way is
 * waited for in any case, also when the reader goes or a start fails.
 * @param start `release`: another may begin, though the result is still to come
 * @param options `stopped`: asked before each start; once true, nothing more is begun
 */
export async function* runOrderedPool<T, R>(
  items: readonly T[],
  start: (item: T, release: () => void) => Promise<R>,
  { width, stopped }: { readonly width: number; readonly stopped: () => boolean },
): AsyncGenerator<R> {
  const inOrder: Promise<R>[] = [];
  let [next, underWay, isOver, inTurn] = [0, 0, false, 0];
  const fill = (): void => {
    while (!isOver && underWay < width && inTurn < PART && next < items.length && !stopped()) {
      underWay += 1;
      inTurn += 1;
      if (inTurn === PART) void takeTurn().then(refill);
      let isReleased = false;
      const release = (): void => {
        if (isReleased) return;
        isReleased = true;
        underWay -= 1;
        queueMicrotask(fill);
      };
      const result = start(items[next] as T, release);
      next += 1;
      inOrder.push(result);
      result.then(release, () => {
        isOver = true;
        release();
      });
    }
  };
  const refill = (): void => {
    inTurn = 0;
    fill();
  };
  try {
    fill();
    for (;;) {
      const first = inOrder.shift();
      if (first !== undefined) yield await first;
      else if (isOver || next >= items.length || stopped()) return;
      else await takeTurn();
      fill();
    }
  } finally {
    isOver = true;
    await Promise.allSettled(inOrder);
  }
}
