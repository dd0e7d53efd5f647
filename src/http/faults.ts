import { Failure, NetworkError } from '../errors.ts';
import { TOO_MANY_FILES } from '../storage/failure.ts';
import type { RequestProgress } from './transport.ts';
import { type HttpRequest, isWrite } from './transport.ts';

interface FaultContext {
  readonly request: HttpRequest;
  readonly progress: RequestProgress;
  /** With the port where it is not the usual one. */
  readonly host: string;
  readonly proxy: string | undefined;
  readonly timeoutMs: number;
  /** The deadline of the whole request passed. */
  readonly isTimedOut: boolean;
}

interface Fault {
  /** Codes of Node and undici. The first fault that fits counts. */
  readonly codes: RegExp;
  /** @param host as in the context @param seconds `30 s` */
  readonly message: (host: string, seconds: string) => string;
  /** What to do, and what to set. */
  readonly hint: string;
  /** It happens before anything can have been passed to the service. */
  readonly neverSent?: true;
}

const NEVER = /^\b$/;

/** By the code of the `NetworkError`: stable names for scripts. */
const FAULTS = {
  dns: {
    codes: /^(ENOTFOUND|EAI_|ENODATA$|ESERVFAIL$)/,
    message: (host) => `cannot find the host ${host}`,
    hint: 'Check the address (`ttctl profile show`) and the network.',
    neverSent: true,
  },
  connection_refused: {
    codes: /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/,
    message: (host) => `cannot connect to ${host}`,
    hint: 'Check the address (`ttctl profile show`), and that the service can be reached from here.',
    neverSent: true,
  },
  timeout: {
    codes: /^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/,
    message: (host, seconds) => `the response from ${host} was not complete within ${seconds}`,
    hint: 'Try again later, or allow more time with --timeout.',
  },
  too_many_files: {
    codes: /^E[MN]FILE$/,
    message: (host) => `cannot connect to ${host}`,
    hint: TOO_MANY_FILES.hint,
    neverSent: true,
  },
  answer_too_large: {
    codes: /^ANSWER_TOO_LARGE$/,
    message: (host) => `the response from ${host} is too large`,
    hint: 'Request less: use a smaller --per-page, or a filter.',
  },
  answer_unreadable: {
    codes: /^(ANSWER_UNREADABLE|HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_HTTP_PARSER|UND_ERR_RES_EXCEEDED)/,
    message: (host) => `the response from ${host} cannot be read`,
    hint: 'Check the address (`ttctl profile show`): this may not be the API.',
  },
  truncated: {
    codes: /^(Z_BUF_ERROR|ERR_STREAM_PREMATURE_CLOSE|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/,
    message: (host) => `the response from ${host} was cut off`,
    hint: 'Try again later.',
  },
  connection_reset: {
    codes: /^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/,
    message: (host) => `${host} closed the connection before responding`,
    hint: 'Try again later.',
  },
  tls: {
    codes:
      /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|ERROR_IN_)/,
    message: (host) => `no secure connection to ${host}`,
    hint: 'Check the address. For a private certificate authority, set NODE_EXTRA_CA_CERTS to its file.',
  },
  proxy: {
    codes: NEVER,
    message: (host) => `the request to ${host} did not get through the proxy`,
    hint: 'Check HTTPS_PROXY; NO_PROXY names the hosts that need no proxy.',
    neverSent: true,
  },
  network: {
    codes: NEVER,
    message: (host) => `the request to ${host} failed`,
    hint: 'Check the address (`ttctl profile show`) and the network.',
  },
} as const satisfies Readonly<Record<string, Fault>>;

type FaultCode = keyof typeof FAULTS;

/** Turns what the platform threw into a `NetworkError`. A `Failure` is passed on as it is. */
export function toNetworkFailure(error: unknown, context: FaultContext): Failure {
  if (error instanceof Failure) return error;
  const cause = findCause(error);
  const code = classifyFault(cause, context);
  const { request, progress, host, proxy } = context;
  const fault: Fault = FAULTS[code];
  const reason = context.isTimedOut ? undefined : formatReason(cause);
  return new NetworkError(formatMessage(code, context), progress.sent && fault.neverSent !== true, {
    code,
    ...(reason === undefined ? {} : { reason }),
    hint: chooseHint(code, request, cause),
    cause: error,
    details: {
      request: `${request.method} ${request.path}`,
      host,
      ...(proxy === undefined ? {} : { proxy: maskProxy(proxy) }),
    },
  });
}

function classifyFault(cause: Cause, { progress, proxy, isTimedOut }: FaultContext): FaultCode {
  if (isTimedOut) return 'timeout';
  // undici has no code of its own for a proxy that refuses: CONNECT not answered with 200, or 407.
  if (/^Proxy (response \(|Authentication Required)/.test(cause.message)) return 'proxy';
  const code = findFault(cause.code) ?? 'network';
  // Through a proxy only its own name is looked up and only it is connected to.
  if (proxy !== undefined && (code === 'dns' || code === 'connection_refused')) return 'proxy';
  if (progress.answered && (code === 'connection_reset' || code === 'network')) return 'truncated';
  return code;
}

function findFault(code: string): FaultCode | undefined {
  return (Object.keys(FAULTS) as FaultCode[]).find((name) => FAULTS[name].codes.test(code));
}

function formatMessage(code: FaultCode, { host, proxy, progress, timeoutMs }: FaultContext): string {
  const via = proxy === undefined ? '' : ` (through the proxy ${maskProxy(proxy)})`;
  const seconds = `${timeoutMs / 1000} s`;
  if (code === 'timeout' && !progress.sent) return `could not connect to ${host} within ${seconds}${via}`;
  if (code === 'timeout' && !progress.answered) return `no response from ${host} within ${seconds}${via}`;
  return FAULTS[code].message(host, seconds) + (code === 'proxy' ? ` ${maskProxy(proxy ?? '')}` : via);
}

function chooseHint(code: FaultCode, { method }: HttpRequest, { message }: Cause): string {
  if (code === 'answer_too_large' && isWrite(method)) return FAULTS.answer_unreadable.hint;
  if (code === 'proxy' && /407|Authentication Required/.test(message))
    return 'The proxy wants a name and a password: HTTPS_PROXY=http://name:password@host:port';
  return FAULTS[code].hint;
}

interface Cause {
  readonly code: string;
  readonly message: string;
}

/** `fetch` and undici wrap the true cause; it is the first in the chain that has a known code. */
function findCause(error: unknown): Cause {
  let last: Cause = { code: '', message: '' };
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 6; at = at.cause, depth += 1) {
    const code: unknown = Reflect.get(at, 'code');
    last = { code: typeof code === 'string' ? code : '', message: getMessage(at) };
    if (findFault(last.code) !== undefined) return last;
  }
  return last.code === 'UND_ERR_PRX_TLS' ? { ...last, code: 'ERR_TLS' } : last;
}

// Several addresses that all failed come as one error with an empty message of its own.
function getMessage(error: Error): string {
  return error instanceof AggregateError && error.message === ''
    ? error.errors.map((each: unknown) => (each instanceof Error ? each.message : String(each))).join('; ')
    : error.message;
}

/** A line of OpenSSL, with the place in its own source: `80CB…:error:0A00010B:SSL routines:…:wrong version number:….c:355:` */
const OPENSSL = /[0-9A-F]+:error:[0-9A-F]*:[^:]*:[^:]*:([^:]+):/i;

function formatReason({ code, message: raw }: Cause): string | undefined {
  const ssl = OPENSSL.exec(raw)?.[1];
  const message = ssl === 'wrong version number' ? 'The server there does not use TLS' : (ssl ?? raw.trim());
  if (message === '') return code === '' ? undefined : code;
  return code === '' || message.includes(code) ? message : `${message} (${code})`;
}

/** A proxy without the name and password it may carry. */
function maskProxy(proxy: string): string {
  return URL.canParse(proxy) ? new URL(proxy).origin : 'from the environment';
}
