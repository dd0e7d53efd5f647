/** Time and chance as values, so that everything that waits or draws can be tested without waiting. */
export interface Clock {
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** 0 <= n < 1. */
  random(): number;
}

/** Lets signals, timers and connections have their turn. */
export function takeTurn(): Promise<void> {
  return new Promise((done) => void setImmediate(done));
}

const PART = 500;

/** Before a long list is worked through in one piece. */
export async function takeTurnBefore(items: readonly unknown[]): Promise<void> {
  if (items.length <= PART) return;
  // The first may still be of the turn in which an answer came.
  await takeTurn();
  await takeTurn();
}

/** A list in parts, with a turn between them: a signal need not wait until a long list is formatted. */
export async function* inParts<T>(items: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let start = 0; start < items.length; start += PART) {
    if (start > 0) await takeTurn();
    yield items.slice(start, start + PART);
  }
}

export async function filterInParts<T>(
  items: readonly T[],
  isChosen: (item: T) => boolean,
): Promise<readonly T[]> {
  const chosen: (readonly T[])[] = [];
  for await (const part of inParts(items)) chosen.push(part.filter(isChosen));
  return chosen.flat();
}

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
  let [next, underWay, isOver] = [0, 0, false];
  const fill = (): void => {
    while (!isOver && underWay < width && next < items.length && !stopped()) {
      underWay += 1;
      let isReleased = false;
      const release = (): void => {
        if (isReleased) return;
        isReleased = true;
        underWay -= 1;
        // What waits for nothing, as in a dry run, would leave signals no turn.
        void takeTurn().then(fill);
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
  try {
    fill();
    for (;;) {
      const first = inOrder.shift();
      if (first !== undefined) yield await first;
      else if (isOver || next >= items.length || stopped()) return;
      else await takeTurn();
    }
  } finally {
    isOver = true;
    await Promise.allSettled(inOrder);
  }
}
