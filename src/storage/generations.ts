import {
  closeSync,
  constants,
  copyFileSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { getErrno } from './failure.ts';
import { removeQuietly } from './temporary.ts';

/**
 * The files of a generation lock. `12` is the twelfth holder's record, `12.done` its
 * release, `<pid>.<chance>.tmp` the record of a process that wants to be the next.
 */

export interface Generations {
  /** 0: none yet. */
  readonly highest: number;
  /** Whether the highest was released. */
  readonly released: boolean;
  readonly numbers: readonly number[];
  /** File names of the waiting. */
  readonly claims: readonly string[];
}

const NUMBERED = /^(\d{1,15})(\.done)?$/;
const CLAIM = /^(\d+)\..*\.tmp$/;

/** Throws ENOENT when the folder is not there yet. */
export const listGenerations = (folder: string): Generations => {
  const numbers: number[] = [];
  const claims: string[] = [];
  const done = new Set<number>();
  for (const name of readdirSync(folder)) {
    const found = NUMBERED.exec(name);
    if (found === null) {
      if (CLAIM.test(name)) claims.push(name);
      continue;
    }
    const number = Number(found[1]);
    numbers.push(number);
    if (found[2] !== undefined) done.add(number);
  }
  const highest = numbers.reduce((most, number) => Math.max(most, number), 0);
  return { highest, released: done.has(highest), numbers, claims };
};

export const claimPid = (name: string): number => Number(CLAIM.exec(name)?.[1]);

/** Writes a record whole under a name that nobody else uses; undefined when the name is taken. */
export const writeClaim = (
  folder: string,
  pid: number,
  chance: number,
  record: string,
): string | undefined => {
  const claim = join(folder, `${pid}.${chance.toString(36).slice(2, 12)}.tmp`);
  try {
    writeFileSync(claim, record, { flag: 'wx', mode: 0o600 });
    return claim;
  } catch (error) {
    if (getErrno(error) === 'EEXIST') return undefined;
    // Half a record must not stay on a full disk.
    removeQuietly(claim);
    throw error;
  }
};

const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** Makes generation `number` out of a claim. `taken`: another was faster. `gone`: the claim was tidied away. */
export const linkGeneration = (folder: string, number: number, claim: string): 'ours' | 'taken' | 'gone' => {
  const target = join(folder, String(number));
  try {
    try {
      linkSync(claim, target);
    } catch (error) {
      if (!NO_LINKS.includes(getErrno(error) ?? '')) throw error;
      copyFileSync(claim, target, constants.COPYFILE_EXCL);
    }
    return 'ours';
  } catch (error) {
    const errno = getErrno(error);
    // A network file system may lose its answer, ask again and find its own link.
    if (errno === 'EEXIST') return statSync(claim, { throwIfNoEntry: false })?.nlink === 2 ? 'ours' : 'taken';
    if (errno === 'ENOENT') return 'gone';
    throw error;
  }
};

/** The record of a generation, and since when it stands (milliseconds since the epoch). Undefined: it has gone. */
export const readGeneration = (
  folder: string,
  number: number,
): { text: string; mtimeMs: number } | undefined => {
  const path = join(folder, String(number));
  try {
    return { text: readFileSync(path, 'utf8'), mtimeMs: statSync(path).mtimeMs };
  } catch (error) {
    if (getErrno(error) === 'ENOENT') return undefined;
    throw error;
  }
};

/** Never throws: the work under the lock is done, and a holder that ends counts as released. */
export const releaseGeneration = (folder: string, number: number): void => {
  const name = join(folder, String(number));
  try {
    closeSync(openSync(`${name}.done`, 'wx', 0o600));
  } catch {
    try {
      // A full disk has no room for one more file, but lets one be renamed.
      renameSync(name, `${name}.done`);
    } catch {
      // The folder was removed, or the disk became read-only.
    }
  }
};

/** So many generations stay, lest a slow listing misses all that stand at its time. */
const KEEP = 8;
const TIDY_FROM = 48;
const ABANDONED_CLAIM_MS = 60_000;

/** Removes old generations. Only the holder of `current` may call this: a lower number then means nothing. */
export const tidyGenerations = (folder: string, current: number, seen: Generations, now: number): void => {
  if (seen.numbers.length + seen.claims.length < TIDY_FROM) return;
  try {
    for (const number of new Set(seen.numbers)) {
      if (number > current - KEEP) continue;
      rmSync(join(folder, String(number)), { force: true });
      rmSync(join(folder, `${number}.done`), { force: true });
    }
    for (const claim of seen.claims) {
      const path = join(folder, claim);
      const age = now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now);
      if (age > ABANDONED_CLAIM_MS) rmSync(path, { force: true });
    }
  } catch {
    // The next holder tidies.
  }
};
