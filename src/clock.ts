/** Time and chance as values, so that everything that waits or draws can be tested without waiting. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** 0 <= n < 1. */
  random(): number;
}

/** Lets signals, timers and connections have their turn. */
export const takeTurn = (): Promise<void> => new Promise((done) => void setImmediate(done));

/** A part is worked through in some ten milliseconds. */
const PART = 500;

/** Before a long list is worked through in one piece. */
export const takeTurnBefore = async (items: readonly unknown[]): Promise<void> => {
  if (items.length <= PART) return;
  // The first may still be of the turn in which an answer came.
  await takeTurn();
  await takeTurn();
};

/** A list in parts, with a turn between them: a signal need not wait until a long list is formatted. */
export async function* inParts<T>(items: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let start = 0; start < items.length; start += PART) {
    if (start > 0) await takeTurn();
    yield items.slice(start, start + PART);
  }
}

/** `filter`, with the same turns. */
export const filterInParts = async <T>(
  items: readonly T[],
  isChosen: (item: T) => boolean,
): Promise<readonly T[]> => {
  const chosen: (readonly T[])[] = [];
  for await (const part of inParts(items)) chosen.push(part.filter(isChosen));
  return chosen.flat();
};
