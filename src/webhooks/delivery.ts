import { createHash } from 'node:crypto';
import { isNumber, isRecord } from '../json/number.ts';
import { MAX_DEPTH, parseJson, parseJsonValue } from '../json/parse.ts';
import { stringifyJson, toText } from '../json/stringify.ts';
import { getHeader, type SignatureVerdict, type SignedRequest } from './signature.ts';

/** A delivery as it came, and what can be told of it whatever its shape. Pure. */

export interface ReceivedRequest {
  readonly method: string;
  /** As sent: path and query. */
  readonly target: string;
  /** As they came: names in their own case, in their own order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

export interface Delivery extends ReceivedRequest, SignedRequest {
  /** Its `webhook-id`, else `sha256:` and the first 16 digits of the digest of its body. */
  readonly id: string;
  readonly event: string | null;
  /** The same delivery has the same one: 32 hexadecimal digits. */
  readonly key: string;
  /** ISO 8601. */
  readonly received_at: string;
  readonly signature: SignatureVerdict;
}

const hashHex = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** The value of a JSON body, else undefined; also for one that is too deep to be read. */
export const parseBody = (body: Uint8Array): unknown => {
  try {
    return parseJsonValue(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
};

/** JSON that no value is made of. It is kept, and handed on, as it came. */
const isTooDeep = (body: Uint8Array): boolean => {
  const parsed = parseJson(Buffer.from(body).toString('utf8'));
  return 'problem' in parsed && parsed.problem.what.startsWith(`more than ${MAX_DEPTH} levels`);
};

const EVENT_MEMBERS = ['event', 'event_name', 'event_type', 'type'];
const EVENT_HEADERS = ['x-webhook-event', 'x-event', 'x-event-type', 'x-event-name', 'webhook-event'];

/** The name of the event: in the body, else in a header; null where none is found. */
const findEvent = (arrival: ReceivedRequest, payload: unknown): string | null => {
  const inBody = isRecord(payload) ? EVENT_MEMBERS.map((name) => payload[name]) : [];
  const inHeaders = EVENT_HEADERS.map((name) => getHeader(arrival, name));
  const name = [...inBody, ...inHeaders].find((value) => typeof value === 'string' && value !== '');
  return name === undefined ? null : String(name);
};

/** Whether whoever knows the token sent it, now or some time ago. */
export const isSigned = ({ state }: SignatureVerdict): boolean => state === 'valid' || state === 'expired';

/**
 * What stands for the same delivery. Anybody can send an id: one without a signature that holds is never the same as
 * one that has it, and one whose signature is wrong goes by its body too.
 */
const createKey = (
  { target, body }: ReceivedRequest,
  id: string | undefined,
  verdict: SignatureVerdict,
): string => {
  const signed = isSigned(verdict) ? [] : ['unsigned'];
  const parts =
    id === undefined || verdict.state === 'invalid'
      ? [target, id ?? '', hashHex(body)]
      : [target, id, ...signed];
  return hashHex(JSON.stringify(parts)).slice(0, 32);
};

/** @param verify what is to be thought of its signature */
export const toDelivery = (
  arrival: ReceivedRequest,
  receivedAt: number,
  verify: (signed: SignedRequest) => SignatureVerdict,
): Delivery => {
  const payload = parseBody(arrival.body);
  const webhookId = getHeader(arrival, 'webhook-id');
  const signature = verify({ ...arrival, payload });
  return {
    ...arrival,
    payload,
    id: webhookId ?? `sha256:${hashHex(arrival.body).slice(0, 16)}`,
    event: findEvent(arrival, payload),
    key: createKey(arrival, webhookId, signature),
    received_at: new Date(receivedAt).toISOString(),
    signature,
  };
};

/** What people look for first. */
const PREFERRED = ['id', 'name', 'title', 'email', 'status'];
const MAX_SHOWN = 6;

const isScalar = (value: unknown): boolean =>
  isNumber(value) || typeof value === 'string' || typeof value === 'boolean';

const formatScalars = (data: Readonly<Record<string, unknown>>): string[] => {
  const names = Object.keys(data).filter((name) => isScalar(data[name]));
  const ordered = [
    ...PREFERRED.filter((name) => names.includes(name)),
    ...names.filter((name) => !PREFERRED.includes(name)),
  ];
  return ordered.slice(0, MAX_SHOWN).map((name) => `${name} ${toText(data[name]).slice(0, 60)}`);
};

/**
 * One line on what a delivery says: on its `data` where it is JSON that has some. Not sanitised.
 * @param payload its JSON value, secrets masked
 */
export const summarizeDelivery = ({ body, headers }: ReceivedRequest, payload: unknown): string => {
  if (body.length === 0) return 'no body';
  if (payload === undefined && isTooDeep(body)) return `JSON of more than ${MAX_DEPTH} levels`;
  if (payload === undefined)
    return `not JSON (${getHeader({ headers }, 'content-type') ?? 'no content type'})`;
  const data = isRecord(payload) && isRecord(payload['data']) ? payload['data'] : payload;
  if (!isRecord(data)) return stringifyJson(data).slice(0, 120);
  const parts = formatScalars(data);
  return parts.length > 0 ? parts.join(', ') : Object.keys(data).slice(0, MAX_SHOWN).join(', ');
};
