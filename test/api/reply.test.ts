import { expect, it } from 'vitest';
import type { Operation } from '../../src/api/operation.ts';
import { readReply } from '../../src/api/reply.ts';
import { ApiError, hasUnknownOutcome, NetworkError, UsageError } from '../../src/errors.ts';
import type { HttpResponse, Method } from '../../src/http/transport.ts';
import { failureOf } from '../support/in-process.ts';

/** What is made of an answer (docs/service.md, Envelope, Paging, Errors). */

const answer = (status: number, body: unknown, headers: Record<string, string> = {}): HttpResponse => ({
  ...{ status, headers: { 'content-type': 'application/json', ...headers } },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const META = { api_version: '2.0.0', timestamp: '2026-11-20T09:00:00Z' };
const read = (response: HttpResponse, method: Method = 'GET', kind: Operation['returns'] | 'any' = 'empty') =>
  readReply(
    { method, base: 'https://host/api/v2', path: '/members/17', query: [], headers: {} },
    response,
    kind,
  );
const failed = (response: HttpResponse, method: Method = 'GET'): ApiError => {
  const failure = failureOf(() => read(response, method));
  expect(failure).toBeInstanceOf(ApiError);
  return failure as ApiError;
};

it.each([
  [{ 'retry-after': '12' }, 12, 'Try again in 12 s'],
  [{}, undefined, 'Try again in a minute'],
])('a 429 with %j', (headers, seconds, words) => {
  const { details, hint } = failed(answer(429, { success: false, message: 'Slow down.' }, headers));
  expect([details['retry_after'], hint]).toEqual([seconds, expect.stringContaining(words)]);
});

const page = { total: 41, per_page: 20, current_page: 2, last_page: 3, from: 21, to: 40 };
const pagination = { page: 2, lastPage: 3, total: 41 };
it.each([
  ['with pagination in meta', { success: true, data: [], meta: { ...META, pagination: page } }, pagination],
  ['with pagination beside meta', { success: true, data: [], meta: META, pagination: page }, pagination],
  ['with none', { success: true, data: [], meta: META }, undefined],
  [
    'with that of an empty page',
    { data: [], meta: { pagination: { ...page, total: 0, from: null, to: null } } },
    { ...pagination, total: 0 },
  ],
  ['with a strange one', { data: [], meta: { pagination: 'many' } }, undefined],
  [
    'with numbers as text',
    { data: [], meta: { pagination: { current_page: '2', last_page: null } } },
    { page: undefined, lastPage: undefined, total: undefined },
  ],
  [
    'of the webhook list',
    { max_rows: 50, current_page: 1, total_pages: 4, data: [] },
    { page: 1, lastPage: 4, total: undefined },
  ],
])('an envelope %s', (_name, body, expected) => {
  expect(read(answer(200, body)).pagination).toEqual(expected);
});

it.each([200, 201, 299])('an envelope is success with %i, and kept whole, unknown members too', (status) => {
  const body = { success: true, message: 'Done.', data: { id: 17 }, meta: META, extra: { a: 1 } };
  expect(read(answer(status, body))).toMatchObject({
    ...{ data: { id: 17 }, message: 'Done.', envelope: body },
  });
});

it('an envelope may lack success, message, data and meta in turn, and is not needed with 204', () => {
  expect(read(answer(200, { success: true })).data).toBeNull();
  expect(read(answer(200, { message: 'ok' })).data).toBeNull();
  expect(read(answer(200, { data: [1] })).data).toEqual([1]);
  expect(read(answer(200, { success: true, message: 5, data: null })).message).toBeUndefined();
  expect(read(answer(204, '', {}), 'DELETE').data).toBeNull();
});

it.each([
  // The others: exit-codes.process.test.ts.
  [418, 'refused', 6],
  [599, 'service_error', 7],
  [200, 'refused', 6],
])('a refusal %i is %s, exit %i, in the words of the service', (status, code, exit) => {
  const body = { success: false, message: 'Not “so”.', error: 'because', meta: META };
  expect(failed(answer(status, body), 'PUT')).toMatchObject({
    ...{ message: 'Not “so”.', reason: 'because', status, code, exit },
    details: { status, request: 'PUT /members/17' },
  });
});

it('a refusal for its scope says which is needed and which is there', () => {
  const meta = { ...META, required_scope: ['write', 'admin'], granted_scope: ['read'] };
  expect(failed(answer(403, { success: false, message: 'no', meta }))).toMatchObject({
    code: 'insufficient_scope',
    details: { required_scope: ['write', 'admin'], granted_scope: ['read'] },
  });
});

it("a refusal keeps the framework's field errors", () => {
  const errors = { email: ['The email has already been taken.'] };
  const error = failed(answer(422, { message: 'The given data was invalid.', errors }));
  expect(error).toMatchObject({ code: 'invalid', details: { errors } });
});

it('a refusal without words of its own names the status', () => {
  expect(failed(answer(400, { success: false })).message).toBe('the service answered 400');
  expect(failed(answer(400, { success: false, message: ['x'] })).message).toBe('the service answered 400');
});

/** Nested so deeply that the stack of whoever prints it would overflow. */
const DEEP = `{"success":true,"data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;

it.each([
  ['HTML with 200', answer(200, '<html><h1>Sign in</h1></html>', { 'content-type': 'text/html' })],
  ['HTML with 502', answer(502, '<h1>Bad gateway</h1>', { 'content-type': 'text/html' })],
  ['nothing', answer(200, '')],
  ['JSON that breaks off', answer(200, '{"success":true,"data":[')],
  ['another JSON object', answer(200, { hello: 'world' })],
  ['a bare list', answer(200, [1])],
  ['a number', answer(200, '5')],
  ['null', answer(200, 'null')],
  ['a redirect', answer(302, '', { location: 'https://elsewhere/login' })],
  ['a redirect with an envelope', answer(301, { success: true, data: [] })],
  ['too deep a nest', answer(200, DEEP)],
  ['too deep a nest of objects', answer(200, `${'{"data":'.repeat(100_000)}1${'}'.repeat(100_000)}`)],
])("an answer that is not the API's, %s, is exit 7, and says where it came from", (_name, response) => {
  const error = failed(response);
  expect(error).toMatchObject({ code: 'not_the_api', exit: 7, status: response.status });
  expect(error.reason).toContain('https://host/api/v2');
  expect(error.message.length).toBeLessThan(300);
});

it("an answer that is not the API's is told by its type, without what it says: it may be full of what nobody wants in a log", () => {
  const people = Array.from({ length: 50 }, (_, id) => ({ id, email: `person${id}@example.com` }));
  const { message } = failed(answer(200, JSON.stringify({ success: true, data: people }).slice(0, -1)));
  expect(message).toMatch(/got a response that is not from the API \([^"@]*\)$/);
});

it("an answer that is not the API's with 401 is a matter of signing in all the same", () => {
  expect(failed(answer(401, '<h1>Unauthorized</h1>'))).toMatchObject({ code: 'not_the_api', exit: 3 });
});

it("an answer that is not the API's names where a redirect leads", () => {
  expect(failed(answer(302, '', { location: 'https://elsewhere/login' })).message).toContain(
    'https://elsewhere/login',
  );
});

it("an answer that is not the API's is taken from calls outside the document, as long as it is JSON", () => {
  expect(read(answer(200, { hello: 1 }), 'GET', 'any').envelope).toEqual({ hello: 1 });
  expect(read(answer(200, [1]), 'GET', 'any').data).toEqual([1]);
  expect(() => read(answer(200, '<p>'), 'GET', 'any')).toThrow(ApiError);
  expect(() => read(answer(200, DEEP), 'GET', 'any')).toThrow(ApiError);
});

it.each([
  ['list', { data: { id: 1 } }],
  ['list', { success: true }],
  ['list', { data: [null] }],
  ['list', { data: [1, 2] }],
  ['record', { data: null }],
  ['record', { data: [{ id: 1 }] }],
] as const)('the answer to a read of a %s that is %j is of no use', (kind, body) => {
  expect(() => read(answer(200, body), 'GET', kind)).toThrow(ApiError);
  expect(() => read(answer(200, body), 'PUT', kind)).not.toThrow();
});

it.each([
  ['list', { data: [] }],
  ['list', { data: [{ id: 1 }, {}] }],
  ['list', { success: true, data: null }],
  ['record', { data: {} }],
] as const)('the answer to a read of a %s may be %j', (kind, body) => {
  expect(() => read(answer(200, body), 'GET', kind)).not.toThrow();
});

it.each(['', ' \n', 'null', '[]', '5', '{}', '{"success":true}'])('a write is accepted by %j', (body) => {
  expect(read(answer(200, body), 'PUT').data).toBeNull();
});

it.each([
  ['a fault after sending', new NetworkError('x', true, { code: 'timeout' }), true],
  ['a fault before sending', new NetworkError('x', false, { code: 'timeout' }), false],
  ['500', failed(answer(500, { success: false }), 'PUT'), true],
  ['HTML with 502', failed(answer(502, '<p>'), 'PUT'), true],
  ['HTML with 200', failed(answer(200, '<p>'), 'PUT'), true],
  ['JSON that breaks off with 200', failed(answer(200, '{"success":tr'), 'PUT'), true],
  ['success false with 200', failed(answer(200, { success: false, message: 'no' }), 'PUT'), false],
  ['a redirect', failed(answer(302, ''), 'PUT'), false],
  ['400', failed(answer(400, { success: false }), 'PUT'), false],
  ['HTML with 404', failed(answer(404, '<p>'), 'PUT'), false],
  ['429', failed(answer(429, { success: false }), 'PUT'), false],
  ['wrong usage', new UsageError('x'), false],
])('a write that failed by %s may have happened: %s', (_name, error, may) => {
  expect(hasUnknownOutcome(error)).toBe(may);
});
