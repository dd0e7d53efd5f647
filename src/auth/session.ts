import type { Sourced } from '../config/settings.ts';
import { Cancelled, EXIT, Failure, UsageError } from '../errors.ts';
import { addMonthsToDay, DAY_MS, formatBriefDay, getToday, isDay } from '../parsing/calendar.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { isLoopback } from '../parsing/text.ts';
import type { Credential, CredentialStore } from './credentials.ts';

export interface SessionOptions {
  readonly profile: string;
  /** `TTCTL_TOKEN`, or what a sign-in tries; it wins over what is stored, and is never renewed. */
  readonly given: Sourced<string> | undefined;
  readonly baseUrl: string;
  readonly store: CredentialStore;
  /** The profile's `token_command`: it wins over what is stored, and what it prints is never renewed. */
  readonly command?: {
    readonly token: () => Promise<string>;
    /** The address of the profile, the only one that the token may be sent to. */
    readonly baseUrl: () => string | undefined;
  };
  /** The embedded sandbox signs its owner in by itself. */
  readonly ownerToken?: () => Promise<string>;
  /** Told every secret before it is used, so that no output shows it. */
  readonly register: (secret: string) => void;
  readonly clock: { now(): number };
  readonly timeZone: () => string;
  readonly warn: (text: string) => void;
  /** Replaces the stored credential by a renewed one, or gives the one that another process has renewed meanwhile. @throws Failure */
  readonly renew: (stored: Credential) => Promise<Credential>;
}

/** Where the credential of a run comes from, for messages and `auth status`. */
export interface Identity {
  readonly profile: string;
  /** `TTCTL_TOKEN`, `token_command`, the credentials file's path, or `the embedded sandbox`. */
  readonly source: string;
  readonly kind: 'personal' | 'oauth' | 'client' | 'environment' | 'command' | 'sandbox';
  /** Absent: it is none that is stored. */
  readonly stored?: Credential;
}

type ResolvedCredential = Identity & { readonly token: string };

const SANDBOX_PREFIX = 'sbx_';
const WRITE_SCOPES = ['write', 'admin'];

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
    const { stored, token } = await this.#get();
    // A long run outlives its token.
    if (stored !== undefined && !this.#asked.has(token) && isRenewalDue(stored, this.#options.clock.now()))
      this.#current = undefined;
    return (await this.#get()).token;
  }

  async identity(): Promise<Identity> {
    const { command } = this.#options;
    const { token: _secret, ...identity } = await (command === undefined ? this.#get() : this.#find('who'));
    return identity;
  }

  /** After a 401: another token when there is one by now or one can be had, else `undefined`. */
  async renew(refused: string): Promise<string | undefined> {
    const current = await this.#get().catch(() => undefined);
    if (current !== undefined && current.token !== refused) return current.token;
    // Several requests are refused at once; they share one answer.
    this.#replacement ??= this.#replaceRefused(refused).finally(() => {
      this.#replacement = undefined;
    });
    const found = await this.#replacement;
    this.#current = Promise.resolve(found);
    return found.token === refused ? undefined : found.token;
  }

  /**
   * A write that is sure to be refused (docs/service.md, Scopes) is not sent. Asks nobody.
   * @param request `PUT /timesheets/17/approve`; absent where none is planned yet
   * @throws Failure (exit 4), or (exit 3) when there is no credential
   */
  async checkWriteScope(request?: string): Promise<void> {
    const { profile, kind, stored: { scopes } = {} } = await this.#find('who');
    if (scopes === undefined || scopes.some((scope) => WRITE_SCOPES.includes(scope))) return;
    throw new Failure('this command needs the write or admin scope', {
      code: 'insufficient_scope',
      exit: EXIT.forbidden,
      reason: `The token of profile ${profile} has: ${scopes.join(', ') || 'none'}. Nothing was sent.`,
      hint: formatWriteScopeHint({ profile, kind }),
      details: { ...(request && { request }), required_scope: WRITE_SCOPES, granted_scope: scopes },
    });
  }

  #get(): Promise<ResolvedCredential> {
    this.#current ??= this.#resolve();
    return this.#current;
  }

  async #resolve(): Promise<ResolvedCredential> {
    const { profile, clock, timeZone, warn, store } = this.#options;
    let found = await this.#find();
    const { stored } = found;
    if (stored === undefined) return found;
    const signIn = formatSignInCommand({ kind: stored.kind, profile });
    if (isRenewalDue(stored, clock.now())) {
      const hasEnded = clock.now() >= Date.parse(stored.access_expires_at ?? '');
      if (hasEnded && stored.dead === true)
        throw new Failure(`the sign-in of profile ${profile} has expired`, {
          code: 'session_ended',
          exit: EXIT.signedOut,
          reason: `The service refused to renew the sign-in stored in ${store.file}.`,
          hint: `Sign in again: ${signIn}`,
        });
      try {
        if (isRenewable(stored) && !this.#asked.has(stored.access_token)) {
          this.#asked.add(stored.access_token);
          found = this.#useStored(await this.#options.renew(stored));
        }
      } catch (error) {
        // One that still works is used though it is not renewed.
        if (hasEnded || !(error instanceof Failure) || error instanceof Cancelled) throw error;
        const told = [error.message, error.hint].filter(Boolean).join('; ');
        warn(`the sign-in of profile ${profile} was not renewed: ${told}`);
      }
    }
    const ending = describeExpiry(found.stored ?? stored, clock.now(), timeZone);
    if (ending !== undefined && !this.#isWarned) warn(`${ending}; sign in again: ${signIn}`);
    this.#isWarned ||= ending !== undefined;
    return found;
  }

  /** @param wanted `who`: the profile's command is not run, and its token is empty */
  async #find(wanted: 'token' | 'who' = 'token'): Promise<ResolvedCredential> {
    const { profile, given, ownerToken, store, command } = this.#options;
    // A token of the real service in the environment is not for the sandbox.
    if (given !== undefined && (ownerToken === undefined || given.value.startsWith(SANDBOX_PREFIX)))
      return this.#use(given.value, 'environment', given.name);
    if (ownerToken !== undefined) return this.#use(await ownerToken(), 'sandbox', 'the embedded sandbox');
    if (command !== undefined) {
      this.#checkOrigin(command.baseUrl());
      return this.#use(wanted === 'who' ? '' : await command.token(), 'command', 'token_command');
    }
    const stored = store.read(profile);
    if (stored === undefined)
      throw new Failure(`not signed in (profile ${profile})`, {
        code: 'not_signed_in',
        exit: EXIT.signedOut,
        hint: `Sign in: ${formatSignInCommand({ kind: 'oauth', profile })} (with a Personal Access Token: add --token-stdin). To try ttctl without an account: --profile sandbox.`,
      });
    this.#checkOrigin(stored.base_url);
    return this.#useStored(stored);
  }

  /** @param own the address that the token is for */
  #checkOrigin(own: string | undefined): void {
    const [known, asked] = [own && new URL(own).origin, new URL(this.#options.baseUrl).origin];
    if (known === asked) return;
    throw new UsageError(`the token of profile ${this.#options.profile} is not for ${asked}`, {
      code: 'wrong_origin',
      reason: known ? `It was stored for ${known}.` : 'The profile has no valid base_url.',
      hint: 'Sign in to this address with another profile, or set TTCTL_TOKEN.',
    });
  }

  /** What another process has stored meanwhile, else what a renewal gives. */
  async #replaceRefused(refused: string): Promise<ResolvedCredential> {
    const found = await this.#find();
    const { stored } = found;
    if (found.token !== refused || stored === undefined) return found;
    if (!isRenewable(stored) || this.#retried.has(refused)) return found;
    this.#retried.add(refused);
    const renewed = this.#useStored(await this.#options.renew(stored));
    this.#retried.add(renewed.token);
    return renewed;
  }

  #useStored(stored: Credential): ResolvedCredential {
    return this.#use(stored.access_token, stored.kind, this.#options.store.file ?? '', stored);
  }

  /** Before a token is used: no output shows it, and it goes nowhere that it may not go. */
  #use(token: string, kind: Identity['kind'], source: string, stored?: Credential): ResolvedCredential {
    const { profile, register, baseUrl } = this.#options;
    register(token);
    const { host, hostname } = new URL(baseUrl);
    if (token.startsWith(SANDBOX_PREFIX) && !isLoopback(hostname))
      throw new UsageError(`a sandbox token is not sent to ${host}`, {
        code: 'sandbox_token',
        reason: 'Tokens that start with sbx_ belong to a sandbox on this machine.',
        hint: 'Set TTCTL_BASE_URL to the sandbox, or use a token from the service.',
      });
    return { token, profile, kind, source, ...(stored && { stored }) };
  }
}

export const SIGN_IN = 'the sign-in';

/** The command that signs a person in, for hints. @param scope comma list that the new token is to have */
export function formatSignInCommand(
  { kind, profile }: Pick<Identity, 'kind' | 'profile'>,
  scope = '',
): string {
  const command = commandLine`ttctl auth login --profile ${profile}`;
  if (kind === 'personal') return `${command} --token-stdin`;
  if (kind === 'command') return `${command} --token-command '<command>'`;
  return `${command}${kind === 'client' ? ' --client-credentials' : ''}${scope && ` --scope ${scope}`}`;
}

export function formatWriteScopeHint(identity: Pick<Identity, 'kind' | 'profile'>): string {
  if (identity.kind === 'environment') return 'Set TTCTL_TOKEN to a token with the write scope.';
  if (identity.kind === 'command') return 'Let token_command print a token with the write scope.';
  if (identity.kind === 'personal')
    return `Create a token with the write scope and store it: ${formatSignInCommand(identity)}`;
  return `Sign in with the write scope: ${formatSignInCommand(identity, 'read,write')}`;
}

/** A Personal Access Token lives six months (docs/service.md, Limits). */
export function getTokenExpiry(created: string): string {
  return addMonthsToDay(created.slice(0, 10), 6);
}

/** ISO 8601: a moment, or a day where no more is known. `null`: not known, or never. */
export function getAccessExpiry(credential: Credential): string | null {
  const { kind, created_at: created, access_expires_at: end } = credential;
  if (end !== undefined) return end;
  return kind === 'personal' && created !== undefined ? getTokenExpiry(created) : null;
}

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

/** Whether the access token is to be renewed before it is used: five minutes before its end, less for short lives. */
export function isRenewalDue(credential: Credential, now: number): boolean {
  const end = Date.parse(credential.access_expires_at ?? '');
  const lifetime = end - (Date.parse(credential.created_at ?? '') || Number.NEGATIVE_INFINITY);
  return now >= end - Math.min(RENEWAL_MARGIN_MS, lifetime / 10);
}

export function countDaysUntil(end: string, now: number): number {
  return Math.floor((Date.parse(end) - now) / DAY_MS);
}

/** The day of an end, for people, as tables have it: of a moment in the zone of the run. */
export function formatExpiryDay(end: string, now: number, timeZone: () => string): string {
  return formatBriefDay(isDay(end) ? end : getToday(Date.parse(end), timeZone()), now);
}

/** What to tell a person about the end of the sign-in; `undefined` while it is far. */
export function describeExpiry(credential: Credential, now: number, timeZone: () => string) {
  const end = getSignInExpiry(credential);
  if (end === null) return undefined;
  const days = countDaysUntil(end, now);
  // A refresh token lives 30 days (docs/service.md, Limits): of these only the last are news.
  const [subject, news] = credential.kind === 'personal' ? ['the token', 30] : ['the sign-in', 7];
  if (days >= news) return undefined;
  const day = formatExpiryDay(end, now, timeZone);
  if (days < 0) return `${subject} expired on ${day}`;
  const left = days === 0 ? 'less than a day' : days === 1 ? '1 day' : `${days} days`;
  return `${subject} expires in ${left} (${day})`;
}
