import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Row } from '../api/page.ts';
import { EXIT, Failure, UsageError } from '../errors.ts';
import { isRecord, parseJsonValue, stringifyJson, toText } from '../json.ts';
import { commandLine, createCommandTemplate } from '../parsing/shell-word.ts';
import type { Run } from '../run.ts';
import { readPrivate } from '../storage/own-files.ts';
import {
  createDiskFailure,
  getErrno,
  makePrivateDirectory,
  reserveWrite,
  writeDurably,
} from '../storage/write.ts';

/** A delivery: as it came, whether it is signed, the rows that people and scripts see of it, and its file. */

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
  readonly received_at: string;
  readonly signature: SignatureVerdict;
  /** `pending`: it is tried again; `failed`: by the next listener only; null: it is not to be forwarded. */
  readonly state: 'pending' | 'accepted' | 'failed' | null;
  readonly payload: unknown;
}

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
  const candidates = [...signature.matchAll(/(?<!\S)v1,(\S*)/g)].map(([, text = '']) => text);
  if (candidates.length === 0) return { state: 'unchecked', detail: 'its version is not v1' };
  const id = getHeader(headers, 'webhook-id');
  const timestamp = getHeader(headers, 'webhook-timestamp') ?? '';
  if (id === undefined || !/^\d{1,12}$/.test(timestamp))
    return { state: 'invalid', detail: 'it has no webhook-id, or no webhook-timestamp in seconds' };
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`, 'latin1'), body]);
  // The bytes of the token itself, or what is packed behind `whsec_`.
  const [, packed] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(token) ?? [];
  const keys = [Buffer.from(token), ...(packed === undefined ? [] : [Buffer.from(packed, 'base64')])];
  const expected = keys.map((key) => createHmac('sha256', key).update(content).digest());
  // Every pair is compared, by digests of one length: the time tells nothing.
  const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
  const matches = candidates.flatMap((text) =>
    expected.map((one) => timingSafeEqual(hash(one), hash(Buffer.from(text, 'base64')))),
  );
  if (!matches.includes(true)) return { state: 'invalid', detail: 'it does not match this token' };
  const late = Math.floor(nowMs / 1000) - Number(timestamp);
  if (Math.abs(late) <= TOLERANCE_S) return { state: 'valid' };
  const distance = `${Math.round(Math.abs(late) / 60)} min ${late > 0 ? 'ago' : 'ahead of this clock'}`;
  return { state: 'expired', detail: `signed ${distance}` };
}

export function isSigned({ state }: SignatureVerdict): boolean {
  return state === 'valid' || state === 'expired';
}

function getHeader(headers: ReceivedRequest['headers'], headerName: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === headerName)?.[1];
}

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

function parseBody(body: Uint8Array): unknown {
  try {
    return parseJsonValue(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

function hashHex(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

type Mask = (value: unknown) => unknown;

function toListedRow(delivery: Delivery, mask: Mask): Row {
  const { id, event, received_at, body, signature, target, state, key, payload } = delivery;
  return {
    ...{ id: mask(id), event: mask(event), received_at, size: body.length },
    ...{ signature: signature.state, signature_detail: signature.detail ?? null },
    ...{ path: mask(target), state, key, summary: summarizeDelivery(delivery, mask(payload)) },
  };
}

/** With its body: a JSON value, else a text. @param facts what is said beside, before the summary */
export function toLiveRow(delivery: Delivery, mask: Mask, facts: Row): Row {
  const { summary, ...listed } = toListedRow(delivery, mask);
  const { body, payload } = delivery;
  const text = payload === undefined ? mask(new TextDecoder().decode(body)) : null;
  return { ...listed, ...facts, summary, payload: payload === undefined ? null : mask(payload), text };
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
  const { summary: _, ...whole } = toLiveRow(delivery, mask, { method: delivery.method, headers });
  return whole;
}

function summarizeDelivery({ body }: ReceivedRequest, payload: unknown): string {
  if (payload === undefined) return body.length === 0 ? 'no body' : 'not readable as JSON';
  const data = isRecord(payload) && isRecord(payload.data) ? payload.data : payload;
  return stringifyJson(data).slice(0, 120);
}

const NAME = /^delivery\.([0-9a-f]{32})\.json$/;

/**
 * What was received, a file for each: `delivery.<key>.json`. A name belongs to one delivery, so that the same one is
 * there once however often it comes. The file says how far it is forwarded, too.
 */
export class DeliveryStore {
  readonly folder: string;
  readonly #store: string | undefined;
  readonly #warn: (text: string) => void;
  readonly #mask: Mask;

  /** @param store `--store`; absent: `webhooks` of the state directory. @throws UsageError where there is none */
  constructor(run: Pick<Run, 'directories' | 'output' | 'machine'>, store: string | undefined) {
    const { state } = run.directories;
    if (store === undefined && state === undefined)
      throw new UsageError('no directory to store deliveries in', {
        code: 'no_state_directory',
        reason: 'HOME is not set, so there is no state directory.',
        hint: 'Name a folder with --store, or set TTCTL_STATE_DIR.',
      });
    this.folder = resolve(store ?? join(state ?? '', 'webhooks'));
    this.#store = store;
    this.#warn = run.output.warn;
    this.#mask = run.machine.redactor.json;
  }

  /** Makes the folder, and tries whether a delivery could be kept in it. @throws Failure (exit 1) */
  prepare(): void {
    try {
      makePrivateDirectory(this.folder);
      reserveWrite(join(this.folder, 'delivery.trial'), 4096).release();
    } catch (error) {
      throw createDiskFailure(error, 'keep deliveries in', this.folder);
    }
  }

  /** Returns when it is on the disk. The first stays; only how far it is may change. @throws Failure (exit 1) */
  keep(delivery: Delivery): 'kept' | 'repeat' {
    const existing = this.read(delivery.key);
    if (existing === undefined) this.#write(delivery);
    else if (existing.state === null && delivery.state !== null)
      this.#write({ ...existing, state: delivery.state });
    return existing === undefined ? 'kept' : 'repeat';
  }

  /** Records how far it is forwarded, where it is still there. @throws Failure (exit 1) */
  mark(key: string, state: Delivery['state']): void {
    const delivery = this.read(key);
    if (delivery !== undefined && delivery.state !== state) this.#write({ ...delivery, state });
  }

  /** Undefined where there is none. What lies there and cannot be used is warned of, and passed over. */
  read(key: string): Delivery | undefined {
    const path = this.#path(key);
    const remedy = `Remove it: ${commandLine`rm ${path}`}`;
    try {
      const text = readPrivate(path, this.#warn);
      if (text === undefined) return undefined;
      const value = parseBody(Buffer.from(text));
      if (isStored(value) && value.key === key) {
        const { version: _, ...facts } = value;
        const body = Buffer.from(facts.body, 'base64');
        return { ...facts, body, payload: parseBody(body) };
      }
      this.#warn(`${path} is damaged. ${remedy}`);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#warn(`${error.message}. ${error.hint ?? remedy}`);
    }
    return undefined;
  }

  get(key: string): Delivery {
    const found = this.read(key);
    const details = { code: 'unreadable_delivery', exit: EXIT.fault } as const;
    if (found === undefined) throw new Failure(`delivery ${key} cannot be read`, details);
    return found;
  }

  /** One after another, so that no bodies are kept in memory. @throws Failure (exit 1) for what is no folder */
  *entries(): Generator<Delivery> {
    let names: readonly string[] = [];
    try {
      names = readdirSync(this.folder);
    } catch (error) {
      if (getErrno(error) !== 'ENOENT') throw createDiskFailure(error, 'read', this.folder);
    }
    for (const name of names) {
      const [, key] = NAME.exec(name) ?? [];
      const found = key === undefined ? undefined : this.read(key);
      if (found !== undefined) yield found;
    }
  }

  /** All that are kept, the latest first, as rows of a list. @throws Failure (exit 1) for what is no folder */
  list(): readonly Row[] {
    const rows = Array.from(this.entries(), (delivery) => toListedRow(delivery, this.#mask));
    return rows.sort((one, other) => String(other.received_at).localeCompare(String(one.received_at)));
  }

  listLeft(): readonly Row[] {
    return this.list()
      .filter(({ state }) => state === 'pending' || state === 'failed')
      .reverse();
  }

  /** The keys of some, by their ids or the beginnings of their keys. @throws UsageError for none, and for several */
  findKeys(ids: readonly string[]): readonly string[] {
    const flags = this.#store === undefined ? [] : ['--store', this.#store];
    const hint = `List them: ${createCommandTemplate(flags)`ttctl webhooks received`}`;
    const marks = Array.from(this.entries(), ({ id, key, signature }) => ({ id, key, signature }));
    return ids.map((id) => {
      // One that cannot be read has its key alone.
      if (existsSync(this.#path(id))) return id;
      const all = marks.filter((mark) => mark.id === id || (id.length >= 8 && mark.key.startsWith(id)));
      // Anybody can send an id: of those with one id the signed one is meant.
      const signed = all.filter(({ signature }) => isSigned(signature));
      const [first, second] = signed.length > 0 ? signed : all;
      if (first === undefined)
        throw new UsageError(`no delivery ${id} is stored in ${this.folder}`, { code: 'no_delivery', hint });
      if (second === undefined) return first.key;
      const keys = all.map(({ key }) => key.slice(0, 12)).join(', ');
      const message = `${all.length} deliveries have the id ${id}`;
      throw new UsageError(message, { code: 'ambiguous', hint: `Name one by its key: ${keys}` });
    });
  }

  remove(key: string): void {
    try {
      rmSync(this.#path(key), { force: true });
    } catch (error) {
      throw createDiskFailure(error, 'remove', this.#path(key));
    }
  }

  #path(key: string): string {
    return join(this.folder, `delivery.${key}.json`);
  }

  #write({ body, payload: _, ...facts }: Delivery): void {
    const stored: StoredDelivery = { version: 1, ...facts, body: Buffer.from(body).toString('base64') };
    writeDurably(this.#path(facts.key), `${JSON.stringify(stored)}\n`);
  }
}

type StoredDelivery = Omit<Delivery, 'body' | 'payload'> & { readonly version: 1; readonly body: string };

/** One bad file must not end a listener. */
function isStored(value: unknown): value is StoredDelivery {
  if (!isRecord(value) || value.version !== 1) return false;
  const areTexts = ['id', 'target', 'received_at', 'body'].every((name) => typeof value[name] === 'string');
  return areTexts && Array.isArray(value.headers) && isRecord(value.signature);
}
