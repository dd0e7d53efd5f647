import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../clock.ts';
import { stringifyJson } from '../json/stringify.ts';
import { EXIT, Failure, UsageError } from '../outcome.ts';
import { checkSettings, type SettingsFile } from './profile.ts';
import { parseSettings, readSettings, readSettingsText } from './settings-file.ts';

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
  /** Makes or changes a profile; members that are not named stay. The first profile is the default one. */
  changeProfile(profile: string, members: Readonly<Record<string, unknown>>): Promise<void>;
}

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

/**
 * `file`: where `settings.json` is, or undefined where no place is known. Touches nothing before it is used.
 * @param warn told of a file or folder that was too open and is closed now
 */
export const createSettingsStore = (
  file: string | undefined,
  clock: Clock,
  warn: (text: string) => void = () => {},
): SettingsStore => ({
  file,
  read: () => readSettings(file, warn),
  async update(change) {
    if (file === undefined) throw noPlace();
    const [{ withLock }, { sweepTemporaries }, { makePrivateDirectory, writeDurably }] = await writing();
    makePrivateDirectory(dirname(file));
    await withLock(file, clock, async () => {
      const before = readSettingsText(file, warn);
      const changed = change(parseSettings(file, before));
      checkChanged(changed);
      const text = `${stringifyJson(changed, 2)}\n`;
      if (text === before) return;
      const target = targetOf(file);
      sweepTemporaries(target, clock.now());
      writeDurably(target, text, { backup: true });
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
