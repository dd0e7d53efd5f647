import type { ErrorCode } from './error-codes.ts';

/** Exit codes. `help exit-codes` and the README print this table. */
export const EXIT = {
  done: 0,
  fault: 1,
  usage: 2,
  signedOut: 3,
  forbidden: 4,
  notFound: 5,
  refused: 6,
  tryLater: 7,
  partial: 8,
  cancelled: 9,
  found: 10,
  cannotRun: 126,
  noCommand: 127,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANING: Readonly<Record<ExitCode, string>> = {
  0: 'success, including an empty list and a valid dry run',
  1: 'internal error, or a problem on this machine (disk full, no permission)',
  2: 'usage error: flags, values, missing input, broken input or settings file; no request was sent, except to look up names',
  3: 'not signed in: no credential, 401, or the refresh was refused',
  4: 'not allowed: 403 (scope, role, workspace)',
  5: 'not found: 404',
  6: 'refused by the service: 400, 409, 422, other 4xx, or success false with 2xx',
  7: 'try again later: 429 after waiting, 5xx, network, timeout, or a response that is not from the API',
  8: 'some of several targets failed or are unknown',
  9: 'cancelled, or not confirmed',
  10: 'a check failed, or --dry-run --exit-code found changes',
  126: 'the command of sandbox exec cannot be run',
  127: 'the command of sandbox exec was not found',
  129: 'hung up: the terminal was closed or its connection lost',
  130: 'interrupted (Ctrl-C)',
  143: 'terminated',
};

export interface FailureFacts {
  readonly code: ErrorCode;
  readonly exit: ExitCode;
  /** What to do about it, in one or more short sentences. */
  readonly hint?: string;
  /** Why, where `message` says only what. */
  readonly reason?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** An end that was foreseen. Everything else that is thrown is a fault of ttctl (exit 1). */
export class Failure extends Error {
  readonly code: ErrorCode;
  readonly exit: ExitCode;
  hint: string | undefined;
  reason: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, facts: FailureFacts) {
    super(message, { cause: facts.cause });
    this.name = new.target.name;
    this.code = facts.code;
    this.exit = facts.exit;
    this.hint = facts.hint;
    this.reason = facts.reason;
    this.details = facts.details ?? {};
  }

  /** What happened and why, with a mark between. */
  tell(mark = ': '): string {
    return [this.message, this.reason].filter(Boolean).join(mark);
  }
}

/** Wrong usage, found before the first request (exit 2). */
export class UsageError extends Failure {
  constructor(message: string, facts: Partial<FailureFacts> = {}) {
    super(message, { code: 'usage', ...facts, exit: EXIT.usage });
  }
}

/** Runs what may find wrong usage. With a list the error goes there, so that all that is wrong can be told together. */
export function collectProblems<T>(problems: UsageError[] | undefined, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (problems === undefined || !(error instanceof UsageError)) throw error;
    problems.push(error);
    return undefined;
  }
}

/** Everything was carried out, and the result could not be printed as asked. */
export class OutputError extends Failure {}

/** After a write it is too late to refuse the query: all of the result is printed. */
export function createQueryError(error: Failure): OutputError {
  const hint = 'Only the query failed; do not run the command again. The whole result is on stdout.';
  const { code, reason } = error;
  return new OutputError(error.message, { code, exit: EXIT.fault, reason, hint, cause: error });
}

/** The reader of the output has gone (`| head -1`): nobody wants the rest. Exit 0, and nothing is said. */
export class OutputClosed extends Failure {
  constructor(cause: unknown) {
    super('the output was closed', { code: 'output_closed', exit: EXIT.done, cause });
  }
}

/** The service answered, and the answer is a refusal or not the API's. */
export class ApiError extends Failure {
  readonly status: number;
  constructor(message: string, status: number, facts: FailureFacts) {
    super(message, facts);
    this.status = status;
  }
}

/** No whole answer came. Not `sent`: it surely did not reach the service (DNS, refused, TLS), and may be sent again. */
export class NetworkError extends Failure {
  readonly sent: boolean;
  constructor(message: string, sent: boolean, facts: Omit<FailureFacts, 'exit'>) {
    super(message, { ...facts, exit: EXIT.tryLater });
    this.sent = sent;
  }
}

/** Whether a failed write may have been carried out all the same: it was sent, and the service did not say no. */
export function hasUnknownOutcome(error: unknown): error is ApiError | NetworkError {
  if (error instanceof NetworkError) return error.sent;
  if (!(error instanceof ApiError)) return false;
  return error.status >= 500 || (error.code === 'not_the_api' && error.status < 300);
}

/** The person said no, or ended a prompt (exit 9), or a signal ended the run (129, 130, 143). */
export class Cancelled extends Failure {
  constructor(message: string, exit: ExitCode = EXIT.cancelled, hint?: string) {
    super(message, { code: exit === EXIT.cancelled ? 'cancelled' : 'interrupted', exit, hint });
  }
}

/** The person left, and what was begun is kept: nothing went wrong, and no error is shown (exit 9). */
export class LeftForLater extends Cancelled {}

/** What anything that was thrown says. */
export function getMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The JSON form of an error on stderr. */
export function toFailureJson(failure: Failure): Record<string, unknown> {
  const { code, exit, message, reason, hint, details } = failure;
  return { code, exit, message, ...(reason && { reason }), ...(hint && { hint }), ...details };
}

/** The failure of such a form, as this or another version wrote it; `fallback` has what is not there. */
export function parseFailureJson(json: Readonly<Record<string, unknown>>, fallback: Failure): Failure {
  const { code, exit, message, reason, hint, ...details } = json;
  return new Failure(typeof message === 'string' ? message : fallback.message, {
    code: typeof code === 'string' && /^[a-z_]+$/.test(code) ? (code as ErrorCode) : fallback.code,
    exit: Object.values<unknown>(EXIT).includes(exit) ? (exit as ExitCode) : fallback.exit,
    ...(typeof reason === 'string' && { reason }),
    ...(typeof hint === 'string' && { hint }),
    details,
  });
}
