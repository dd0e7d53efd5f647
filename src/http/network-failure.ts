import { Failure, NetworkError, TOO_MANY_FILES } from '../outcome.ts';
import { type HttpRequest, isWrite } from './transport.ts';
import type { RequestProgress } from './wire.ts';

/** What is known of a request that came to no whole answer. */
interface FailureContext {
  readonly request: HttpRequest;
  readonly progress: RequestProgress;
  /** With the port where it is not the usual one. */
  readonly host: string;
  readonly proxy: string | undefined;
  readonly timeoutMs: number;
  /** The deadline of the whole request passed. */
  readonly isTimedOut: boolean;
}

/** The codes of a `NetworkError`: stable names for scripts. */
type NetworkFault =
  | 'dns'
  | 'connection_refused'
  | 'tls'
  | 'timeout'
  | 'connection_reset'
  | 'truncated'
  | 'answer_too_large'
  | 'answer_unreadable'
  | 'proxy'
  | 'too_many_files'
  | 'network';

/** Turns what the platform threw into a `NetworkError`. A `Failure` is passed on as it is. */
export const toNetworkFailure = (error: unknown, context: FailureContext): Failure => {
  if (error instanceof Failure) return error;
  const cause = findCause(error);
  const code = classifyFault(cause, context);
  const { request, progress, host, proxy } = context;
  const sent = progress.sent && !NEVER_SENT.has(code);
  const reason = context.isTimedOut ? undefined : formatReason(cause);
  return new NetworkError(formatMessage(code, context), sent, {
    code,
    ...(reason === undefined ? {} : { reason }),
    hint: findHint(code, request, cause),
    cause: error,
    details: {
      request: `${request.method} ${request.path}`,
      host,
      ...(proxy === undefined ? {} : { proxy: maskProxy(proxy) }),
    },
  });
};

/** These happen before anything can have been passed to the service. */
const NEVER_SENT: ReadonlySet<NetworkFault> = new Set([
  'dns',
  'connection_refused',
  'proxy',
  'too_many_files',
]);

const classifyFault = (cause: Cause, context: FailureContext): NetworkFault => {
  const { progress, proxy, isTimedOut } = context;
  if (isTimedOut) return 'timeout';
  // undici has no code of its own for a proxy that refuses: CONNECT not answered with 200, or 407.
  if (/^Proxy (response \(|Authentication Required)/.test(cause.message)) return 'proxy';
  const code = FAULT_PATTERNS.find(([pattern]) => pattern.test(cause.code))?.[1] ?? 'network';
  // Through a proxy only its own name is looked up and only it is connected to.
  if (proxy !== undefined && (code === 'dns' || code === 'connection_refused')) return 'proxy';
  if (progress.answered && (code === 'connection_reset' || code === 'network')) return 'truncated';
  return code;
};

/** Codes of Node and undici. The first pattern that fits counts. */
const FAULT_PATTERNS: readonly (readonly [RegExp, NetworkFault])[] = [
  [/^(ENOTFOUND|EAI_|ENODATA$|ESERVFAIL$)/, 'dns'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/, 'connection_refused'],
  [/^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/, 'timeout'],
  [/^E[MN]FILE$/, 'too_many_files'],
  [/^(ANSWER_TOO_LARGE)$/, 'answer_too_large'],
  [
    /^(ANSWER_UNREADABLE|HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_HTTP_PARSER|UND_ERR_RES_EXCEEDED)/,
    'answer_unreadable',
  ],
  [/^(Z_BUF_ERROR|ERR_STREAM_PREMATURE_CLOSE|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/, 'truncated'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/, 'connection_reset'],
  [
    /^(ERR_TLS|ERR_SSL|EPROTO|UND_ERR_PRX_TLS|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/,
    'tls',
  ],
  [/^(INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|ERROR_IN_)/, 'tls'],
];

const formatMessage = (code: NetworkFault, context: FailureContext): string => {
  const { host, proxy, progress, timeoutMs } = context;
  const via = proxy === undefined ? '' : ` (through the proxy ${maskProxy(proxy)})`;
  const seconds = `${timeoutMs / 1000} s`;
  if (code === 'timeout' && !progress.sent) return `could not connect to ${host} within ${seconds}${via}`;
  if (code === 'timeout' && !progress.answered) return `no response from ${host} within ${seconds}${via}`;
  if (code === 'proxy')
    return `the request to ${host} did not get through the proxy ${maskProxy(proxy ?? '')}`;
  return `${MESSAGES[code](host, seconds)}${via}`;
};

const MESSAGES: Readonly<Record<Exclude<NetworkFault, 'proxy'>, (host: string, seconds: string) => string>> =
  {
    dns: (host) => `cannot find the host ${host}`,
    connection_refused: (host) => `cannot connect to ${host}`,
    tls: (host) => `no secure connection to ${host}`,
    timeout: (host, seconds) => `the response from ${host} was not complete within ${seconds}`,
    connection_reset: (host) => `${host} closed the connection before responding`,
    truncated: (host) => `the response from ${host} was cut off`,
    answer_too_large: (host) => `the response from ${host} is too large`,
    answer_unreadable: (host) => `the response from ${host} cannot be read`,
    too_many_files: (host) => `cannot connect to ${host}`,
    network: (host) => `the request to ${host} failed`,
  };

/** What to do, and what to set. */
const findHint = (code: NetworkFault, { method }: HttpRequest, { message }: Cause): string => {
  if (code === 'answer_too_large' && isWrite(method)) return HINTS.answer_unreadable;
  return code === 'proxy' && /407|Authentication Required/.test(message) ? PROXY_SIGN_IN : HINTS[code];
};

const PROXY_SIGN_IN = 'The proxy wants a name and a password: HTTPS_PROXY=http://name:password@host:port';

const HINTS: Readonly<Record<NetworkFault, string>> = {
  dns: 'Check the address (`ttctl profile show`) and the network.',
  connection_refused:
    'Check the address (`ttctl profile show`), and that the service can be reached from here.',
  tls: 'Check the address. For a private certificate authority, set NODE_EXTRA_CA_CERTS to its file.',
  timeout: 'Try again later, or allow more time with --timeout.',
  connection_reset: 'Try again later.',
  truncated: 'Try again later.',
  answer_too_large: 'Request less: use a smaller --per-page, or a filter.',
  answer_unreadable: 'Check the address (`ttctl profile show`): this may not be the API.',
  proxy: 'Check HTTPS_PROXY; NO_PROXY names the hosts that need no proxy.',
  too_many_files: TOO_MANY_FILES.hint,
  network: 'Check the address (`ttctl profile show`) and the network.',
};

interface Cause {
  readonly code: string;
  readonly message: string;
}

/** `fetch` and undici wrap the true cause; it is the first in the chain that has a known code. */
const findCause = (error: unknown): Cause => {
  let last: Cause = { code: '', message: '' };
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 6; at = at.cause, depth += 1) {
    const code: unknown = Reflect.get(at, 'code');
    last = { code: typeof code === 'string' ? code : '', message: getMessage(at) };
    if (FAULT_PATTERNS.some(([pattern]) => pattern.test(last.code)) && last.code !== 'UND_ERR_PRX_TLS')
      return last;
  }
  return last;
};

// Several addresses that all failed come as one error with an empty message of its own.
const getMessage = (error: Error): string =>
  error instanceof AggregateError && error.message === ''
    ? error.errors.map((each: unknown) => (each instanceof Error ? each.message : String(each))).join('; ')
    : error.message;

/** A line of OpenSSL, with the place in its own source: `80CB…:error:0A00010B:SSL routines:…:wrong version number:….c:355:` */
const OPENSSL = /[0-9A-F]+:error:[0-9A-F]*:[^:]*:[^:]*:([^:]+):/i;

const simplifyMessage = (message: string): string => {
  const sslMessage = OPENSSL.exec(message)?.[1];
  if (sslMessage === undefined) return message.trim();
  return sslMessage === 'wrong version number' ? 'The server there does not use TLS' : sslMessage;
};

const formatReason = ({ code, message: raw }: Cause): string | undefined => {
  const message = simplifyMessage(raw);
  if (message === '') return code === '' ? undefined : code;
  return code === '' || message.includes(code) ? message : `${message} (${code})`;
};

/** A proxy without the name and password it may carry. */
const maskProxy = (proxy: string): string =>
  URL.canParse(proxy) ? new URL(proxy).origin : 'from the environment';
