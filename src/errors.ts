/** How a run can end: nothing below `main.ts` ends the process, it throws one of these. */

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

/**
 * The codes of errors, stable names for scripts, and what each means. `help errors`, the documentation and the schemas
 * print this table; the compiler holds every error to it.
 */
export const ERROR_CODES = {
  access_denied: 'the sign-in was declined in the browser',
  already_applied: 'the plan was applied on this machine before; --again',
  ambiguous: 'a name, address or beginning of an id matches several records',
  answer_too_large: 'the response is larger than 64 MiB',
  answer_unreadable: 'the response cannot be decompressed',
  bad_condition: 'the condition of --where or of a rule is not valid',
  bad_plan: 'the plan is damaged, edited, or not a plan',
  bad_query: 'the --query is not valid JMESPath',
  bad_value: 'a flag, a variable or a stored setting has an invalid value',
  broken_credentials: 'the credentials file cannot be parsed',
  broken_settings: 'the settings file cannot be parsed',
  cancelled: 'declined at a prompt',
  command_failed: 'a command that ttctl ran failed or could not be run',
  confirmation_needed: 'confirmation is needed, but there is no terminal; use --yes',
  conflict: 'the service reports a conflict (409), or the record differs from --base',
  connection_refused: 'nothing was sent: the connection was refused',
  connection_reset: 'the connection was closed before the response',
  damaged_job: 'the journal of the job cannot be read',
  disk_error: 'a file or directory cannot be read or written',
  disk_full: 'no space left on the disk',
  dns: 'nothing was sent: the host was not found',
  ends_soon: 'a credential expires soon (auth check)',
  failed: 'a row that failed in an earlier run of the job',
  forbidden: 'not allowed (403)',
  incomplete: 'the service sent fewer records of a list than it counts',
  input_changed: 'the input file is not the one that the job began with',
  insufficient_scope: 'the token lacks a scope',
  interrupted: 'ended by a signal',
  invalid: 'the service refused a value (422)',
  invalid_client: 'token host: wrong client id or secret',
  invalid_grant: 'token host: the code or refresh token is not valid any more',
  invalid_input: 'rows of the input are not valid; see errors',
  invalid_request: 'token host: the request was malformed',
  invalid_scope: 'token host: unknown scope',
  job_running: 'the job is running in another process',
  left_behind: 'a temporary webhook could not be removed',
  locked: 'another process holds a lock',
  log_failed: 'the command succeeded, but lines of --log are lost',
  missing_base_url: 'no address of the service is set',
  missing_value: 'a required value is missing',
  missing_workspace: 'no workspace is set',
  moved: 'not sent: the record has changed since it was seen',
  network: 'another network error',
  no_config_directory: 'no directory for settings is known',
  no_delivery: 'no stored delivery has this id',
  no_entry: 'the history has no such entry',
  no_job: 'there is no such job',
  no_journal: 'a bulk run needs a directory for its journal',
  no_permission: 'permission denied by this machine',
  no_record: 'the service did not return the id of what it created',
  no_sandbox_server: 'no sandbox server is running',
  no_state_directory: 'no directory for state is known',
  no_such_command: 'the command to run was not found',
  no_terminal: 'a browser sign-in needs a terminal, or --no-browser',
  no_token: 'the service did not return the token of the webhook',
  not_an_address: 'the text is neither an id nor an e-mail address',
  not_forwarded: 'the address did not accept the delivery',
  not_found: 'no such record (404)',
  not_reachable: 'the service cannot reach this machine; --url',
  not_renewable: 'this credential cannot be renewed',
  not_saved: 'the service accepted the write, but did not save the rate or shows another state',
  not_signed_in: 'there is no credential',
  not_the_api: 'the response is not from the API; the address may be wrong',
  not_undoable: 'this write cannot be undone',
  not_undone: 'a field could not be restored',
  nothing_to_pick: 'there is no record to pick from',
  opened_twice: 'the address of the sign-in was opened twice',
  other_place: 'the job or plan is for another service or workspace',
  output_closed: 'the reader of the output has gone',
  output_failed: 'the output could not be written',
  partial: 'some of several targets failed or are unknown',
  port_unavailable: 'the port cannot be used',
  proxy: 'nothing was sent: the proxy failed',
  query_with_all: 'targets are chosen by --where, not by --query',
  rate_limited: 'the limit of requests is used up (429)',
  read_only_disk: 'the disk is read-only',
  read_only_profile: 'the profile does not allow writes',
  redirect_uri: 'the redirect address cannot be used',
  refresh_refused: 'the sign-in is no longer renewed: sign in again',
  refused: 'the service refused the request',
  renewal_failed: 'the sign-in could not be renewed',
  sandbox: 'the sandbox server failed',
  sandbox_damaged: 'the state file of the sandbox cannot be read',
  sandbox_failed: 'the sandbox server did not start',
  sandbox_of_exec: 'this sandbox belongs to sandbox exec and stops when its command ends',
  sandbox_running: 'a sandbox server is already running',
  sandbox_token: 'a sandbox token is not sent to another machine',
  secret_in_plan: 'no plan: the request contains a secret',
  seed_file: 'the seed file is not valid',
  service_error: 'the service failed (5xx)',
  session_ended: 'the sign-in has expired',
  sign_in_refused: 'the authorization host refused the sign-in',
  sign_in_timeout: 'nobody completed the sign-in in time',
  snapshot_exists: 'a snapshot has this name already',
  snapshot_unusable: 'the snapshot cannot be read',
  timeout: 'no response within --timeout',
  tls: 'nothing was sent: the certificate or the TLS connection failed',
  token_answer: 'the response of the token host is not valid',
  token_host_unavailable: 'the token host is unavailable or busy',
  token_refused: 'the token host refused the request',
  too_many_files: 'too many files are open',
  truncated: 'the response was cut off',
  unauthenticated: 'the token is not valid (401)',
  unauthorized_client: 'token host: the client may not sign in this way',
  unexpected: 'an internal error of ttctl',
  unknown_end: 'it is not known when the token expires',
  unknown_field: 'no record has a field of this name',
  unknown_operation: 'the sandbox has no such operation',
  unknown_outcome: 'it is not known whether the write was done',
  unknown_profile: 'there is no such profile',
  unknown_target: 'a record to leave out is not among those found',
  unread: 'the record could not be read',
  unreadable: 'a file that was named cannot be read',
  unreadable_delivery: 'the stored delivery cannot be read',
  unreadable_settings: 'the settings file cannot be read',
  unsafe_file: 'others could write to the file',
  unsupported_grant_type: 'token host: the client may not sign in this way',
  usage: 'wrong flags, values or command',
  values_not_stored: 'the row has a secret, so it was not stored',
  wrong_answer: 'the pasted address is not of this sign-in',
  wrong_origin: 'the stored token is for another address',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface FailureFacts {
  readonly code: ErrorCode;
  readonly exit: ExitCode;
  /** What to do about it, in one or more short sentences. */
  readonly hint?: string;
  /** Why, where `message` says only what. */
  readonly reason?: string;
  /** Further members of the JSON error: `status`, `request`, `required_scope`, `errors` … */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** An end that was foreseen. Everything else that is thrown is a fault of ttctl (exit 1). */
export class Failure extends Error {
  readonly code: ErrorCode;
  readonly exit: ExitCode;
  hint: string | undefined;
  readonly reason: string | undefined;
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
