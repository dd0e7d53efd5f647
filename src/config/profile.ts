import { isNumber, isRecord, type JsonNumber } from '../json/number.ts';

/** The content of the settings file, and the check of it. */

/** All members may be absent; unknown ones are kept. */
export interface Profile {
  readonly base_url?: string;
  readonly auth_url?: string;
  readonly token_url?: string;
  readonly client_id?: string;
  readonly redirect_uri?: string;
  readonly scope?: string;
  /** Id or name. */
  readonly workspace?: number | JsonNumber | string;
  /** IANA name. */
  readonly timezone?: string;
  /** `150/60,20/1`: requests/seconds,writes/seconds; or `off`. */
  readonly rate_limit?: string;
  readonly output?: string;
  /** Writes ask for the profile's name. */
  readonly protected?: boolean;
  /** Writes are refused. */
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

/** Where a stored value is not what it must be. */
export interface Misfit {
  /** `profiles.work.base_url`; empty for the document itself. */
  readonly member: string;
  /** `must be text, but is a number`. */
  readonly what: string;
  /** Nothing is wrong with it: this ttctl is too old for it. */
  readonly newer?: boolean;
}

type MemberType = 'text' | 'yes or no' | 'text or a number';

/** Members of a profile that are known; others are kept. */
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
  output: 'text',
  protected: 'yes or no',
  read_only: 'yes or no',
} as const satisfies Readonly<Record<string, MemberType>>;

const JS_TYPES: Readonly<Record<MemberType, readonly string[]>> = {
  text: ['string'],
  'yes or no': ['boolean'],
  'text or a number': ['string', 'number'],
};

/** Names may stand in a path, so `.` and `..` are none. */
export const isProfileName = (name: string): boolean => /^[A-Za-z0-9._-]+$/.test(name) && !/^\.+$/.test(name);

export const PROFILE_NAME_RULE = 'A profile name has letters, digits, "-", "_" and "." only.';

/** Own members only: a profile may be called `constructor`. */
export const storedProfile = (file: SettingsFile, name: string): Profile | undefined =>
  Object.hasOwn(file.profiles, name) ? file.profiles[name] : undefined;

/** What a JSON value is, in words; never the value itself. */
export const describeType = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (isNumber(value)) return 'a number';
  const words: Record<string, string> = { string: 'text', boolean: 'true or false' };
  return words[typeof value] ?? 'an object';
};

const misfit = (member: string, wanted: string, value: unknown): Misfit => ({
  member,
  what: `must be ${wanted}, but is ${describeType(value)}`,
});

const wanted = (type: MemberType): string => (type === 'yes or no' ? 'true or false' : type);

const findInProfile = (path: string, profile: unknown): Misfit | undefined => {
  if (!isRecord(profile)) return misfit(path, 'an object', profile);
  for (const [name, type] of Object.entries(PROFILE_MEMBERS)) {
    const value = profile[name];
    if (value === undefined || JS_TYPES[type].includes(isNumber(value) ? 'number' : typeof value)) continue;
    return misfit(`${path}.${name}`, wanted(type), value);
  }
  return undefined;
};

/** The `version` member, which every stored document has: absent counts as 1. */
export const findVersionMisfit = (stored: unknown): Misfit | undefined => {
  const value = isNumber(stored) ? Number(stored) : stored;
  if (value === undefined || value === 1) return undefined;
  if (typeof value !== 'number') return misfit('version', 'the number 1', value);
  return {
    member: 'version',
    what: `is ${value}, and this ttctl knows version 1 only (is there a newer ttctl?)`,
    newer: value > 1,
  };
};

const findInFile = (value: unknown): Misfit | undefined => {
  if (!isRecord(value)) return misfit('', 'an object', value);
  const version = findVersionMisfit(value['version']);
  if (version !== undefined) return version;
  const { current_profile: current, profiles = {} } = value;
  if (current !== undefined && typeof current !== 'string') return misfit('current_profile', 'text', current);
  if (!isRecord(profiles)) return misfit('profiles', 'an object', profiles);
  for (const [name, profile] of Object.entries(profiles)) {
    if (!isProfileName(name))
      return { member: `profiles.${JSON.stringify(name)}`, what: `has a wrong name: ${PROFILE_NAME_RULE}` };
    const found = findInProfile(`profiles.${name}`, profile);
    if (found !== undefined) return found;
  }
  return undefined;
};

export type Checked = { readonly settings: SettingsFile } | { readonly misfit: Misfit };

/** Checks types only, not what the values mean: a bad address is told where it is used. */
export const checkSettings = (value: unknown): Checked => {
  const found = findInFile(value);
  if (found !== undefined) return { misfit: found };
  return { settings: { ...EMPTY_SETTINGS, ...(value as Partial<SettingsFile>) } };
};
