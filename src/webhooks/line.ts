/** Values that are made at one place and taken at another, in order. */
export interface Line<T> extends AsyncIterable<T> {
  add(value: T): void;
  /** Nothing comes any more; what is there is still taken. */
  end(): void;
}

export const createLine = <T>(): Line<T> => {
  const held: T[] = [];
  let over = false;
  let wake = (): void => {};
  const changed = (): void => wake();
  return {
    add(value) {
      held.push(value);
      changed();
    },
    end() {
      over = true;
      changed();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        while (held.length > 0) yield held.shift() as T;
        if (over) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
};
