import type { Row } from '../api/page.ts';
import { type Delivery, summarizeDelivery } from './delivery.ts';
import type { ExecResult } from './exec.ts';
import type { ForwardResult } from './forward.ts';
import type { ForwardingProgress } from './service.ts';
import type { Unreadable } from './store.ts';

/** Deliveries as people and scripts see them. Pure; sanitised where they are printed. */

/** Masks secrets; `createRedactor` makes one. */
export interface Masks {
  text(text: string): string;
  json(value: unknown): unknown;
  header(name: string, value: string): string;
}

/** Shows everything, for `--show-secrets`. */
export const UNMASKED: Masks = {
  text: (text) => text,
  json: (value) => value,
  header: (_name, value) => value,
};

/** Whoever has a signature and its body can send them once more. */
const maskHeader = (name: string, value: string, masks: Masks): string =>
  masks !== UNMASKED && /signature/i.test(name) ? '***' : masks.header(name, value);

/** One that came several times is joined. */
const joinHeaders = ({ headers }: Delivery, masks: Masks): Row => {
  const shown = new Map<string, string>();
  for (const [rawName, value] of headers) {
    const [name, text] = [rawName.toLowerCase(), maskHeader(rawName, value, masks)];
    const previous = shown.get(name);
    shown.set(name, previous === undefined ? text : `${previous}, ${text}`);
  }
  return Object.fromEntries(shown);
};

const summarizeFields = (delivery: Delivery, masks: Masks): Row => ({
  id: masks.text(delivery.id),
  event: delivery.event === null ? null : masks.text(delivery.event),
  received_at: delivery.received_at,
  size: delivery.body.length,
  signature: delivery.signature.state,
  signature_detail: delivery.signature.detail ?? null,
  path: masks.text(delivery.target),
});

const NOT_FORWARDED: Omit<ForwardingProgress, 'state'> & { readonly state: null } = {
  state: null,
  attempts: 0,
  next_attempt_at: null,
  last_error: null,
};

/** Of one that is not to be forwarded, the state is null. */
const listProgress = (progress: ForwardingProgress | undefined): Row => ({ ...NOT_FORWARDED, ...progress });

/** One of a list: without its body. */
export const toListedRow = (
  delivery: Delivery,
  progress: ForwardingProgress | undefined,
  masks: Masks,
): Row => ({
  ...summarizeFields(delivery, masks),
  ...listProgress(progress),
  summary: summarizeDelivery(delivery, masks.json(delivery.payload)),
  key: delivery.key,
});

/** What lies there and cannot be used, as a row of the same list. */
export const toUnreadableRow = ({ key, problem, changed_at }: Unreadable): Row => ({
  id: key,
  event: null,
  received_at: changed_at,
  size: null,
  signature: 'unreadable',
  signature_detail: null,
  path: null,
  ...NOT_FORWARDED,
  summary: `cannot be read: ${problem}`,
  key,
});

export interface DeliveryCourse {
  readonly repeat: boolean;
  readonly forward: ForwardResult | undefined;
  readonly exec: ExecResult | undefined;
  readonly progress: ForwardingProgress | undefined;
}

/** One that has just come, and what became of it. */
export const toLiveRow = (
  delivery: Delivery,
  { repeat, forward, exec, progress }: DeliveryCourse,
  masks: Masks,
): Row => ({
  ...summarizeFields(delivery, masks),
  key: delivery.key,
  repeat,
  ...listProgress(progress),
  ...(forward === undefined ? {} : { forward }),
  ...(exec === undefined ? {} : { exec }),
  summary: summarizeDelivery(delivery, masks.json(delivery.payload)),
  ...decodeBody(delivery, masks),
});

/** The JSON value; else the text; else the bytes. The others are null. */
const decodeBody = ({ body, payload }: Delivery, masks: Masks): Row => {
  if (payload !== undefined) return { payload: masks.json(payload), text: null, base64: null };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return { payload: null, text: masks.text(text), base64: null };
  } catch {
    return { payload: null, text: null, base64: Buffer.from(body).toString('base64') };
  }
};

/** One whole. */
export const toWholeRow = (
  delivery: Delivery,
  progress: ForwardingProgress | undefined,
  masks: Masks,
): Row => ({
  ...summarizeFields(delivery, masks),
  ...listProgress(progress),
  key: delivery.key,
  method: delivery.method,
  headers: joinHeaders(delivery, masks),
  ...decodeBody(delivery, masks),
});
