import { STATUS_CODES } from 'node:http';
import type { Clock } from '../clock.ts';
import { Failure } from '../errors.ts';
import { parseJsonValue, stringifyJson } from '../json.ts';
import type { Redactor } from './redact.ts';
import {
  type DecisionSubject,
  formatRequestUrl,
  type HttpRequest,
  type HttpResponse,
  REQUEST_ID,
  type RequestDecision,
  type Transport,
} from './transport.ts';

/** What is told of the requests of a run: the lines of `--debug`, and the events of `--log`. */

type Ending = { readonly response: HttpResponse } | { readonly error: unknown };

export interface Observer {
  /** Just before it goes out. @param now milliseconds since the epoch, as always here */
  request(request: HttpRequest, now: number): void;
  /** When its response is there, or will not come. */
  ending(request: HttpRequest, ending: Ending, start: number, now: number): void;
  decision(decision: RequestDecision, subject: DecisionSubject, now: number): void;
}

export function withObservers(
  next: Transport,
  observers: readonly Observer[],
  clock: Pick<Clock, 'now'>,
): Transport {
  return async (request) => {
    const start = clock.now();
    const tellEnding = (ending: Ending): void => {
      const now = clock.now();
      for (const observer of observers) observer.ending(request, ending, start, now);
    };
    for (const observer of observers) observer.request(request, start);
    try {
      const response = await next(request);
      tellEnding({ response });
      return response;
    } catch (error) {
      tellEnding({ error });
      throw error;
    }
  };
}

export interface TraceOptions {
  write(line: string): void;
  /** Makes text that came from anywhere fit for one line that people and CI runners read. */
  readonly safe: (text: string) => string;
  readonly redactor: Redactor;
}

const MAX_SHOWN = 4096;

/**
 * For `--debug`: method and address, headers, body; status and time. Secrets are masked before anything is cut; what is
 * left is made safe, so that no answer can steer a terminal or a CI runner. Each line has the number of its request.
 */
export function createTrace({ write, safe, redactor }: TraceOptions): Observer {
  const writeLines = (arrow: string, subject: DecisionSubject, texts: readonly string[]): void => {
    for (const text of texts) write(`${arrow}${formatNumber(subject)} ${safe(text)}`);
  };
  const formatHeaders = (headers: HttpRequest['headers']): string[] =>
    Object.entries(headers).map(([name, value]) => `${name}: ${redactor.header(name, value)}`);
  return {
    request(request, now) {
      const { method, headers, form, body } = request;
      const sent = form === undefined ? body : Object.fromEntries(form);
      writeLines('→', request, [
        `${formatTime(now)} ${redactor.text(`${method} ${formatRequestUrl(request)}`)}`,
        ...formatHeaders(headers),
        ...(sent === undefined ? [] : [formatBody(redactor.json(sent))]),
      ]);
    },
    ending(request, ending, start, now) {
      if ('error' in ending) {
        const text = redactor.text(`${describeError(ending.error)} after ${now - start} ms`);
        return writeLines('←', request, [`${formatTime(now)} ${text}`]);
      }
      const { status, headers, body } = ending.response;
      const value = parseJsonValue(body);
      const shown = value === undefined ? redactor.text(body) : redactor.json(value);
      writeLines('←', request, [
        `${formatTime(now)} ${status} in ${now - start} ms`,
        ...formatHeaders(headers),
        ...(body === '' ? [] : [formatBody(shown)]),
      ]);
    },
    decision({ decision, reason, ms }, subject, now) {
      const wait = ms === undefined ? '' : ` ${ms} ms`;
      write(`*${formatNumber(subject)} ${formatTime(now)} ${decision}${wait}: ${reason}`);
    },
  };
}

/** Of a request ` 3`; of its second attempt ` 3.2`. */
function formatNumber({ number }: DecisionSubject): string {
  return number === undefined ? '' : ` ${number.n}${number.attempt > 1 ? `.${number.attempt}` : ''}`;
}

/** `17:46:38.123Z` */
function formatTime(ms: number): string {
  return new Date(ms).toISOString().slice(11);
}

function formatBody(body: unknown): string {
  const text = typeof body === 'string' ? body : stringifyJson(body);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}… (${text.length} characters in all)`;
}

function describeError(error: unknown): string {
  if (!(error instanceof Failure)) return error instanceof Error ? error.message : String(error);
  return `${error.code}: ${error.message}${error.reason === undefined ? '' : ` (${error.reason})`}`;
}

/** The head of an answer as HTTP/1.1 writes it. Secrets are masked, and nothing in it can steer a terminal. */
export function formatHead(
  { status, headers }: HttpResponse,
  { redactor, safe }: Pick<TraceOptions, 'redactor' | 'safe'>,
): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${redactor.header(name, value)}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd(), ...lines, '', '']
    .map(safe)
    .join('\n');
}

export type LogMembers = Readonly<Record<string, unknown>>;

export interface LogWriter {
  write(event: string, members: LogMembers): void;
  readonly redactor: Redactor;
}

/** An error in a line. A code is one of our own words, though its name is that of a secret. */
export function describeLogError(error: unknown, redactor: Redactor): LogMembers {
  return {
    code: error instanceof Failure ? error.code : 'unexpected',
    message: redactor.text(error instanceof Error ? error.message : String(error)),
  };
}

/** For `--log`: without headers and bodies, and without secrets. */
export function createRequestLog(log: LogWriter): Observer {
  const { redactor } = log;
  const describeSubject = ({ number, about, method, path, headers }: DecisionSubject): LogMembers => ({
    n: number?.n,
    attempt: number?.attempt || undefined,
    operation: about?.operation,
    target: about?.target === undefined ? undefined : redactor.text(about.target),
    method,
    path: path === undefined ? undefined : redactor.text(path),
    request_id: headers?.[REQUEST_ID] || undefined,
  });
  return {
    request(request, now) {
      const { base, query, number } = request;
      log.write('request', {
        ...describeSubject(request),
        base: redactor.text(base),
        ...(query.length > 0 && { query: redactor.json(collectQuery(request)) }),
        waited_ms: number && now - number.since,
      });
    },
    ending(request, ending, start, now) {
      if (request.number !== undefined) request.number.since = now;
      const members =
        'error' in ending
          ? { error: describeLogError(ending.error, redactor) }
          : { status: ending.response.status };
      log.write('response', { ...describeSubject(request), ...members, ms: now - start });
    },
    decision: (decision, subject) => log.write('decision', { ...describeSubject(subject), ...decision }),
  };
}

/** A name that comes more than once has a list. */
function collectQuery({ query }: HttpRequest): LogMembers {
  const values: Record<string, unknown[]> = {};
  for (const [name, value] of query) values[name] = [...(values[name] ?? []), value];
  return Object.fromEntries(
    Object.entries(values).map(([name, all]) => [name, all.length === 1 ? all[0] : all]),
  );
}
