import type { Clock } from '../clock.ts';
import { parseJsonValue } from '../json/parse.ts';
import { stringifyJson } from '../json/stringify.ts';
import { Failure } from '../outcome.ts';
import type { Redactor } from './redact.ts';
import type { HttpRequest, HttpResponse, Transport } from './transport.ts';
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
 */
export const withTracing = (next: Transport, options: TraceOptions): Transport => {
  const { clock, redactor } = options;
  const writeLine = (arrow: string, text: string): void => options.write(`${arrow} ${options.safe(text)}`);
  return async (request) => {
    writeRequest(request, redactor, (text) => writeLine('→', text));
    const start = clock.now();
    try {
      const response = await next(request);
      writeResponse(response, clock.now() - start, redactor, (text) => writeLine('←', text));
      return response;
    } catch (error) {
      writeLine('←', redactor.text(`${describeError(error)} after ${clock.now() - start} ms`));
      throw error;
    }
  };
};

type WriteLine = (text: string) => void;

const writeRequest = (request: HttpRequest, redactor: Redactor, write: WriteLine): void => {
  write(redactor.text(`${request.method} ${formatRequestUrl(request)}`));
  writeHeaders(request.headers, redactor, write);
  if (request.form !== undefined) writeBody(redactor.json(Object.fromEntries(request.form)), write);
  else if (request.body !== undefined) writeBody(redactor.json(request.body), write);
};

const writeResponse = (response: HttpResponse, ms: number, redactor: Redactor, write: WriteLine): void => {
  write(`${response.status} in ${ms} ms`);
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
