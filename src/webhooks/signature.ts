import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Whether a delivery comes from who knows the webhook's token. The service's own layout is not documented
 * (docs/service.md, Deliveries): what is checked is the layout of Standard Webhooks, and any other is told for what it is.
 */

export type SignatureState = 'valid' | 'invalid' | 'expired' | 'unchecked' | 'none';

export interface SignatureVerdict {
  readonly state: SignatureState;
  /** Why, or what there is in place of a signature. */
  readonly detail?: string;
}

export interface SignedRequest {
  /** As they came; names in any case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** The body where it is JSON. */
  readonly payload: unknown;
}

/** Seconds that sender and receiver may be apart. */
const TOLERANCE_S = 300;

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The keys that a token may stand for: what is packed behind `whsec_`, and its own bytes. */
const listKeys = (token: string): readonly Uint8Array[] => {
  const packed = token.startsWith('whsec_') ? token.slice('whsec_'.length) : '';
  return [...(BASE64.test(packed) ? [Buffer.from(packed, 'base64')] : []), Buffer.from(token)];
};

const isSameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && timingSafeEqual(one, other);

const hash = (text: string): Uint8Array => createHash('sha256').update(text).digest();

/** In constant time for texts of any length. */
const isSameText = (one: string, other: string): boolean => isSameBytes(hash(one), hash(other));

export const getHeader = (
  { headers }: Pick<SignedRequest, 'headers'>,
  headerName: string,
): string | undefined => headers.find(([name]) => name.toLowerCase() === headerName)?.[1];

const matchesAny = (signatures: readonly string[], content: Uint8Array, token: string): boolean => {
  const expected = listKeys(token).map((key) => createHmac('sha256', key).update(content).digest());
  const received = signatures.map((text) => Buffer.from(text.slice('v1,'.length), 'base64'));
  // Every pair is compared: the time tells nothing.
  return received.flatMap((one) => expected.map((other) => isSameBytes(one, other))).includes(true);
};

const formatDistance = (seconds: number): string =>
  seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;

const judgeTime = (timestamp: number, nowMs: number): SignatureVerdict => {
  const late = Math.floor(nowMs / 1000) - timestamp;
  if (Math.abs(late) <= TOLERANCE_S) return { state: 'valid' };
  const detail = `signed ${formatDistance(Math.abs(late))} ${late > 0 ? 'ago' : 'ahead of this clock'}`;
  return { state: 'expired', detail };
};

const judgeStandard = (
  signed: SignedRequest,
  signature: string,
  token: string,
  nowMs: number,
): SignatureVerdict => {
  const [id, timestamp] = [getHeader(signed, 'webhook-id'), getHeader(signed, 'webhook-timestamp')];
  if (id === undefined) return { state: 'invalid', detail: 'the webhook-id is missing' };
  if (timestamp === undefined || !/^\d{1,12}$/.test(timestamp))
    return { state: 'invalid', detail: 'the webhook-timestamp in seconds is missing' };
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`, 'latin1'), signed.body]);
  const candidates = signature.split(' ').filter((text) => text.startsWith('v1,'));
  if (!matchesAny(candidates, content, token))
    return { state: 'invalid', detail: 'it does not match this token' };
  return judgeTime(Number(timestamp), nowMs);
};

/** Where in a JSON value the text stands: `data.token`. */
const findPath = (value: unknown, text: string, depth = 0): string | undefined => {
  if (typeof value !== 'object' || value === null || depth > 5) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner === 'string' && isSameText(inner, text)) return name;
    const below = findPath(inner, text, depth + 1);
    if (below !== undefined) return `${name}.${below}`;
  }
  return undefined;
};

/** What may tell who sent it, where there is no signature in the known layout. */
const describeOtherMark = (signed: SignedRequest, token: string | undefined): string | undefined => {
  const bare = (value: string): string => value.replace(/^Bearer +/i, '');
  const [tokenHeader] =
    signed.headers.find(([, value]) => token !== undefined && isSameText(bare(value), token)) ?? [];
  if (tokenHeader !== undefined) return `the token itself is in the header ${tokenHeader.toLowerCase()}`;
  const path = token === undefined ? undefined : findPath(signed.payload, token);
  if (path !== undefined) return `the token itself is in ${path} of the body`;
  const [other] = signed.headers.find(([name]) => /signature|digest|hmac/i.test(name)) ?? [];
  return other === undefined ? undefined : `the header ${other.toLowerCase()} has an unknown format`;
};

/**
 * Judges a delivery. A token in plain sight is no signature.
 * @param token the webhook's secret; undefined: nothing can be checked
 * @param nowMs milliseconds since the epoch
 */
export const verifySignature = (
  signed: SignedRequest,
  token: string | undefined,
  nowMs: number,
): SignatureVerdict => {
  const signature = getHeader(signed, 'webhook-signature');
  if (signature === undefined) {
    const detail = describeOtherMark(signed, token);
    return { state: 'none', ...(detail === undefined ? {} : { detail }) };
  }
  if (token === undefined) return { state: 'unchecked', detail: 'there is no token' };
  if (!/(^| )v1,/.test(signature)) return { state: 'unchecked', detail: 'its version is not v1' };
  return judgeStandard(signed, signature, token, nowMs);
};
