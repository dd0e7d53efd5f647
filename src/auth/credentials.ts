import { dirname } from 'node:path';
import type { Clock } from '../clock.ts';
import { stringifyJson } from '../json/stringify.ts';
import { EXIT, Failure } from '../outcome.ts';
import { makePrivateDirectory } from '../storage/folders.ts';
import { withLock } from '../storage/lock.ts';
import { readPrivate } from '../storage/own-files.ts';
import { type Reservation, reserveWrite, sweepTemporaries, writeDurably } from '../storage/write.ts';
import {
  type CredentialsFile,
  createBrokenCredentialsFailure,
  findCredentialViolation,
  parseCredentials,
  type StoredCredential,
} from './credential-file.ts';

/** The credentials file: 0600 in a 0700 directory, apart from the settings. */

export type Credential = StoredCredential;

export interface CredentialStore {
  /** Undefined where no place is known. */
  readonly file: string | undefined;
  /** Undefined when nothing is stored. A damaged file is a `Failure` (exit 2, `broken_credentials`), never "signed out". */
  read(profile: string): Credential | undefined;
  /** Stores one profile's credential, the others as they stand on the disk at that moment. */
  write(profile: string, credential: Credential, reservation?: Reservation): Promise<void>;
  /** Removes the secrets from the file and its `.bak`. Whether there was something to remove. */
  remove(profile: string): Promise<boolean>;
  /**
   * Takes disk space for a later `write`, before a token is spent that cannot be had again. Throws where the disk
   * cannot take it.
   */
  reserve(): Reservation;
  /**
   * Runs an exchange whose result must not be lost: the file's lock is held and space for the result is taken before
   * `work` begins, so that nothing but a dying disk can stand between the answer and the file.
   */
  hold<T>(profile: string, work: (held: HeldCredential) => Promise<T>): Promise<T>;
}

export interface HeldCredential {
  /** What stands on the disk now. */
  read(): Credential | undefined;
  /** Stores the profile's credential. May be called once. */
  commit(credential: Credential): void;
}

const createNoDirectoryFailure = (): Failure =>
  new Failure('no directory to store credentials in', {
    code: 'no_config_directory',
    exit: EXIT.fault,
    reason: 'there is no home directory',
    hint: 'Set TTCTL_CONFIG_DIR (or HOME), or pass the token as TTCTL_TOKEN.',
  });

const EMPTY: CredentialsFile = { version: 1, profiles: {} };

const readCredentials = (file: string, warn: (text: string) => void): CredentialsFile => {
  const stored = readPrivate(file, warn);
  if (stored === undefined) return EMPTY;
  const result = parseCredentials(stored);
  if ('problem' in result) throw createBrokenCredentialsFailure(file, result.problem);
  return result.file;
};

const serialize = (content: CredentialsFile): string => `${stringifyJson(content, 2)}\n`;

/** Room for one more credential with long tokens, and for others that grow meanwhile. */
const SPARE_BYTES = 64 * 1024;

const removeProfile = (content: CredentialsFile, profile: string): CredentialsFile => ({
  ...content,
  profiles: Object.fromEntries(Object.entries(content.profiles).filter(([name]) => name !== profile)),
});

const findCredential = (
  file: string,
  profile: string,
  warn: (text: string) => void,
): Credential | undefined => {
  const { profiles } = readCredentials(file, warn);
  return Object.hasOwn(profiles, profile) ? profiles[profile] : undefined;
};

const serializeWith = (content: CredentialsFile, profile: string, credential: Credential): string => {
  const violation = findCredentialViolation(credential);
  // What could not be read back would take every other profile with it.
  if (violation !== undefined) throw new Error(`refusing to store a credential: ${violation}`);
  return serialize({ ...content, profiles: { ...content.profiles, [profile]: credential } });
};

const removeFrom = (path: string, profile: string, warn: (text: string) => void): boolean => {
  const content = readCredentials(path, warn);
  const text = serialize(removeProfile(content, profile));
  // The copy first: after a cut in between the credential is still shown, and signing out is asked again.
  writeDurably(`${path}.bak`, text);
  writeDurably(path, text);
  return Object.hasOwn(content.profiles, profile);
};

/** The reserved write fails only where the file before cannot be kept; its space is free again by then. */
const commitOrReplace = (space: Reservation, path: string, text: string): void => {
  try {
    space.commit(text);
  } catch {
    writeDurably(path, text);
  }
};

/** Longer than the holder of an exchange can take: 30 s for the token host, and the disk. */
const LOCK_TIMEOUT_MS = 45_000;

const runUnderLock = <T>(path: string, clock: Clock, work: () => T | Promise<T>): Promise<T> =>
  withLock(
    path,
    clock,
    async () => {
      sweepTemporaries(path, clock.now());
      return work();
    },
    { timeoutMs: LOCK_TIMEOUT_MS },
  );

type Warn = (text: string) => void;

const reserveSpace = (path: string, warn: Warn): Reservation =>
  reserveWrite(path, SPARE_BYTES + 2 * serialize(readCredentials(path, warn)).length, { backup: true });

/** The work has the space that it may need from the beginning. */
const withReservation = async <T>(
  path: string,
  profile: string,
  warn: Warn,
  work: (held: HeldCredential) => Promise<T>,
): Promise<T> => {
  const space = reserveSpace(path, warn);
  try {
    return await work({
      read: () => findCredential(path, profile, warn),
      commit: (credential) =>
        commitOrReplace(space, path, serializeWith(readCredentials(path, warn), profile, credential)),
    });
  } finally {
    space.release();
  }
};

/**
 * `file`: where `credentials.json` is, or undefined where no place is known. `write` and `remove` take the lock of
 * `file` themselves: whoever renews under a lock of his own must lock another path.
 */
export const createCredentialStore = (
  file: string | undefined,
  clock: Clock,
  warn: (text: string) => void,
): CredentialStore => {
  const prepareDirectory = (): string => {
    if (file === undefined) throw createNoDirectoryFailure();
    makePrivateDirectory(dirname(file));
    return file;
  };
  return {
    file,
    read: (profile) => (file === undefined ? undefined : findCredential(file, profile, warn)),
    async write(profile, credential, reservation) {
      const path = prepareDirectory();
      await runUnderLock(path, clock, () => {
        const text = serializeWith(readCredentials(path, warn), profile, credential);
        if (reservation === undefined) writeDurably(path, text, { backup: true });
        else reservation.commit(text);
      });
    },
    async remove(profile) {
      if (file === undefined || findCredential(file, profile, warn) === undefined) return false;
      const path = prepareDirectory();
      return runUnderLock(path, clock, () => removeFrom(path, profile, warn));
    },
    reserve: () => reserveSpace(prepareDirectory(), warn),
    async hold(profile, work) {
      const path = prepareDirectory();
      return runUnderLock(path, clock, () => withReservation(path, profile, warn, work));
    },
  };
};
