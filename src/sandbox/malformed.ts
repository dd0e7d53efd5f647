import type { SandboxResponse } from './exchange.ts';
import type { FaultBody } from './fault.ts';

/** Answers with a body that no client can use. */

const PAGE =
  '<!DOCTYPE html>\n<html><head><title>Gateway</title></head><body><h1>Bad gateway</h1></body></html>\n';

/** Deeper by far than any record, and than a careless reader's stack. */
const LEVELS = 20_000;

const as = (answer: SandboxResponse, type: string, body: string): SandboxResponse => ({
  ...answer,
  headers: { ...answer.headers, 'content-type': type },
  body,
});

const json = (
  answer: SandboxResponse,
  change: (fields: Record<string, unknown>) => unknown,
): SandboxResponse => {
  let value: unknown;
  try {
    value = JSON.parse(answer.body);
  } catch {
    value = {};
  }
  const fields = typeof value === 'object' && value !== null ? { ...value } : {};
  return as(answer, 'application/json', JSON.stringify(change(fields)));
};

/** Of a success the same status; where there is no answer yet, 200. */
const statusOf = ({ status }: SandboxResponse): number => (status === 0 ? 200 : status);

const WAYS: Readonly<Record<FaultBody, (answer: SandboxResponse) => SandboxResponse>> = {
  // The half that arrives is the way's business (exchange.ts, Wire).
  truncated: (answer) => answer,
  broken: (answer) => as(answer, 'application/json', answer.body.slice(0, Math.ceil(answer.body.length / 2))),
  html: (answer) => as(answer, 'text/html; charset=utf-8', PAGE),
  empty: (answer) => ({ ...answer, body: '' }),
  'wrong-type': (answer) => json(answer, (fields) => ({ ...fields, data: 'a text' })),
  failure: (answer) =>
    json(answer, ({ meta = {} }) => ({
      success: false,
      message: 'The request failed.',
      error: 'A fault of the sandbox.',
      meta,
    })),
  deep: (answer) => as(answer, 'application/json', '['.repeat(LEVELS) + ']'.repeat(LEVELS)),
};

export const malformAnswer = (body: FaultBody, answer: SandboxResponse): SandboxResponse =>
  WAYS[body]({ ...answer, status: statusOf(answer) });
