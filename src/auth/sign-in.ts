import { EXIT, Failure } from '../errors.ts';
import type { HttpResponse } from '../http/transport.ts';
import { parseJson } from '../json.ts';
import { addMonthsToDay, DAY_MS, formatBriefDay, getToday, isDay } from '../parsing/calendar.ts';
import { commandLine } from '../parsing/shell-word.ts';
import type { Credential } from './credentials.ts';

/** Where the credential of a run comes from, for messages and `auth status`. */
export interface Identity {
  readonly profile: string;
  /** `TTCTL_TOKEN`, the credentials file's path, or `the embedded sandbox`. */
  readonly source: string;
  readonly kind: 'personal' | 'oauth' | 'client' | 'environment' | 'sandbox';
}

/** The commands that sign a person in, for hints. */

/** As the source of a token: a sign-in tries what it was given. */
export const SIGN_IN = 'the sign-in';

/** `scope`: comma list that the new token is to have. */
export function formatSignInCommand(
  { kind, profile }: Pick<Identity, 'kind' | 'profile'>,
  scope?: string,
): string {
  const command = commandLine`ttctl auth login --profile ${profile}`;
  if (kind === 'personal') return `${command} --token-stdin`;
  const scopes = scope === undefined ? '' : commandLine` --scope ${scope}`;
  return kind === 'client' ? `${command} --client-credentials${scopes}` : `${command}${scopes}`;
}

/** What to do for want of the `write` scope. */
export function formatWriteScopeHint(identity: Pick<Identity, 'kind' | 'profile'>): string {
  if (identity.kind === 'environment') return 'Set TTCTL_TOKEN to a token with the write scope.';
  if (identity.kind === 'personal')
    return `Create a token with the write scope and store it: ${formatSignInCommand(identity)}`;
  return `Sign in with the write scope: ${formatSignInCommand(identity, 'read,write')}`;
}

/** When a credential ends, and when it is to be renewed. Times in milliseconds since the epoch. Pure. */

/** Months that a Personal Access Token lives (docs/service.md, Limits). */
const PERSONAL_TOKEN_MONTHS = 6;

/** The day on which a Personal Access Token ends. @param created ISO 8601 */
export function getTokenExpiry(created: string): string {
  return addMonthsToDay(created.slice(0, 10), PERSONAL_TOKEN_MONTHS);
}

function parseTime(text: string | undefined): number | undefined {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/** ISO 8601: a moment, or a day where no more is known. `null`: not known, or never. */
export function getAccessExpiry(credential: Credential): string | null {
  const { kind, created_at: created, access_expires_at: end } = credential;
  if (end !== undefined) return end;
  if (kind !== 'personal' || parseTime(created) === undefined || created === undefined) return null;
  return getTokenExpiry(created);
}

/** Whether another token can be had without a person. */
export function isRenewable(credential: Credential): boolean {
  const { kind, dead, token_url: host, client_id: client, refresh_token: refresh } = credential;
  if (dead === true || host === undefined || client === undefined) return false;
  return kind === 'client' || (kind === 'oauth' && refresh !== undefined);
}

/** When a person has to sign in again; `null`: not known, or never. ISO 8601. */
export function getSignInExpiry(credential: Credential): string | null {
  if (!isRenewable(credential)) return getAccessExpiry(credential);
  return credential.kind === 'client' ? null : (credential.refresh_expires_at ?? null);
}

const RENEWAL_MARGIN_MS = 5 * 60_000;

/** Whether the access token has ended, as far as is known here. */
export function hasExpired(credential: Credential, now: number): boolean {
  const end = parseTime(getAccessExpiry(credential) ?? undefined);
  return end !== undefined && now >= end;
}

/** Whether the access token is to be renewed before it is used: five minutes before its end, less for short lives. */
export function isRenewalDue(credential: Credential, now: number): boolean {
  const end = parseTime(credential.access_expires_at);
  if (end === undefined) return false;
  const lifetime = end - (parseTime(credential.created_at) ?? Number.NEGATIVE_INFINITY);
  return now >= end - Math.min(RENEWAL_MARGIN_MS, lifetime / 10);
}

/** Whole days from now to the end, rounded down; negative when it is past. */
export function countDaysUntil(end: string, now: number): number {
  return Math.floor(((parseTime(end) ?? now) - now) / DAY_MS);
}

const NOTICE_DAYS = [1, 7, 30];
/** A refresh token lives 30 days (docs/service.md, Limits): of these only what is less than its whole life is news. */
const OAUTH_NOTICE_DAYS = [1, 7];

/** The day of an end, for people, as tables have it: of a moment in the zone of the run. */
export function formatExpiryDay(end: string, now: number, timeZone: () => string): string {
  return formatBriefDay(isDay(end) ? end : getToday(parseTime(end) ?? now, timeZone()), now);
}

/** What to tell a person about the end of the sign-in; `undefined` while it is far. */
export function describeExpiry(
  credential: Credential,
  now: number,
  timeZone: () => string,
): string | undefined {
  const end = getSignInExpiry(credential);
  if (end === null) return undefined;
  const days = countDaysUntil(end, now);
  const noticeDays = credential.kind === 'personal' ? NOTICE_DAYS : OAUTH_NOTICE_DAYS;
  if (!noticeDays.some((limit) => days < limit)) return undefined;
  const subject = credential.kind === 'personal' ? 'the token' : 'the sign-in';
  const day = formatExpiryDay(end, now, timeZone);
  if (days < 0) return `${subject} expired on ${day}`;
  const left = days === 0 ? 'less than a day' : days === 1 ? '1 day' : `${days} days`;
  return `${subject} expires in ${left} (${day})`;
}

/** What a token may do (docs/service.md, Scopes): a write that is sure to be refused is not sent. */

interface TokenInfo {
  scopes(): Promise<readonly string[] | undefined>;
  identity(): Promise<Identity>;
}

const WRITE_SCOPES = ['write', 'admin'];

const mayWrite = (scopes: readonly string[]): boolean => scopes.some((scope) => WRITE_SCOPES.includes(scope));

/** @param request `PUT /timesheets/17/approve`; absent where none is planned yet */
export async function checkWriteScope(session: TokenInfo, request?: string): Promise<void> {
  const scopes = await session.scopes();
  if (scopes === undefined || mayWrite(scopes)) return;
  const identity = await session.identity();
  throw new Failure('this command needs the write or admin scope', {
    code: 'insufficient_scope',
    exit: EXIT.forbidden,
    reason: `The token of profile ${identity.profile} has: ${scopes.join(', ') || 'none'}. Nothing was sent.`,
    hint: formatWriteScopeHint(identity),
    details: {
      ...(request === undefined ? {} : { request }),
      required_scope: WRITE_SCOPES,
      granted_scope: scopes,
    },
  });
}

/** The `meta.granted_scope` of a refusal, where it is a list of words. */
function parseGrantedScope(body: string): readonly string[] | undefined {
  const parsed = parseJson(body);
  if (!('value' in parsed)) return undefined;
  const granted: unknown = (parsed.value as { meta?: { granted_scope?: unknown } } | null)?.meta
    ?.granted_scope;
  if (!Array.isArray(granted) || granted.length > 20) return undefined;
  return granted.every((scope) => typeof scope === 'string' && /^[\w:.-]{1,64}$/.test(scope))
    ? granted
    : undefined;
}

/** Learns from a 403 what a token may do. */
export async function learnScopes(
  session: { learn(granted: readonly string[]): Promise<void> },
  { status, body }: HttpResponse,
): Promise<void> {
  const granted = status === 403 ? parseGrantedScope(body) : undefined;
  if (granted !== undefined) await session.learn(granted);
}
