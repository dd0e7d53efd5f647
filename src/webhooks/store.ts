import { readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Row } from '../api/page.ts';
import { EXIT, Failure, UsageError } from '../errors.ts';
import { isRecord } from '../json.ts';
import { checkLocalId } from '../parsing/names.ts';
import { commandLine, createCommandTemplate } from '../parsing/shell-word.ts';
import type { Run } from '../run.ts';
import { readPrivate } from '../storage/own-files.ts';
import {
  createDiskFailure,
  getErrno,
  makePrivateDirectory,
  reserveWrite,
  sweepTemporaries,
  type WriteOptions,
  writeDurably,
} from '../storage/write.ts';
import { type Delivery, type ForwardingState, isSigned, parseBody, toListedRow } from './delivery.ts';

export function openStore({ directories, output }: Run, store: string | undefined): DeliveryStore {
  return new DeliveryStore({ store, directory: directories.state, warn: output.warn });
}

interface StoreOptions extends Pick<WriteOptions, 'calls'> {
  /** `--store`; absent: `webhooks` of the state directory. */
  readonly store?: string | undefined;
  /** The state directory; undefined where none is known. */
  readonly directory: string | undefined;
  readonly warn: (text: string) => void;
}

const NAME = /^delivery\.([0-9a-f]{32})\.json$/;
const BEGINNING = /^[0-9a-f]{8,32}$/;
const UNREADABLE = { code: 'unreadable_delivery', exit: EXIT.fault } as const;

/**
 * What was received, a file for each: `delivery.<key>.json`. A name belongs to one delivery, so that the same one is
 * there once however often it comes. The file says how far it is forwarded, too.
 */
export class DeliveryStore {
  readonly folder: string;
  readonly #options: StoreOptions;

  /** @throws UsageError where there is no folder */
  constructor(options: StoreOptions) {
    const { store, directory } = options;
    if (store === undefined && directory === undefined)
      throw new UsageError('no directory to store deliveries in', {
        code: 'no_state_directory',
        reason: 'HOME is not set, so there is no state directory.',
        hint: 'Name a folder with --store, or set TTCTL_STATE_DIR.',
      });
    this.folder = resolve(store ?? join(directory ?? '', 'webhooks'));
    this.#options = options;
  }

  /**
   * Makes the folder, and tries whether a delivery could be kept in it.
   * @param now milliseconds since the epoch
   * @throws Failure (exit 1)
   */
  prepare(now: number): void {
    try {
      makePrivateDirectory(this.folder);
      sweepTemporaries(join(this.folder, 'delivery'), now);
      reserveWrite(join(this.folder, 'delivery.trial'), 4096).release();
    } catch (error) {
      throw createDiskFailure(error, 'keep deliveries in', this.folder);
    }
  }

  /** Returns when it is on the disk. @throws Failure (exit 1) */
  keep(delivery: Delivery): 'kept' | 'repeat' {
    const existing = this.read(delivery.key);
    if (existing === undefined) {
      this.#write(delivery);
      return 'kept';
    }
    const state = existing.state ?? delivery.state;
    // One in time takes the place of one that came late.
    const isReplaced = existing.signature.state !== 'valid' && delivery.signature.state === 'valid';
    if (isReplaced || state !== existing.state) this.#write({ ...(isReplaced ? delivery : existing), state });
    return 'repeat';
  }

  /** Records how far it is forwarded, where it is still there. @throws Failure (exit 1) */
  mark(key: string, state: ForwardingState): void {
    const delivery = this.read(key);
    if (delivery !== undefined && delivery.state !== state) this.#write({ ...delivery, state });
  }

  /** Undefined where there is none, or it cannot be used. */
  read(key: string): Delivery | undefined {
    const found = this.#look(key);
    return found instanceof Failure ? undefined : found;
  }

  /** One that is there. @throws Failure (exit 1) for what cannot be read */
  get(key: string): Delivery {
    const found = this.#look(key);
    if (found !== undefined && !(found instanceof Failure)) return found;
    const why = found && { reason: found.message, hint: found.hint };
    throw new Failure(`delivery ${key} cannot be read`, { ...UNREADABLE, ...why });
  }

  /** Each with its key, one after another, so that no bodies are kept in memory; a failure for what cannot be used. */
  *entries(): Generator<readonly [key: string, Delivery | Failure]> {
    let names: readonly string[] = [];
    try {
      names = readdirSync(this.folder);
    } catch (error) {
      if (getErrno(error) !== 'ENOENT') throw createDiskFailure(error, 'read', this.folder);
    }
    for (const name of names) {
      const [, key] = NAME.exec(name) ?? [];
      const found = key === undefined ? undefined : this.#look(key);
      if (key !== undefined && found !== undefined) yield [key, found];
    }
  }

  /** The keys of some, by their ids or the beginnings of their keys. @throws UsageError for none, and for several */
  findKeys(ids: readonly string[]): readonly string[] {
    const { store } = this.#options;
    const flags = store === undefined ? [] : ['--store', store];
    const hint = `List them: ${createCommandTemplate(flags)`ttctl webhooks received`}`;
    for (const id of ids) checkLocalId('delivery', id, hint);
    // What cannot be used has its key alone.
    const marks = Array.from(this.entries(), ([key, found]) =>
      found instanceof Failure
        ? { id: key, key, target: 'unreadable', isSigned: false }
        : { id: found.id, key, target: found.target, isSigned: isSigned(found.signature) },
    );
    return ids.map((id) => {
      const all = marks.filter((mark) => mark.id === id || (BEGINNING.test(id) && mark.key.startsWith(id)));
      // Anybody can send an id: of those with one id the signed one is meant.
      const signed = all.filter((mark) => mark.isSigned);
      const [first, second] = signed.length > 0 ? signed : all;
      if (first === undefined)
        throw new UsageError(`no delivery ${id} is stored in ${this.folder}`, { code: 'no_delivery', hint });
      if (second === undefined) return first.key;
      const keys = all.map(({ key, target }) => `${key.slice(0, 12)} (${target})`).join(', ');
      const message = `${all.length} deliveries have the id ${id}`;
      throw new UsageError(message, { code: 'ambiguous', hint: `Name one by its key: ${keys}` });
    });
  }

  /** @throws Failure (exit 1) */
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

  /** A failure for what lies there and is none: damaged, a pipe, a folder, a link, far too large. Never throws one. */
  #look(key: string): Delivery | Failure | undefined {
    const path = this.#path(key);
    const hint = `Remove it: ${commandLine`rm ${path}`}`;
    try {
      const file = readPrivate(path, this.#options.warn);
      if (file === undefined) return undefined;
      return parseDelivery(file.text, key) ?? new Failure('the file is damaged', { ...UNREADABLE, hint });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return new Failure(error.message, { ...UNREADABLE, hint: error.hint ?? hint });
    }
  }

  #write({ body, payload: _, ...facts }: Delivery): void {
    const stored = { version: 1, ...facts, body: Buffer.from(body).toString('base64') };
    const { calls = {} } = this.#options;
    writeDurably(this.#path(facts.key), `${JSON.stringify(stored)}\n`, { calls });
  }
}

/** Undefined for what is not whole. Everything that is relied on is looked at, since others may have written the file. */
function parseDelivery(text: string, key: string): Delivery | undefined {
  const value = parseBody(Buffer.from(text));
  if (!isRecord(value) || value['version'] !== 1 || value['key'] !== key) return undefined;
  const { version: _, state = null, ...facts } = value as unknown as Delivery & { version: 1 };
  const { id, event, target, method, received_at, headers, signature } = facts;
  const isText = (one: unknown): one is string => typeof one === 'string';
  const isWhole =
    [id, target, method, facts.body, received_at, event ?? '', state ?? ''].every(isText) &&
    !Number.isNaN(Date.parse(received_at)) &&
    isRecord(signature) &&
    [signature['state'], signature['detail'] ?? ''].every(isText) &&
    Array.isArray(headers) &&
    headers.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isText));
  if (!isWhole) return undefined;
  const body = Buffer.from(String(facts.body), 'base64');
  return { ...facts, state, body, payload: parseBody(body) };
}

/** What is still to be forwarded, the earliest first. */
export function listLeft(run: Run, store: string | undefined): readonly Row[] {
  const rows = listReceived(run, store);
  return rows.filter(({ state }) => state === 'pending' || state === 'failed').reverse();
}

/** All that are kept, the latest first; without the bodies. What cannot be read is among them, and says why. */
export function listReceived(run: Run, store: string | undefined): readonly Row[] {
  const unknown = { event: null, received_at: null, size: null };
  const rows = Array.from(openStore(run, store).entries(), ([key, found]): Row => {
    if (!(found instanceof Failure)) return toListedRow(found, run.machine.redactor.json);
    const facts = { id: key, ...unknown, signature: 'unreadable', signature_detail: null, path: null };
    return { ...facts, state: null, key, summary: `cannot be read: ${found.message}` };
  });
  return rows.sort((one, other) => String(other.received_at).localeCompare(String(one.received_at)));
}
