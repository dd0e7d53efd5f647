import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreDisk } from '../store.ts';
import type { SnapshotStore } from './snapshot.ts';

/** Snapshots as files of one directory (an adapter): `<name>.snapshot`. */

const EXTENSION = '.snapshot';

/** Undefined where there is no such file. */
const readIfExists = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
};

/** The directory of the snapshots within the state directory. */
export const getSnapshotFolder = (directory: string): string => join(directory, 'sandbox-snapshots');

export const createFileSnapshots = (
  directory: string,
  { read, write }: Pick<StoreDisk, 'read' | 'write'>,
): SnapshotStore => {
  const getPath = (name: string): string => join(directory, `${name}${EXTENSION}`);
  return {
    names: () =>
      (readIfExists(() => readdirSync(directory)) ?? [])
        .filter((file) => file.endsWith(EXTENSION))
        .map((file) => file.slice(0, -EXTENSION.length))
        .sort(),
    read: (name) => read(getPath(name))?.toString('utf8'),
    write(name, text) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      write(getPath(name), text, { mode: 0o600 });
    },
    remove: (name) => rmSync(getPath(name), { force: true }),
  };
};
