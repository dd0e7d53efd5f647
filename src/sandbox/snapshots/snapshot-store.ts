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
  const kept = new Map<string, string>();
  return {
    names: () => [...kept.keys()].sort(),
    head: (name) => kept.get(name)?.split('\n', 1)[0],
    read: (name) => kept.get(name),
    write: (name, text) => void kept.set(name, text),
    remove: (name) => void kept.delete(name),
  };
};
