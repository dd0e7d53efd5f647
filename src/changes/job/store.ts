import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Clock } from '../../clock.ts';
import { Failure, UsageError } from '../../errors.ts';
import { createRunId } from '../../parsing/names.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import { createDiskFailure, getErrno } from '../../storage/failure.ts';
import {
  appendLine,
  createJournal,
  openJournal,
  parseJournal,
  readFirstLine,
  readJournal,
} from '../../storage/journal.ts';
import { isLocked, withLock } from '../../storage/lock.ts';
import { readPrivate } from '../../storage/own-files.ts';
import { makePrivateDirectory } from '../../storage/write.ts';
import type { JobLines } from './record.ts';

export interface OpenJob extends JobLines {
  readonly id: string;
  /** Resolves when the line is on the disk. @throws Failure (exit 1) */
  add(line: object): Promise<void>;
  /** Resolves when the line outlives this process. @throws Failure (exit 1) */
  note(line: object): Promise<void>;
}

/** A run of one write, as its lines stand in the file of its day. */
export interface SingleRun {
  readonly id: string;
  readonly text: string;
}

interface StoreOptions {
  /** Undefined where no state directory is known. */
  readonly folder: string | undefined;
  readonly clock: Clock;
  readonly interrupted: AbortSignal;
  readonly version: string;
  /** The running command line, for the record; asked for when the credential is known, and masked. */
  readonly getCommand: () => string;
  /** False with `--no-history` or `--no-journal`. */
  readonly wanted: boolean;
  readonly redact: (value: unknown) => unknown;
  readonly warn: (text: string) => void;
}

const JOB_FILE = /^(\d{8}-\d{4}-[a-z]{3,})\.jsonl$/;
const DAY_FILE = /^(\d{8})\.jsonl$/;

/** For two processes that start at the same time; the lock of a killed process is recognized at once. */
const LOCK_TIMEOUT_MS = 250;
/** As long as a large file of rows may take. */
const TURN_TIMEOUT_MS = 600_000;

/**
 * The history of writes, in `jobs/` of the state directory: runs of several have a journal each, with its lock and its
 * failed rows (`20261121-1257-kfm.jsonl`); single writes share a file a day, which many processes add to.
 */
export class JobStore {
  readonly version: string;
  readonly wanted: boolean;
  readonly redact: StoreOptions['redact'];
  readonly clock: Clock;
  readonly interrupted: AbortSignal;
  readonly warn: StoreOptions['warn'];
  readonly #folder: string | undefined;
  readonly #getCommand: () => string;

  constructor({ folder, clock, interrupted, version, getCommand, wanted, redact, warn }: StoreOptions) {
    this.version = version;
    this.wanted = wanted;
    this.redact = redact;
    this.clock = clock;
    this.interrupted = interrupted;
    this.warn = warn;
    this.#folder = folder;
    this.#getCommand = getCommand;
  }

  get command(): string {
    return this.#getCommand();
  }

  /** Of runs with a journal of their own, the oldest first. */
  ids(): readonly string[] {
    return this.#listNames(JOB_FILE);
  }

  /** Days (`20261121`) with a file of single writes, the oldest first. */
  days(): readonly string[] {
    return this.#listNames(DAY_FILE);
  }

  /** How each job began, as far as it can be read, the oldest first. */
  heads(): readonly unknown[] {
    return this.ids().map((id) => this.readHead(id));
  }

  readHead(id: string): unknown {
    return readFirstLine(this.journalPath(id));
  }

  read(id: string): JobLines {
    const found = readJournal(this.journalPath(id), this.warn);
    if (found !== undefined) return found;
    const single = this.readDay(id).find((one) => one.id === id);
    if (single === undefined) throw createNoJobError(id);
    return parseSingle(single);
  }

  /** The single writes of a day, the oldest first. @param id of a run, or the day */
  readDay(id: string): readonly SingleRun[] {
    return splitRuns(readPrivate(this.dayPath(id), this.warn)?.text ?? '');
  }

  isRunning(id: string): boolean {
    return isLocked(this.#pathOf(id), this.clock);
  }

  /**
   * Makes a job with its first lines, and works on it; nobody else does meanwhile.
   * @throws UsageError when its place cannot be written
   */
  async create<T>(lines: (id: string) => readonly object[], work: (job: OpenJob) => Promise<T>): Promise<T> {
    let begun = false;
    try {
      const id = this.#reserveId();
      return await this.#withJobLock(id, async () => {
        createJournal(this.journalPath(id), lines(id));
        begun = true;
        return this.#withOpenJob(id, work);
      });
    } catch (error) {
      throw begun ? error : createNoJournalError(error);
    }
  }

  /** @throws UsageError when there is no such job, or it is at work */
  async reopen<T>(id: string, work: (job: OpenJob) => Promise<T>): Promise<T> {
    this.read(id);
    return this.#withJobLock(id, () => this.#withOpenJob(id, work));
  }

  /**
   * A run of one write. Nothing is written before its first step.
   * @param listFirst its head and its row, by the id of the run
   */
  single(listFirst: (id: string) => readonly object[]): Pick<OpenJob, 'id' | 'add' | 'note'> {
    const id = createRunId(this.clock);
    let isBegun = false;
    const add = async (line: object): Promise<void> => {
      if (this.#folder === undefined) throw createNoJournalError(undefined);
      if (!isBegun) makePrivateDirectory(this.#folder);
      appendLine(this.dayPath(id), { run: id, lines: [...(isBegun ? [] : listFirst(id)), line] });
      isBegun = true;
    };
    return { id, add, note: add };
  }

  async remove(id: string): Promise<void> {
    this.read(id);
    await this.#withJobLock(id, async () => {
      for (const path of [this.journalPath(id), this.failedPath(id)]) rmSync(path, { force: true });
    });
    rmSync(`${this.#pathOf(id)}.lock`, { recursive: true, force: true });
  }

  /** Works when no other process works under the same name. @throws Failure when none of them comes to an end */
  async inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const path = this.#makeLock(`turn-${name.replace(/[^\w-]/g, '-')}`);
    if (path === undefined) return work();
    return withLock(path, this.clock, work, { timeoutMs: TURN_TIMEOUT_MS, signal: this.interrupted });
  }

  /** Applies a plan while nobody else does. @param plan its digest @throws UsageError when somebody does */
  async alone<T>(plan: string, work: () => Promise<T>): Promise<T> {
    const path = this.#makeLock(`plan-${plan}`);
    if (path === undefined) return work();
    const message = 'this plan is being applied in another process';
    return this.#withLockAt(path, work, message, commandLine`ttctl jobs list`);
  }

  failedPath(id: string): string {
    return resolve(`${this.#pathOf(id)}.failed.csv`);
  }

  failedFile(id: string): string | undefined {
    return existsSync(this.failedPath(id)) ? this.failedPath(id) : undefined;
  }

  journalPath(id: string): string {
    return `${this.#pathOf(id)}.jsonl`;
  }

  /** The file of single writes of the day of a run. @param id of a run, or a day */
  dayPath(id: string): string {
    return join(this.#folder ?? '', `${id.slice(0, 8)}.jsonl`);
  }

  /** Path without its ending. @throws UsageError for what is no job */
  #pathOf(id: string): string {
    if (this.#folder === undefined || !JOB_FILE.test(`${id}.jsonl`)) throw createNoJobError(id);
    return join(this.#folder, id);
  }

  #listNames(pattern: RegExp): readonly string[] {
    try {
      const names = this.#folder === undefined ? [] : readdirSync(this.#folder);
      return names.flatMap((name) => pattern.exec(name)?.slice(1, 2) ?? []).sort();
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(getErrno(error) ?? '')) return [];
      throw error;
    }
  }

  #reserveId(): string {
    if (this.#folder === undefined) throw createNoJournalError(undefined);
    makePrivateDirectory(this.#folder);
    for (let letters = 3; ; letters += 1) {
      const id = createRunId(this.clock, letters);
      try {
        mkdirSync(`${this.#pathOf(id)}.lock`, 0o700);
        return id;
      } catch (error) {
        if (getErrno(error) !== 'EEXIST') throw createDiskFailure(error, 'use the directory', this.#folder);
      }
    }
  }

  async #withOpenJob<T>(id: string, work: (job: OpenJob) => Promise<T>): Promise<T> {
    const lines = this.read(id);
    if (!existsSync(this.journalPath(id))) {
      const add = async (line: object): Promise<void> =>
        appendLine(this.dayPath(id), { run: id, lines: [line] });
      return work({ id, ...lines, add, note: add });
    }
    const journal = openJournal(this.journalPath(id));
    return work({ id, ...lines, add: journal.add, note: journal.note }).finally(journal.close);
  }

  #withJobLock<T>(id: string, work: () => Promise<T>): Promise<T> {
    const message = `job ${id} is running in another process`;
    return this.#withLockAt(this.#pathOf(id), work, message, commandLine`ttctl jobs show ${id}`);
  }

  /** @param message what is said where another process has the lock @param inspectLine shows what it does */
  async #withLockAt<T>(
    path: string,
    work: () => Promise<T>,
    message: string,
    inspectLine: string,
  ): Promise<T> {
    let begun = false;
    const lockedWork = () => {
      begun = true;
      return work();
    };
    const options = { timeoutMs: LOCK_TIMEOUT_MS };
    return withLock(path, this.clock, lockedWork, options).catch((error: unknown) => {
      if (begun || !(error instanceof Failure) || error.code !== 'locked') throw error;
      const hint = `See its progress: ${inspectLine}`;
      throw new UsageError(message, { code: 'job_running', reason: error.message, hint, cause: error });
    });
  }

  /** Undefined where nothing can be kept: what keeps it decides whether anything can be sent. */
  #makeLock(name: string): string | undefined {
    if (this.#folder === undefined) return undefined;
    const path = join(this.#folder, name);
    try {
      makePrivateDirectory(this.#folder);
      mkdirSync(`${path}.lock`, { recursive: true, mode: 0o700 });
      return path;
    } catch {
      return undefined;
    }
  }
}

/** What stands before the run's id, behind the checksum of a line. */
const BEFORE_RUN = ' {"run":"';
const CHECKSUM_LENGTH = 8;

/** The lines of a day's file by their runs, not yet read as JSON. */
function splitRuns(text: string): readonly SingleRun[] {
  const runs = new Map<string, string>();
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from) + 1 || text.length;
    if (text.startsWith(BEFORE_RUN, from + CHECKSUM_LENGTH)) {
      const at = from + CHECKSUM_LENGTH + BEFORE_RUN.length;
      const id = text.slice(at, text.indexOf('"', at));
      // Half a line has no end of it.
      if (id.length < end - at) runs.set(id, (runs.get(id) ?? '') + text.slice(from, end));
    }
    from = end;
  }
  return [...runs].map(([id, lines]) => ({ id, text: lines }));
}

/** The lines of a run of one write: one that is torn is of another run, or it is missing. */
export function parseSingle({ text }: SingleRun): JobLines {
  const lines = parseJournal(text).lines as readonly { readonly lines?: readonly unknown[] }[];
  return { lines: lines.flatMap((line) => line.lines ?? []), damaged: false };
}

/** Where no journal can be written, a run over several targets is not begun. */
function createNoJournalError(cause: unknown): Failure {
  if (cause instanceof UsageError) return cause;
  return new UsageError('a bulk run needs a directory for its journal', {
    code: 'no_journal',
    reason:
      cause instanceof Failure
        ? [cause.message, cause.reason].filter(Boolean).join(': ')
        : 'HOME is not set, so there is no state directory.',
    hint: 'Set TTCTL_STATE_DIR to a writable directory, or use --no-history; the run then cannot be resumed.',
    cause,
  });
}

function createNoJobError(id: string): UsageError {
  return new UsageError(`there is no job "${id}"`, { code: 'no_job', hint: 'List them: ttctl jobs list' });
}
