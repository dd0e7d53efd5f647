import { closeSync, constants, mkdirSync, openSync, readdirSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreDisk } from '../store.ts';
import type { SnapshotStore } from './snapshot-store.ts';

/** Snapshots as files of one directory (an adapter): `<name>.snapshot`. */

const ENDING = '.snapshot';
/** A first line is far shorter. */
const LONGEST_HEAD = 16_384;

/** Undefined where there is no such file. */
const ifThere = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
};

const headOf = (file: string): string => {
  // A pipe in its place is not waited for.
  const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const bytes = Buffer.alloc(LONGEST_HEAD);
    const length = readSync(handle, bytes, 0, LONGEST_HEAD, 0);
    return bytes.toString('utf8', 0, length).split('\n', 1)[0] ?? '';
  } finally {
    closeSync(handle);
  }
};

/** The directory of the snapshots within the state directory. */
export const getSnapshotFolder = (directory: string): string => join(directory, 'sandbox-snapshots');

export const createFileSnapshots = (
  directory: string,
  { read, write }: Pick<StoreDisk, 'read' | 'write'>,
): SnapshotStore => {
  const fileOf = (name: string): string => join(directory, `${name}${ENDING}`);
  return {
    names: () =>
      (ifThere(() => readdirSync(directory)) ?? [])
        .filter((file) => file.endsWith(ENDING))
        .map((file) => file.slice(0, -ENDING.length))
        .sort(),
    head: (name) => ifThere(() => headOf(fileOf(name))),
    read: (name) => read(fileOf(name))?.toString('utf8'),
    write(name, text) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      write(fileOf(name), text, { mode: 0o600 });
    },
    remove: (name) => rmSync(fileOf(name), { force: true }),
  };
};
