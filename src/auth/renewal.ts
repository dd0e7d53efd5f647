import type { Clock } from '../clock.ts';
import { EXIT, Failure } from '../errors.ts';
import type { Redactor } from '../http/redact.ts';
import type { HttpRequest, Transport } from '../http/transport.ts';
import type { Credential, CredentialStore, HeldCredential } from './credentials.ts';
import {
  buildClientCredentialsRequest,
  buildRefreshRequest,
  fingerprintToken,
  parseTokenResponse,
} from './oauth.ts';
import { formatSignInCommand, isRenewable } from './session.ts';

/** Renews a stored credential. Runs in a process of its own (renew.ts), which no signal to the command ends. */

export interface RenewalTask {
  readonly store: CredentialStore;
  readonly profile: string;
  /** Of the access token to be replaced: where another stands by now, there is nothing to do. */
  readonly fingerprint: string;
  /** To the token host; follows no redirect. */
  readonly transport: Transport;
  readonly clock: Pick<Clock, 'now'>;
  /** Told every secret before it is used. */
  readonly redactor: Pick<Redactor, 'register'>;
  /** `TTCTL_CLIENT_SECRET`: wins over the stored one. */
  readonly clientSecret: string | undefined;
}

/** What the renewing process says on stdout when it is done: one line. */
export type RenewalReport =
  | { readonly asked: boolean }
  | { readonly failure: Readonly<Record<string, unknown>> };

/** Without secrets: the service may have repeated some. */
export function serializeFailure(
  failure: Failure,
  redactor: Pick<Redactor, 'json'>,
): Record<string, unknown> {
  const { code, exit, message, reason, hint } = failure;
  return { code, exit, ...(redactor.json({ message, reason, hint }) as object) };
}

function formatSignInAgainHint({ kind }: Credential, profile: string): string {
  return `Sign in again: ${formatSignInCommand({ kind, profile })}`;
}

function buildRequest(stored: Credential, task: RenewalTask): HttpRequest {
  const client = task.clientSecret === undefined ? stored : { ...stored, client_secret: task.clientSecret };
  for (const secret of [client.client_secret, stored.access_token, stored.refresh_token])
    if (secret !== undefined) task.redactor.register(secret);
  return stored.kind === 'client'
    ? buildClientCredentialsRequest(client, stored.scopes ?? [])
    : buildRefreshRequest(client, stored.refresh_token ?? '');
}

function createNotRenewableFailure(stored: Credential | undefined, profile: string): Failure {
  if (stored === undefined) {
    return new Failure(`not signed in (profile ${profile})`, {
      code: 'not_signed_in',
      exit: EXIT.signedOut,
      hint: `Sign in: ${formatSignInCommand({ kind: 'oauth', profile })}`,
    });
  }
  return new Failure(`the sign-in of profile ${profile} cannot be renewed`, {
    code: 'refresh_refused',
    exit: EXIT.signedOut,
    hint: formatSignInAgainHint(stored, profile),
  });
}

/** The service refused the refresh token for good. What is stored is marked, and kept. */
function recordRefusal(held: HeldCredential, stored: Credential, task: RenewalTask): Failure {
  const current = held.read();
  const unchanged = current !== undefined && current.refresh_token === stored.refresh_token;
  if (unchanged) held.commit({ ...current, dead: true });
  return new Failure(`the service no longer renews the sign-in of profile ${task.profile}`, {
    code: 'refresh_refused',
    exit: EXIT.signedOut,
    reason: `It has expired, was used elsewhere, or was revoked, or the answer to an earlier renewal was lost. It is stored in ${task.store.file}.`,
    hint: formatSignInAgainHint(stored, task.profile),
  });
}

async function exchange(held: HeldCredential, stored: Credential, task: RenewalTask): Promise<void> {
  const started = task.clock.now();
  try {
    const tokens = parseTokenResponse(await task.transport(buildRequest(stored, task)), started);
    for (const secret of [tokens.access_token, tokens.refresh_token])
      if (secret !== undefined) task.redactor.register(secret);
    held.commit({ ...stored, ...tokens } as Credential);
  } catch (error) {
    const isSpent = error instanceof Failure && error.code === 'invalid_grant' && stored.kind === 'oauth';
    throw isSpent ? recordRefusal(held, stored, task) : error;
  }
}

/**
 * @returns whether a token was asked for; false: another process has renewed it already
 * @throws Failure: exit 3 where the service refuses, 7 where it cannot be reached, 1 where nothing can be stored (it is
 * not asked then)
 */
export async function renewStored(task: RenewalTask): Promise<boolean> {
  return task.store.hold(task.profile, async (held) => {
    const stored = held.read();
    if (stored !== undefined && fingerprintToken(stored.access_token) !== task.fingerprint) return false;
    if (stored === undefined || !isRenewable(stored)) throw createNotRenewableFailure(stored, task.profile);
    await exchange(held, stored, task);
    return true;
  });
}
