import { Cancelled, EXIT, Failure, UsageError } from '../errors.ts';
import type { HttpResponse } from '../http/transport.ts';
import { parseJson } from '../json.ts';
import { addMonthsToDay, DAY_MS, formatBriefDay, getToday, isDay } from '../parsing/calendar.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { isLoopback } from '../parsing/text.ts';
import type { Credential, CredentialStore } from './credentials.ts';

/** Which credential a run uses, how it is kept alive, and what happens when the service refuses it. */

export interface SessionOptions {
  readonly profile: string;
  /** `TTCTL_TOKEN`; it wins over what is stored, and is never renewed. */
  readonly environmentToken: string | undefined;
  /** Where that token is from, when it is not from the environment: a sign-in tries it. */
  readonly tokenSource?: string;
  readonly baseUrl: string;
  readonly store: CredentialStore;
  /** The embedded sandbox signs its owner in by itself. */
  readonly embedded?: { ownerToken(): Promise<string> };
  /** Told every secret before it is used, so that no output shows it. */
  readonly register: (secret: string) => void;
  readonly clock: { now(): number };
  /** IANA name of the zone that days are shown in. */
  readonly timeZone: () => string;
  readonly warn: (text: string) => void;
  /** Replaces the stored credential by a renewed one, or gives the one that another process has renewed meanwhile. @throws Failure */
  readonly renew: (stored: Credential) => Promise<Credential>;
}

interface ResolvedCredential {
  readonly token: string;
  readonly identity: Identity;
  /** Where the token is a stored one. */
  readonly stored?: Credential;
}

const SANDBOX_PREFIX = 'sbx_';

/** The session of one run. The credential is looked for when it is first needed. */
export class Session {
  readonly #options: SessionOptions;
  /** Tokens that were asked to be replaced before they end. */
  readonly #asked = new Set<string>();
  /** Tokens that were refused, or have just been had: a service that refuses those is not asked for more. */
  readonly #retried = new Set<string>();
  #current: Promise<ResolvedCredential> | undefined;
  #replacement: Promise<ResolvedCredential> | undefined;
  #isWarned = false;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** @throws Failure (exit 3) when there is no credential, UsageError when it is not for this address */
  async token(): Promise<string> {
    const { stored, token } = await this.#getCurrent();
    // A long run outlives its token.
    if (stored !== undefined && !this.#asked.has(token) && this.#isDue(stored)) this.#current = undefined;
    return (await this.#getCurrent()).token;
  }

  async identity(): Promise<Identity> {
    return (await this.#getCurrent()).identity;
  }

  /** After a 401: another token when there is one by now or one can be had, else `undefined`. */
  async renew(refused: string): Promise<string | undefined> {
    const current = await this.#getCurrent().catch(() => undefined);
    if (current !== undefined && current.token !== refused) return current.token;
    // Several requests are refused at once; they share one answer.
    this.#replacement ??= this.#replaceRefused(refused).finally(() => {
      this.#replacement = undefined;
    });
    const found = this.#guard(await this.#replacement);
    this.#current = Promise.resolve(found);
    return found.token === refused ? undefined : found.token;
  }

  /** What the token may do, as far as is known. Asks nobody. */
  async scopes(): Promise<readonly string[] | undefined> {
    return (await this.#find())?.stored?.scopes;
  }

  /**
   * Keeps what the service said of a stored token's scopes, if that is still the same token on the disk. Never fails:
   * it only saves a request later.
   */
  async learn(scopes: readonly string[]): Promise<void> {
    const { stored } = await this.#getCurrent();
    if (stored === undefined || stored.scopes?.join() === scopes.join()) return;
    const { store, profile } = this.#options;
    await store.change(profile, stored.access_token, { scopes }).catch(() => {});
  }

  #getCurrent(): Promise<ResolvedCredential> {
    this.#current ??= this.#resolve();
    return this.#current;
  }

  async #resolve(): Promise<ResolvedCredential> {
    const found = this.#guard(await this.#renewIfDue(this.#guard(await this.#findOrFail())));
    this.#warnOfExpiry(found.stored);
    return found;
  }

  async #find(): Promise<ResolvedCredential | undefined> {
    const { profile, environmentToken, embedded, store, tokenSource = 'TTCTL_TOKEN' } = this.#options;
    // A token of the real service in the environment is not for the sandbox: it signs its owner in by itself.
    const isForUs = embedded === undefined || environmentToken?.startsWith(SANDBOX_PREFIX);
    if (environmentToken !== undefined && isForUs)
      return { token: environmentToken, identity: { profile, kind: 'environment', source: tokenSource } };
    const stored = store.read(profile);
    if (stored !== undefined) {
      guardOrigin(stored, this.#options);
      const identity = { profile, kind: stored.kind, source: store.file ?? '' };
      return { token: stored.access_token, identity, stored };
    }
    if (embedded === undefined) return undefined;
    const source = 'the embedded sandbox';
    return { token: await embedded.ownerToken(), identity: { profile, kind: 'sandbox', source } };
  }

  async #findOrFail(): Promise<ResolvedCredential> {
    const found = await this.#find();
    if (found !== undefined) return found;
    const { profile } = this.#options;
    throw new Failure(`not signed in (profile ${profile})`, {
      code: 'not_signed_in',
      exit: EXIT.signedOut,
      hint: `Sign in: ${formatSignInCommand({ kind: 'oauth', profile })} (with a Personal Access Token: add --token-stdin). To try ttctl without an account: --profile sandbox.`,
    });
  }

  #isDue(stored: Credential): boolean {
    return isRenewalDue(stored, this.#options.clock.now());
  }

  /** With a fresh token in place of one that is about to end. One that still works is used though it is not renewed. */
  async #renewIfDue(found: ResolvedCredential): Promise<ResolvedCredential> {
    const { stored } = found;
    const { profile, clock, warn, store } = this.#options;
    if (stored === undefined || !this.#isDue(stored)) return found;
    const hasEnded = hasExpired(stored, clock.now());
    if (hasEnded && stored.dead === true)
      throw new Failure(`the sign-in of profile ${profile} has expired`, {
        code: 'session_ended',
        exit: EXIT.signedOut,
        reason: `The service refused to renew the sign-in stored in ${store.file}.`,
        hint: `Sign in again: ${formatSignInCommand({ kind: stored.kind, profile })}`,
      });
    if (!isRenewable(stored) || this.#asked.has(stored.access_token)) return found;
    this.#asked.add(stored.access_token);
    try {
      return await this.#replace(found, stored);
    } catch (error) {
      if (hasEnded || !(error instanceof Failure) || error instanceof Cancelled) throw error;
      const advice = error.exit === EXIT.signedOut && error.hint !== undefined ? `; ${error.hint}` : '';
      warn(`the sign-in of profile ${profile} was not renewed: ${error.message}${advice}`);
      return found;
    }
  }

  async #replace(found: ResolvedCredential, old: Credential): Promise<ResolvedCredential> {
    const stored = await this.#options.renew(old);
    return { ...found, token: stored.access_token, stored };
  }

  /** What another process has stored meanwhile, else what a renewal gives. */
  async #replaceRefused(refused: string): Promise<ResolvedCredential> {
    const found = await this.#findOrFail();
    const { stored } = found;
    if (found.token !== refused || stored === undefined) return found;
    if (!isRenewable(stored) || this.#retried.has(refused)) return found;
    this.#retried.add(refused);
    const renewed = await this.#replace(found, stored);
    this.#retried.add(renewed.token);
    return renewed;
  }

  /** Before a token is used: no output shows it, and it goes nowhere that it may not go. */
  #guard(found: ResolvedCredential): ResolvedCredential {
    this.#options.register(found.token);
    const { host, hostname } = new URL(this.#options.baseUrl);
    if (!found.token.startsWith(SANDBOX_PREFIX) || isLoopback(hostname)) return found;
    throw new UsageError(`a sandbox token is not sent to ${host}`, {
      code: 'sandbox_token',
      reason: 'Tokens that start with sbx_ belong to a sandbox on this machine.',
      hint: 'Set TTCTL_BASE_URL to the sandbox, or use a token from the service.',
    });
  }

  /** Once a run. */
  #warnOfExpiry(stored: Credential | undefined): void {
    const { profile, clock, timeZone, warn } = this.#options;
    const text = stored && describeExpiry(stored, clock.now(), timeZone);
    if (text === undefined || stored === undefined || this.#isWarned) return;
    this.#isWarned = true;
    warn(`${text}; sign in again: ${formatSignInCommand({ kind: stored.kind, profile })}`);
  }
}

/** A stored token goes to no other address than the one it was stored for. @throws UsageError */
function guardOrigin(
  credential: Credential,
  { baseUrl, profile }: Pick<SessionOptions, 'baseUrl' | 'profile'>,
): void {
  const [own, asked] = [new URL(credential.base_url).origin, new URL(baseUrl).origin];
  if (own === asked) return;
  throw new UsageError(`the token of profile ${profile} is not for ${asked}`, {
    code: 'wrong_origin',
    reason: `It was stored for ${own}.`,
    hint: 'Sign in to this address with another profile, or set TTCTL_TOKEN.',
  });
}

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

function mayWrite(scopes: readonly string[]): boolean {
  return scopes.some((scope) => WRITE_SCOPES.includes(scope));
}

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
