import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readBounded } from './cache.ts';
import type { Candidate } from './plain.ts';

/** The deliveries of webhooks that were kept on this machine, the latest first. */

const NAME = /^delivery\.[0-9a-f]{32}\.json$/;
const MOST_DELIVERIES = 50;
/** What is larger is left out: its id may be copied from `webhooks received`. */
const MOST_BYTES = 64 * 1024;

const deliveryIn = (file: string): readonly Candidate[] => {
  try {
    const { id, event, received_at } = JSON.parse(readBounded(file, MOST_BYTES));
    const about = [event, received_at].filter((part) => typeof part === 'string').join(', ');
    return typeof id === 'string' ? [{ value: id, about }] : [];
  } catch {
    return [];
  }
};

/** @param folder where they are kept. Never throws */
export const deliveryCandidates = (folder: string): readonly Candidate[] => {
  try {
    return readdirSync(folder)
      .filter((name) => NAME.test(name))
      .map((name) => join(folder, name))
      .map((file) => ({ file, came: statSync(file).mtimeMs }))
      .sort((a, b) => b.came - a.came)
      .slice(0, MOST_DELIVERIES)
      .flatMap(({ file }) => deliveryIn(file));
  } catch {
    return [];
  }
};
