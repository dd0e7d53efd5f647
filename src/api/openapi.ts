import { findStates, RECORDS, type RecordName } from '../resources/records.ts';
import { toJsonSchema } from '../resources/resource.ts';
import { nounOf, type Operation, type Parameter, resolveLocation } from './operation.ts';
import { allOperations } from './operations.ts';
import { WHOLE_IDS } from './plan.ts';
import { ROLE_WORDS } from './role-words.ts';

/**
 * The operation table as an OpenAPI 3.1 document. Fields that are not documented are those of docs/service.md;
 * every field of a record may be missing or null, and unknown ones are allowed.
 */

type Json = Readonly<Record<string, unknown>>;

const ref = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });
const withDescription = (schema: Json, description: string): Json => ({ ...schema, description });

const FORMATS: Readonly<Record<string, string>> = {
  email: 'email',
  url: 'uri',
  date: 'date',
  datetime: 'date-time',
};

/** What may be sent for a parameter. */
const createParameterSchema = ({ type, choices, words, on, min, max }: Parameter): Json => {
  if (type.endsWith('[]')) return { type: 'array', items: { type: type.slice(0, -2) } };
  const format = FORMATS[type];
  const numbers = on === undefined ? Object.values(words ?? {}) : [0, on];
  return {
    type: format === undefined ? type : 'string',
    ...(format === undefined ? {} : { format }),
    ...(choices === undefined ? {} : { enum: choices }),
    ...(numbers.length === 0 ? {} : { enum: numbers }),
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
  };
};

const describeParameter = ({ about, words }: Parameter): string =>
  words === undefined
    ? about
    : `${about} (${Object.entries(words)
        .map(([word, number]) => `${number} = ${word}`)
        .join(', ')})`;

const listPathParameters = (operation: Operation): Json[] =>
  [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: WHOLE_IDS.has(name) ? 'integer' : 'string' },
  }));

const listPagingParameters = ({ paging, id }: Operation): Json[] => {
  if (paging === 'none') return [];
  const page = { name: 'page', in: 'query', schema: { type: 'integer', minimum: 1, default: 1 } };
  if (paging === 'page') return [page];
  const defaultSize = id === 'webhooks.list' ? 50 : 20;
  const schema = { type: 'integer', minimum: 1, maximum: 100, default: defaultSize };
  return [page, { name: 'per_page', in: 'query', schema }];
};

const WORKSPACE = { type: 'integer', about: 'the workspace', required: true } as const;

/** Every parameter but those of the path and of paging, with its place; a workspace is one like any other. */
const listParameters = (operation: Operation): readonly (readonly [string, Parameter, string])[] => [
  ...(operation.workspace === 'none' ? [] : [['workspace_id', WORKSPACE, operation.workspace] as const]),
  ...Object.entries(operation.parameters).map(
    ([name, parameter]) => [name, parameter, resolveLocation(operation, parameter)] as const,
  ),
];

const listQueryParameters = (operation: Operation): Json[] =>
  listParameters(operation)
    .filter(([, , place]) => place === 'query' || place === 'both')
    .map(([name, parameter]) => ({
      name,
      in: 'query',
      ...(parameter.required ? { required: true } : {}),
      description: describeParameter(parameter),
      schema: createParameterSchema(parameter),
    }));

const ALSO_IN_QUERY = 'also in the query, because the documentation does not specify a single place';

const createRequestBody = (operation: Operation): Json => {
  const fields = listParameters(operation).filter(([, , place]) => place === 'body' || place === 'both');
  if (operation.method === 'GET' || fields.length === 0) return {};
  const properties = fields.map(([name, parameter, place]) => [
    name,
    withDescription(
      createParameterSchema(parameter),
      place === 'both' ? `${describeParameter(parameter)}; ${ALSO_IN_QUERY}` : describeParameter(parameter),
    ),
  ]);
  const required = fields
    .filter(([, parameter, place]) => parameter.required && place === 'body')
    .map(([name]) => name);
  const schema = {
    type: 'object',
    additionalProperties: true,
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
  };
  const form = /^webhooks\.(create|update)$/.test(operation.id);
  const content = {
    'application/json': { schema },
    ...(form ? { 'application/x-www-form-urlencoded': { schema } } : {}),
  };
  return { requestBody: { required: required.length > 0, content } };
};

const createDataSchema = (operation: Operation): Json => {
  if (operation.record === undefined) return { type: ['object', 'null'] };
  const schema = ref('schemas', operation.record);
  return operation.returns === 'list' ? { type: 'array', items: schema } : schema;
};

const createResponseSchema = (operation: Operation): Json => {
  const required = operation.returns === 'empty' ? ['success'] : ['success', 'data'];
  const own = { type: 'object', required, properties: { data: createDataSchema(operation) } };
  const enveloped = { allOf: [ref('schemas', 'Envelope'), own] };
  if (operation.id !== 'webhooks.list') return enveloped;
  const rows = { type: 'object', required: ['data'], properties: { data: createDataSchema(operation) } };
  return { anyOf: [{ allOf: [ref('schemas', 'WebhookPage'), rows] }, enveloped] };
};

const FAILURES = {
  400: 'Refused',
  401: 'Unauthenticated',
  403: 'Forbidden',
  404: 'NotFound',
  422: 'Refused',
};
const RETRYABLE_FAILURES = { 429: 'TooMany', 500: 'Fault' };

const createResponses = (operation: Operation): Json => {
  const content = { 'application/json': { schema: createResponseSchema(operation) } };
  const creates = operation.method === 'POST' && operation.returns === 'record';
  const failures = Object.entries({ ...FAILURES, ...RETRYABLE_FAILURES }).map(([status, name]) => [
    status,
    ref('responses', name),
  ]);
  return {
    200: { description: 'done', content },
    ...(creates
      ? { 201: { description: 'success; some services return this instead of 200', content } }
      : {}),
    ...Object.fromEntries(failures),
  };
};

const describeRoles = ({ roles }: Operation): string =>
  roles === 'any' ? '' : ` ${ROLE_WORDS[roles]} only.`;

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const createOperation = (operation: Operation): Json => ({
  operationId: operation.id,
  tags: [nounOf(operation)],
  summary: capitalize(operation.summary),
  description: `Needs the scope ${operation.scope}.${describeRoles(operation)}`,
  security: [{ oauth2: [operation.scope] }, { personalAccessToken: [] }],
  parameters: [
    ...listPathParameters(operation),
    ...listQueryParameters(operation),
    ...listPagingParameters(operation),
  ],
  ...createRequestBody(operation),
  responses: createResponses(operation),
});

/** The paths of the document, in the order of the table. */
export const buildOpenApiPaths = (): Json => {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of allOperations()) {
    paths[operation.path] ??= {};
    const item = paths[operation.path] ?? {};
    item[operation.method.toLowerCase()] = createOperation(operation);
  }
  return paths;
};

export const buildOpenApiSchemas = (): Json =>
  Object.fromEntries(
    Object.entries(RECORDS).map(([name, fields]) => [
      name,
      toJsonSchema(fields, findStates(name as RecordName)),
    ]),
  );
