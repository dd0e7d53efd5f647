import type { CommandNode } from '../../cli/command.ts';
import { UsageError } from '../../outcome.ts';
import { RECORDS } from '../../resources/records.ts';
import { toJsonSchema } from '../../resources/resource.ts';
import { type CommandAnswer, describeAnswer } from '../answers.ts';

/** The JSON Schema of what a command prints with `--output json` (draft 2020-12). */

type Json = Readonly<Record<string, unknown>>;

/** A result (docs/requirements.md, CLI-3). */
const RESULT: Json = {
  type: 'object',
  required: ['target', 'status', 'operation'],
  properties: {
    target: { type: 'string' },
    status: { enum: ['done', 'unchanged', 'failed', 'unknown', 'skipped', 'planned'] },
    operation: { type: 'string' },
    label: { type: 'string' },
    message: { type: 'string' },
    data: {},
    before: { type: 'object' },
    after: { type: ['object', 'null'] },
    request: {
      type: 'object',
      required: ['method', 'path'],
      properties: {
        method: { type: 'string' },
        path: { type: 'string' },
        query: {},
        body: {},
      },
    },
    error: {
      type: 'object',
      required: ['code', 'exit', 'message'],
      properties: {
        code: { type: 'string' },
        exit: { type: 'integer' },
        message: { type: 'string' },
      },
    },
  },
};

const TEXTS: Json = { type: ['array', 'null'], items: { type: 'string' } };

/** The result of a command whose dry run has warnings. */
const buildResultSchema = ({ fields = [] }: CommandAnswer): Json => {
  if (!fields.includes('warnings')) return RESULT;
  const { properties } = RESULT as { readonly properties: Json };
  return { ...RESULT, properties: { ...properties, warnings: TEXTS, warning_messages: TEXTS } };
};

/** A group of rows (`--group-by`): the fields that it is grouped by, and sums, stand beside the count. */
const GROUP: Json = { type: 'object', required: ['count'], properties: { count: { type: 'integer' } } };

const ref = (name: 'record' | 'result'): Json => ({ $ref: `#/$defs/${name}` });
const arrayOf = (items: Json): Json => ({ type: 'array', items });

const objectOf = (fields: readonly string[]): Json => ({
  type: 'object',
  properties: Object.fromEntries(fields.map((field) => [field, {}])),
});

const buildRecordSchema = ({ record, fields = [] }: CommandAnswer): Json =>
  record === undefined ? objectOf(fields) : toJsonSchema(RECORDS[record]);

/** A single write that is planned, or whose outcome stays unknown, answers a result in place of its record. */
const listShapes = (answer: CommandAnswer, writes: boolean): readonly Json[] => {
  const { shape, rows, named, groups } = answer;
  if (shape === 'list') {
    return [
      arrayOf(ref('record')),
      ...(groups === true ? [arrayOf(GROUP)] : []),
      ...(named === undefined ? [] : [objectOf(named)]),
    ];
  }
  if (shape === 'results') return [arrayOf(ref('result'))];
  if (shape === 'document') return [{}];
  const single = shape === 'result' ? [ref('result')] : [ref('record'), ...(writes ? [ref('result')] : [])];
  return [...single, ...(rows === true ? [arrayOf(ref('result'))] : [])];
};

/** @throws UsageError for a group of commands, and for what prints no JSON */
export const buildOutputSchema = (command: CommandNode): Json => {
  const answer = describeAnswer(command);
  if (answer === undefined || answer.shape === 'text') {
    throw new UsageError('--output-schema needs a command that prints JSON', {
      hint: 'For example: ttctl schema members list --output-schema',
    });
  }
  const variants = listShapes(answer, answer.rows !== undefined);
  const text = JSON.stringify(variants);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: ['ttctl', command.path].join(' '),
    ...(variants.length === 1 ? variants[0] : { anyOf: variants }),
    $defs: {
      ...(text.includes('/record') ? { record: buildRecordSchema(answer) } : {}),
      ...(text.includes('/result') ? { result: buildResultSchema(answer) } : {}),
    },
  };
};
