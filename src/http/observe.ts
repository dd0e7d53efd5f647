import type { Clock } from '../clock.ts';
import { Failure, getMessage } from '../errors.ts';
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
  toQueryRecord,
} from './transport.ts';

type Ending = { readonly response: HttpResponse } | { readonly error: unknown };

/** Tells of the requests of a run: by the lines of `--debug`, by the events of `--log`. Times are milliseconds since the epoch. */
export interface Observer {
  request(request: HttpRequest, now: number): void;
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
    for (const observer of observers) observer.request(request, start);
    const ending: Ending = await next(request).then(
      (response) => ({ response }),
      (error: unknown) => ({ error }),
    );
    const now = clock.now();
    for (const observer of observers) observer.ending(request, ending, start, now);
    if ('error' in ending) throw ending.error;
    return ending.response;
  };
}

const MAX_SHOWN = 4096;

/**
 * For `--debug`: method and address, headers, body; status and time. Secrets are masked before anything is cut; what is
 * left is no line yet: an answer may hold what steers a terminal or a CI runner. Each has the number of its request.
 */
export function createTrace(write: (text: string) => void, redactor: Redactor): Observer {
  const writeLines = (
    arrow: string,
    { number }: DecisionSubject,
    now: number,
    [head = '', ...more]: readonly string[],
  ): void => {
    // Of a request ` 3`; of its second attempt ` 3.2`.
    const name = number && ` ${number.n}${number.attempt > 1 ? `.${number.attempt}` : ''}`;
    const time = new Date(now).toISOString().slice(11);
    for (const text of [`${time} ${head}`, ...more]) write(`${arrow}${name ?? ''} ${text}`);
  };
  const listParts = (headers: HttpRequest['headers'], body: unknown): string[] => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${redactor.header(name, value)}`);
    const text = typeof body === 'string' ? body : body === undefined ? '' : stringifyJson(body);
    const cut = `${text.slice(0, MAX_SHOWN)}… (${text.length} characters in all)`;
    return text === '' ? lines : [...lines, text.length > MAX_SHOWN ? cut : text];
  };
  return {
    request(request, now) {
      const { method, headers, form, body } = request;
      const sent = form === undefined ? body : Object.fromEntries(form);
      const head = redactor.text(`${method} ${formatRequestUrl(request)}`);
      writeLines('→', request, now, [head, ...listParts(headers, redactor.json(sent))]);
    },
    ending(request, ending, start, now) {
      if ('error' in ending) {
        const { code = 'unexpected', message, reason } = ending.error as Partial<Failure>;
        const text = `${code}: ${message}${reason === undefined ? '' : ` (${reason})`}`;
        return writeLines('←', request, now, [redactor.text(`${text} after ${now - start} ms`)]);
      }
      const { status, headers, body } = ending.response;
      const value = parseJsonValue(body);
      const shown = value === undefined ? redactor.text(body) : redactor.json(value);
      writeLines('←', request, now, [`${status} in ${now - start} ms`, ...listParts(headers, shown)]);
    },
    decision({ decision, reason, ms }, subject, now) {
      writeLines('*', subject, now, [`${decision}${ms === undefined ? '' : ` ${ms} ms`}: ${reason}`]);
    },
  };
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
    message: redactor.text(getMessage(error)),
  };
}

/** For `--log`: without headers and bodies, and without secrets. */
export function createRequestLog(log: LogWriter): Observer {
  const { redactor } = log;
  const describeSubject = ({ number, about, method, path, headers }: DecisionSubject): LogMembers => ({
    n: number?.n,
    attempt: number?.attempt || undefined,
    operation: about?.operation,
    target: redactor.json(about?.target),
    method,
    path: redactor.json(path),
    request_id: headers?.[REQUEST_ID] || undefined,
  });
  return {
    request(request, now) {
      const { base, query, number } = request;
      log.write('request', {
        ...describeSubject(request),
        base: redactor.text(base),
        ...(query.length > 0 && { query: redactor.json(toQueryRecord(query)) }),
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
