import { Failure } from '../outcome.ts';
import type { Redactor } from './redact.ts';
import {
  type HttpQuery,
  type HttpRequest,
  isWrite,
  type PlannedRequest,
  type Transport,
} from './transport.ts';

/**
 * Lets reads pass and keeps writes back: a write is answered with status 200 and what would have gone out, its secrets
 * masked. So `--dry-run` holds for every command, known or not.
 */
export const withDryRun =
  (next: Transport, redactor: Pick<Redactor, 'json'>): Transport =>
  (request) =>
    isWrite(request.method)
      ? Promise.resolve({ status: 200, headers: {}, body: '', planned: planOf(request, redactor) })
      : next(request);

/**
 * Tells, once, what would refuse the first of the writes that a dry run keeps back: it is planned all the same, since
 * who may only read may look at a plan.
 * @param guard fails where the write would be refused before it is sent
 */
export const withDryRunWarning = (
  next: Transport,
  guard: Transport,
  warn: (text: string) => void,
): Transport => {
  let looked = false;
  return async (request) => {
    if (!looked && isWrite(request.method)) {
      looked = true;
      const failure = await guard(request).then(() => undefined, asFailure);
      if (failure !== undefined)
        warn(`the real run would be refused: ${failure.message} (exit ${failure.exit})`);
    }
    return next(request);
  };
};

const asFailure = (error: unknown): Failure => {
  if (error instanceof Failure) return error;
  throw error;
};

const planOf = (request: HttpRequest, redactor: Pick<Redactor, 'json'>): PlannedRequest => ({
  method: request.method,
  path: request.path,
  query: redactor.json(joined(request.query)) as Readonly<Record<string, string>>,
  body: redactor.json(request.form === undefined ? request.body : joined(request.form)),
});

// A name that comes more than once keeps all its values.
const joined = (pairs: HttpQuery): Readonly<Record<string, string>> => {
  const record = new Map<string, string>();
  for (const [name, value] of pairs) {
    const before = record.get(name);
    record.set(name, before === undefined ? value : `${before},${value}`);
  }
  return Object.fromEntries(record);
};
