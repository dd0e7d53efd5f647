import type { Clock } from '../clock.ts';
import type { HttpRequest, Transport } from '../http/transport.ts';
import { EXIT, Failure, NetworkError } from '../outcome.ts';
import { removeQuietly } from '../storage/temporary.ts';
import type { Credential, CredentialStore, HeldCredential } from './credentials.ts';
import {
  buildClientCredentialsRequest,
  buildRefreshRequest,
  fingerprintToken,
  type OAuthClient,
} from './oauth.ts';
import {
  getIntentFile,
  type RenewalIntent,
  readIntent,
  serializeFailure,
  writeIntent,
} from './renewal-intent.ts';
import { formatSignInCommand, isRenewable } from './sign-in.ts';
import { parseTokenResponse, toCredentialMembers } from './token-response.ts';

/** Renews a stored credential. Runs in a process of its own (renew.ts), which no signal to the command ends. */

export interface RenewalTask {
  readonly store: CredentialStore;
  readonly profile: string;
  /** Of the access token to be replaced: where another stands by now, there is nothing to do. */
  readonly fingerprint: string;
  /** To the token host; follows no redirect. */
  readonly transport: Transport;
  readonly clock: Pick<Clock, 'now'>;
  /** Told every secret before it is used; takes them out of what is kept of a failure. */
  readonly redactor: { register(secret: string): void; text(text: string): string };
  /** `TTCTL_CLIENT_SECRET`: wins over the stored one. */
  readonly clientSecret: string | undefined;
}

const formatSignInAgainHint = ({ kind }: Credential, profile: string): string =>
  `Sign in again: ${formatSignInCommand({ kind, profile })}`;

const toOAuthClient = (stored: Credential, clientSecret: string | undefined): OAuthClient => {
  const secret = clientSecret ?? stored.client_secret;
  return {
    tokenUrl: stored.token_url ?? '',
    id: stored.client_id ?? '',
    auth: stored.client_auth ?? 'body',
    ...(secret === undefined ? {} : { secret }),
  };
};

const buildRequest = (stored: Credential, task: RenewalTask): HttpRequest => {
  const client = toOAuthClient(stored, task.clientSecret);
  for (const secret of [client.secret, stored.access_token, stored.refresh_token])
    if (secret !== undefined) task.redactor.register(secret);
  return stored.kind === 'client'
    ? buildClientCredentialsRequest(client, stored.scopes ?? [])
    : buildRefreshRequest(client, stored.refresh_token ?? '');
};

const createNotRenewableFailure = (stored: Credential | undefined, profile: string): Failure => {
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
};

/** The service refused the refresh token for good. What is stored is marked, and kept. */
const recordRefusal = (
  held: HeldCredential,
  stored: Credential,
  task: RenewalTask,
  lost: number | undefined,
): Failure => {
  const current = held.read();
  const unchanged = current !== undefined && current.refresh_token === stored.refresh_token;
  if (unchanged) held.commit({ ...current, dead: true });
  const reason =
    lost === undefined
      ? 'It has expired, was used elsewhere, or was revoked.'
      : `The response to a renewal of ${new Date(lost).toISOString()} never arrived; the service has probably completed it.`;
  return new Failure(`the service no longer renews the sign-in of profile ${task.profile}`, {
    code: 'refresh_refused',
    exit: EXIT.signedOut,
    reason: `${reason} It is stored in ${task.store.file}.`,
    hint: formatSignInAgainHint(stored, task.profile),
  });
};

/** Since when the answer to an earlier request with the same token is missing. */
const findLostRequestTime = (file: string, fingerprint: string): number | undefined => {
  const previous = readIntent(file);
  if (previous?.fingerprint !== fingerprint) return undefined;
  return previous.lost ?? (previous.failure === undefined ? previous.started : undefined);
};

/** Whether the service may have carried it out though there is nothing to store. */
const isLost = (error: unknown): boolean =>
  (error instanceof NetworkError && error.sent) ||
  (error instanceof Failure && error.code === 'token_answer');

const recordFailure = (task: RenewalTask, intent: RenewalIntent, failure: Failure): void => {
  try {
    writeIntent(task.store.file ?? '', { ...intent, failure: serializeFailure(failure, task.redactor.text) });
  } catch {
    // The record stays as it was; the failure is reported in any case.
  }
};

const exchange = async (held: HeldCredential, stored: Credential, task: RenewalTask): Promise<void> => {
  const { store, profile, fingerprint, clock } = task;
  const file = store.file ?? '';
  const lost = findLostRequestTime(file, fingerprint);
  const started = clock.now();
  const intent = { profile, fingerprint, started, lost };
  const request = buildRequest(stored, task);
  writeIntent(file, intent);
  try {
    const tokens = parseTokenResponse(await task.transport(request));
    for (const secret of [tokens.accessToken, tokens.refreshToken])
      if (secret !== undefined) task.redactor.register(secret);
    held.commit({ ...stored, ...toCredentialMembers(tokens, started) });
    removeQuietly(getIntentFile(file));
  } catch (error) {
    const isSpent = error instanceof Failure && error.code === 'invalid_grant' && stored.kind === 'oauth';
    const failure = isSpent ? recordRefusal(held, stored, task, lost) : error;
    const lostSince = lost ?? (isLost(error) ? started : undefined);
    if (failure instanceof Failure)
      recordFailure(task, { ...intent, lost: lostSince, ended: clock.now() }, failure);
    throw failure;
  }
};

/**
 * @returns whether a token was asked for; false: another process has renewed it already
 * @throws Failure: exit 3 where the service refuses, 7 where it cannot be reached, 1 where nothing can be stored (it is
 * not asked then)
 */
export const renewStored = async (task: RenewalTask): Promise<boolean> =>
  task.store.hold(task.profile, async (held) => {
    const stored = held.read();
    if (stored !== undefined && fingerprintToken(stored.access_token) !== task.fingerprint) return false;
    if (stored === undefined || !isRenewable(stored)) throw createNotRenewableFailure(stored, task.profile);
    await exchange(held, stored, task);
    return true;
  });
