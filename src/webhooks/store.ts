import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { diskFailure, errnoOf } from '../disk/failure.ts';
import { readPrivate } from '../disk/own.ts';
import { reserveWrite, type WriteOptions } from '../disk/reserve.ts';
import { sweepTemporaries } from '../disk/temporary.ts';
import { makePrivateDirectory } from '../disk/write.ts';
import { type Delivery, isSigned, parseBody } from './delivery.ts';

/**
 * What was received, a file for each: `delivery.<key>.json`. A name belongs to one delivery, so that the same one is
 * there once however often it comes, through however many receivers (design/reliability.md, G8).
 */
export interface Store {
  readonly folder: string;
  /** Returns when it is on the disk. @throws Failure (exit 1) */
  keep(delivery: Delivery): 'kept' | 'repeat';
  /** Undefined where there is none, or it is damaged. */
  read(key: string): Delivery | undefined;
  keys(): readonly string[];
}

const NAME = /^delivery\.([0-9a-f]{32})\.json$/;

const written = ({ body, payload: _payload, ...facts }: Delivery): string =>
  `${JSON.stringify({ version: 1, ...facts, body: Buffer.from(body).toString('base64') })}\n`;

/** Undefined for what is not whole. */
const parsed = (text: string): Delivery | undefined => {
  const value = parseBody(Buffer.from(text)) as
    | (Omit<Delivery, 'body'> & { body: string; version: number })
    | undefined;
  if (value?.version !== 1 || typeof value.body !== 'string') return undefined;
  const body = Buffer.from(value.body, 'base64');
  const { version: _version, ...facts } = value;
  return { ...facts, body, payload: parseBody(body) };
};

/** A folder that was there keeps its mode unless it is our own; the files in it are private in any case. */
const makeFolder = (folder: string, own: boolean): void => {
  if (!own && statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  makePrivateDirectory(folder);
};

export interface StoreOptions extends Pick<WriteOptions, 'calls'> {
  readonly warn: (text: string) => void;
}

export const createStore = (folder: string, { warn, calls = {} }: StoreOptions): Store => {
  const pathOf = (key: string): string => join(folder, `delivery.${key}.json`);
  const read = (key: string): Delivery | undefined => {
    const found = readPrivate(pathOf(key), warn, { anyFolder: true });
    return found === undefined ? undefined : parsed(found.text);
  };
  return {
    folder,
    read,
    keep(delivery) {
      // A damaged one is written anew; what is signed and in time takes the place of what is not.
      const before = read(delivery.key)?.signature;
      if (before !== undefined && (before.state === 'valid' || delivery.signature.state !== 'valid'))
        return 'repeat';
      reserveWrite(pathOf(delivery.key), 0, { calls }).commit(written(delivery));
      return before !== undefined && isSigned(before) ? 'repeat' : 'kept';
    },
    keys() {
      try {
        return readdirSync(folder).flatMap((name) => NAME.exec(name)?.slice(1, 2) ?? []);
      } catch (error) {
        if (errnoOf(error) === 'ENOENT') return [];
        throw diskFailure(error, 'read', folder);
      }
    },
  };
};

/**
 * Makes the folder, and tries whether a delivery could be kept in it.
 * @param own whether it is ttctl's own
 * @param now milliseconds since the epoch
 * @throws Failure (exit 1)
 */
export const prepareStore = (folder: string, own: boolean, now: number): void => {
  try {
    makeFolder(folder, own);
    sweepTemporaries(join(folder, 'delivery'), now);
    reserveWrite(join(folder, 'delivery.trial'), 4096).release();
  } catch (error) {
    throw diskFailure(error, 'keep deliveries in', folder);
  }
};
