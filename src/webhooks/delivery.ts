import { createHash } from 'node:crypto';
import type { Row } from '../api/page.ts';
import { isRecord, parseJsonValue, stringifyJson, toText } from '../json.ts';
import { getHeader, type SignatureVerdict, type SignedRequest } from './signature.ts';

/** A delivery as it came, what can be told of it whatever its shape, and the rows that people and scripts see. Pure. */

export interface ReceivedRequest extends SignedRequest {
  readonly method: string;
  /** As sent: path and query. */
  readonly target: string;
}

/** `pending`: it is tried again; `failed`: by the next listener only. */
export type ForwardingState = 'pending' | 'accepted' | 'failed';

export interface Delivery extends ReceivedRequest {
  /** Its `webhook-id`, else `sha256:` and the first 16 digits of the digest of its body. */
  readonly id: string;
  readonly event: string | null;
  /** The same delivery has the same one: 32 hexadecimal digits. */
  readonly key: string;
  /** ISO 8601. */
  readonly received_at: string;
  readonly signature: SignatureVerdict;
  /** Null: it is not to be forwarded. */
  readonly state: ForwardingState | null;
  readonly payload: unknown;
}

/** Where the name of an event may stand: in the body, else in a header. */
const EVENT_MEMBERS = ['event', 'event_name', 'event_type', 'type'];
const EVENT_HEADERS = ['x-webhook-event', 'x-event', 'x-event-type', 'x-event-name', 'webhook-event'];

/** @param receivedAt milliseconds since the epoch */
export function toDelivery(
  arrival: ReceivedRequest,
  receivedAt: number,
  signature: SignatureVerdict,
): Delivery {
  const { headers, body, target } = arrival;
  const payload = parseBody(body);
  const inBody = isRecord(payload) ? EVENT_MEMBERS.map((name) => payload[name]) : [];
  const names = [...inBody, ...EVENT_HEADERS.map((name) => getHeader(headers, name))];
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

/** Whether whoever knows the token sent it, now or some time ago. */
export function isSigned({ state }: SignatureVerdict): boolean {
  return state === 'valid' || state === 'expired';
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

/** As it is shown when it has just come. @param facts what became of it */
export function toLiveRow(delivery: Delivery, facts: object, mask: Mask): Row {
  const { summary, ...listed } = toListedRow(delivery, mask);
  return { ...listed, ...facts, summary, ...decodeBody(delivery, mask) };
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
  return { ...listed, method: delivery.method, headers, ...decodeBody(delivery, mask) };
}

/** The JSON value; else the text; else the bytes. The others are null. */
function decodeBody({ body, payload }: Delivery, mask: Mask): Row {
  const none = { payload: null, text: null, base64: null };
  if (payload !== undefined) return { ...none, payload: mask(payload) };
  try {
    return { ...none, text: mask(new TextDecoder('utf-8', { fatal: true }).decode(body)) };
  } catch {
    return { ...none, base64: Buffer.from(body).toString('base64') };
  }
}

const MAX_SHOWN = 6;

/**
 * One line on what a delivery says: on its `data` where it is JSON that has some. Not sanitised.
 * @param payload its JSON value, secrets masked
 */
export function summarizeDelivery({ body, headers }: ReceivedRequest, payload: unknown): string {
  if (body.length === 0) return 'no body';
  if (payload === undefined)
    return `not readable as JSON (${getHeader(headers, 'content-type') ?? 'no content type'})`;
  const data = isRecord(payload) && isRecord(payload['data']) ? payload['data'] : payload;
  if (!isRecord(data)) return stringifyJson(data).slice(0, 120);
  const scalars = Object.entries(data).filter(
    ([, value]) => typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean',
  );
  const shown = scalars.map(([name, value]) => `${name} ${toText(value).slice(0, 60)}`);
  return (shown.length > 0 ? shown : Object.keys(data)).slice(0, MAX_SHOWN).join(', ');
}

function hashHex(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
