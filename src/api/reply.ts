import { ApiError, EXIT, type ExitCode, Failure, type FailureFacts } from '../errors.ts';
import {
  formatRetryHint,
  type HttpRequest,
  type HttpResponse,
  isWrite,
  type PlannedRequest,
  readRetryAfter,
} from '../http/transport.ts';
import { isRecord, type JsonResult, parseJson, toNumber } from '../json.ts';
import type { Operation } from './operation.ts';

/** Where a list stands, as far as the service tells (docs/service.md, Paging). */
interface ReplyPagination {
  readonly page: number | undefined;
  readonly lastPage: number | undefined;
  readonly total: number | undefined;
}

export interface ApiReply<T = unknown> {
  readonly data: T | null;
  /** HTTP status; undefined where nothing was sent. */
  readonly status?: number;
  readonly message: string | undefined;
  readonly pagination: ReplyPagination | undefined;
  /** The whole answer as it came. */
  readonly envelope: unknown;
  /** Of an answer that is not JSON, where such a one is taken: all else is empty then. */
  readonly bytes?: Uint8Array;
  /** Of a dry run: nothing was sent. */
  readonly planned?: PlannedRequest;
  /** Integers that JavaScript cannot keep, rounded, by the name of their field. */
  readonly rounded?: ReadonlyMap<number, string> | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const CODES: Readonly<Record<number, FailureFacts['code']>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  422: 'invalid',
  429: 'rate_limited',
};

/** Enough to know a page by; an answer that is broken may be full of people's data. */
const MAX_EXCERPT = 60;

/** How `success` says no, however it is written. */
const REFUSALS: ReadonlySet<unknown> = new Set([false, 'false', 0, '0']);

/**
 * A response to its data. Pure. Lenient in what it takes: every 2xx is success, pagination may stand inside or
 * beside `meta`, and the webhook list has an envelope of its own (docs/service.md, Envelope). A write is accepted by
 * any JSON that does not say no, and by an empty body; an HTML page is no yes.
 * @param anyJson whether a JSON answer without the envelope is taken too (calls beyond the table)
 * @throws ApiError when the service refused, or when the answer is not the API's
 */
export function readReply<T>(request: HttpRequest, response: HttpResponse, anyJson = false): ApiReply<T> {
  if (response.planned !== undefined) {
    return {
      data: null,
      message: undefined,
      pagination: undefined,
      envelope: null,
      planned: response.planned,
    };
  }
  const { status } = response;
  const success = status >= 200 && status < 300;
  const isAccepted = success && isWrite(request.method);
  if (status === 204 || (isAccepted && response.body.trim() === ''))
    return { data: null, status, message: undefined, pagination: undefined, envelope: null };
  const parsed = parseJson(response.body);
  const envelope = 'value' in parsed ? parsed.value : undefined;
  const { rounded } = parsed;
  if (success && envelope !== undefined && !isRecord(envelope) && (anyJson || isAccepted)) {
    const data = anyJson ? (envelope as T) : null;
    return { data, status, message: undefined, pagination: undefined, envelope, rounded };
  }
  const isEnvelope =
    isRecord(envelope) &&
    (anyJson || isAccepted || ['success', 'data', 'message'].some((name) => name in envelope));
  if (!isEnvelope || (response.status >= 300 && response.status < 400)) {
    throw createUnexpectedAnswerError(
      request,
      response.status,
      describeResponse(response),
      describeParseProblem(response, parsed),
    );
  }
  if (!success || REFUSALS.has(envelope.success)) throw createRefusalError(request, response, envelope);
  return {
    data: (envelope.data ?? null) as T | null,
    status,
    message: asString(envelope.message),
    pagination: readPagination(envelope),
    envelope,
    rounded,
  };
}

/**
 * An answer that did not come from the API, or is of no use.
 * @param got words: `an empty answer`
 * @param why more about it: a sentence with a blank before it
 */
function createUnexpectedAnswerError(request: HttpRequest, status: number, got: string, why = ''): ApiError {
  return new ApiError(`${formatRoute(request)} got ${got}`, status, {
    code: 'not_the_api',
    exit: status === 401 ? EXIT.signedOut : EXIT.tryLater,
    reason: `The status was ${status}, from ${request.base}.${why}`,
    hint: 'The base URL may be wrong, or a proxy answered instead of the service: see `ttctl profile show`.',
    details: { status, request: formatRoute(request) },
  });
}

/** `PUT /timesheets/17/approve`, as errors name a request. */
function formatRoute(request: Pick<HttpRequest, 'method' | 'path'>): string {
  return `${request.method} ${request.path}`;
}

function describeResponse(response: HttpResponse): string {
  if (response.status >= 300 && response.status < 400)
    return `a redirect to ${response.headers.location ?? 'elsewhere'}`;
  if (response.body.trim() === '') return 'an empty response';
  const type = response.headers['content-type']?.split(';')[0] ?? 'no content type';
  return `a response that is not from the API (${type}: "${excerpt(response.body)}")`;
}

function excerpt(body: string): string {
  const text = body
    .slice(0, 10_000)
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return text.length <= MAX_EXCERPT ? text : `${text.slice(0, MAX_EXCERPT).trimEnd()} …`;
}

/** Where an answer that says it is JSON is not: ` It cannot be read: line 1, column 201: …`. */
function describeParseProblem({ headers, body }: HttpResponse, parsed: JsonResult): string {
  if (!('problem' in parsed) || body.trim() === '' || !/json/i.test(headers['content-type'] ?? '')) return '';
  const { line, column, what } = parsed.problem;
  return ` It cannot be read: line ${line}, column ${column}: ${what.replace('the file', 'it')}.`;
}

function createRefusalError(
  request: HttpRequest,
  { status, headers }: HttpResponse,
  envelope: Fields,
): ApiError {
  const meta = isRecord(envelope.meta) ? envelope.meta : {};
  const waitMs = readRetryAfter(headers);
  const wait = waitMs === undefined ? undefined : Math.ceil(waitMs / 1000);
  const [message = '', ...more] = (asString(envelope.message) ?? '').trim().split(/\s*[\r\n\u2028\u2029]\s*/);
  const reason = [...more, asString(envelope.error)].filter(Boolean).join('\n') || undefined;
  return new ApiError(message || `the service answered ${status}`, status, {
    code: status < 400 ? 'refused' : getErrorCode(status, meta),
    exit: status < 400 ? EXIT.refused : getExitCode(status),
    reason,
    hint: getHint(status, wait),
    details: {
      status,
      request: formatRoute(request),
      ...(wait === undefined ? {} : { retry_after: wait }),
      ...(meta.required_scope === undefined ? {} : { required_scope: meta.required_scope }),
      ...(meta.granted_scope === undefined ? {} : { granted_scope: meta.granted_scope }),
      ...(envelope.errors === undefined ? {} : { errors: envelope.errors }),
    },
  });
}

function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function getErrorCode(status: number, meta: Fields): FailureFacts['code'] {
  if (status === 403 && meta.required_scope !== undefined) return 'insufficient_scope';
  return CODES[status] ?? (status >= 500 ? 'service_error' : 'refused');
}

/** The exit code of a status that is an error. */
function getExitCode(status: number): ExitCode {
  if (status === 401) return EXIT.signedOut;
  if (status === 403) return EXIT.forbidden;
  if (status === 404) return EXIT.notFound;
  if (status === 429 || status >= 500) return EXIT.tryLater;
  return EXIT.refused;
}

function getHint(status: number, wait: number | undefined): string | undefined {
  if (status === 429) return formatRetryHint(wait);
  return status >= 500 ? 'The service failed. Try again later, or run with --debug for details.' : undefined;
}

function readPagination(envelope: Fields): ReplyPagination | undefined {
  const meta = isRecord(envelope.meta) ? envelope.meta : {};
  const pagination = isRecord(meta.pagination) ? meta.pagination : envelope.pagination;
  if (isRecord(pagination)) {
    return {
      page: asInteger(pagination.current_page),
      lastPage: asInteger(pagination.last_page),
      total: asInteger(pagination.total),
    };
  }
  if (asInteger(envelope.total_pages) === undefined) return undefined;
  return {
    page: asInteger(envelope.current_page),
    lastPage: asInteger(envelope.total_pages),
    total: undefined,
  };
}

function asInteger(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

/** Whether an answer holds what the table says. */

type Answer = Operation['returns'];

/** Why the answer to a read is of no use; `undefined` where it is as the table says. */
function findShapeProblem({ data, envelope }: ApiReply, answer: Answer): string | undefined {
  if (answer === 'record') return isRecord(data) ? undefined : 'a response without a record';
  if (answer === 'empty' || (data === null && isRecord(envelope) && envelope.data === null)) return undefined;
  if (!Array.isArray(data)) return 'a response without a list';
  return data.every(isRecord) ? undefined : 'a list of something other than records';
}

/**
 * A read is worth nothing without its list or record, and `nothing found` would be a lie. The answer to a write is
 * taken as it is: the write is done.
 * @throws ApiError when the answer to a read is not what the table says
 */
export function checkShape(request: HttpRequest, reply: ApiReply, status: number, answer: Answer): void {
  const problem = request.method === 'GET' ? findShapeProblem(reply, answer) : undefined;
  if (problem !== undefined) throw createUnexpectedAnswerError(request, status, problem);
}

/** The id of a workspace, which requests carry and settings keep. @throws Failure where the service gives no number */
export function workspaceIdOf(row: { readonly id?: unknown }): number {
  const id = toNumber(row.id);
  if (!Number.isNaN(id)) return id;
  throw new Failure('the service returned a workspace id that is not a number', {
    code: 'not_the_api',
    exit: EXIT.tryLater,
    hint: 'Check the base URL: ttctl doctor',
  });
}
