import { parseJson } from '../json/parse.ts';
import { type Failure, UsageError } from '../outcome.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { createDiskFailure, getErrno } from '../storage/failure.ts';
import { readOwnFile } from '../storage/own-files.ts';
import { checkSettings, EMPTY_SETTINGS, type SettingsFile } from './profile.ts';

/** Reading the settings file; writing it is store.ts. */

interface Problem {
  /** `line 3, column 7`, or the member. */
  readonly place: string;
  readonly what: string;
  /** As in `Misfit`. */
  readonly newer?: boolean;
}

const examine = (text: string): { settings: SettingsFile } | { problem: Problem } => {
  const parsed = parseJson(text, { unique: true });
  if ('problem' in parsed) {
    const { line, column, what } = parsed.problem;
    return { problem: { place: `line ${line}, column ${column}`, what } };
  }
  const checked = checkSettings(parsed.value);
  if ('settings' in checked) return checked;
  const { member, ...misfit } = checked.misfit;
  return { problem: { place: member === '' ? 'the document' : member, ...misfit } };
};

const ELSEWHERE = 'set TTCTL_CONFIG_DIR to another place';

/** A file that is there and cannot be read is a broken one (exit 2); a fault of the disk is not (exit 1). */
const unreadable = (error: unknown, file: string): Failure => {
  const errno = getErrno(error) ?? '';
  const facts = { code: 'unreadable_settings', details: { file, errno }, cause: error };
  const message = `the settings file cannot be read: ${file}`;
  if (errno === 'EISDIR') {
    const hint = `Move the directory away, or ${ELSEWHERE}.`;
    return new UsageError(message, { ...facts, reason: 'It is a directory.', hint });
  }
  if (errno !== 'EACCES' && errno !== 'EPERM') return createDiskFailure(error, 'read', file);
  const hint = `Make it and its parent directories readable: ${commandLine`chmod u+r ${file}`}; or ${ELSEWHERE}.`;
  return new UsageError(message, { ...facts, reason: 'permission denied', hint });
};

/**
 * Undefined when there is no file. `HOME` may be `/dev/null`: then there is none either.
 * @param warn told of what was mended; absent: nothing is
 * @throws UsageError for one that others could have written
 */
export const readSettingsText = (file: string, warn?: (text: string) => void): string | undefined => {
  try {
    return readOwnFile(file, { warn, bounded: true })?.toString('utf8');
  } catch (error) {
    throw getErrno(error) === undefined ? error : unreadable(error, file);
  }
};

const hasGoodBackup = (file: string): boolean => {
  try {
    const text = readSettingsText(`${file}.bak`);
    return text !== undefined && 'settings' in examine(text);
  } catch {
    return false;
  }
};

const repair = (file: string, { newer }: Problem): string => {
  if (newer === true) return 'Use the newer ttctl, or set TTCTL_CONFIG_DIR to a separate directory.';
  return hasGoodBackup(file)
    ? `Correct it, or restore the previous version: ${commandLine`cp ${`${file}.bak`} ${file}`}`
    : 'Correct it, or delete it and set up the profile again with: ttctl profile set';
};

const broken = (file: string, problem: Problem): UsageError =>
  new UsageError(`the settings file is broken: ${file}, ${problem.place}`, {
    code: 'broken_settings',
    reason: problem.what,
    hint: repair(file, problem),
    details: { file, place: problem.place },
  });

/** @throws UsageError for a damaged one, with the place in it */
export const parseSettings = (file: string, text: string | undefined): SettingsFile => {
  if (text === undefined) return EMPTY_SETTINGS;
  const result = examine(text);
  if ('problem' in result) throw broken(file, result.problem);
  return result.settings;
};

/** Empty when there is no file, or no place for one. @throws UsageError for a damaged one */
export const readSettings = (file: string | undefined, warn?: (text: string) => void): SettingsFile =>
  file === undefined ? EMPTY_SETTINGS : parseSettings(file, readSettingsText(file, warn));
