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
  const words: Record<string, string> = { string: 'text', boolean: 'true or false' };
  return words[typeof value] ?? 'an object';
};

const WORDS: Readonly<Record<JsonType, string>> = {
  string: 'text',
  boolean: 'true or false',
  number: 'a number',
  object: 'an object',
};

const isOf = (type: JsonType, value: unknown): boolean => {
  if (type === 'object') return isRecord(value);
  return type === 'number' ? isNumber(value) : typeof value === type;
};

export const createViolation = (member: string, wanted: string, value: unknown): SchemaViolation => ({
  member,
  what: `must be ${wanted}, but is ${describeType(value)}`,
});

/** The value itself, not what it has in it. */
const findOuter = (
  { type, const: fixed }: SettingsSchema,
  value: unknown,
  member: string,
): SchemaViolation | undefined => {
  const types = type === undefined ? [] : [type].flat();
  if (types.length > 0 && !types.some((one) => isOf(one, value)))
    return createViolation(member, types.map((one) => WORDS[one]).join(' or '), value);
  if (fixed === undefined || (isNumber(value) && Number(value) === fixed)) return undefined;
  return createViolation(member, `the number ${fixed}`, value);
};

const below = (member: string, name: string): string => (member === '' ? name : `${member}.${name}`);

/** The first place where the value is not as the schema has it. Members that it does not name may be anything. */
export const findViolation = (
  schema: SettingsSchema,
  value: unknown,
  member = '',
): SchemaViolation | undefined => {
  const outer = findOuter(schema, value, member);
  if (outer !== undefined || !isRecord(value)) return outer;
  const { properties = {}, propertyNames, additionalProperties } = schema;
  for (const [name, inner] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name) || value[name] === undefined) continue;
    const found = findViolation(inner, value[name], below(member, name));
    if (found !== undefined) return found;
  }
  for (const [name, one] of Object.entries(value)) {
    if (Object.hasOwn(properties, name)) continue;
    if (propertyNames?.pattern !== undefined && !new RegExp(propertyNames.pattern).test(name))
      return {
        member: below(member, JSON.stringify(name)),
        what: `has an invalid name: ${propertyNames.description}`,
      };
    const found = additionalProperties && findViolation(additionalProperties, one, below(member, name));
    if (found !== undefined) return found;
  }
  return undefined;
};
