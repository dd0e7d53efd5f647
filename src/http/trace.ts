import type { Clock } from '../clock.ts';
import { parseJsonValue } from '../json/parse.ts';
import { stringifyJson } from '../json/stringify.ts';
import { Failure } from '../outcome.ts';
import type { DecisionSubject } from './events.ts';
import type { Redactor } from './redact.ts';
import type { HttpRequest, HttpResponse, RequestDecision, Transport } from './transport.ts';
import { formatRequestUrl } from './wire.ts';

export interface TraceOptions {
  /** Takes one line without its newline. */
  write(line: string): void;
  /** Makes text that came from anywhere fit for one line that people and CI runners read. */
  readonly safe: (text: string) => string;
  readonly redactor: Redactor;
  readonly clock: Pick<Clock, 'now'>;
}

/** How much of a body is shown, in characters. */
const MAX_SHOWN = 4096;

/**
 * Writes every request and its response for `--debug`: method and address, headers, body; status and time. Secrets are
 * masked before anything is cut; what is left is made safe, so that no answer can steer a terminal or a CI runner.
 * Each line has the number of its request, so that several in flight can be told apart.
 */
export const withTracing = (next: Transport, options: TraceOptions): Transport => {
  const { clock, redactor } = options;
  return async (request) => {
    const writeLine = (arrow: string, text: string): void =>
      options.write(`${arrow}${formatNumber(request)} ${options.safe(text)}`);
    const start = clock.now();
    writeRequest(request, formatTime(start), redactor, (text) => writeLine('→', text));
    try {
      const response = await next(request);
      const end = clock.now();
      const head = `${formatTime(end)} ${response.status} in ${end - start} ms`;
      writeResponse(response, head, redactor, (text) => writeLine('←', text));
      return response;
    } catch (error) {
      const end = clock.now();
      const text = redactor.text(`${describeError(error)} after ${end - start} ms`);
      writeLine('←', `${formatTime(end)} ${text}`);
      throw error;
    }
  };
};

/** Writes a decision for `--debug`. */
export const traceDecision = (
  { decision, reason, ms }: RequestDecision,
  subject: DecisionSubject,
  { write, clock }: Pick<TraceOptions, 'write' | 'clock'>,
): void => {
  const wait = ms === undefined ? '' : ` ${ms} ms`;
  write(`*${formatNumber(subject)} ${formatTime(clock.now())} ${decision}${wait}: ${reason}`);
};

/** Of a request ` 3`; of its second attempt ` 3.2`. */
const formatNumber = ({ number }: DecisionSubject): string =>
  number === undefined ? '' : ` ${number.n}${number.attempt > 1 ? `.${number.attempt}` : ''}`;

/** `17:46:38.123Z` */
const formatTime = (ms: number): string => new Date(ms).toISOString().slice(11);

type WriteLine = (text: string) => void;

const writeRequest = (request: HttpRequest, time: string, redactor: Redactor, write: WriteLine): void => {
  write(`${time} ${redactor.text(`${request.method} ${formatRequestUrl(request)}`)}`);
  writeHeaders(request.headers, redactor, write);
  if (request.form !== undefined) writeBody(redactor.json(Object.fromEntries(request.form)), write);
  else if (request.body !== undefined) writeBody(redactor.json(request.body), write);
};

const writeResponse = (response: HttpResponse, head: string, redactor: Redactor, write: WriteLine): void => {
  write(head);
  writeHeaders(response.headers, redactor, write);
  if (response.body === '') return;
  const value = parseJsonValue(response.body);
  writeBody(value === undefined ? redactor.text(response.body) : redactor.json(value), write);
};

const writeHeaders = (
  headers: Readonly<Record<string, string>>,
  redactor: Redactor,
  write: WriteLine,
): void => {
  for (const [name, value] of Object.entries(headers)) write(`${name}: ${redactor.header(name, value)}`);
};

const writeBody = (body: unknown, write: WriteLine): void => {
  const text = typeof body === 'string' ? body : stringifyJson(body);
  write(text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}… (${text.length} characters in all)`);
};

const describeError = (error: unknown): string => {
  if (error instanceof Failure) {
    return `${error.code}: ${error.message}${error.reason === undefined ? '' : ` (${error.reason})`}`;
  }
  return error instanceof Error ? error.message : String(error);
};
