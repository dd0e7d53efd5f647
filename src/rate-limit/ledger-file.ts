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

/** The records of all runs of one credential, in the same order for every process. */
export interface Ledger {
  /** False: it took so long that the record may come before one that was written earlier. */
  append(line: string): boolean;
  /** The lines that were added since the last call, the own ones too, in their order. */
  read(): readonly string[];
  close(): void;
}

/** For one process alone. */
export const createMemoryLedger = (): Ledger => {
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

/** One file of the ledger. Each covers a span of time, and is read in this span and the next one. */
interface LedgerSegment {
  readonly number: number;
  readonly fd: number;
  offset: number;
  /** The beginning of a line whose end was not there yet. */
  partialLine: string;
}

const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);
/** Far more than any allowance writes in its span. */
const MAX_LEDGER_BYTES = 16 * 1024 * 1024;

const openSegment = (path: string, number: number, flags: number): LedgerSegment => ({
  number,
  fd: openSync(path, flags | (constants.O_NONBLOCK ?? 0), 0o600),
  offset: 0,
  partialLine: '',
});

const BLOCK_BYTES = 8192;

/** Nothing where the file was cut: its writer then misses its own lines. */
const readLines = (segment: LedgerSegment): string[] => {
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  let text = segment.partialLine;
  for (let count = BLOCK_BYTES; count === BLOCK_BYTES; ) {
    count = readSync(segment.fd, block, 0, BLOCK_BYTES, segment.offset);
    segment.offset += count;
    text += block.toString('latin1', 0, count);
    if (segment.offset > MAX_LEDGER_BYTES) throw new Error('the ledger is too large');
  }
  const lines = text.split('\n');
  segment.partialLine = lines.pop() ?? '';
  return lines;
};

const SWEEP_CHANCE = 0.1;

/** Removes the segments of all credentials that nobody reads any more. */
const sweep = (directory: string, now: number): void => {
  try {
    for (const name of readdirSync(directory)) {
      const [, seconds, number] = /^[0-9a-f]{16}\.(\d+)-(\d+)$/.exec(name) ?? [];
      const ended = (Number(number) + 1) * Number(seconds) * 1000;
      const marginMs = 2 * Number(seconds) * 1000;
      if (ended + marginMs < now || ended - marginMs > now + marginMs)
        rmSync(join(directory, name), { force: true });
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
  /** Longer than the longest window, so that two segments hold all that counts. */
  readonly spanSeconds: number;
  readonly clock: Clock;
}

interface LedgerSegments {
  /** To be written to, made where there is none. */
  current(number: number): LedgerSegment;
  /** To be read; undefined where there is none. */
  previous(number: number): LedgerSegment | undefined;
  drop(isExpired: (segment: LedgerSegment) => boolean): void;
}

const openSegments = ({ directory, name, spanSeconds, clock }: LedgerFileOptions): LedgerSegments => {
  let segments: LedgerSegment[] = [];
  const getSegmentPath = (number: number): string => join(directory, `${name}.${spanSeconds}-${number}`);
  /** The last number that was looked for: a segment that is missing then is not written any more. */
  let checkedNumber: number | undefined;
  return {
    current(number) {
      const known = segments.find((segment) => segment.number === number);
      if (known !== undefined) return known;
      const segment = openSegment(getSegmentPath(number), number, APPEND);
      // One process in ten does it.
      if (clock.random() < SWEEP_CHANCE) sweep(directory, clock.now());
      segments.push(segment);
      return segment;
    },
    previous(number) {
      const known = segments.find((segment) => segment.number === number);
      if (known !== undefined || checkedNumber === number) return known;
      checkedNumber = number;
      const path = getSegmentPath(number);
      if (!existsSync(path)) return undefined;
      const segment = openSegment(path, number, READ);
      segments.unshift(segment);
      return segment;
    },
    drop(isExpired) {
      for (const segment of segments.filter(isExpired)) closeSync(segment.fd);
      segments = segments.filter((segment) => !isExpired(segment));
    },
  };
};

/**
 * A ledger of files that are only ever appended to, so that no lock is needed: the system puts one whole line after
 * the other (`O_APPEND`), and everybody sees the same order. A line belongs to the segment of the moment at which it
 * was written; nothing is ever rewritten, old segments are removed whole. On file systems that do not keep this
 * promise (NFS) lines are lost now and then, and the limits are kept by obeying 429.
 * Every method throws what the disk says.
 */
export const openLedgerFile = (options: LedgerFileOptions): Ledger => {
  const { spanSeconds, clock } = options;
  const { current, previous, drop } = openSegments(options);
  const getSegmentNumber = (): number => Math.floor(clock.now() / (spanSeconds * 1000));
  return {
    append(line) {
      const number = getSegmentNumber();
      const segment = current(number);
      if (writeSync(segment.fd, line) !== line.length) throw new Error('a line was only partly written');
      return getSegmentNumber() === number;
    },
    read() {
      const number = getSegmentNumber();
      // The earlier one first, to its end: its lines stand before those of the next.
      const earlier = previous(number - 1);
      const lines = [...(earlier === undefined ? [] : readLines(earlier)), ...readLines(current(number))];
      drop((segment) => segment.number < number - 1 || segment.number > number);
      return lines;
    },
    close: () => drop(() => true),
  };
};
