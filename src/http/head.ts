import { STATUS_CODES } from 'node:http';
import type { TraceOptions } from './trace.ts';
import type { HttpResponse } from './transport.ts';

/** The head of an answer as HTTP/1.1 writes it. Secrets are masked, and nothing in it can steer a terminal. */
export const formatHead = (
  { status, headers }: HttpResponse,
  { redactor, safe }: Pick<TraceOptions, 'redactor' | 'safe'>,
): string => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${redactor.header(name, value)}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd(), ...lines, '', '']
    .map(safe)
    .join('\n');
};
