import type { Clock } from '../clock.ts';
import { Failure, UsageError } from '../errors.ts';
import { isRecord, parseJson } from '../json.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { withLock } from '../storage/lock.ts';
import { formatRepair, readOwnFile } from '../storage/own-files.ts';
import { getErrno, prepareFile } from '../storage/write.ts';
import {
  EMPTY_SETTINGS,
  isProfileName,
  LISTED_SETTINGS,
  PROFILE_NAME_RULE,
  type Profile,
  type SettingsFile,
} from './settings.ts';

/** The settings file: what it may have, and how it is read and changed. Touches nothing before it is used. */
export class SettingsStore {
  readonly file: string | undefined;
  readonly #clock: Clock;
  readonly #warn: Warn;

  constructor(file: string | undefined, clock: Clock, warn: Warn = () => {}) {
    this.file = file;
    this.#clock = clock;
    this.#warn = warn;
  }

  /** Empty when there is no file. @throws UsageError for a damaged one, with the place in it */
  read(): SettingsFile {
    const settings = readSettings(this.file, this.#warn);
    for (const [name, { protected: wasProtected, read_only: readOnly }] of Object.entries(
      settings.profiles,
    )) {
      if (wasProtected !== true || readOnly !== undefined) continue;
      const line = commandLine`ttctl profile set --profile ${name} --read-only`;
      this.#warn(`profile ${name} is no longer protected. To refuse writes: ${line}; or --no-read-only`);
    }
    return settings;
  }

  /**
   * Reads again under the lock, changes, and writes durably with the previous generation in `settings.json.bak`.
   * A change that leaves everything as it was writes nothing.
   */
  async update(change: (file: SettingsFile) => SettingsFile): Promise<void> {
    const file = prepareFile(this.file, 'settings');
    const { changeByConf } = await import('./conf.ts');
    await withLock(file, this.#clock, async () => {
      // What others could have written is refused, or its mode corrected, before it is used.
      const before = readSettingsText(file, this.#warn);
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

function parseSettings(file: string, text: string | undefined): SettingsFile {
  if (text === undefined) return EMPTY_SETTINGS;
  const parsed = parseJson(text, { strict: true });
  const [place, reason] =
    'problem' in parsed
      ? [`line ${parsed.problem.line}, column ${parsed.problem.column}`, parsed.problem.what]
      : (findProblem(parsed.value) ?? []);
  if (place === undefined) return { ...EMPTY_SETTINGS, ...('value' in parsed && (parsed.value as object)) };
  throw new UsageError(`the settings file is broken: ${file}, ${place}`, {
    code: 'broken_settings',
    reason,
    hint:
      place === 'version'
        ? 'Use the newer ttctl, or set TTCTL_CONFIG_DIR to a separate directory.'
        : formatRepair(file, readSettings, 'set up the profile again: ttctl profile set --help'),
    details: { file, place },
  });
}

function findProblem(value: unknown): readonly [place: string, reason: string] | undefined {
  if (!isRecord(value)) return ['the document', 'must be an object'];
  const { version = 1, current_profile: current = '', profiles = {} } = value;
  if (version !== 1) return ['version', 'must be 1 (was it written by a newer ttctl?)'];
  if (typeof current !== 'string') return ['current_profile', 'must be text'];
  if (!isRecord(profiles)) return ['profiles', 'must be an object'];
  for (const [name, profile] of Object.entries(profiles)) {
    if (!isProfileName(name))
      return [`profiles.${JSON.stringify(name)}`, `has an invalid name: ${PROFILE_NAME_RULE}`];
    if (!isRecord(profile)) return [`profiles.${name}`, 'must be an object'];
    const wrong = LISTED_SETTINGS.find(([, { member = '', usual }]) => {
      const types = typeof usual === 'boolean' ? ['boolean'] : ['string', 'number'];
      return Object.hasOwn(profile, member) && !types.includes(typeof profile[member]);
    });
    if (wrong === undefined) continue;
    const isSwitch = typeof wrong[1].usual === 'boolean';
    const place = `profiles.${name}.${wrong[1].member}`;
    return [place, `must be ${isSwitch ? 'true or false' : 'text or a number'}`];
  }
  return undefined;
}
