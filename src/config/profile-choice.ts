import { UsageError } from '../outcome.ts';
import { commandLine } from '../parsing/shell-word.ts';
import type { Environment } from './paths.ts';
import { findProfile, isProfileName, PROFILE_NAME_RULE, type SettingsFile } from './profile.ts';
import {
  byDefault,
  createBadValueError,
  fromFlag,
  fromProfile,
  fromVariable,
  type Sourced,
} from './sourced.ts';

/** Always there: the service itself, embedded. A stored one of that name adds settings. */
export const SANDBOX_PROFILE = 'sandbox';
/** Used when none is named; it need not be stored, since the environment may give all that is needed. */
export const DEFAULT_PROFILE = 'default';

export interface ProfileOptions {
  readonly flag: string | undefined;
  readonly env: Environment;
  readonly file: SettingsFile;
  readonly newProfile?: boolean;
}

/** `--profile`, then `TTCTL_PROFILE`, then the file's `current_profile`, then `default`. */
export const chooseProfile = ({ flag, env, file, newProfile }: ProfileOptions): Sourced<string> => {
  const chosen =
    fromFlag('--profile', flag) ??
    fromVariable(env, 'TTCTL_PROFILE') ??
    fromProfile('current_profile', file.current_profile || undefined) ??
    byDefault('profile', DEFAULT_PROFILE);
  const name = chosen.value;
  if (!isProfileName(name))
    throw createBadValueError(chosen, `is not a profile name: "${name}"`, PROFILE_NAME_RULE);
  const builtIn = name === SANDBOX_PROFILE || name === DEFAULT_PROFILE;
  if (builtIn || newProfile === true || findProfile(file, name) !== undefined) return chosen;
  const others = [...new Set([...Object.keys(file.profiles), SANDBOX_PROFILE])].sort();
  throw new UsageError(`there is no profile "${name}"`, {
    code: 'unknown_profile',
    reason: `it comes from ${chosen.from === 'profile' ? 'current_profile of the settings file' : chosen.name}`,
    hint: `Profiles: ${others.join(', ')}. Create one with: ${commandLine`ttctl auth login --profile ${name}`}`,
    details: { profile: name, profiles: others, source: chosen.from },
  });
};
