/** Where snapshots are kept, by name. */
export interface SnapshotStore {
  /** In the order of the alphabet. */
  names(): readonly string[];
  /** The first line. Undefined: there is none of this name. */
  head(name: string): string | undefined;
  read(name: string): string | undefined;
  /** Replaces what is there under this name. */
  write(name: string, text: string): void;
  remove(name: string): void;
}

/** For as long as the process lives. */
export const createMemorySnapshots = (): SnapshotStore => {
  const texts = new Map<string, string>();
  return {
    names: () => [...texts.keys()].sort(),
    head: (name) => texts.get(name)?.split('\n', 1)[0],
    read: (name) => texts.get(name),
    write: (name, text) => void texts.set(name, text),
    remove: (name) => void texts.delete(name),
  };
};
