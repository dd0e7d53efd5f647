import { dirname } from 'node:path';
import type { Clock } from '../clock.ts';
import { EXIT, Failure } from '../outcome.ts';
import type { SettingsFile } from './profile.ts';
import { readSettings, readSettingsText } from './settings-file.ts';

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

const noPlace = (): Failure =>
  new Failure('no place to store settings', {
    code: 'no_config_directory',
    exit: EXIT.fault,
    reason: 'there is no home directory',
    hint: 'Set TTCTL_CONFIG_DIR (or HOME), or pass the values as TTCTL_ variables.',
  });

/** Most runs only read: what writing needs is loaded for a write. */
const writing = () =>
  Promise.all([
    import('./conf.ts'),
    import('../storage/lock.ts'),
    import('../storage/temporary.ts'),
    import('../storage/write.ts'),
  ]);

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
    const [{ openConf, resolveLink }, { withLock }, { sweepTemporaries }, { makePrivateDirectory }] =
      await writing();
    makePrivateDirectory(dirname(file));
    await withLock(file, clock, async () => {
      // What others could have written is refused, or mended, before anything is made of it.
      const before = readSettingsText(file, warn);
      sweepTemporaries(resolveLink(file), clock.now());
      const conf = openConf(file, before);
      conf.store = change(conf.store);
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
