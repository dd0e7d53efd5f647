import type { CommandNode } from '../../cli/command.ts';
import { UsageError } from '../../outcome.ts';
import { getPendingKind, getRowFields } from '../../resources/joins.ts';
import { findStates, RECORDS, type RecordName } from '../../resources/records.ts';
import { toJsonSchema } from '../../resources/resource.ts';
import { type CommandOutput, describeOutput } from '../outputs.ts';
import { createArray, createObject, createSchemaHead, type Json, TEXTS, withDefinitions } from './schemas.ts';

/** The JSON Schema of what a command prints with `--output json`; with `ndjson` a line is an item of its array. */

const ref = (name: string): Json => ({ $ref: `#/$defs/${name}` });

const objectOf = (fields: readonly string[]): Json =>
  createObject(Object.fromEntries(fields.map((field) => [field, {}])));

/** With `--dry-run`, what changes this machine or the sandbox says that it is only planned. */
const withPlanned = ({ properties }: Json): Json =>
  createObject({ ...(properties as Json), planned: { const: true } });

/** Beside its own fields a list has those that `--columns member.email,warnings` asks for. */
const buildRowSchema = (record: RecordName): Json => {
  const own = RECORDS[record];
  const { record: _whole, ...joined } = getRowFields(record, {}, {});
  const schema = toJsonSchema({ ...joined, ...own }, findStates(record));
  const { properties } = toJsonSchema(joined) as { readonly properties: Json };
  // `member` of an expense is a text where nothing is joined.
  const both = Object.keys(properties).filter((name) => Object.hasOwn(own, name));
  const ownProperties = schema.properties as Json;
  return {
    ...schema,
    properties: {
      ...ownProperties,
      ...Object.fromEntries(both.map((name) => [name, { anyOf: [ownProperties[name], properties[name]] }])),
      ...(getPendingKind(record) && { warnings: TEXTS, warning_messages: TEXTS }),
    },
  };
};

const buildRecordSchema = ({ record, fields = [], shape }: CommandOutput): Json => {
  if (record !== undefined)
    return shape === 'list' ? buildRowSchema(record) : toJsonSchema(RECORDS[record], findStates(record));
  return shape === 'record' ? withPlanned(objectOf(fields)) : objectOf(fields);
};

/** A group of rows (`--group-by`): the fields that it is grouped by, also of joined records, the count, and sums. */
const buildGroupSchema = (record: Json): Json => ({
  ...createObject({ ...(record.properties as Json), count: { type: 'integer' } }, ['count']),
  patternProperties: { '^sum_': { type: 'number' }, '\\.': {} },
});

/** A single write that is planned, or whose outcome stays unknown, answers a result in place of its record. */
const listShapes = (output: CommandOutput, writes: boolean): readonly Json[] => {
  const { shape, rows, named, groups, flagged } = output;
  if (shape === 'list') {
    return [
      createArray(ref('record')),
      ...(groups === true ? [createArray(ref('group'))] : []),
      ...(named === undefined ? [] : [objectOf(named)]),
      ...(flagged === undefined ? [] : [withPlanned(objectOf(flagged.fields))]),
    ];
  }
  if (shape === 'results') return [createArray(ref('result'))];
  if (shape === 'document') return [{}];
  const single = shape === 'result' ? [ref('result')] : [ref('record'), ...(writes ? [ref('result')] : [])];
  return [...single, ...(rows === true ? [createArray(ref('result'))] : [])];
};

/** @throws UsageError for a group of commands, and for what prints no JSON */
export const buildOutputSchema = (command: CommandNode): Json => {
  const output = describeOutput(command);
  if (output === undefined || output.shape === 'text') {
    throw new UsageError('--output-schema needs a command that prints JSON', {
      hint: 'For example: ttctl schema members list --output-schema',
    });
  }
  const variants = listShapes(output, output.rows !== undefined);
  const text = JSON.stringify(variants);
  const record = text.includes('/record"') ? buildRecordSchema(output) : undefined;
  const schema = {
    ...createSchemaHead(command.path),
    ...(variants.length === 1 ? variants[0] : { anyOf: variants }),
  };
  return withDefinitions(schema, {
    ...(record && { record }),
    ...(record && text.includes('/group"') && { group: buildGroupSchema(record) }),
  });
};
