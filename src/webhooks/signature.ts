import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { parseJsonValue } from '../json.ts';

/**
 * Whether a delivery comes from who knows the webhook's token. The service's own layout is not documented
 * (docs/service.md, Deliveries): what is checked is the layout of Standard Webhooks, and any other is told for what it is.
 */

export interface SignatureVerdict {
  readonly state: 'valid' | 'invalid' | 'expired' | 'unchecked' | 'none';
  /** Why, or what there is in place of a signature. */
  readonly detail?: string;
}

/** As they came; names in any case. */
type Headers = readonly (readonly [name: string, value: string])[];

export interface SignedRequest {
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** Seconds that sender and receiver may be apart. */
const TOLERANCE_S = 300;

/**
 * Judges a delivery. A token in plain sight is no signature.
 * @param token the webhook's secret; undefined: nothing can be checked
 * @param nowMs milliseconds since the epoch
 */
export function verifySignature(
  { headers, body }: SignedRequest,
  token: string | undefined,
  nowMs: number,
): SignatureVerdict {
  const signature = getHeader(headers, 'webhook-signature');
  if (signature === undefined) {
    const detail = describeOtherMark({ headers, body }, token);
    return { state: 'none', ...(detail === undefined ? {} : { detail }) };
  }
  if (token === undefined) return { state: 'unchecked', detail: 'there is no token' };
  if (!/(^| )v1,/.test(signature)) return { state: 'unchecked', detail: 'its version is not v1' };
  const [id, timestamp] = [getHeader(headers, 'webhook-id'), getHeader(headers, 'webhook-timestamp')];
  if (id === undefined) return { state: 'invalid', detail: 'the webhook-id is missing' };
  if (timestamp === undefined || !/^\d{1,12}$/.test(timestamp))
    return { state: 'invalid', detail: 'the webhook-timestamp in seconds is missing' };
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`, 'latin1'), body]);
  const candidates = signature.split(' ').filter((text) => text.startsWith('v1,'));
  if (!matchesAny(candidates, content, token))
    return { state: 'invalid', detail: 'it does not match this token' };
  const late = Math.floor(nowMs / 1000) - Number(timestamp);
  if (Math.abs(late) <= TOLERANCE_S) return { state: 'valid' };
  const distance = formatDistance(Math.abs(late));
  return { state: 'expired', detail: `signed ${distance} ${late > 0 ? 'ago' : 'ahead of this clock'}` };
}

export function getHeader(headers: Headers, headerName: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === headerName)?.[1];
}

function matchesAny(signatures: readonly string[], content: Uint8Array, token: string): boolean {
  const expected = listKeys(token).map((key) => createHmac('sha256', key).update(content).digest('base64'));
  const received = signatures.map((text) =>
    Buffer.from(text.slice('v1,'.length), 'base64').toString('base64'),
  );
  // Every pair is compared: the time tells nothing.
  return received.flatMap((one) => expected.map((other) => isSameText(one, other))).includes(true);
}

/** The keys that a token may stand for: what is packed behind `whsec_`, and its own bytes. */
function listKeys(token: string): readonly Uint8Array[] {
  const packed = token.startsWith('whsec_') ? token.slice('whsec_'.length) : '';
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(packed);
  return [...(isBase64 ? [Buffer.from(packed, 'base64')] : []), Buffer.from(token)];
}

/** In constant time for texts of any length. */
function isSameText(one: string, other: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}

function formatDistance(seconds: number): string {
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

/** What may tell who sent it, where there is no signature in the known layout. */
function describeOtherMark({ headers, body }: SignedRequest, token: string | undefined): string | undefined {
  if (token !== undefined) {
    const bare = (value: string): string => value.replace(/^Bearer +/i, '');
    const [tokenHeader] = headers.find(([, value]) => isSameText(bare(value), token)) ?? [];
    if (tokenHeader !== undefined) return `the token itself is in the header ${tokenHeader.toLowerCase()}`;
    const path = findPath(parseJsonValue(Buffer.from(body).toString('utf8')), token);
    if (path !== undefined) return `the token itself is in ${path} of the body`;
  }
  const [other] = headers.find(([name]) => /signature|digest|hmac/i.test(name)) ?? [];
  return other === undefined ? undefined : `the header ${other.toLowerCase()} has an unknown format`;
}

/** Where in a JSON value the text stands: `data.token`. */
function findPath(value: unknown, text: string, depth = 0): string | undefined {
  if (typeof value !== 'object' || value === null || depth > 5) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner === 'string' && isSameText(inner, text)) return name;
    const below = findPath(inner, text, depth + 1);
    if (below !== undefined) return `${name}.${below}`;
  }
  return undefined;
}
