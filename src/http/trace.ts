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
const SHOWN = 4096;

/**
 * Tells every request and its answer for `--debug`: method and address, headers, body; status and time. Secrets are
 * masked before anything is cut; what is left is made safe, so that no answer can steer a terminal or a CI runner.
 */
export const withTracing = (next: Transport, options: TraceOptions): Transport => {
  const { clock, redactor } = options;
  const tell = (arrow: string, text: string): void => options.write(`${arrow} ${options.safe(text)}`);
  return async (request) => {
    tellRequest(request, redactor, (text) => tell('→', text));
    const start = clock.now();
    try {
      const answer = await next(request);
      tellAnswer(answer, clock.now() - start, redactor, (text) => tell('←', text));
      return answer;
    } catch (error) {
      tell('←', redactor.text(`${describe(error)} after ${clock.now() - start} ms`));
      throw error;
    }
  };
};

type Tell = (text: string) => void;

const tellRequest = (request: HttpRequest, redactor: Redactor, tell: Tell): void => {
  tell(redactor.text(`${request.method} ${formatRequestUrl(request)}`));
  tellHeaders(request.headers, redactor, tell);
  if (request.form !== undefined) tellBody(redactor.json(Object.fromEntries(request.form)), tell);
  else if (request.body !== undefined) tellBody(redactor.json(request.body), tell);
};

const tellAnswer = (answer: HttpResponse, ms: number, redactor: Redactor, tell: Tell): void => {
  tell(`${answer.status} in ${ms} ms`);
  tellHeaders(answer.headers, redactor, tell);
  if (answer.body === '') return;
  const value = parseJsonValue(answer.body);
  tellBody(value === undefined ? redactor.text(answer.body) : redactor.json(value), tell);
};

const tellHeaders = (headers: Readonly<Record<string, string>>, redactor: Redactor, tell: Tell): void => {
  for (const [name, value] of Object.entries(headers)) tell(`${name}: ${redactor.header(name, value)}`);
};

const tellBody = (body: unknown, tell: Tell): void => {
  const text = typeof body === 'string' ? body : stringifyJson(body);
  tell(text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}… (${text.length} characters in all)`);
};

const describe = (error: unknown): string => {
  if (error instanceof Failure) {
    return `${error.code}: ${error.message}${error.reason === undefined ? '' : ` (${error.reason})`}`;
  }
  return error instanceof Error ? error.message : String(error);
};
