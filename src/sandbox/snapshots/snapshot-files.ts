import { closeSync, constants, mkdirSync, openSync, readdirSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreDisk } from '../store.ts';
import type { SnapshotStore } from './snapshot-store.ts';

/** Snapshots as files of one directory (an adapter): `<name>.snapshot`. */

const EXTENSION = '.snapshot';
/** A first line is far shorter. */
const MAX_HEAD_BYTES = 16_384;

/** Undefined where there is no such file. */
const readIfExists = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
};

const readHead = (file: string): string => {
  // A pipe in its place is not waited for.
  const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const bytes = Buffer.alloc(MAX_HEAD_BYTES);
    const length = readSync(handle, bytes, 0, MAX_HEAD_BYTES, 0);
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
  const getPath = (name: string): string => join(directory, `${name}${EXTENSION}`);
  return {
    names: () =>
      (readIfExists(() => readdirSync(directory)) ?? [])
        .filter((file) => file.endsWith(EXTENSION))
        .map((file) => file.slice(0, -EXTENSION.length))
        .sort(),
    head: (name) => readIfExists(() => readHead(getPath(name))),
    read: (name) => read(getPath(name))?.toString('utf8'),
    write(name, text) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      write(getPath(name), text, { mode: 0o600 });
    },
    remove: (name) => rmSync(getPath(name), { force: true }),
  };
};
