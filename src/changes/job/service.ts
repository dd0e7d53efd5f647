import type { Row } from '../../api/page.ts';

/** What bulk runs need of the machine: a place for their journals. Types only. */

export interface JobLines {
  /** In the order in which they were written. */
  readonly lines: readonly unknown[];
  /** Whether lines are lost that had been finished. */
  readonly damaged: boolean;
}

/** A job's journal, open and locked. */
export interface OpenJob extends JobLines {
  readonly id: string;
  /** Resolves when the line is on the disk. @throws Failure (exit 1) */
  add(line: object): Promise<void>;
  /** Resolves when the line outlives this process. @throws Failure (exit 1) */
  note(line: object): Promise<void>;
}

/** A run as it is stored. */
export interface StoredRun extends JobLines {
  readonly id: string;
}

export interface RunFilter {
  /** Days in UTC, inclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Whether a run with these lines may have what is wanted; others are passed over. Default: each. */
  readonly mayHave?: ((lines: string) => boolean) | undefined;
}

/** Runs that began before a day. */
export interface PrunableRuns {
  /** How many would go. */
  readonly count: number;
  /** Ids of those that stay: they are not finished. The oldest first. */
  readonly kept: readonly string[];
}

/** The jobs of this user on this machine. */
export interface JobService {
  /** The running command line, for the record. */
  readonly command: string;
  /** Of the program. */
  readonly version: string;
  /** False with `--no-history` or `--no-journal`. */
  readonly wanted: boolean;
  /** The value with its secrets masked. */
  redact(value: unknown): unknown;
  /** The oldest first. */
  ids(): readonly string[];
  /** @throws UsageError when there is no such job */
  read(id: string): JobLines;
  /** The same without its rows, of which there may be very many: its head, and every step. */
  readSteps(id: string): JobLines;
  /** How each job began, as far as it can be read, the oldest first. */
  heads(): readonly unknown[];
  isRunning(id: string): boolean;
  /**
   * Makes a job with its first lines, and works on it; nobody else does meanwhile.
   * @throws UsageError when its place cannot be written
   */
  create<T>(lines: (id: string) => readonly object[], work: (job: OpenJob) => Promise<T>): Promise<T>;
  /**
   * A run of one write, with its head and its row. Nothing is written before the first step.
   * @param lines the head and the row, by the id of the run
   */
  single(lines: (id: string) => readonly object[]): Pick<OpenJob, 'id' | 'add' | 'note'>;
  /** Ids of the single writes of which it is not known what became of them. */
  openSingles(): readonly string[];
  /**
   * The runs of the store, the latest first; each is read when it is asked for.
   * @param filter what makes others be passed over unread
   */
  runs(filter?: RunFilter): Iterable<StoredRun>;
  /** The runs that began before a day (UTC). */
  prunable(before: string): PrunableRuns;
  /** Removes them; one that is not finished stays. @returns how many are gone */
  prune(before: string): Promise<number>;
  /** Applies a plan while nobody else does. @param plan its digest @throws UsageError when somebody does */
  alone<T>(plan: string, work: () => Promise<T>): Promise<T>;
  /** Works when no other process works under the same name. @throws Failure when none of them comes to an end */
  inTurn<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** @throws UsageError when there is no such job, or it is at work */
  reopen<T>(id: string, work: (job: OpenJob) => Promise<T>): Promise<T>;
  /** Writes the file of failed rows as CSV, and gives its path. @throws Failure (exit 1) */
  saveFailed(id: string, columns: readonly string[], rows: readonly Row[]): Promise<string>;
  failedFile(id: string): string | undefined;
  /** SHA-256 of a file in hexadecimal digits; undefined when it cannot be read. */
  digest(file: string): Promise<string | undefined>;
}
