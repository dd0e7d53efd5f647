import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Whether a delivery comes from who knows the webhook's token. The service's own layout is not documented
 * (docs/service.md, Deliveries): what is checked is the layout of Standard Webhooks, and any other is told for what it is.
 */

export interface SignatureVerdict {
  readonly state: 'valid' | 'invalid' | 'expired' | 'unchecked' | 'none';
  /** Why, or what there is in place of a signature. */
  readonly detail?: string;
}

export interface SignedRequest {
  /** As they came: names in their own case, in their own order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
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
    const isToken = (value: string): boolean =>
      token !== undefined && isSameText(value.replace(/^Bearer +/i, ''), token);
    const plain = headers.find(([, value]) => isToken(value))?.[0].toLowerCase();
    if (plain !== undefined) return { state: 'none', detail: `the token itself is in the header ${plain}` };
    const other = headers.find(([name]) => /signature|digest|hmac/i.test(name))?.[0].toLowerCase();
    const detail = `the header ${other} has an unknown format`;
    return other === undefined ? { state: 'none' } : { state: 'none', detail };
  }
  if (token === undefined) return { state: 'unchecked', detail: 'there is no token' };
  const candidates = signature.split(' ').filter((text) => text.startsWith('v1,'));
  if (candidates.length === 0) return { state: 'unchecked', detail: 'its version is not v1' };
  const id = getHeader(headers, 'webhook-id');
  if (id === undefined) return { state: 'invalid', detail: 'the webhook-id is missing' };
  const timestamp = getHeader(headers, 'webhook-timestamp');
  if (timestamp === undefined || !/^\d{1,12}$/.test(timestamp))
    return { state: 'invalid', detail: 'the webhook-timestamp in seconds is missing' };
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`, 'latin1'), body]);
  const sign = (key: Uint8Array): string => createHmac('sha256', key).update(content).digest('base64');
  // The bytes of the token itself, or what is packed behind `whsec_`.
  const [, packed] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(token) ?? [];
  const keys = [Buffer.from(token), ...(packed === undefined ? [] : [Buffer.from(packed, 'base64')])];
  const expected = keys.map(sign);
  // Every pair is compared: the time tells nothing.
  const matches = candidates.flatMap((text) => {
    const one = Buffer.from(text.slice('v1,'.length), 'base64').toString('base64');
    return expected.map((other) => isSameText(one, other));
  });
  if (!matches.includes(true)) return { state: 'invalid', detail: 'it does not match this token' };
  const late = Math.floor(nowMs / 1000) - Number(timestamp);
  if (Math.abs(late) <= TOLERANCE_S) return { state: 'valid' };
  const minutes = Math.round(Math.abs(late) / 60);
  const distance = minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
  return { state: 'expired', detail: `signed ${distance} ${late > 0 ? 'ago' : 'ahead of this clock'}` };
}

export function getHeader(headers: SignedRequest['headers'], headerName: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === headerName)?.[1];
}

/** In constant time for texts of any length. */
function isSameText(one: string, other: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}
