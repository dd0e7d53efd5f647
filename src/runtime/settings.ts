import type { Invocation } from '../cli/invocation.ts';
import { EMPTY_SETTINGS, type SettingsFile } from '../config/profile.ts';
import { resolveSettings } from '../config/settings.ts';
import type { GlobalFlags, Settings } from '../config/settings-types.ts';
import { createBadValueError } from '../config/sourced.ts';
import type { SettingsStore } from '../config/store.ts';
import { collectProblems, UsageError } from '../outcome.ts';
import { getOffsetMinutes } from '../parsing/calendar.ts';

/** The settings of one run, and what of the stored ones is wrong. */

const isStored = ({ details }: UsageError): boolean => details.source === 'profile';

/** The zone that the profile names. @throws UsageError where there is none of that name */
export const findStoredZone = ({ timezone, profile }: Settings, file?: string): string | undefined => {
  if (timezone?.from !== 'profile') return timezone?.value;
  try {
    getOffsetMinutes(0, timezone.value);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const place = { profile: profile.value, file };
    throw createBadValueError(
      { ...timezone, place },
      `is not a time zone: "${timezone.value}"`,
      error.hint ?? '',
    );
  }
  return timezone.value;
};

/** What is wrong with stored settings, to whoever mends them. */
export const warnBadSettings = (warn: (text: string) => void, wrong: readonly UsageError[]): void => {
  for (const { message, hint } of wrong) warn([message, hint].filter(Boolean).join('. '));
};

export interface OpenedSettings {
  /** The options that every command has; of commands that make profiles also theirs. */
  readonly flags: GlobalFlags;
  readonly settings: Settings;
  /** What is wrong with stored settings, for a command that is there to mend or to examine them. */
  readonly wrong: readonly UsageError[];
}

/**
 * @param problems takes all else that is wrong
 * @throws UsageError for a settings file that cannot be read, unless the command examines it
 */
export const openSettings = (
  invocation: Invocation,
  env: Readonly<Record<string, string | undefined>>,
  store: SettingsStore,
  problems: UsageError[],
): OpenedSettings => {
  const { options, globals } = invocation;
  const { newProfile = false, settings: care } = invocation.command;
  const flags: GlobalFlags = newProfile ? { ...options, ...globals } : globals;
  const [found, wrong]: [UsageError[], UsageError[]] = [[], []];
  const read = (): SettingsFile => store.read();
  const file = (care === 'examined' ? collectProblems(wrong)(read) : read()) ?? EMPTY_SETTINGS;
  const settings = resolveSettings({ flags, env, file, path: store.file, newProfile, problems: found });
  if (care !== undefined) collectProblems(found)(() => findStoredZone(settings, store.file));
  for (const problem of found) (care !== undefined && isStored(problem) ? wrong : problems).push(problem);
  return { flags, settings, wrong };
};
