import type { SandboxResponse } from './exchange.ts';
import type { FaultBody } from './fault.ts';

/** Answers with a body that no client can use. */

const HTML_PAGE =
  '<!DOCTYPE html>\n<html><head><title>Gateway</title></head><body><h1>Bad gateway</h1></body></html>\n';

/** Deeper by far than any record, and than a careless reader's stack. */
const NESTING_DEPTH = 20_000;

const replaceBody = (answer: SandboxResponse, type: string, body: string): SandboxResponse => ({
  ...answer,
  headers: { ...answer.headers, 'content-type': type },
  body,
});

const changeJson = (
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
  return replaceBody(answer, 'application/json', JSON.stringify(change(fields)));
};

/** Of a success the same status; where there is no answer yet, 200. */
const getStatus = ({ status }: SandboxResponse): number => (status === 0 ? 200 : status);

const MALFORMERS: Readonly<Record<FaultBody, (answer: SandboxResponse) => SandboxResponse>> = {
  // The half that arrives is the way's business (exchange.ts, Wire).
  truncated: (answer) => answer,
  broken: (answer) =>
    replaceBody(answer, 'application/json', answer.body.slice(0, Math.ceil(answer.body.length / 2))),
  html: (answer) => replaceBody(answer, 'text/html; charset=utf-8', HTML_PAGE),
  empty: (answer) => ({ ...answer, body: '' }),
  'wrong-type': (answer) => changeJson(answer, (fields) => ({ ...fields, data: 'a text' })),
  failure: (answer) =>
    changeJson(answer, ({ meta = {} }) => ({
      success: false,
      message: 'The request failed.',
      error: 'A fault of the sandbox.',
      meta,
    })),
  deep: (answer) =>
    replaceBody(answer, 'application/json', '['.repeat(NESTING_DEPTH) + ']'.repeat(NESTING_DEPTH)),
};

export const malformAnswer = (body: FaultBody, answer: SandboxResponse): SandboxResponse =>
  MALFORMERS[body]({ ...answer, status: getStatus(answer) });
