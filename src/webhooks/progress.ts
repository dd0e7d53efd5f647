import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../json/number.ts';
import { parseJsonValue } from '../json/parse.ts';
import { Failure } from '../outcome.ts';
import { createDiskFailure, getErrno } from '../storage/failure.ts';
import { readPrivate } from '../storage/own-files.ts';
import { type WriteOptions, writeDurably } from '../storage/write.ts';
import { FORWARDING_STATES, type ForwardingProgress } from './service.ts';

/** How far the forwarding of deliveries is, on disk: `delivery.<key>.state`, beside each that is to be forwarded. */
export interface ProgressStore {
  /** Undefined for one that is not to be forwarded. */
  read(key: string): ForwardingProgress | undefined;
  /** Returns when it is on the disk. @throws Failure (exit 1) */
  write(key: string, progress: ForwardingProgress): void;
  /** Of deliveries that are, or were, to be forwarded. */
  keys(): readonly string[];
  remove(key: string): void;
}

export const NEW: ForwardingProgress = {
  state: 'pending',
  attempts: 0,
  next_attempt_at: null,
  last_error: null,
};

export const isPending = (progress: ForwardingProgress | undefined): boolean => progress?.state === NEW.state;

export const toFailed = (attempts: number, last_error: string): ForwardingProgress => ({
  ...NEW,
  state: 'failed',
  attempts,
  last_error,
});

/** Attempts in all; then it has failed. */
export const MAX_ATTEMPTS = 10;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const WAITS_MS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE];

/** After so many failed attempts. */
export const getWaitMs = (attempts: number): number => WAITS_MS[attempts - 1] ?? HOUR;

/** Milliseconds since the epoch; a clock that was set back in the meantime makes no wait longer than it is. */
export const getDueMs = ({ attempts, next_attempt_at: at }: ForwardingProgress, nowMs: number): number =>
  at === null ? nowMs : Math.min(Date.parse(at), nowMs + getWaitMs(attempts));

const NAME = /^delivery\.([0-9a-f]{32})\.state$/;

const isTime = (value: unknown): boolean =>
  value === null || (typeof value === 'string' && !Number.isNaN(Date.parse(value)));

/** What is not whole counts as not begun: it is rather forwarded twice than never. */
const parseProgress = (text: string): ForwardingProgress => {
  const value = parseJsonValue(text);
  if (!isRecord(value)) return NEW;
  const { state, attempts, next_attempt_at, last_error } = value as unknown as ForwardingProgress;
  const isWhole =
    FORWARDING_STATES.includes(state) &&
    Number.isSafeInteger(Number(attempts)) &&
    isTime(next_attempt_at) &&
    (last_error === null || typeof last_error === 'string');
  return isWhole ? { state, attempts: Number(attempts), next_attempt_at, last_error } : NEW;
};

export const createProgressStore = (
  folder: string,
  { warn, calls = {} }: Pick<WriteOptions, 'calls'> & { readonly warn: (text: string) => void },
): ProgressStore => {
  const getPath = (key: string): string => join(folder, `delivery.${key}.state`);
  return {
    read(key) {
      try {
        const file = readPrivate(getPath(key), warn);
        return file && parseProgress(file.text);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        return NEW;
      }
    },
    write: (key, progress) =>
      writeDurably(getPath(key), `${JSON.stringify({ version: 1, ...progress })}\n`, { calls }),
    keys() {
      try {
        return readdirSync(folder).flatMap((name) => NAME.exec(name)?.slice(1, 2) ?? []);
      } catch (error) {
        if (getErrno(error) === 'ENOENT') return [];
        throw createDiskFailure(error, 'read', folder);
      }
    },
    remove: (key) => rmSync(getPath(key), { force: true, recursive: true }),
  };
};

/** How many are pending, those of earlier listeners too. */
export const countPending = (progress: ProgressStore): number =>
  progress.keys().filter((key) => isPending(progress.read(key))).length;
