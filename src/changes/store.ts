import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Failure, UsageError } from '../errors.ts';
import { commandLine } from '../parsing/shell-word.ts';
import { createRunId } from '../platform/log.ts';
import type { Run } from '../run.ts';
import { appendText, formatLine, type Journal, openJournal, readFirstLine } from '../storage/journal.ts';
import { getHolderState, getSelf, type Holder, isLocked, withLock } from '../storage/lock.ts';
import { readPrivate } from '../storage/own-files.ts';
import { createDiskFailure, getErrno, makePrivateDirectory, writeDurably } from '../storage/write.ts';
import { parseHead, parseRun, type RunFile, type RunHead, type RunSettings, type Step } from './journal.ts';

export interface StoredRun extends RunFile {
  readonly id: string;
}

export type StepLog = Pick<Journal, 'add' | 'note'>;

/** Whether a run was a write by itself: it can be looked up, and there is nothing to go on with. */
export function isSingleWrite(id: string): boolean {
  return !BULK_ID.test(id);
}

export function keepsHistory({ invocation: { options } }: Run): boolean {
  return options.journal !== false && options.history !== false;
}

const RUN_FILE = /^(\d{8}-\d{4}-[a-z]{3,})\.jsonl$/;
const MONTH = /^\d{4}-\d\d$/;
/** Ids of single writes are longer: nothing reserves them but their file. */
const SINGLE_LETTERS = 8;
const BULK_ID = /^\d{8}-\d{4}-[a-z]{3,7}$/;

/** For two processes that start at the same time; the lock of a killed process is recognized at once. */
const LOCK_TIMEOUT_MS = 250;
/** On another host nobody can tell whether the process of a single write lives: after so long it has its answer. */
const ELSEWHERE_MS = 600_000;
/** Two that apply the same plan would both find that its records are as they were. */
export const PLAN_BUSY = 'this plan is being applied in another process';
/** As long as a large file of rows may take. */
const TURN_TIMEOUT_MS = 600_000;

/**
 * The runs of this machine: a folder a month, a file a run (`journal.ts`). A run of several writes has a lock and may
 * have a file of failed rows beside it; a single write has its file alone, which only its process writes, and names it.
 */
export class RunStore {
  readonly #folder: string | undefined;
  readonly #clock: Run['clock'];
  readonly #interrupted: AbortSignal;
  readonly #warn: (text: string) => void;

  constructor({ machine, directories, output }: Run) {
    this.#folder = directories.state && join(directories.state, 'runs');
    this.#clock = machine.clock;
    this.#interrupted = machine.interrupted;
    this.#warn = output.warn;
  }

  /** The latest first, as far as it is asked for. @param to day (UTC), inclusive; undefined: all */
  *ids(to?: string): Generator<string> {
    const last = to?.replaceAll('-', '');
    for (const month of listNames(this.#folder, MONTH).reverse()) {
      if (to !== undefined && month > to.slice(0, 7)) continue;
      for (const id of listNames(join(this.#folder ?? '', month), RUN_FILE).reverse())
        if (last === undefined || id.slice(0, 8) <= last) yield id;
    }
  }

  /** The latest first. Runs of one minute, whose ids tell no order, are read together. Days are in UTC, inclusive. */
  *runs({ from, to }: { readonly from?: string | undefined; readonly to?: string | undefined } = {}) {
    const first = from?.replaceAll('-', '') ?? '';
    let minute: StoredRun[] = [];
    // `20261121-0900-kfm` began in the minute `2026-11-21T09:00Z`.
    const guess = (id: string) => id.replace(/^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d).*/, '$1-$2-$3T$4:$5:00.000Z');
    const startOf = ({ id, head }: StoredRun): string => head?.created_at ?? guess(id);
    const endMinute = () => minute.toSorted((a, b) => (startOf(a) < startOf(b) ? 1 : -1));
    for (const id of this.ids(to)) {
      if (id.slice(0, 8) < first) break;
      if (minute[0]?.id.slice(0, 13) !== id.slice(0, 13)) {
        yield* endMinute();
        minute = [];
      }
      const run = this.tryRead(id);
      if (run !== undefined) minute.push(run);
    }
    yield* endMinute();
  }

  *heads(): Generator<RunHead & { readonly id: string }> {
    for (const id of this.ids()) {
      const line = isSingleWrite(id) ? undefined : readFirstLine(this.path(id));
      const head = line === undefined ? '' : parseHead(line);
      if (typeof head !== 'string') yield { ...head, id };
    }
  }

  /** @throws UsageError where there is no such run; Failure where it cannot be read */
  read(id: string): StoredRun {
    const text = readPrivate(this.path(id), this.#warn);
    if (text === undefined) throw createNoJobError(id);
    return parseStored(id, text);
  }

  has(id: string): boolean {
    return this.#folder !== undefined && RUN_FILE.test(`${id}.jsonl`) && existsSync(this.path(id));
  }

  /** One that cannot be read has a problem. Undefined for one that was removed, or is of a write that never began. */
  tryRead(id: string): StoredRun | undefined {
    try {
      const text = readPrivate(this.path(id), this.#warn);
      return text ? parseStored(id, text) : undefined;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { id, ...parseRun(''), problem: { message: error.message } };
    }
  }

  warnDamaged(id: string): void {
    this.#warn(`the journal of ${id} is damaged, and what it sent is not listed: ${this.path(id)}`);
  }

  isRunning({ id, rows }: Pick<StoredRun, 'id' | 'rows'>): boolean {
    return isLocked(this.path(id, ''), this.#clock) || this.#findSender(rows) !== undefined;
  }

  /** Of a single write: the process that is at work on it still. This one has begun nothing yet. */
  #findSender([row, ...others]: StoredRun['rows']): Holder | undefined {
    const { process: sender, time = '' } = row?.sent ?? {};
    if (sender === undefined || row?.step !== 'sending' || others.length > 0) return undefined;
    const state = getHolderState(sender);
    const isElsewhere = state === 'elsewhere' && this.#clock.now() - Date.parse(time) < ELSEWHERE_MS;
    return isElsewhere || (state === 'alive' && sender.pid !== getSelf().pid) ? sender : undefined;
  }

  /**
   * Makes a run with its first text, and works on it; nobody else does meanwhile.
   * @throws UsageError when its place cannot be written: a run over several targets is not begun then
   */
  async create<T>(
    format: (id: string) => string,
    work: (id: string, log: StepLog) => Promise<T>,
  ): Promise<T> {
    let begun = false;
    try {
      const id = this.#reserveId();
      const begin = (log: StepLog): Promise<T> => {
        begun = true;
        return work(id, log);
      };
      // Under its lock from the first moment: who goes on with it would send all of it beside this process.
      return await this.#workOn(id, begin, () => writeDurably(this.path(id), format(id)));
    } catch (error) {
      if (begun || error instanceof UsageError || !(error instanceof Failure)) throw error;
      throw createNoJournalError(error.tell(), error);
    }
  }

  #reserveId(): string {
    for (let letters = 3; ; letters += 1) {
      const id = createRunId(this.#clock, letters);
      makePrivateDirectory(dirname(this.#place(id)));
      try {
        mkdirSync(this.path(id, '.lock'), 0o700);
        return id;
      } catch (error) {
        if (getErrno(error) !== 'EEXIST')
          throw createDiskFailure(error, 'use the directory', this.#folder ?? '');
      }
    }
  }

  /** @throws UsageError when there is no such run, or it is at work */
  async reopen<T>(id: string, work: (run: StoredRun, log: StepLog) => Promise<T>): Promise<T> {
    const sender = this.#findSender(this.read(id).rows);
    if (sender !== undefined) {
      const reason = `process ${sender.pid} waits for its answer`;
      throw createRunningError(`write ${id} is under way in another process`, id, reason);
    }
    return this.#workOn(id, (log) => work(this.read(id), log));
  }

  #workOn<T>(id: string, work: (log: StepLog) => Promise<T>, make = () => {}): Promise<T> {
    return this.#withLock(this.path(id, ''), `job ${id} is running in another process`, id, async () => {
      make();
      const journal = openJournal(this.path(id));
      return work(journal).finally(journal.close);
    });
  }

  /**
   * A run of one write. Its file is made with its first step that is added: what was not sent is no write. Where that
   * cannot be, people are told, and the write goes on.
   * @param format its head and its write
   */
  single(format: (id: string) => string): StepLog & { readonly id: string } {
    let id = '';
    for (let letters = SINGLE_LETTERS; id === '' || this.has(id); letters += 1)
      id = createRunId(this.#clock, letters);
    let state: 'new' | 'begun' | 'lost' = 'new';
    const add = async (step: object): Promise<void> => {
      const isNew = state === 'new';
      if (state === 'lost' || (isNew && (step as Step).step !== 'sending')) return;
      try {
        const path = this.#place(id);
        if (isNew) makePrivateDirectory(dirname(path));
        const text = isNew ? `${format(id)}${formatLine({ ...step, process: getSelf() })}` : formatLine(step);
        appendText(path, text, isNew);
        state = 'begun';
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        state = 'lost';
        this.#warn(`not written to the history: ${error.tell()}`);
      }
    };
    return { id, add, note: add };
  }

  /** Removes what was sent to a service that is no more. A run that is at work is kept. */
  async forget(baseUrl: string): Promise<void> {
    for (const id of [...this.ids()]) {
      const run = this.tryRead(id);
      if (run?.head?.base_url === baseUrl && !this.isRunning(run)) await this.remove(id);
    }
  }

  /** @throws Failure for one that is at work */
  async remove(id: string): Promise<void> {
    const remove = async (): Promise<void> => {
      for (const file of [this.path(id), this.failedPath(id)]) rmSync(file, { force: true });
    };
    const lock = this.path(id, '.lock');
    const message = `job ${id} is running in another process`;
    await (existsSync(lock) ? this.#withLock(this.path(id, ''), message, id, remove) : remove());
    rmSync(lock, { recursive: true, force: true });
  }

  /**
   * Works when no other process works under the same name; where nothing can be kept, at once.
   * @param busy what is said where another process does; absent: that is waited for
   */
  async inTurn<T>(name: string, work: () => Promise<T>, busy?: string): Promise<T> {
    if (this.#folder === undefined) return work();
    const path = join(this.#folder, name.replace(/[^\w-]/g, '-'));
    try {
      makePrivateDirectory(this.#folder);
      mkdirSync(`${path}.lock`, { recursive: true, mode: 0o700 });
    } catch {
      return work();
    }
    if (busy !== undefined) return this.#withLock(path, busy, '', work);
    return withLock(path, this.#clock, work, { timeoutMs: TURN_TIMEOUT_MS, signal: this.#interrupted });
  }

  failedPath(id: string): string {
    return resolve(this.path(id, '.failed.csv'));
  }

  failedFile(id: string): string | undefined {
    return existsSync(this.failedPath(id)) ? this.failedPath(id) : undefined;
  }

  path(id: string, ending = '.jsonl'): string {
    if (this.#folder === undefined || !RUN_FILE.test(`${id}.jsonl`)) throw createNoJobError(id);
    return join(this.#folder, `${id.slice(0, 4)}-${id.slice(4, 6)}`, `${id}${ending}`);
  }

  #place(id: string): string {
    if (this.#folder !== undefined) return this.path(id);
    throw createNoJournalError('HOME is not set, so there is no state directory.');
  }

  /** @param message where another process has the lock @param id of the run that it is at work on, if any */
  async #withLock<T>(path: string, message: string, id: string, work: () => Promise<T>): Promise<T> {
    let begun = false;
    const lockedWork = () => {
      begun = true;
      return work();
    };
    const options = { timeoutMs: LOCK_TIMEOUT_MS };
    return withLock(path, this.#clock, lockedWork, options).catch((error: unknown) => {
      if (begun || !(error instanceof Failure) || error.code !== 'locked') throw error;
      throw createRunningError(message, id, error.message, error);
    });
  }
}

/** A single write's file comes with its first step, not on the disk at once: where that is torn, it may have been sent. */
function parseStored(id: string, text: string): StoredRun {
  const run = { id, ...parseRun(text) };
  const [row] = run.rows;
  if (row === undefined || row.time !== undefined || BULK_ID.test(id)) return run;
  return { ...run, damaged: true, rows: [{ ...row, step: 'sending' }] };
}

/** Names in a folder, as far as the pattern captures them, in order; none where there is no such folder. */
function listNames(folder: string | undefined, pattern: RegExp): string[] {
  try {
    const names = folder === undefined ? [] : readdirSync(folder);
    return names.flatMap((name) => pattern.exec(name)?.at(-1) ?? []).sort();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(getErrno(error) ?? '')) return [];
    throw error;
  }
}

export interface WholeRun extends StoredRun {
  readonly head: RunHead & { readonly run: RunSettings };
}

/** @param isEvery whether all of its steps are needed too @throws UsageError for a run that is damaged */
export function requireRun(run: StoredRun, store: RunStore, isEvery = false): WholeRun {
  const { head, problem, id, damaged } = run;
  if (problem === undefined && head?.run !== undefined && !(isEvery && damaged))
    return { ...run, head: { ...head, run: head.run } };
  throw new UsageError(`the journal of ${id} is damaged`, {
    code: 'damaged_job',
    reason: 'What it sent is unknown.',
    hint: `Check the records themselves. The journal is ${store.path(id)}`,
  });
}

function createNoJournalError(reason: string, cause?: unknown): UsageError {
  return new UsageError('a bulk run needs a directory for its journal', {
    ...{ code: 'no_journal', reason, cause },
    hint: 'Set TTCTL_STATE_DIR to a writable directory, or use --no-history; the run then cannot be resumed.',
  });
}

function createRunningError(message: string, id: string, reason: string, cause?: unknown): UsageError {
  const inspectLine = id === '' ? 'ttctl jobs list' : commandLine`ttctl jobs show ${id}`;
  const hint = `See its progress: ${inspectLine}`;
  return new UsageError(message, { code: 'job_running', hint, reason, cause });
}

function createNoJobError(id: string): UsageError {
  return new UsageError(`there is no job "${id}"`, { code: 'no_job', hint: 'List them: ttctl jobs list' });
}
