import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';

/** Where the records of all runs of one credential stand, each in the same place for everybody. */
export interface Tape {
  /** False: it took so long that the record may stand before one that was written earlier. */
  append(line: string): boolean;
  /** The lines that were added since the last call, the own ones too, in their order. */
  read(): readonly string[];
  close(): void;
}

/** For one process alone. */
export const createMemoryLedger = (): Tape => {
  const lines: string[] = [];
  return {
    append(line) {
      lines.push(line.trimEnd());
      return true;
    },
    read: () => lines.splice(0),
    close() {},
  };
};

/** One file of the tape. Each covers a span of time; the span after the next one has no use for it. */
interface Strip {
  readonly number: number;
  readonly fd: number;
  offset: number;
  /** The beginning of a line whose end was not there yet. */
  rest: string;
}

const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);
/** Far more than any allowance writes in its span. */
const MOST_BYTES = 16 * 1024 * 1024;

const openStrip = (path: string, number: number, flags: number): Strip => ({
  number,
  fd: openSync(path, flags | (constants.O_NONBLOCK ?? 0), 0o600),
  offset: 0,
  rest: '',
});

const BLOCK_BYTES = 8192;

/** Nothing where the file was cut: its writer then misses its own lines. */
const readLines = (strip: Strip): string[] => {
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  let text = strip.rest;
  for (let count = BLOCK_BYTES; count === BLOCK_BYTES; ) {
    count = readSync(strip.fd, block, 0, BLOCK_BYTES, strip.offset);
    strip.offset += count;
    text += block.toString('latin1', 0, count);
    if (strip.offset > MOST_BYTES) throw new Error('the ledger is too large');
  }
  const lines = text.split('\n');
  strip.rest = lines.pop() ?? '';
  return lines;
};

const SWEEP_CHANCE = 0.1;

/** Removes the strips of all credentials that nobody reads any more. */
const sweep = (directory: string, now: number): void => {
  try {
    for (const name of readdirSync(directory)) {
      const [, seconds, number] = /\.(\d+)-(\d+)$/.exec(name) ?? [];
      const ended = (Number(number) + 1) * Number(seconds) * 1000;
      const far = 2 * Number(seconds) * 1000;
      if (ended + far < now || ended - far > now + far) rmSync(join(directory, name), { force: true });
    }
  } catch {
    // Tidying only.
  }
};

export interface LedgerFileOptions {
  /** Exists already. */
  readonly directory: string;
  /** Of the credential. */
  readonly name: string;
  /** Longer than the longest window, so that two strips hold all that counts. */
  readonly spanSeconds: number;
  readonly clock: Clock;
}

interface Strips {
  /** To be written to, made where there is none. */
  current(number: number): Strip;
  /** To be read; undefined where there is none. */
  previous(number: number): Strip | undefined;
  drop(gone: (strip: Strip) => boolean): void;
}

const openStrips = ({ directory, name, spanSeconds, clock }: LedgerFileOptions): Strips => {
  let strips: Strip[] = [];
  const pathOf = (number: number): string => join(directory, `${name}.${spanSeconds}-${number}`);
  /** Where there is none at first sight, nothing comes into it in time any more. */
  let seen: number | undefined;
  return {
    current(number) {
      const known = strips.find((strip) => strip.number === number);
      if (known !== undefined) return known;
      const strip = openStrip(pathOf(number), number, APPEND);
      // Somebody does it in time; each command need not.
      if (clock.random() < SWEEP_CHANCE) sweep(directory, clock.now());
      strips.push(strip);
      return strip;
    },
    previous(number) {
      const known = strips.find((strip) => strip.number === number);
      if (known !== undefined || seen === number) return known;
      seen = number;
      const path = pathOf(number);
      if (!existsSync(path)) return undefined;
      const strip = openStrip(path, number, READ);
      strips.unshift(strip);
      return strip;
    },
    drop(gone) {
      for (const strip of strips.filter(gone)) closeSync(strip.fd);
      strips = strips.filter((strip) => !gone(strip));
    },
  };
};

/**
 * A tape of files that are only ever appended to, so that no lock is needed: the system puts one whole line after
 * the other (`O_APPEND`), and everybody sees the same order. A line belongs to the strip of the moment at which it
 * was written; nothing is ever rewritten, old strips are removed whole. On file systems that do not keep this
 * promise (NFS) lines are lost now and then, and the limits are kept by obeying 429.
 * Every method throws what the disk says.
 */
export const openLedgerFile = (options: LedgerFileOptions): Tape => {
  const { spanSeconds, clock } = options;
  const { current, previous, drop } = openStrips(options);
  const numberNow = (): number => Math.floor(clock.now() / (spanSeconds * 1000));
  return {
    append(line) {
      const number = numberNow();
      const strip = current(number);
      if (writeSync(strip.fd, line) !== line.length) throw new Error('a line was only partly written');
      return numberNow() === number;
    },
    read() {
      const number = numberNow();
      // The earlier one first, to its end: its lines stand before those of the next.
      const before = previous(number - 1);
      const lines = [...(before === undefined ? [] : readLines(before)), ...readLines(current(number))];
      drop((strip) => strip.number < number - 1 || strip.number > number);
      return lines;
    },
    close: () => drop(() => true),
  };
};
