import type { Clock } from '../clock.ts';
import { Failure, UsageError } from '../errors.ts';
import { commandLine } from '../parsing/shell-word.ts';
import type { Redactor } from './redact.ts';
import {
  type Decide,
  type HttpQuery,
  type HttpRequest,
  isWrite,
  type PlannedRequest,
  REQUEST_ID,
  type Transport,
} from './transport.ts';

/**
 * Sends the bearer token. After a 401 a token that has changed is tried once, with any method: 401 means that the
 * request was not carried out. Else the 401 is given back.
 */
export const withAuthorization =
  (
    next: Transport,
    credential: { token(): Promise<string>; renew(refused: string): Promise<string | undefined> },
    decide: Decide = () => {},
  ): Transport =>
  async (request) => {
    const token = await credential.token();
    const response = await next(withToken(request, token));
    if (response.status !== 401) return response;
    const renewed = await credential.renew(token);
    if (renewed === undefined || renewed === token) return response;
    decide({ decision: 'retry', reason: 'token_renewed' }, request);
    return next(withToken(request, renewed));
  };

export const formatBearer = (token: string): string => `Bearer ${token}`;

const withToken = (request: HttpRequest, token: string): HttpRequest => ({
  ...request,
  headers: { ...request.headers, authorization: formatBearer(token) },
});

/** Numbers the requests of one run, from 1. */
export class RequestNumbers {
  count = 0;
  readonly #getRun: () => string;
  readonly #clock: Pick<Clock, 'now'>;

  /** @param getRun id of the run, called at the first request */
  constructor(getRun: () => string, clock: Pick<Clock, 'now'>) {
    this.#getRun = getRun;
    this.#clock = clock;
  }

  /** An id for a request that another process sends. */
  nextId(): string {
    this.count += 1;
    return `${this.#getRun()}-${this.count}`;
  }

  /** Each request gets its number as it is asked for, and its `X-Request-Id` unless it has one. */
  link(next: Transport): Transport {
    return (request) => {
      const headers = { [REQUEST_ID]: this.nextId(), ...request.headers };
      return next({ ...request, headers, number: { n: this.count, attempt: 0, since: this.#clock.now() } });
    };
  }
}

/**
 * Waits for what a request wants done just before it goes out (a journal's line on the disk). The last link before
 * the wire: whatever else a request waits for, it has waited for.
 */
export const withBeforeSend =
  (next: Transport): Transport =>
  async (request) => {
    await request.beforeSend?.();
    if (request.number !== undefined) request.number.attempt += 1;
    return next(request);
  };

/**
 * Shows which request is waited for: a response may take long.
 * @param options `timeoutMs`: after so long the request is given up
 */
export const withProgress =
  (
    next: Transport,
    options: {
      readonly show: <T>(label: () => string, work: () => Promise<T>) => Promise<T>;
      readonly timeoutMs: number;
      readonly redactor: Redactor;
      readonly clock: Pick<Clock, 'now'>;
    },
  ): Transport =>
  (request) => {
    const { show, timeoutMs, redactor, clock } = options;
    const since = clock.now();
    const formatLabel = (): string => {
      const seconds = Math.floor((clock.now() - since) / 1000);
      const requestLine = redactor.text(`${request.method} ${request.path}`);
      return `waiting for the service, ${seconds} s (at most ${timeoutMs / 1000} s): ${requestLine}`;
    };
    return show(formatLabel, () => next(request));
  };

/** @throws UsageError for a write to a profile that is set `read-only` */
export const refuseWrite = (profile: string): never => {
  throw new UsageError(`profile ${profile} is read-only`, {
    code: 'read_only_profile',
    hint: `Allow writes with: ${commandLine`ttctl profile set --profile ${profile} --no-read-only`}`,
  });
};

/** Lets reads pass and refuses writes: for a profile that is set `read-only`. */
export const withReadOnly =
  (next: Transport, profile: string): Transport =>
  async (request) =>
    isWrite(request.method) ? refuseWrite(profile) : next(request);

/** Lets reads pass; a write waits for `confirm`, which rejects to refuse it. For a profile that is set `protected`. */
export const withWriteConfirmation =
  (next: Transport, confirm: () => Promise<void>): Transport =>
  async (request) => {
    if (isWrite(request.method)) await confirm();
    return next(request);
  };

/**
 * Lets reads pass and keeps writes back: a write is answered with status 200 and what would have gone out, its secrets
 * masked. So `--dry-run` holds for every command, known or not.
 */
export const withDryRun =
  (next: Transport, redactor: Pick<Redactor, 'json'>): Transport =>
  (request) =>
    isWrite(request.method)
      ? Promise.resolve({ status: 200, headers: {}, body: '', planned: toPlannedRequest(request, redactor) })
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
  let isChecked = false;
  return async (request) => {
    if (!isChecked && isWrite(request.method)) {
      isChecked = true;
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

const toPlannedRequest = (request: HttpRequest, redactor: Pick<Redactor, 'json'>): PlannedRequest => ({
  method: request.method,
  path: request.path,
  query: redactor.json(joinPairs(request.query)) as Readonly<Record<string, string>>,
  body: redactor.json(request.form === undefined ? request.body : joinPairs(request.form)),
});

// A name that comes more than once keeps all its values.
const joinPairs = (pairs: HttpQuery): Readonly<Record<string, string>> => {
  const record = new Map<string, string>();
  for (const [name, value] of pairs) {
    const before = record.get(name);
    record.set(name, before === undefined ? value : `${before},${value}`);
  }
  return Object.fromEntries(record);
};
