import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** Schemas that have no room for keys that they do not name. */

/** The same schema without room for keys that it does not name. */
const close = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== 'object' || schema === null) return schema;
  const closed = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, close(value)]));
  return 'properties' in schema && Object.keys(Object(schema.properties)).length > 0
    ? { ...closed, additionalProperties: false }
    : closed;
};

/** Takes no key that the schema does not name. */
export const compile = (schema: unknown): ValidateFunction =>
  new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).compile(close(schema) as object);

/** What is wrong with a value; empty for nothing. */
export const problemsOf = (validate: ValidateFunction, value: unknown, what: string): readonly string[] => {
  validate(value);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${what}: ${instancePath} ${message} ${JSON.stringify(params)}`,
  );
};
