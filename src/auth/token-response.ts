import type { HttpResponse } from '../http/transport.ts';
import { isNumber, isRecord } from '../json/number.ts';
import { parseJson } from '../json/parse.ts';
import { EXIT, type ExitCode, Failure } from '../outcome.ts';
import type { StoredCredential } from './credential-file.ts';

/** Reads the answers of the token host. Pure. */

export interface TokenResponse {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Seconds; absent: the service did not say. */
  readonly expiresIn?: number;
  /** Absent: as asked for. */
  readonly scopes?: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

/** For an answer that cannot be used; what is stored stays as it is. */
const createUnusableFailure = (status: number, what: string): Failure =>
  new Failure(`the token host answered with ${what}`, {
    code: 'token_answer',
    exit: EXIT.tryLater,
    reason: `The status was ${status}.`,
    hint: 'The token URL may be wrong, or a proxy answered instead: see `ttctl profile show`.',
    details: { status },
  });

const readFields = ({ status, headers, body }: HttpResponse): Fields => {
  if (status >= 300 && status < 400) throw createUnusableFailure(status, 'a redirect, which is not followed');
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (!/^application\/([\w.-]+\+)?json$/.test(type))
    throw createUnusableFailure(status, `${type || 'no content type'} instead of JSON`);
  const parsed = parseJson(body);
  if (!('value' in parsed)) throw createUnusableFailure(status, 'broken JSON');
  const { value } = parsed;
  if (!isRecord(value)) throw createUnusableFailure(status, 'JSON that is not an object');
  return { ...value };
};

const readText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const ERROR_HINTS: Readonly<Record<string, string>> = {
  invalid_client: 'The client id or the client secret is wrong.',
  unauthorized_client: 'The application is not registered for this kind of sign-in.',
  unsupported_grant_type: 'The application is not registered for this kind of sign-in.',
  invalid_scope: 'Choose other scopes with --scope.',
};

/** Of RFC 6749, 5.2; any other is told in the message. */
const ERRORS = [
  ...['invalid_request', 'invalid_client', 'invalid_grant', 'invalid_scope'],
  ...['unauthorized_client', 'unsupported_grant_type'],
] as const satisfies readonly Failure['code'][];

const createRefusalFailure = (status: number, fields: Fields): Failure => {
  const error = readText(fields.error);
  // The service's own refusals have the envelope, which has a message.
  const message = readText(fields.error_description) ?? readText(fields.message) ?? readText(fields.hint);
  const isTemporary = status === 429 || status >= 500;
  const exit: ExitCode = isTemporary ? EXIT.tryLater : EXIT.signedOut;
  return new Failure(`the token host refused: ${message ?? error ?? `status ${status}`}`, {
    code: isTemporary
      ? 'token_host_unavailable'
      : (ERRORS.find((known) => known === error) ?? 'token_refused'),
    exit,
    hint: isTemporary ? 'Try again later.' : ERROR_HINTS[error ?? ''],
    details: { status, ...(error === undefined ? {} : { error }) },
  });
};

/** What can stand in a header; the service's tokens are of a few hundred to a thousand characters. */
const isToken = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x21-\x7e]{1,16384}$/.test(value);

const parseSeconds = (value: unknown): number | undefined => {
  const isDigits = typeof value === 'string' && /^\d{1,10}$/.test(value);
  const seconds = isDigits || isNumber(value) ? Number(value) : undefined;
  const isValid = Number.isInteger(seconds) && Number(seconds) > 0 && Number(seconds) < 1e10;
  return isValid ? Number(seconds) : undefined;
};

const findResponseViolation = (fields: Fields): string | undefined => {
  if (!isToken(fields.access_token)) return 'no access token';
  const type = fields.token_type ?? 'bearer';
  if (readText(type)?.toLowerCase() !== 'bearer') return 'a token that is not a Bearer token';
  const refresh = fields.refresh_token ?? undefined;
  if (refresh !== undefined && !isToken(refresh)) return 'an invalid refresh token';
  const expires = fields.expires_in ?? undefined;
  if (expires !== undefined && parseSeconds(expires) === undefined) return 'an invalid lifetime';
  const scope = fields.scope ?? undefined;
  return scope === undefined || typeof scope === 'string' ? undefined : 'invalid scopes';
};

/**
 * Lenient in what may be missing, since a refused answer to a refresh is a lost sign-in; strict in what is there.
 * @throws Failure `invalid_grant`, `invalid_client` … (exit 3), `token_answer` or `token_host_unavailable` (exit 7)
 */
export const parseTokenResponse = (response: HttpResponse): TokenResponse => {
  const fields = readFields(response);
  if (response.status < 200 || response.status >= 300) throw createRefusalFailure(response.status, fields);
  const violation = findResponseViolation(fields);
  if (violation !== undefined) throw createUnusableFailure(response.status, violation);
  const { access_token, refresh_token, expires_in, scope } = fields;
  const scopes = readText(scope)?.split(' ').filter(Boolean);
  const seconds = parseSeconds(expires_in);
  return {
    accessToken: String(access_token),
    ...(isToken(refresh_token) ? { refreshToken: refresh_token } : {}),
    ...(seconds === undefined ? {} : { expiresIn: seconds }),
    ...(scopes === undefined || scopes.length === 0 ? {} : { scopes }),
  };
};

/** 30 days (docs/service.md, Limits); the service does not say it in its answers. */
const REFRESH_LIFE_MS = 30 * 86_400_000;

const formatIsoTime = (ms: number): string => new Date(ms).toISOString();

type TokenMembers = Pick<
  StoredCredential,
  'access_token' | 'refresh_token' | 'scopes' | 'created_at' | 'access_expires_at' | 'refresh_expires_at'
>;

/**
 * The members of a credential that come from an answer.
 * @param askedAt when it was asked for: what lives from then on ends no later
 */
export const toCredentialMembers = (tokens: TokenResponse, askedAt: number): TokenMembers => ({
  access_token: tokens.accessToken,
  created_at: formatIsoTime(askedAt),
  // Laid over the members before it: the end of the old token must not stay.
  access_expires_at:
    tokens.expiresIn === undefined ? undefined : formatIsoTime(askedAt + tokens.expiresIn * 1000),
  ...(tokens.refreshToken === undefined
    ? {}
    : { refresh_token: tokens.refreshToken, refresh_expires_at: formatIsoTime(askedAt + REFRESH_LIFE_MS) }),
  ...(tokens.scopes === undefined ? {} : { scopes: tokens.scopes }),
});
