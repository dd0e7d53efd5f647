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

export interface ApiReply<T = unknown> {
  readonly data: T | null;
  /** HTTP status; undefined where nothing was sent. */
  readonly status?: number;
  readonly message?: string | undefined;
  /** Where a list stands, as far as the service tells (docs/service.md, Paging). */
  readonly pagination?: Readonly<Record<'page' | 'lastPage' | 'total', number | undefined>> | undefined;
  readonly envelope: unknown;
  /** Of an answer that is not JSON, where such a one is taken: all else is empty then. */
  readonly bytes?: Uint8Array;
  readonly planned?: PlannedRequest;
  /** Integers that JavaScript cannot keep, rounded, by the name of their field. */
  readonly rounded?: ReadonlyMap<number, string> | undefined;
}

/** What a status means; any other of 500 and more is `service_error`, the rest `refused`. */
const CODES: Readonly<Record<number, readonly [code: FailureFacts['code'], exit: ExitCode]>> = {
  401: ['unauthenticated', EXIT.signedOut],
  403: ['forbidden', EXIT.forbidden],
  404: ['not_found', EXIT.notFound],
  409: ['conflict', EXIT.refused],
  422: ['invalid', EXIT.refused],
  429: ['rate_limited', EXIT.tryLater],
};

/** How `success` says no, however it is written. */
const REFUSALS: ReadonlySet<unknown> = new Set([false, 'false', 0, '0']);

/**
 * A response to its data. Pure. Lenient in what it takes: every 2xx is success, pagination may stand inside or
 * beside `meta`, and the webhook list has an envelope of its own (docs/service.md, Envelope). A write is accepted by
 * any JSON that does not say no, and by an empty body; an HTML page is no yes. A read is worth nothing without its list
 * or record, and `nothing found` would be a lie.
 * @param expects what the table says; `any`: JSON without the envelope is taken too (calls beyond the table)
 * @throws ApiError when the service refused, or when the answer is not the API's
 */
export function readReply<T>(
  request: HttpRequest,
  response: HttpResponse,
  expects: Operation['returns'] | 'any',
): ApiReply<T> {
  const { status, body, planned } = response;
  const nothing = { data: null, envelope: null };
  if (planned !== undefined) return { ...nothing, planned };
  const success = status >= 200 && status < 300;
  const isAccepted = success && isWrite(request.method);
  if (status === 204 || (isAccepted && body.trim() === '')) return { ...nothing, status };
  const parsed = parseJson(body);
  const envelope = 'value' in parsed ? parsed.value : undefined;
  const { rounded } = parsed;
  const isTaken = expects === 'any' || isAccepted;
  if (success && isTaken && envelope !== undefined && !isRecord(envelope))
    return { ...nothing, data: expects === 'any' ? (envelope as T) : null, status, envelope, rounded };
  const isRedirect = status >= 300 && status < 400;
  if (!isRecord(envelope) || isRedirect || !(isTaken || ENVELOPE.some((name) => name in envelope)))
    throw createUnexpectedAnswerError(request, status, describeResponse(response, parsed));
  if (!success || REFUSALS.has(envelope.success)) throw createRefusalError(request, response, envelope);
  const data = envelope.data ?? null;
  const problem = findShapeProblem(request, data, envelope, expects);
  if (problem !== undefined) throw createUnexpectedAnswerError(request, status, problem);
  return {
    data: data as T | null,
    status,
    message: asString(envelope.message),
    pagination: readPagination(envelope),
    envelope,
    rounded,
  };
}

const ENVELOPE = ['success', 'data', 'message'];

/** Why the answer to a read is of no use; undefined where it is as the table says. */
function findShapeProblem(
  { method }: HttpRequest,
  data: unknown,
  envelope: Readonly<Record<string, unknown>>,
  expects: Operation['returns'] | 'any',
): string | undefined {
  if (method !== 'GET') return undefined;
  if (expects === 'record' && !isRecord(data)) return 'a response without a record';
  if (expects !== 'list' || envelope.data === null) return undefined;
  return Array.isArray(data) && data.every(isRecord) ? undefined : 'a response without a list of records';
}

/** An answer that did not come from the API, or is of no use. @param got words: `an empty response` */
function createUnexpectedAnswerError(request: HttpRequest, status: number, got: string): ApiError {
  const route = `${request.method} ${request.path}`;
  return new ApiError(`${route} got ${got}`, status, {
    code: 'not_the_api',
    exit: status === 401 ? EXIT.signedOut : EXIT.tryLater,
    reason: `The status was ${status}, from ${request.base}.`,
    hint: 'The base URL may be wrong, or a proxy answered instead of the service: see `ttctl profile show`.',
    details: { status, request: route },
  });
}

function describeResponse({ status, headers, body }: HttpResponse, parsed: JsonResult): string {
  if (status >= 300 && status < 400) return `a redirect to ${headers.location ?? 'elsewhere'}`;
  if (body.trim() === '') return 'an empty response';
  const type = headers['content-type']?.split(';')[0] ?? 'no content type';
  const what = 'problem' in parsed && /json/i.test(type) ? `, ${parsed.problem.what}` : '';
  return `a response that is not from the API (${type}${what})`;
}

function createRefusalError(
  { method, path }: HttpRequest,
  { status, headers }: HttpResponse,
  envelope: Readonly<Record<string, unknown>>,
): ApiError {
  const { required_scope, granted_scope } = isRecord(envelope.meta) ? envelope.meta : {};
  const waitMs = readRetryAfter(headers);
  const retry_after = waitMs === undefined ? undefined : Math.ceil(waitMs / 1000);
  const [message = '', ...more] = (asString(envelope.message) ?? '').trim().split(/\s*[\r\n\u2028\u2029]\s*/);
  const reason = [...more, asString(envelope.error)].filter(Boolean).join('\n') || undefined;
  const isFault = status >= 500;
  const [code, exit] =
    CODES[status] ?? (isFault ? ['service_error', EXIT.tryLater] : ['refused', EXIT.refused]);
  const hint = isFault ? 'The service failed. Try again later, or run with --debug for details.' : undefined;
  const details = { required_scope, granted_scope, errors: envelope.errors };
  return new ApiError(message || `the service answered ${status}`, status, {
    code: status === 403 && required_scope !== undefined ? 'insufficient_scope' : code,
    exit,
    reason,
    hint: status === 429 ? formatRetryHint(retry_after) : hint,
    details: {
      status,
      request: `${method} ${path}`,
      ...(retry_after !== undefined && { retry_after }),
      ...Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined)),
    },
  });
}

function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readPagination(envelope: Readonly<Record<string, unknown>>): ApiReply['pagination'] {
  const meta = isRecord(envelope.meta) ? envelope.meta : {};
  const told = [meta.pagination, envelope.pagination].find(isRecord);
  const { current_page, last_page, total: count } = told ?? { ...envelope, last_page: envelope.total_pages };
  const [page, lastPage, total] = [current_page, last_page, count].map((value) =>
    Number.isSafeInteger(value) ? (value as number) : undefined,
  );
  return told !== undefined || lastPage !== undefined ? { page, lastPage, total } : undefined;
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
