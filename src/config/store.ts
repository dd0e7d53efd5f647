import { readFileSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../clock.ts';
import { diskFailure, errnoOf } from '../disk/failure.ts';
import { parseJson } from '../disk/json.ts';
import { EXIT, Failure, UsageError } from '../outcome.ts';
import { checkSettings, EMPTY_SETTINGS, type SettingsFile } from './profile.ts';

/** The settings file: preferences, no secrets. */
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
}

interface Problem {
  /** `line 3, column 7`, or the member. */
  readonly place: string;
  readonly what: string;
}

const examine = (text: string): { settings: SettingsFile } | { problem: Problem } => {
  const parsed = parseJson(text);
  if ('problem' in parsed) {
    const { line, column, what } = parsed.problem;
    return { problem: { place: `line ${line}, column ${column}`, what } };
  }
  const checked = checkSettings(parsed.value);
  if ('settings' in checked) return checked;
  const { member, what } = checked.misfit;
  return { problem: { place: member === '' ? 'the document' : member, what } };
};

/** Undefined when there is no file. `HOME` may be `/dev/null`: then there is none either. */
const readText = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return undefined;
    throw diskFailure(error, 'read', file);
  }
};

const hasGoodBackup = (file: string): boolean => {
  try {
    const text = readText(`${file}.bak`);
    return text !== undefined && 'settings' in examine(text);
  } catch {
    return false;
  }
};

const broken = (file: string, problem: Problem): UsageError =>
  new UsageError(`the settings file is broken: ${file}, ${problem.place}`, {
    code: 'broken_settings',
    reason: problem.what,
    hint: hasGoodBackup(file)
      ? `Correct it, or go back to the version before it: cp '${file}.bak' '${file}'`
      : `Correct it, or delete it and set the profile up again with: ttctl profile set`,
    details: { file, place: problem.place },
  });

const parseFile = (file: string, text: string | undefined): SettingsFile => {
  if (text === undefined) return EMPTY_SETTINGS;
  const result = examine(text);
  if ('problem' in result) throw broken(file, result.problem);
  return result.settings;
};

/** Many keep their settings elsewhere and link to them: the link stays, its target is replaced. */
const targetOf = (file: string): string => {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
};

const noPlace = (): Failure =>
  new Failure('there is no place to keep settings', {
    code: 'no_config_directory',
    exit: EXIT.fault,
    reason: 'no home directory is known',
    hint: 'Set TTCTL_CONFIG_DIR (or HOME), or give the values as TTCTL_ variables.',
  });

const checkChanged = (changed: SettingsFile): void => {
  const checked = checkSettings(changed);
  if ('settings' in checked) return;
  throw new UsageError(`${checked.misfit.member} ${checked.misfit.what}`, { code: 'bad_setting' });
};

/** Most runs only read: what writing needs is loaded for a write. */
const writing = () =>
  Promise.all([import('../disk/lock.ts'), import('../disk/temporary.ts'), import('../disk/write.ts')]);

/** `file`: where `settings.json` is, or undefined where no place is known. Touches nothing before it is used. */
export const createSettingsStore = (file: string | undefined, clock: Clock): SettingsStore => ({
  file,
  read: () => (file === undefined ? EMPTY_SETTINGS : parseFile(file, readText(file))),
  async update(change) {
    if (file === undefined) throw noPlace();
    const [{ withLock }, { sweepTemporaries }, { makePrivateDirectory, writeDurably }] = await writing();
    makePrivateDirectory(dirname(file));
    await withLock(file, clock, async () => {
      const before = readText(file);
      const changed = change(parseFile(file, before));
      checkChanged(changed);
      const text = `${JSON.stringify(changed, null, 2)}\n`;
      if (text === before) return;
      const target = targetOf(file);
      sweepTemporaries(target, clock.now());
      writeDurably(target, text, { backup: true });
    });
  },
});
