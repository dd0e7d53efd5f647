import { dirname } from 'node:path';
import type { Clock } from '../clock.ts';
import { EXIT, Failure, UsageError } from '../errors.ts';
import { parseJson } from '../json.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { getErrno } from '../storage/failure.ts';
import { formatRepair, readOwnFile } from '../storage/own-files.ts';
import { checkSettings, EMPTY_SETTINGS, type SettingsFile, type Violation } from './profile.ts';

function checkSettingsText(text: string): ReturnType<typeof checkSettings> {
  const parsed = parseJson(text, { strict: true });
  if ('value' in parsed) return checkSettings(parsed.value);
  const { line, column, what } = parsed.problem;
  return { problem: { place: `line ${line}, column ${column}`, what } };
}

/**
 * Undefined when there is no file. `HOME` may be `/dev/null`: then there is none either.
 * @param warn called for each mode that was corrected; absent: none is
 * @throws UsageError for one that others could have written, or that may not be read; a fault of the disk (exit 1)
 */
function readSettingsText(file: string, warn?: (text: string) => void): string | undefined {
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

const isWhole = (file: string): boolean => {
  try {
    const text = readSettingsText(file);
    return text !== undefined && 'settings' in checkSettingsText(text);
  } catch {
    return false;
  }
};

const createBrokenSettingsError = (file: string, problem: Violation): UsageError =>
  new UsageError(`the settings file is broken: ${file}, ${problem.place}`, {
    code: 'broken_settings',
    reason: problem.what,
    hint:
      problem.newer === true
        ? 'Use the newer ttctl, or set TTCTL_CONFIG_DIR to a separate directory.'
        : formatRepair(file, isWhole, 'set up the profile again: ttctl profile set --help'),
    details: { file, place: problem.place },
  });

/** @throws UsageError for a damaged one, with the place in it */
const parseSettings = (file: string, text: string | undefined): SettingsFile => {
  if (text === undefined) return EMPTY_SETTINGS;
  const result = checkSettingsText(text);
  if ('problem' in result) throw createBrokenSettingsError(file, result.problem);
  return result.settings;
};

/** Empty when there is no file, or no place for one. @throws UsageError for a damaged one */
export const readSettings = (file: string | undefined, warn?: (text: string) => void): SettingsFile =>
  file === undefined ? EMPTY_SETTINGS : parseSettings(file, readSettingsText(file, warn));

export interface SettingsStore {
  /** Undefined where no place is known. */
  readonly file: string | undefined;
  /** Empty when there is no file. A damaged one is a `UsageError` that names the place in it. */
  read(): SettingsFile;
  /**
   * Reads again under the lock, changes, and writes durably with the previous generation in `settings.json.bak`.
   * A change that leaves everything as it was writes nothing.
   */
  update(change: (file: SettingsFile) => SettingsFile): Promise<void>;
  /** Makes or changes a profile; members that are not named stay. The first profile is the default one. */
  changeProfile(profile: string, members: Readonly<Record<string, unknown>>): Promise<void>;
}

const createNoDirectoryFailure = (): Failure =>
  new Failure('no directory to store settings in', {
    code: 'no_config_directory',
    exit: EXIT.fault,
    reason: 'there is no home directory',
    hint: 'Set TTCTL_CONFIG_DIR (or HOME), or pass the values as TTCTL_ variables.',
  });

/** Most runs only read: what writing needs is loaded for a write. */
const loadWriteModules = () =>
  Promise.all([
    import('./conf.ts'),
    import('../storage/lock.ts'),
    import('../storage/write.ts'),
    import('../storage/write.ts'),
  ]);

/**
 * `file`: where `settings.json` is, or undefined where no place is known. Touches nothing before it is used.
 * @param warn called for a file whose mode was too open and was corrected, and for one of another user
 */
export const createSettingsStore = (
  file: string | undefined,
  clock: Clock,
  warn: (text: string) => void = () => {},
): SettingsStore => ({
  file,
  read: () => readSettings(file, warn),
  async update(change) {
    if (file === undefined) throw createNoDirectoryFailure();
    const [{ changeByConf, resolveLink }, { withLock }, { sweepTemporaries }, { makePrivateDirectory }] =
      await loadWriteModules();
    makePrivateDirectory(dirname(file));
    await withLock(file, clock, async () => {
      // What others could have written is refused, or its mode corrected, before it is used.
      const before = readSettingsText(file, warn);
      sweepTemporaries(resolveLink(file), clock.now());
      changeByConf(file, before, parseSettings, change);
    });
  },
  changeProfile(profile, members) {
    return this.update((before) => ({
      ...before,
      current_profile: before.current_profile ?? profile,
      profiles: { ...before.profiles, [profile]: { ...before.profiles[profile], ...members } },
    }));
  },
});
