import type { Clock } from '../clock.ts';
import { Failure } from '../outcome.ts';
import { type DecisionSubject, REQUEST_ID } from './events.ts';
import type { Redactor } from './redact.ts';
import type { HttpRequest, RequestDecision, Transport } from './transport.ts';

/** The lines of `--log` about requests: without headers and bodies, and without secrets. */

export type LogMembers = Readonly<Record<string, unknown>>;

export interface LogWriter {
  /** Adds the time and the run, and writes one line. Never fails. */
  write(event: string, members: LogMembers): void;
  readonly redactor: Redactor;
  readonly clock: Pick<Clock, 'now'>;
}

/** What every line about a request has. */
const describeSubject = (
  { number, about, method, path, headers }: DecisionSubject,
  { redactor }: LogWriter,
): LogMembers => {
  const { target } = about ?? {};
  const attempt = number === undefined || number.attempt === 0 ? undefined : number.attempt;
  return {
    n: number?.n,
    attempt,
    operation: about?.operation,
    target: target === undefined ? undefined : redactor.text(target),
    method,
    path: path === undefined ? undefined : redactor.text(path),
    request_id: headers?.[REQUEST_ID] || undefined,
  };
};

/** A name that comes more than once has a list. */
const collectQuery = ({ query }: HttpRequest): LogMembers => {
  const values: Record<string, unknown[]> = {};
  for (const [name, value] of query) values[name] = [...(values[name] ?? []), value];
  return Object.fromEntries(
    Object.entries(values).map(([name, all]) => [name, all.length === 1 ? all[0] : all]),
  );
};

/** An error in a line. A code is one of our own words, though its name is that of a secret. */
export const describeLogError = (error: unknown, redactor: Redactor): LogMembers => ({
  code: error instanceof Failure ? error.code : 'unexpected',
  message: redactor.text(error instanceof Error ? error.message : String(error)),
});

/** Writes a line just before each request goes out, and one when its response is there or will not come. */
export const withRequestLog =
  (next: Transport, log: LogWriter): Transport =>
  async (request) => {
    const { clock, redactor } = log;
    const { number, base, query } = request;
    const subject = describeSubject(request, log);
    const start = clock.now();
    const sending = {
      base: redactor.text(base),
      ...(query.length > 0 && { query: redactor.json(collectQuery(request)) }),
      waited_ms: number && start - number.since,
    };
    log.write('request', { ...subject, ...sending });
    const end = (members: LogMembers): void => {
      const now = clock.now();
      if (number !== undefined) number.since = now;
      log.write('response', { ...subject, ...members, ms: now - start });
    };
    try {
      const response = await next(request);
      end({ status: response.status });
      return response;
    } catch (error) {
      end({ error: describeLogError(error, redactor) });
      throw error;
    }
  };

export const logDecision = (decision: RequestDecision, subject: DecisionSubject, log: LogWriter): void =>
  log.write('decision', { ...describeSubject(subject, log), ...decision });
