import { isNumber, isRecord } from '../json/number.ts';

/** The part of JSON Schema that stored documents are described in, and the check of a value against it. */

type JsonType = 'string' | 'boolean' | 'number' | 'object';

export interface SettingsSchema {
  readonly type?: JsonType | readonly JsonType[];
  readonly const?: number;
  readonly pattern?: string;
  /** What the pattern asks for, as a sentence. */
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SettingsSchema>>;
  readonly propertyNames?: SettingsSchema;
  readonly additionalProperties?: SettingsSchema;
}

/** Where a stored value is not what it must be. */
export interface SchemaViolation {
  /** `profiles.work.base_url`; empty for the document itself. */
  readonly member: string;
  /** `must be text, but is a number`. */
  readonly what: string;
  /** Nothing is wrong with it: this ttctl is too old for it. */
  readonly newer?: boolean;
}

/** What a JSON value is, in words; never the value itself. */
const describeType = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (isNumber(value)) return 'a number';
  const names: Record<string, string> = { string: 'text', boolean: 'true or false' };
  return names[typeof value] ?? 'an object';
};

const TYPE_NAMES: Readonly<Record<JsonType, string>> = {
  string: 'text',
  boolean: 'true or false',
  number: 'a number',
  object: 'an object',
};

const hasType = (type: JsonType, value: unknown): boolean => {
  if (type === 'object') return isRecord(value);
  return type === 'number' ? isNumber(value) : typeof value === type;
};

const createViolation = (member: string, expected: string, value: unknown): SchemaViolation => ({
  member,
  what: `must be ${expected}, but is ${describeType(value)}`,
});

/** The value itself, not what it has in it. */
const findOwnViolation = (
  { type, const: constant }: SettingsSchema,
  value: unknown,
  member: string,
): SchemaViolation | undefined => {
  const types = type === undefined ? [] : [type].flat();
  if (types.length > 0 && !types.some((one) => hasType(one, value)))
    return createViolation(member, types.map((one) => TYPE_NAMES[one]).join(' or '), value);
  if (constant === undefined || (isNumber(value) && Number(value) === constant)) return undefined;
  return createViolation(member, `the number ${constant}`, value);
};

const joinMember = (member: string, name: string): string => (member === '' ? name : `${member}.${name}`);

/** The first place where the value is not as the schema has it. Members that it does not name may be anything. */
export const findViolation = (
  schema: SettingsSchema,
  value: unknown,
  member = '',
): SchemaViolation | undefined => {
  const ownViolation = findOwnViolation(schema, value, member);
  if (ownViolation !== undefined || !isRecord(value)) return ownViolation;
  const { properties = {}, propertyNames, additionalProperties } = schema;
  for (const [name, memberSchema] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name) || value[name] === undefined) continue;
    const found = findViolation(memberSchema, value[name], joinMember(member, name));
    if (found !== undefined) return found;
  }
  for (const [name, one] of Object.entries(value)) {
    if (Object.hasOwn(properties, name)) continue;
    if (propertyNames?.pattern !== undefined && !new RegExp(propertyNames.pattern).test(name))
      return {
        member: joinMember(member, JSON.stringify(name)),
        what: `has an invalid name: ${propertyNames.description}`,
      };
    const found = additionalProperties && findViolation(additionalProperties, one, joinMember(member, name));
    if (found !== undefined) return found;
  }
  return undefined;
};

/** The content of the settings file: its schema, its defaults, and the check of it. */

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

const textSchema = { type: 'string' } as const;
const booleanSchema = { type: 'boolean' } as const;

/** Members of a profile that are known; others are kept. */
export const PROFILE_MEMBERS = {
  base_url: textSchema,
  auth_url: textSchema,
  token_url: textSchema,
  client_id: textSchema,
  redirect_uri: textSchema,
  scope: textSchema,
  workspace: { type: ['string', 'number'] },
  timezone: textSchema,
  rate_limit: textSchema,
  settle: { type: ['string', 'number'] },
  output: textSchema,
  protected: booleanSchema,
  read_only: booleanSchema,
} as const satisfies Readonly<Record<string, SettingsSchema>>;

/** Names may stand in a path, so `.` and `..` are none. */
const PROFILE_NAME = /^(?!\.+$)[A-Za-z0-9._-]+$/;

export const isProfileName = (name: string): boolean => PROFILE_NAME.test(name);

export const PROFILE_NAME_RULE = 'Use only letters, digits, "-", "_" and ".".';

/** The settings file. Types only, not what the values mean: a bad address is reported where it is used. */
export const SETTINGS_SCHEMA = {
  type: 'object',
  properties: {
    version: { const: 1 },
    current_profile: textSchema,
    profiles: {
      type: 'object',
      propertyNames: { pattern: PROFILE_NAME.source, description: PROFILE_NAME_RULE },
      additionalProperties: { type: 'object', properties: PROFILE_MEMBERS },
    },
  },
} as const satisfies SettingsSchema;

/** Own members only: a profile may be called `constructor`. */
export const findProfile = (file: SettingsFile, name: string): Profile | undefined =>
  Object.hasOwn(file.profiles, name) ? file.profiles[name] : undefined;

/** The `version` member, which every stored document has: absent counts as 1. */
const findVersionViolation = (stored: unknown): SchemaViolation | undefined => {
  const value = isNumber(stored) ? Number(stored) : stored;
  if (value === undefined || value === 1) return undefined;
  if (typeof value !== 'number') return createViolation('version', 'the number 1', value);
  return {
    member: 'version',
    what: `is ${value}, but this ttctl reads only version 1 (was it written by a newer ttctl?)`,
    newer: value > 1,
  };
};

export type SettingsCheck = { readonly settings: SettingsFile } | { readonly violation: SchemaViolation };

/** Missing members get their defaults. */
export const checkSettings = (value: unknown): SettingsCheck => {
  const version = isRecord(value) ? findVersionViolation(value['version']) : undefined;
  const found = version ?? findViolation(SETTINGS_SCHEMA, value);
  if (found !== undefined) return { violation: found };
  return { settings: { ...EMPTY_SETTINGS, ...(value as Partial<SettingsFile>) } };
};
