import type { ServiceDialect } from './dialect.ts';
import { toRefusalResponse } from './envelope.ts';
import type { RefuseUnderFault } from './faults.ts';
import { Refusal } from './refusal.ts';

/** How each host words a failure that was asked for. */

const MESSAGES: Readonly<Record<number, string>> = {
  400: 'Bad request.',
  401: 'Unauthenticated. Send a valid Bearer token.',
  403: 'Only Owners and Executive Managers of the workspace may use the API.',
  404: 'Not found.',
  409: 'Conflict.',
  422: 'The given data was invalid.',
  429: 'Too Many Attempts.',
  500: 'Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

const getMessage = (status: number): string =>
  MESSAGES[status] ?? (status >= 500 ? 'Server Error' : `Refused with ${status}.`);

const formatFaultId = (id: number): string => `fault ${id} of the sandbox`;

/** In the envelope; `error` says which fault it was. */
export const refuseAsApi =
  (now: number, dialect: ServiceDialect): RefuseUnderFault =>
  (status, { id }, headers) => {
    const challenge: Record<string, string> = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
    const facts = { headers: { ...challenge, ...headers }, detail: formatFaultId(id) };
    return toRefusalResponse(new Refusal(status, getMessage(status), facts), now, dialect, {});
  };

/** RFC 6749, section 5.2, and what is usual for a host that fails. */
const getOAuthError = (status: number): string => {
  if (status === 401) return 'invalid_client';
  if (status === 503) return 'temporarily_unavailable';
  return status < 429 ? 'invalid_grant' : 'server_error';
};

/** `{error, error_description, hint}` (docs/service.md, OAuth2). */
export const refuseAsOAuth: RefuseUnderFault = (status, { id }, headers) => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  body: JSON.stringify({
    error: getOAuthError(status),
    error_description: getMessage(status),
    hint: formatFaultId(id),
  }),
});
