import type { Row } from '../api/page.ts';
import type { Context } from '../context.ts';
import type { Machine } from '../platform/machine.ts';
import { type Delivery, summarizeDelivery } from './delivery.ts';
import type { ForwardingOutcome } from './forward.ts';
import { DeliveryStore, type Unreadable } from './store.ts';

/** Deliveries as people and scripts see them; sanitised where they are printed. */

/** @param store `--store` */
export function openStore({ directories, output }: Context, store: string | undefined): DeliveryStore {
  return new DeliveryStore({ store, directory: directories.state, warn: output.warn });
}

/** All that are kept, the latest first; without the bodies. What cannot be read is among them, and says why. */
export function listReceived(context: Context, store: string | undefined): readonly Row[] {
  const { redactor } = context.machine;
  return Array.from(openStore(context, store).entries(), (entry) => toListedRow(entry, redactor)).sort(
    (one, other) => String(other.received_at).localeCompare(String(one.received_at)),
  );
}

/** Masks secrets. */
export type Masks = Omit<Machine['redactor'], 'register'>;

/** Shows everything, for `--show-secrets`. */
export const UNMASKED: Masks = {
  text: (text) => text,
  json: (value) => value,
  header: (_name, value) => value,
};

function toListedRow(entry: Delivery | Unreadable, masks: Masks): Row {
  if (!('problem' in entry))
    return { ...summarizeFields(entry, masks), summary: summarizeData(entry, masks) };
  const { key, problem } = entry;
  const unknown = { event: null, received_at: null, size: null, signature_detail: null, path: null };
  const facts = { id: key, ...unknown, signature: 'unreadable', state: null, key };
  return { ...facts, summary: `cannot be read: ${problem}` };
}

/** One that has just come, and what became of it. */
export interface LiveFacts extends ForwardingOutcome {
  /** Whether its sender had sent it before. */
  readonly repeat: boolean;
  /** How many attempts to forward it this listener has begun; 0: it is not to be. */
  readonly attempts: number;
}

export function toLiveRow(delivery: Delivery, facts: LiveFacts, masks: Masks): Row {
  const common = { ...summarizeFields(delivery, masks), ...facts };
  return { ...common, summary: summarizeData(delivery, masks), ...decodeBody(delivery, masks) };
}

/** One whole. */
export function toWholeRow(delivery: Delivery, masks: Masks): Row {
  const { method } = delivery;
  const headers = joinHeaders(delivery, masks);
  return { ...summarizeFields(delivery, masks), method, headers, ...decodeBody(delivery, masks) };
}

function summarizeFields(delivery: Delivery, masks: Masks): Row {
  const { id, event, received_at, body, signature, target, state, key } = delivery;
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

function summarizeData(delivery: Delivery, masks: Masks): string {
  return summarizeDelivery(delivery, masks.json(delivery.payload));
}

/** One that came several times is joined. Whoever has a signature and its body can send them once more. */
function joinHeaders({ headers }: Delivery, masks: Masks): Row {
  const shown = new Map<string, string>();
  for (const [rawName, value] of headers) {
    const name = rawName.toLowerCase();
    const isHidden = masks !== UNMASKED && name.includes('signature');
    const earlier = shown.get(name);
    const text = isHidden ? '***' : masks.header(rawName, value);
    shown.set(name, earlier === undefined ? text : `${earlier}, ${text}`);
  }
  return Object.fromEntries(shown);
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
