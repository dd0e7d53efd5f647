import { parseJson } from '../json/parse.ts';
import { EXIT, Failure, parseFailureJson } from '../outcome.ts';
import { readPrivate } from '../storage/own-files.ts';
import { writeDurably } from '../storage/write.ts';

/**
 * The record of the last renewal that did not come to its good end: on the disk before the token host is asked, gone
 * after the new tokens are stored. It explains a refresh token that is spent though nothing new is stored (the machine
 * went down, the answer was lost), and saves those who waited from asking a token host that just failed. No secrets.
 */
export interface RenewalIntent {
  readonly profile: string;
  /** Of the access token that was to be replaced (oauth.ts). */
  readonly fingerprint: string;
  /** Milliseconds since the epoch. */
  readonly started: number;
  /** When the first request left whose answer never came: the service may have spent the refresh token then. */
  readonly lost?: number;
  readonly ended?: number;
  readonly failure?: SerializedFailure;
}

/** A failure as it is passed from process to process. */
export interface SerializedFailure {
  readonly code: Failure['code'];
  readonly exit: number;
  readonly message: string;
  readonly reason?: string;
  readonly hint?: string;
}

/** @param redact takes secrets out of a text: the service may have repeated some */
export const serializeFailure = (failure: Failure, redact: (text: string) => string): SerializedFailure => ({
  code: failure.code,
  exit: failure.exit,
  message: redact(failure.message),
  ...(failure.reason === undefined ? {} : { reason: redact(failure.reason) }),
  ...(failure.hint === undefined ? {} : { hint: redact(failure.hint) }),
});

/** Never a `NetworkError`: the request that waited for the renewal was not sent. */
export const deserializeFailure = (failure: SerializedFailure): Failure =>
  parseFailureJson({ ...failure }, new Failure(failure.message, { code: failure.code, exit: EXIT.fault }));

export const getIntentFile = (credentialsFile: string): string => `${credentialsFile}.renewal`;

/** Undefined where there is none, or none that can be read: it only explains. */
export const readIntent = (credentialsFile: string): RenewalIntent | undefined => {
  try {
    const parsed = parseJson(readPrivate(getIntentFile(credentialsFile))?.text ?? '');
    if (!('value' in parsed) || typeof parsed.value !== 'object' || parsed.value === null) return undefined;
    const intent = parsed.value as RenewalIntent;
    return typeof intent.fingerprint === 'string' && typeof intent.started === 'number' ? intent : undefined;
  } catch {
    return undefined;
  }
};

export const writeIntent = (credentialsFile: string, intent: RenewalIntent): void =>
  writeDurably(getIntentFile(credentialsFile), `${JSON.stringify(intent)}\n`);
