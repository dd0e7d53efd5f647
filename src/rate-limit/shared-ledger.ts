import { closeSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { toCancelled } from '../http/pacing.ts';
import { getErrno } from '../storage/failure.ts';
import { makePrivateDirectory } from '../storage/folders.ts';
import { withLock } from '../storage/lock.ts';
import { openOwnFile } from '../storage/own-files.ts';
import { writeDurably } from '../storage/write.ts';
import { createLedger, type Ledger } from './ledger.ts';

/** A ledger that all processes of a user share. */
export interface SharedLedger {
  /** Changes it while nobody else does. Fails with `Cancelled` alone. @param work is run once */
  update<T>(work: (ledger: Ledger) => T, signal?: AbortSignal): Promise<T>;
  /** As it is at this moment. */
  read(): Ledger;
  /** Whether other processes see it. */
  isShared(): boolean;
}

interface SharedLedgerOptions {
  /** Of the ledgers of all credentials; made when it is missing. Undefined: no state directory. */
  readonly directory: string | undefined;
  /** Of the credential: 16 hexadecimal digits. */
  readonly name: string;
  readonly clock: Clock;
  readonly onFailure: (reason: string) => void;
}

/** One JSON file under a lock. Where that cannot be, the process goes on by itself with what it knows. */
export function openSharedLedger({ directory, name, clock, onFailure }: SharedLedgerOptions): SharedLedger {
  const file = join(directory ?? '', `${name}.json`);
  let isShared = true;
  let known = createLedger();
  const goOnAlone = (error: unknown): void => {
    isShared = false;
    onFailure(error instanceof Error ? error.message : String(error));
  };
  try {
    if (directory === undefined) throw new Error('there is no state directory');
    makePrivateDirectory(directory);
    if (!existsSync(file)) sweep(directory, clock.now());
  } catch (error) {
    goOnAlone(error);
  }
  const change = async <T>(work: (ledger: Ledger) => T, signal?: AbortSignal): Promise<T> => {
    if (!isShared) return work(known);
    let changed: { readonly result: T } | undefined;
    const changeFile = async (): Promise<T> => {
      known = readLedger(file);
      changed = { result: work(known) };
      // Whole or not at all, but not for ever: it is not worth waiting for the disk.
      writeDurably(file, JSON.stringify(known), { calls: { flush: () => {} } });
      return changed.result;
    };
    try {
      return await withLock(file, clock, changeFile, signal === undefined ? {} : { signal });
    } catch (error) {
      if (signal?.aborted === true) throw toCancelled(signal);
      goOnAlone(error);
      return changed === undefined ? work(known) : changed.result;
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    isShared: () => isShared,
    read() {
      try {
        if (isShared) known = readLedger(file);
      } catch (error) {
        goOnAlone(error);
      }
      return known;
    },
    update(work, signal) {
      // One after the other: a process need not wait for its own lock.
      const changed = last.then(() => change(work, signal));
      last = changed.catch(() => {});
      return changed;
    },
  };
}

/** A ledger that is lost, damaged or not ours is an empty one: what it would have prevented is refused with 429. @throws what the disk says */
function readLedger(file: string): Ledger {
  let fd: number | undefined;
  try {
    fd = openOwnFile(file)?.fd;
    return fd === undefined ? createLedger() : parseLedger(readFileSync(fd, 'utf8'));
  } catch (error) {
    if (getErrno(error) === 'ENOENT') return createLedger();
    throw error;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function parseLedger(text: string): Ledger {
  try {
    const ledger = JSON.parse(text);
    return ledger.version === 1 ? ledger : createLedger();
  } catch {
    return createLedger();
  }
}

/** Far longer than any window. */
const UNUSED_MS = 2 * 24 * 3_600_000;

/** Removes the ledgers of credentials that are no longer used. */
function sweep(directory: string, now: number): void {
  try {
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      if (/^[0-9a-f]{16}\./.test(name) && now - statSync(path).mtimeMs > UNUSED_MS)
        rmSync(path, { recursive: true, force: true });
    }
  } catch {
    // Tidying only.
  }
}
