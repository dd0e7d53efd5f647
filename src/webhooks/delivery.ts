import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Row } from '../api/page.ts';
import { isRecord, parseJsonValue, stringifyJson, toText } from '../json.ts';

/** A delivery as it came, whether it is signed, and the rows that people and scripts see of it. Pure. */

export interface ReceivedRequest {
  readonly method: string;
  /** As sent: path and query. */
  readonly target: string;
  /** As they came: names in their own case, in their own order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

export interface SignatureVerdict {
  readonly state: 'valid' | 'invalid' | 'expired' | 'unchecked' | 'none';
  /** Why, or what there is in place of a signature. */
  readonly detail?: string;
}

export interface Delivery extends ReceivedRequest {
  /** Its `webhook-id`, else `sha256:` and the first 16 digits of the digest of its body. */
  readonly id: string;
  readonly event: string | null;
  /** The same delivery has the same one: 32 hexadecimal digits. */
  readonly key: string;
  /** ISO 8601. */
  readonly received_at: string;
  readonly signature: SignatureVerdict;
  /** `pending`: it is tried again; `failed`: by the next listener only; null: it is not to be forwarded. */
  readonly state: 'pending' | 'accepted' | 'failed' | null;
  readonly payload: unknown;
}

/** Seconds that sender and receiver may be apart. */
const TOLERANCE_S = 300;

/**
 * Whether a delivery comes from who knows the webhook's token. The service's own layout is not documented
 * (docs/service.md, Deliveries): what is checked is the layout of Standard Webhooks, and any other is told for what it is.
 * @param token the webhook's secret; undefined: nothing can be checked
 * @param nowMs milliseconds since the epoch
 */
export function verifySignature(
  { headers, body }: Pick<ReceivedRequest, 'headers' | 'body'>,
  token: string | undefined,
  nowMs: number,
): SignatureVerdict {
  const signature = getHeader(headers, 'webhook-signature');
  if (signature === undefined) {
    const other = headers.find(([name]) => /signature|digest|hmac|token|authorization/i.test(name))?.[0];
    const detail = `the header ${other?.toLowerCase()} has an unknown format`;
    return other === undefined ? { state: 'none' } : { state: 'none', detail };
  }
  if (token === undefined) return { state: 'unchecked', detail: 'there is no token' };
  const candidates = signature.split(' ').filter((text) => text.startsWith('v1,'));
  if (candidates.length === 0) return { state: 'unchecked', detail: 'its version is not v1' };
  const id = getHeader(headers, 'webhook-id');
  const timestamp = getHeader(headers, 'webhook-timestamp') ?? '';
  if (id === undefined || !/^\d{1,12}$/.test(timestamp))
    return { state: 'invalid', detail: 'it has no webhook-id, or no webhook-timestamp in seconds' };
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`, 'latin1'), body]);
  // The bytes of the token itself, or what is packed behind `whsec_`.
  const [, packed] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(token) ?? [];
  const keys = [Buffer.from(token), ...(packed === undefined ? [] : [Buffer.from(packed, 'base64')])];
  const expected = keys.map((key) => createHmac('sha256', key).update(content).digest('base64'));
  // Every pair is compared, by digests of one length: the time tells nothing.
  const hash = (text: string) => createHash('sha256').update(text).digest();
  const matches = candidates.flatMap((text) => {
    const one = hash(Buffer.from(text.slice('v1,'.length), 'base64').toString('base64'));
    return expected.map((other) => timingSafeEqual(one, hash(other)));
  });
  if (!matches.includes(true)) return { state: 'invalid', detail: 'it does not match this token' };
  const late = Math.floor(nowMs / 1000) - Number(timestamp);
  if (Math.abs(late) <= TOLERANCE_S) return { state: 'valid' };
  const distance = `${Math.round(Math.abs(late) / 60)} min ${late > 0 ? 'ago' : 'ahead of this clock'}`;
  return { state: 'expired', detail: `signed ${distance}` };
}

/** Whether whoever knows the token sent it, now or some time ago. */
export function isSigned({ state }: SignatureVerdict): boolean {
  return state === 'valid' || state === 'expired';
}

function getHeader(headers: ReceivedRequest['headers'], headerName: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === headerName)?.[1];
}

/** Where the name of an event may stand in a body. */
const EVENT_MEMBERS = ['event', 'event_name', 'event_type', 'type'];

/** @param receivedAt milliseconds since the epoch */
export function toDelivery(
  arrival: ReceivedRequest,
  receivedAt: number,
  signature: SignatureVerdict,
): Delivery {
  const { headers, body, target } = arrival;
  const payload = parseBody(body);
  const names = isRecord(payload) ? EVENT_MEMBERS.map((name) => payload[name]) : [];
  const event = names.find((value) => typeof value === 'string' && value !== '');
  const id = getHeader(headers, 'webhook-id');
  // Anybody can send an id: one without a signature that holds is never the same as one that has it, and one whose
  // signature is wrong goes by its body too.
  const mark = isSigned(signature) ? [] : ['unsigned'];
  const isById = id !== undefined && signature.state !== 'invalid';
  const parts = isById ? [target, id, ...mark] : [target, id ?? '', hashHex(body)];
  return {
    ...arrival,
    id: id ?? `sha256:${hashHex(body).slice(0, 16)}`,
    event: event === undefined ? null : String(event),
    key: hashHex(JSON.stringify(parts)).slice(0, 32),
    received_at: new Date(receivedAt).toISOString(),
    signature,
    state: null,
    payload,
  };
}

/** The value of a JSON body, else undefined; also for one that is too deep to be read. */
export function parseBody(body: Uint8Array): unknown {
  try {
    return parseJsonValue(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

function hashHex(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Masks secrets in a value, or shows them. */
export type Mask = (value: unknown) => unknown;

/** What a list has of it: all but its headers and its body. */
export function toListedRow(delivery: Delivery, mask: Mask): Row {
  const { id, event, received_at, body, signature, target, state, key, payload } = delivery;
  return {
    id: mask(id),
    event: mask(event),
    received_at,
    size: body.length,
    signature: signature.state,
    signature_detail: signature.detail ?? null,
    path: mask(target),
    state,
    key,
    summary: summarizeDelivery(delivery, mask(payload)),
  };
}

/** The body: a JSON value, else a text. */
export function toBodyRow({ body, payload }: Delivery, mask: Mask): Row {
  if (payload !== undefined) return { payload: mask(payload), text: null };
  return { payload: null, text: mask(new TextDecoder().decode(body)) };
}

/** One whole. Whoever has a signature and its body can send them once more. */
export function toWholeRow(delivery: Delivery, mask: Mask, showsSignature: boolean): Row {
  const headers: Record<string, string> = {};
  for (const [rawName, value] of delivery.headers) {
    const name = rawName.toLowerCase();
    const isHidden = !showsSignature && name.includes('signature');
    const text = isHidden ? '***' : toText((mask({ [name]: value }) as Row)[name]);
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${text}` : text;
  }
  const { summary: _, ...listed } = toListedRow(delivery, mask);
  return { ...listed, method: delivery.method, headers, ...toBodyRow(delivery, mask) };
}

/**
 * One line on what a delivery says: on its `data` where it is JSON that has some. Not sanitised.
 * @param payload its JSON value, secrets masked
 */
export function summarizeDelivery({ body }: ReceivedRequest, payload: unknown): string {
  if (payload === undefined) return body.length === 0 ? 'no body' : 'not readable as JSON';
  const data = isRecord(payload) && isRecord(payload['data']) ? payload['data'] : payload;
  if (!isRecord(data)) return stringifyJson(data).slice(0, 120);
  const shown = Object.entries(data).flatMap(([name, value]) =>
    value === null || typeof value === 'object' ? [] : `${name} ${toText(value).slice(0, 60)}`,
  );
  return (shown.length > 0 ? shown : Object.keys(data)).slice(0, 6).join(', ');
}
