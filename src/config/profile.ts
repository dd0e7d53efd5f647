import { isNumber, isRecord } from '../json.ts';

/** The content of the settings file: what it may have, and the check of it. */

/** All members may be absent; unknown ones are kept. */
export interface Profile {
  readonly base_url?: string;
  readonly auth_url?: string;
  readonly token_url?: string;
  readonly client_id?: string;
  readonly redirect_uri?: string;
  readonly scope?: string;
  /** Id or name. */
  readonly workspace?: number | string;
  /** IANA name. */
  readonly timezone?: string;
  /** `150/60,20/1`: requests/seconds,writes/seconds; or `off`. */
  readonly rate_limit?: string;
  /** Seconds. */
  readonly settle?: number | string;
  readonly output?: string;
  /** Writes ask for the profile's name. */
  readonly protected?: boolean;
  readonly read_only?: boolean;
  readonly [member: string]: unknown;
}

export interface SettingsFile {
  readonly version: 1;
  readonly current_profile?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
  readonly [member: string]: unknown;
}

export const EMPTY_SETTINGS: SettingsFile = { version: 1, profiles: {} };

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

/** Names may stand in a path, so `.` and `..` are none. */
export const isProfileName = (name: string): boolean => /^(?!\.+$)[A-Za-z0-9._-]+$/.test(name);

export const PROFILE_NAME_RULE = 'Use only letters, digits, "-", "_" and ".".';

/** Own members only: a profile may be called `constructor`. */
export const findProfile = (file: SettingsFile, name: string): Profile | undefined =>
  Object.hasOwn(file.profiles, name) ? file.profiles[name] : undefined;

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

const describeViolation = (place: string, expected: string, value: unknown): Violation => ({
  place,
  what: `must be ${expected}, but is ${describeType(value)}`,
});

/** What a JSON value is, in words; never the value itself. */
function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (isNumber(value)) return 'a number';
  if (typeof value === 'string') return 'text';
  return typeof value === 'boolean' ? 'true or false' : 'an object';
}
