import type { HandlerAnswer } from './answer.ts';
import type { ServiceDialect } from './dialect.ts';
import type { SandboxResponse } from './exchange.ts';
import { Refusal } from './refusal.ts';

/** The envelope of answers and errors; the version stands in each (docs/service.md, Envelope). */
const API_VERSION = '2.0.0';

const formatTimestamp = (now: number, dialect: ServiceDialect): string => {
  const iso = new Date(now).toISOString();
  return dialect.timestamp === 'plain' ? `${iso.slice(0, 19)}Z` : `${iso.slice(0, -1)}000Z`;
};

const createResponse = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): SandboxResponse => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private', ...headers },
  body: JSON.stringify(body),
});

const getStatus = (answer: HandlerAnswer, dialect: ServiceDialect): number => {
  if (answer.created === undefined) return 200;
  return dialect.created === 'documented' ? answer.created : Number(dialect.created);
};

export const toAnswerResponse = (
  answer: HandlerAnswer,
  now: number,
  dialect: ServiceDialect,
  headers: Readonly<Record<string, string>>,
): SandboxResponse => {
  if (answer.bare !== undefined) return createResponse(200, answer.bare, headers);
  const pagination = answer.pagination === undefined ? {} : { pagination: answer.pagination };
  const meta = { api_version: API_VERSION, timestamp: formatTimestamp(now, dialect) };
  const data = answer.data === null && dialect.empty === 'object' ? {} : answer.data;
  const body = {
    success: true,
    ...(answer.message === undefined ? {} : { message: answer.message }),
    ...(answer.data === undefined ? {} : { data }),
    ...(dialect.pagination === 'top' ? pagination : {}),
    meta: { ...meta, ...(dialect.pagination === 'meta' ? pagination : {}) },
  };
  return createResponse(getStatus(answer, dialect), body, headers);
};

export const toRefusalResponse = (
  refusal: Refusal,
  now: number,
  dialect: ServiceDialect,
  headers: Readonly<Record<string, string>>,
): SandboxResponse => {
  const status = refusal.status === 400 ? Number(dialect.invalid) : refusal.status;
  const { field, meta = {}, detail = null } = refusal.facts;
  const body = {
    success: false,
    message: refusal.message,
    error: detail,
    ...(status === 422 && field !== undefined ? { errors: { [field]: [refusal.message] } } : {}),
    meta: { api_version: API_VERSION, timestamp: formatTimestamp(now, dialect), ...meta },
  };
  return createResponse(status, body, { ...headers, ...refusal.facts.headers });
};

/** What a handler throws that is no refusal is a fault of the sandbox: 500, as a service would. */
export const toFaultRefusal = (fault: unknown): Refusal =>
  fault instanceof Refusal
    ? fault
    : new Refusal(500, `Server error in the sandbox: ${fault instanceof Error ? fault.message : 'unknown'}`);
