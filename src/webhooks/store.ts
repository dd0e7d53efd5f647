import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../json/number.ts';
import { Failure } from '../outcome.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { createDiskFailure, getErrno } from '../storage/failure.ts';
import { makePrivateDirectory } from '../storage/folders.ts';
import { readPrivate } from '../storage/own-files.ts';
import { reserveWrite, sweepTemporaries, type WriteOptions } from '../storage/write.ts';
import { type Delivery, isSigned, parseBody } from './delivery.ts';

const serializeDelivery = ({ body, payload: _payload, ...facts }: Delivery): string =>
  `${JSON.stringify({ version: 1, ...facts, body: Buffer.from(body).toString('base64') })}\n`;

const isText = (value: unknown): value is string => typeof value === 'string';
const isPair = (value: unknown): boolean => Array.isArray(value) && value.length === 2 && value.every(isText);

/** Everything that is relied on, since others may have written the file. */
const isComplete = (value: Readonly<Record<string, unknown>>, key: string): boolean => {
  const { signature, headers, event, received_at: at } = value;
  return (
    value['version'] === 1 &&
    value['key'] === key &&
    [value['body'], value['id'], value['target'], value['method']].every(isText) &&
    (event === null || isText(event)) &&
    isText(at) &&
    !Number.isNaN(Date.parse(at)) &&
    isRecord(signature) &&
    isText(signature['state']) &&
    (signature['detail'] === undefined || isText(signature['detail'])) &&
    Array.isArray(headers) &&
    headers.every(isPair)
  );
};

/** Undefined for what is not whole. */
const parseDelivery = (text: string, key: string): Delivery | undefined => {
  const value = parseBody(Buffer.from(text));
  if (!isRecord(value) || !isComplete(value, key)) return undefined;
  const { version: _version, body: encoded, ...facts } = value as unknown as Delivery & { version: 1 };
  const body = Buffer.from(String(encoded), 'base64');
  return { ...facts, body, payload: parseBody(body) };
};

/**
 * What was received, a file for each: `delivery.<key>.json`. A name belongs to one delivery, so that the same one is
 * there once however often it comes, through however many receivers.
 */
export interface DeliveryStore {
  readonly folder: string;
  /** Whether the folder is ttctl's own. */
  readonly own: boolean;
  /** Returns when it is on the disk. @throws Failure (exit 1) */
  keep(delivery: Delivery): 'kept' | 'repeat';
  /** Undefined where there is none, or it cannot be used. */
  read(key: string): Delivery | undefined;
  /** The same, and why one cannot be used. Throws for nothing that lies there. */
  tryRead(key: string): Delivery | Unreadable | undefined;
  keys(): readonly string[];
  /** @throws Failure (exit 1) */
  remove(key: string): void;
}

/** What lies where a delivery should, and is none: damaged, a pipe, a folder, a link, far too large. */
export interface Unreadable {
  readonly key: string;
  readonly problem: string;
  /** What to do about it. */
  readonly hint: string;
  /** When it was changed last: ISO 8601. */
  readonly changed_at: string;
}

const NAME = /^delivery\.([0-9a-f]{32})\.json$/;

export interface DeliveryStoreOptions extends Pick<WriteOptions, 'calls'> {
  readonly warn: (text: string) => void;
  /** Absent: it was named on the command line. */
  readonly own?: boolean;
}

const listKeys = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder).flatMap((name) => NAME.exec(name)?.slice(1, 2) ?? []);
  } catch (error) {
    if (getErrno(error) === 'ENOENT') return [];
    throw createDiskFailure(error, 'read', folder);
  }
};

const removeDelivery = (path: string): void => {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw createDiskFailure(error, 'remove', path);
  }
};

const ignoreUnreadable = (entry: Delivery | Unreadable | undefined): Delivery | undefined =>
  entry === undefined || 'problem' in entry ? undefined : entry;

export const createDeliveryStore = (
  folder: string,
  { warn, own = false, calls = {} }: DeliveryStoreOptions,
): DeliveryStore => {
  const getPath = (key: string): string => join(folder, `delivery.${key}.json`);
  const look = (key: string): Delivery | Unreadable | undefined => {
    const path = getPath(key);
    let problem = 'the file is damaged';
    let hint = `Remove it: ${commandLine`rm ${path}`}`;
    try {
      const file = readPrivate(path, warn);
      if (file === undefined) return undefined;
      const delivery = parseDelivery(file.text, key);
      if (delivery !== undefined) return delivery;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      problem = error.message;
      hint = error.hint ?? hint;
    }
    const changed = lstatSync(path, { throwIfNoEntry: false })?.mtime ?? new Date(0);
    return { key, problem, hint, changed_at: changed.toISOString() };
  };
  const read = (key: string): Delivery | undefined => ignoreUnreadable(look(key));
  return {
    folder,
    own,
    read,
    tryRead: look,
    keep(delivery) {
      // What cannot be used is written anew; what is signed and in time takes the place of what is not.
      const existing = read(delivery.key)?.signature;
      if (existing !== undefined && (existing.state === 'valid' || delivery.signature.state !== 'valid'))
        return 'repeat';
      reserveWrite(getPath(delivery.key), 0, { calls }).commit(serializeDelivery(delivery));
      return existing !== undefined && isSigned(existing) ? 'repeat' : 'kept';
    },
    keys: () => listKeys(folder),
    remove: (key) => removeDelivery(getPath(key)),
  };
};

/**
 * Makes the folder, and tries whether a delivery could be kept in it.
 * @param now milliseconds since the epoch
 * @throws Failure (exit 1)
 */
export const prepareDeliveryStore = (folder: string, now: number): void => {
  try {
    makePrivateDirectory(folder);
    sweepTemporaries(join(folder, 'delivery'), now);
    reserveWrite(join(folder, 'delivery.trial'), 4096).release();
  } catch (error) {
    throw createDiskFailure(error, 'keep deliveries in', folder);
  }
};
