import { isRecord } from '../json/number.ts';
import { parseJson } from '../json/parse.ts';
import { EXIT, Failure } from '../outcome.ts';
import { formatRepair, readPrivate } from '../storage/own-files.ts';

/** The content of the credentials file, and the check of it. */

const CREDENTIAL_KINDS = ['personal', 'oauth', 'client'] as const;

/** `body`: among the fields of a token request. `basic`: in its `Authorization` header. */
const CLIENT_AUTHS = ['body', 'basic'] as const;
export type ClientAuth = (typeof CLIENT_AUTHS)[number];

/** Times are ISO 8601. Unknown members are kept. */
export interface StoredCredential {
  readonly kind: (typeof CREDENTIAL_KINDS)[number];
  /** The only origin that the token may be sent to. */
  readonly base_url: string;
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly scopes?: readonly string[];
  readonly created_at?: string;
  readonly access_expires_at?: string;
  readonly refresh_expires_at?: string;
  readonly account?: string;
  /** The token host and the application that the tokens belong to: they are renewed there and nowhere else. */
  readonly token_url?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  /** How the client shows its secret. Default `body`. */
  readonly client_auth?: ClientAuth;
  /** The service refused to renew it; kept, so that nothing is lost by a mistake. */
  readonly dead?: boolean;
}

export interface CredentialsFile {
  readonly version: 1;
  readonly profiles: Readonly<Record<string, StoredCredential>>;
}

const TEXT_MEMBERS = [
  'refresh_token',
  'created_at',
  'access_expires_at',
  'refresh_expires_at',
  'account',
  'token_url',
  'client_id',
  'client_secret',
];

/** The first member that does not fit, or undefined. Values are never repeated: they are secrets. */
export const findCredentialViolation = (value: unknown): string | undefined => {
  if (!isRecord(value)) return 'it must be an object';
  const kind = CREDENTIAL_KINDS.find((known) => known === value['kind']);
  if (kind === undefined) return `"kind" must be one of ${CREDENTIAL_KINDS.join(', ')}`;
  for (const name of ['base_url', 'access_token']) {
    if (typeof value[name] !== 'string' || value[name] === '') return `"${name}" is missing or not text`;
  }
  const invalidName = TEXT_MEMBERS.find((name) => !['undefined', 'string'].includes(typeof value[name]));
  if (invalidName !== undefined) return `"${invalidName}" must be text`;
  const auth = value['client_auth'] ?? 'body';
  if (!CLIENT_AUTHS.some((known) => known === auth))
    return `"client_auth" must be one of ${CLIENT_AUTHS.join(', ')}`;
  const scopes = value['scopes'] ?? [];
  if (!Array.isArray(scopes) || scopes.some((scope) => typeof scope !== 'string'))
    return '"scopes" must be a list of text';
  return ['undefined', 'boolean'].includes(typeof value['dead']) ? undefined : '"dead" must be true or false';
};

export type CredentialsCheck = { readonly file: CredentialsFile } | { readonly problem: string };

const checkCredentials = (value: unknown): CredentialsCheck => {
  if (!isRecord(value)) return { problem: 'the document must be an object' };
  if (value['version'] !== 1) return { problem: '"version" is not 1 (was it written by a newer ttctl?)' };
  const profiles = value['profiles'];
  if (!isRecord(profiles)) return { problem: '"profiles" must be an object' };
  for (const [name, credential] of Object.entries(profiles)) {
    const violation = findCredentialViolation(credential);
    if (violation !== undefined) return { problem: `profile ${JSON.stringify(name)}: ${violation}` };
  }
  return { file: value as unknown as CredentialsFile };
};

/** Finds what is wrong without repeating any of it. */
export const parseCredentials = ({ text, utf8 }: { text: string; utf8: boolean }): CredentialsCheck => {
  if (!utf8) return { problem: 'it is not UTF-8 text' };
  const parsed = parseJson(text);
  if ('value' in parsed) return checkCredentials(parsed.value);
  const { line, column, what } = parsed.problem;
  return { problem: `line ${line}, column ${column}: ${what}` };
};

const isWhole = (file: string): boolean => {
  try {
    const stored = readPrivate(file);
    return stored !== undefined && 'file' in parseCredentials(stored);
  } catch {
    return false;
  }
};

/** For a file that cannot be used, with the way back to the one before it. */
export const createBrokenCredentialsFailure = (file: string, problem: string): Failure =>
  new Failure(`the credentials file is broken: ${file}`, {
    code: 'broken_credentials',
    exit: EXIT.usage,
    reason: problem,
    hint: formatRepair(file, isWhole, 'sign in again: ttctl auth login'),
    details: { file },
  });
