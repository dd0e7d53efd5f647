import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** The JSON Schemas of `docs/schemas/`, without room for keys that they do not name. */

const NAMES = ['error', 'result', 'log', 'job', 'plan'] as const;

const close = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== 'object' || schema === null) return schema;
  const closed = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, close(value)]));
  return 'properties' in schema ? { ...closed, additionalProperties: false } : closed;
};

export const readSchema = (name: (typeof NAMES)[number]) =>
  JSON.parse(readFileSync(new URL(`../../docs/schemas/${name}.json`, import.meta.url), 'utf8'));

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
for (const name of NAMES) ajv.addSchema(close(readSchema(name)) as object, name);

/**
 * What is wrong with a value; empty for nothing.
 * @param name of a schema, or of a part of one: `job#/$defs/job_row`
 */
export const listProblems = (name: string, value: unknown): readonly string[] => {
  const [schema = '', part] = name.split('#');
  const { $id } = readSchema(schema as (typeof NAMES)[number]);
  const validate = ajv.getSchema(part === undefined ? $id : `${$id}#${part}`);
  if (validate === undefined) throw new Error(`there is no schema ${name}`);
  validate(value);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
};
