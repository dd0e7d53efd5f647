import { createHash } from 'node:crypto';
import type { Row } from '../api/page.ts';
import { isNumber, isRecord, parseJsonValue, stringifyJson, toText } from '../json.ts';
import type { Machine } from '../platform/machine.ts';
import { getHeader, type SignatureVerdict } from './signature.ts';

/** A delivery as it came, what can be told of it whatever its shape, and the rows that people and scripts see. Pure. */

export interface ReceivedRequest {
  readonly method: string;
  /** As sent: path and query. */
  readonly target: string;
  /** As they came: names in their own case, in their own order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
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
  /** The body where it is JSON. */
  readonly payload: unknown;
}

/** @param receivedAt milliseconds since the epoch */
export function toDelivery(
  arrival: ReceivedRequest,
  receivedAt: number,
  signature: SignatureVerdict,
): Delivery {
  const { headers, body } = arrival;
  const payload = parseBody(body);
  const id = getHeader(headers, 'webhook-id');
  return {
    ...arrival,
    id: id ?? `sha256:${hashHex(body).slice(0, 16)}`,
    event: findEvent(arrival, payload),
    key: createKey(arrival, id, signature),
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

/** Masks secrets. */
export type Masks = Omit<Machine['redactor'], 'register'>;

/** Shows everything, for `--show-secrets`. */
export const UNMASKED: Masks = {
  text: (text) => text,
  json: (value) => value,
  header: (_name, value) => value,
};

/** What a list has of it: all but its headers and its body. */
export function toListedRow(delivery: Delivery, masks: Masks): Row {
  return {
    ...toFacts(delivery, masks),
    summary: summarizeDelivery(delivery, masks.json(delivery.payload)),
  };
}

/** As it is shown when it has just come. @param facts what became of it */
export function toLiveRow(delivery: Delivery, facts: object, masks: Masks): Row {
  const { summary, ...listed } = toListedRow(delivery, masks);
  return { ...listed, ...facts, summary, ...decodeBody(delivery, masks) };
}

/** One whole. Whoever has a signature and its body can send them once more. */
export function toWholeRow(delivery: Delivery, masks: Masks): Row {
  const headers: Record<string, string> = {};
  for (const [rawName, value] of delivery.headers) {
    const name = rawName.toLowerCase();
    const isHidden = masks !== UNMASKED && name.includes('signature');
    const text = isHidden ? '***' : masks.header(rawName, value);
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${text}` : text;
  }
  return {
    ...toFacts(delivery, masks),
    method: delivery.method,
    headers,
    ...decodeBody(delivery, masks),
  };
}

function toFacts(
  { id, event, received_at, body, signature, target, state, key }: Delivery,
  masks: Masks,
): Row {
  return {
    id: masks.text(id),
    event: event === null ? null : masks.text(event),
    received_at,
    size: body.length,
    signature: signature.state,
    signature_detail: signature.detail ?? null,
    path: masks.text(target),
    state,
    key,
  };
}

/** The JSON value; else the text; else the bytes. The others are null. */
function decodeBody({ body, payload }: Delivery, masks: Masks): Row {
  if (payload !== undefined) return { payload: masks.json(payload), text: null, base64: null };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return { payload: null, text: masks.text(text), base64: null };
  } catch {
    return { payload: null, text: null, base64: Buffer.from(body).toString('base64') };
  }
}

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
  const names = Object.keys(data);
  const isScalar = (name: string): boolean =>
    isNumber(data[name]) || ['string', 'boolean'].includes(typeof data[name]);
  const shown = [...new Set([...PREFERRED.filter((name) => names.includes(name)), ...names])].filter(
    isScalar,
  );
  if (shown.length === 0) return names.slice(0, MAX_SHOWN).join(', ');
  return shown
    .slice(0, MAX_SHOWN)
    .map((name) => `${name} ${toText(data[name]).slice(0, 60)}`)
    .join(', ');
}

/** What people look for first. */
const PREFERRED = ['id', 'name', 'title', 'email', 'status'];
const MAX_SHOWN = 6;

const EVENT_MEMBERS = ['event', 'event_name', 'event_type', 'type'];
const EVENT_HEADERS = ['x-webhook-event', 'x-event', 'x-event-type', 'x-event-name', 'webhook-event'];

/** The name of the event: in the body, else in a header; null where none is found. */
function findEvent({ headers }: ReceivedRequest, payload: unknown): string | null {
  const inBody = isRecord(payload) ? EVENT_MEMBERS.map((name) => payload[name]) : [];
  const inHeaders = EVENT_HEADERS.map((name) => getHeader(headers, name));
  const name = [...inBody, ...inHeaders].find((value) => typeof value === 'string' && value !== '');
  return name === undefined ? null : String(name);
}

/**
 * What stands for the same delivery. Anybody can send an id: one without a signature that holds is never the same as
 * one that has it, and one whose signature is wrong goes by its body too.
 */
function createKey(
  { target, body }: ReceivedRequest,
  id: string | undefined,
  verdict: SignatureVerdict,
): string {
  const signed = isSigned(verdict) ? [] : ['unsigned'];
  const parts =
    id === undefined || verdict.state === 'invalid'
      ? [target, id ?? '', hashHex(body)]
      : [target, id, ...signed];
  return hashHex(JSON.stringify(parts)).slice(0, 32);
}

function hashHex(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
