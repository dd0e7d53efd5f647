import { buildOpenApiPaths, buildOpenApiSchemas } from './openapi.ts';
import { nounOf } from './operation.ts';
import { allOperations } from './operations.ts';

/** The whole OpenAPI document: the paths of the table within what holds for all of them (docs/service.md). */

type Json = Readonly<Record<string, unknown>>;

const objectSchema = (properties: Json, required: readonly string[] = []): Json => ({
  type: 'object',
  additionalProperties: true,
  ...(required.length === 0 ? {} : { required }),
  properties,
});

const count = { type: ['integer', 'null'] };

const SHARED: Json = {
  Meta: objectSchema({
    api_version: { type: 'string' },
    timestamp: { type: 'string', format: 'date-time' },
    pagination: { $ref: '#/components/schemas/Pagination' },
  }),
  Pagination: objectSchema({
    total: count,
    per_page: count,
    current_page: count,
    last_page: count,
    from: count,
    to: count,
  }),
  Envelope: objectSchema(
    {
      success: { type: 'boolean', const: true },
      message: { type: 'string' },
      meta: { $ref: '#/components/schemas/Meta' },
      pagination: { $ref: '#/components/schemas/Pagination' },
    },
    ['success'],
  ),
  WebhookPage: objectSchema(
    {
      max_rows: { type: 'integer' },
      current_page: { type: 'integer' },
      total_pages: { type: 'integer' },
    },
    ['max_rows', 'current_page', 'total_pages'],
  ),
  Failure: objectSchema(
    {
      success: { type: 'boolean', const: false },
      message: { type: 'string' },
      error: { type: ['string', 'null'] },
      errors: { type: 'object', description: 'messages by field; only in newer generations' },
      meta: { $ref: '#/components/schemas/Meta' },
    },
    ['success', 'message', 'meta'],
  ),
  ScopeFailure: {
    allOf: [
      { $ref: '#/components/schemas/Failure' },
      objectSchema({
        meta: objectSchema({
          required_scope: { type: 'array', items: { type: 'string' } },
          granted_scope: { type: 'array', items: { type: 'string' } },
        }),
      }),
    ],
  },
};

const createFailureResponse = (description: string, schema = 'Failure', headers: Json = {}): Json => ({
  description,
  ...(Object.keys(headers).length === 0 ? {} : { headers }),
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
});

const RESPONSES: Json = {
  Refused: createFailureResponse('the request is not valid, or the record is not in the state that it needs'),
  Unauthenticated: createFailureResponse('the token is missing, malformed or expired'),
  Forbidden: createFailureResponse('the scope, the role or the workspace does not allow it', 'ScopeFailure'),
  NotFound: createFailureResponse('there is no such record in this workspace'),
  TooMany: createFailureResponse('too many requests, or writes too fast', 'Failure', {
    'Retry-After': {
      description: 'seconds: 60 when the minute is used up, 1 when writes come too fast',
      schema: { type: 'integer' },
    },
  }),
  Fault: createFailureResponse('the service failed'),
};

const SCOPES = {
  read: 'GET',
  write: 'GET, POST, PUT, PATCH and DELETE',
  admin: 'like write, plus approvals by the built-in assistant',
};

const SECURITY: Json = {
  oauth2: {
    type: 'oauth2',
    description: 'The two hosts are settings: auth_url and token_url.',
    flows: {
      authorizationCode: {
        authorizationUrl: 'https://auth.service.invalid/oauth/authorize',
        tokenUrl: 'https://token.service.invalid/oauth/token',
        refreshUrl: 'https://token.service.invalid/oauth/token',
        scopes: SCOPES,
      },
      clientCredentials: { tokenUrl: 'https://token.service.invalid/oauth/token', scopes: SCOPES },
    },
  },
  personalAccessToken: { type: 'http', scheme: 'bearer', description: 'made in the web application' },
};

const DESCRIPTION = [
  'The operations of a work-time tracking service as ttctl knows them.',
  'There is no built-in address: replace the server with your own base URL.',
  'Fields that the documentation does not show may be missing or have other names in your generation',
  'of the service, so any field of a response may be absent or null, and there may be others.',
].join(' ');

/** The document. A fresh object at every call. */
export const buildOpenApiDocument = (): Json => ({
  openapi: '3.1.0',
  info: {
    title: 'Time tracking REST API',
    version: '2.0.0',
    description: DESCRIPTION,
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: 'https://service.invalid/api/v2', description: 'your own base URL' }],
  security: [{ oauth2: ['read'] }, { personalAccessToken: [] }],
  tags: [...new Set(allOperations().map(nounOf))].map((name) => ({
    name,
    description: `Operations on ${name.replaceAll('-', ' ')}`,
  })),
  paths: buildOpenApiPaths(),
  components: {
    securitySchemes: SECURITY,
    responses: RESPONSES,
    schemas: { ...SHARED, ...buildOpenApiSchemas() },
  },
});
