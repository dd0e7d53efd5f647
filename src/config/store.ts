import { dirname } from 'node:path';
import type { Clock } from '../clock.ts';
import { EXIT, Failure, UsageError } from '../errors.ts';
import { isNumber, isRecord, parseJson } from '../json.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { withLock } from '../storage/lock.ts';
import { formatRepair, readOwnFile } from '../storage/own-files.ts';
import { getErrno, makePrivateDirectory, sweepTemporaries } from '../storage/write.ts';

/** The settings file: what it may have, and how it is read and changed. */

/** Touches nothing before it is used. */
export class SettingsStore {
  /** Undefined where no place is known. */
  readonly file: string | undefined;
  readonly #clock: Clock;
  readonly #warn: Warn;

  /** @param warn told of a file whose mode was too open and was corrected, and of one of another user */
  constructor(file: string | undefined, clock: Clock, warn: Warn = () => {}) {
    this.file = file;
    this.#clock = clock;
    this.#warn = warn;
  }

  /** Empty when there is no file. @throws UsageError for a damaged one, with the place in it */
  read(): SettingsFile {
    return readSettings(this.file, this.#warn);
  }

  /**
   * Reads again under the lock, changes, and writes durably with the previous generation in `settings.json.bak`.
   * A change that leaves everything as it was writes nothing.
   */
  async update(change: (file: SettingsFile) => SettingsFile): Promise<void> {
    const { file } = this;
    if (file === undefined)
      throw new Failure('no directory to store settings in', {
        code: 'no_config_directory',
        exit: EXIT.fault,
        reason: 'there is no home directory',
        hint: 'Set TTCTL_CONFIG_DIR (or HOME), or pass the values as TTCTL_ variables.',
      });
    const { changeByConf, resolveLink } = await import('./conf.ts');
    makePrivateDirectory(dirname(file));
    await withLock(file, this.#clock, async () => {
      // What others could have written is refused, or its mode corrected, before it is used.
      const before = readSettingsText(file, this.#warn);
      sweepTemporaries(resolveLink(file), this.#clock.now());
      changeByConf(file, before, parseSettings, change);
    });
  }

  /** Makes or changes a profile; members that are not named stay. The first profile is the default one. */
  async changeProfile(profile: string, members: Profile): Promise<void> {
    await this.update((before) => ({
      ...before,
      current_profile: before.current_profile ?? profile,
      profiles: { ...before.profiles, [profile]: { ...before.profiles[profile], ...members } },
    }));
  }
}

type Warn = (text: string) => void;

/** Empty when there is no file, or no place for one. @throws UsageError for a damaged one */
export function readSettings(file: string | undefined, warn?: Warn): SettingsFile {
  return file === undefined ? EMPTY_SETTINGS : parseSettings(file, readSettingsText(file, warn));
}

/**
 * Undefined when there is no file. `HOME` may be `/dev/null`: then there is none either.
 * @throws UsageError for one that others could have written, or that may not be read; a fault of the disk (exit 1)
 */
function readSettingsText(file: string, warn?: Warn): string | undefined {
  try {
    return readOwnFile(file, { kind: 'settings', warn })?.toString('utf8');
  } catch (error) {
    const errno = getErrno(error instanceof Failure ? error.cause : error);
    if (errno !== 'EACCES' && errno !== 'EPERM') throw error;
    throw new UsageError(`the settings file cannot be read: ${file}`, {
      code: 'unreadable_settings',
      reason: 'permission denied',
      hint: `Make it and its parent directories readable: ${commandLine`chmod u+r ${file}`}; or set TTCTL_CONFIG_DIR to another directory.`,
      details: { file, errno },
      cause: error,
    });
  }
}

/** @throws UsageError for a damaged one, with the place in it */
function parseSettings(file: string, text: string | undefined): SettingsFile {
  if (text === undefined) return EMPTY_SETTINGS;
  const result = checkSettingsText(text);
  if ('settings' in result) return result.settings;
  const { place, what, newer } = result.problem;
  throw new UsageError(`the settings file is broken: ${file}, ${place}`, {
    code: 'broken_settings',
    reason: what,
    hint:
      newer === true
        ? 'Use the newer ttctl, or set TTCTL_CONFIG_DIR to a separate directory.'
        : formatRepair(file, isWhole, 'set up the profile again: ttctl profile set --help'),
    details: { file, place },
  });
}

function isWhole(file: string): boolean {
  try {
    const text = readSettingsText(file);
    return text !== undefined && 'settings' in checkSettingsText(text);
  } catch {
    return false;
  }
}

function checkSettingsText(text: string): ReturnType<typeof checkSettings> {
  const parsed = parseJson(text, { strict: true });
  if ('value' in parsed) return checkSettings(parsed.value);
  const { line, column, what } = parsed.problem;
  return { problem: { place: `line ${line}, column ${column}`, what } };
}

/** Members of a profile that are known; others are kept. What the values mean is reported where they are used. */
export const PROFILE_MEMBERS = {
  base_url: 'text',
  auth_url: 'text',
  token_url: 'text',
  client_id: 'text',
  redirect_uri: 'text',
  scope: 'text',
  workspace: 'text or a number',
  timezone: 'text',
  rate_limit: 'text',
  settle: 'text or a number',
  output: 'text',
  protected: 'true or false',
  read_only: 'true or false',
} as const satisfies Readonly<Record<string, string>>;

/** All members may be absent. */
export interface Profile {
  readonly base_url?: string;
  readonly output?: string;
  readonly [member: string]: unknown;
}

export interface SettingsFile {
  readonly version: 1;
  readonly current_profile?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
  readonly [member: string]: unknown;
}

export const EMPTY_SETTINGS: SettingsFile = { version: 1, profiles: {} };

/** Names may stand in a path, so `.` and `..` are none. */
export function isProfileName(name: string): boolean {
  return /^(?!\.+$)[A-Za-z0-9._-]+$/.test(name);
}

export const PROFILE_NAME_RULE = 'Use only letters, digits, "-", "_" and ".".';

/** Own members only: a profile may be called `constructor`. */
export function findProfile(file: SettingsFile, name: string): Profile | undefined {
  return Object.hasOwn(file.profiles, name) ? file.profiles[name] : undefined;
}

export interface Violation {
  /** `profiles.work.base_url`; `the document` for itself. */
  readonly place: string;
  /** `must be text, but is a number`. */
  readonly what: string;
  /** Nothing is wrong with it: this ttctl is too old for it. */
  readonly newer?: boolean;
}

/** Missing members get their defaults. */
export function checkSettings(value: unknown): { settings: SettingsFile } | { problem: Violation } {
  const problem = findViolation(value);
  if (problem !== undefined) return { problem };
  return { settings: { ...EMPTY_SETTINGS, ...(value as Partial<SettingsFile>) } };
}

function findViolation(value: unknown): Violation | undefined {
  if (!isRecord(value)) return describeViolation('the document', 'an object', value);
  const { version = 1, current_profile: current = '', profiles = {} } = value;
  if (typeof version !== 'number') return describeViolation('version', 'the number 1', version);
  if (version !== 1) {
    const what = `is ${version}, but this ttctl reads only version 1 (was it written by a newer ttctl?)`;
    return { place: 'version', what, newer: version > 1 };
  }
  if (typeof current !== 'string') return describeViolation('current_profile', 'text', current);
  if (!isRecord(profiles)) return describeViolation('profiles', 'an object', profiles);
  for (const [name, profile] of Object.entries(profiles)) {
    if (!isProfileName(name))
      return {
        place: `profiles.${JSON.stringify(name)}`,
        what: `has an invalid name: ${PROFILE_NAME_RULE}`,
      };
    if (!isRecord(profile)) return describeViolation(`profiles.${name}`, 'an object', profile);
    for (const [member, kind] of Object.entries(PROFILE_MEMBERS))
      if (Object.hasOwn(profile, member) && !kind.includes(describeType(profile[member])))
        return describeViolation(`profiles.${name}.${member}`, kind, profile[member]);
  }
  return undefined;
}

function describeViolation(place: string, expected: string, value: unknown): Violation {
  return {
    place,
    what: `must be ${expected}, but is ${describeType(value)}`,
  };
}

/** What a JSON value is, in words; never the value itself. */
function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (isNumber(value)) return 'a number';
  if (typeof value === 'string') return 'text';
  return typeof value === 'boolean' ? 'true or false' : 'an object';
}
