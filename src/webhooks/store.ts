import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Row } from '../api/page.ts';
import { EXIT, Failure, UsageError } from '../errors.ts';
import { isRecord } from '../json.ts';
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
import { type Delivery, isSigned, parseBody, toListedRow } from './delivery.ts';

const NAME = /^delivery\.([0-9a-f]{32})\.json$/;
const BEGINNING = /^[0-9a-f]{8,32}$/;

/**
 * What was received, a file for each: `delivery.<key>.json`. A name belongs to one delivery, so that the same one is
 * there once however often it comes. The file says how far it is forwarded, too.
 */
export class DeliveryStore {
  readonly folder: string;
  readonly #store: string | undefined;
  readonly #warn: (text: string) => void;

  /** @param store `--store`; absent: `webhooks` of the state directory. @throws UsageError where there is none */
  constructor({ directories, output }: Pick<Run, 'directories' | 'output'>, store: string | undefined) {
    const { state } = directories;
    if (store === undefined && state === undefined)
      throw new UsageError('no directory to store deliveries in', {
        code: 'no_state_directory',
        reason: 'HOME is not set, so there is no state directory.',
        hint: 'Name a folder with --store, or set TTCTL_STATE_DIR.',
      });
    this.folder = resolve(store ?? join(state ?? '', 'webhooks'));
    this.#store = store;
    this.#warn = output.warn;
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

  /** One that is there. @throws Failure (exit 1) for what cannot be read */
  get(key: string): Delivery {
    const found = this.read(key);
    if (found !== undefined) return found;
    throw new Failure(`delivery ${key} cannot be read`, { code: 'unreadable_delivery', exit: EXIT.fault });
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
  list(mask: (value: unknown) => unknown): readonly Row[] {
    const rows = Array.from(this.entries(), (delivery) => toListedRow(delivery, mask));
    return rows.sort((one, other) => String(other.received_at).localeCompare(String(one.received_at)));
  }

  /** What is still to be forwarded, the earliest first. */
  listLeft(mask: (value: unknown) => unknown): readonly Row[] {
    const isLeft = ({ state }: Row) => state === 'pending' || state === 'failed';
    return this.list(mask).filter(isLeft).reverse();
  }

  /** The keys of some, by their ids or the beginnings of their keys. @throws UsageError for none, and for several */
  findKeys(ids: readonly string[]): readonly string[] {
    const flags = this.#store === undefined ? [] : ['--store', this.#store];
    const hint = `List them: ${createCommandTemplate(flags)`ttctl webhooks received`}`;
    const marks = Array.from(this.entries(), ({ id, key, signature }) => ({ id, key, signature }));
    return ids.map((id) => {
      // One that cannot be read has its key alone.
      if (existsSync(this.#path(id))) return id;
      const all = marks.filter((mark) => mark.id === id || (BEGINNING.test(id) && mark.key.startsWith(id)));
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

  #write({ body, payload: _, ...facts }: Delivery): void {
    const stored: StoredDelivery = { version: 1, ...facts, body: Buffer.from(body).toString('base64') };
    writeDurably(this.#path(facts.key), `${JSON.stringify(stored)}\n`);
  }
}

type StoredDelivery = Omit<Delivery, 'body' | 'payload'> & { readonly version: 1; readonly body: string };

/** One bad file must not end a listener. */
function isStored(value: unknown): value is StoredDelivery {
  if (!isRecord(value) || value['version'] !== 1) return false;
  const areTexts = ['id', 'target', 'received_at', 'body'].every((name) => typeof value[name] === 'string');
  return areTexts && Array.isArray(value['headers']) && isRecord(value['signature']);
}
