import { closeSync, fstatSync, lstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import type { Settings } from '../config/settings.ts';
import { EXIT, Failure, OutputClosed, UsageError } from '../errors.ts';
import {
  createRequestLog,
  createTrace,
  describeLogError,
  type LogMembers,
  type Observer,
  withObservers,
} from '../http/observe.ts';
import {
  type Decide,
  REQUEST_ID,
  type ReconcileReason,
  type RequestSubject,
  type Transport,
} from '../http/transport.ts';
import type { ProgressIndicator } from '../output/progress.ts';
import type { Result } from '../output/results.ts';
import { safeCell, safeJson } from '../output/safe-text.ts';
import { findWriteProblem, judgeTrust } from '../storage/own-files.ts';
import { createFullError } from '../storage/write.ts';
import { formatRecordedCommand, type Machine, readCaller } from './machine.ts';

interface RunRequestsOptions {
  readonly machine: Machine;
  readonly settings: Settings;
  readonly watch: ProgressIndicator;
  readonly args: readonly string[];
}

/** What is seen of the requests of one run: their numbers, `--debug`, `--log`, and which one a person waits for. */
export class RunRequests {
  count = 0;
  readonly log: ReturnType<typeof openEventLog> | undefined;
  readonly #options: RunRequestsOptions;
  readonly #id: string;
  readonly #observers: readonly Observer[];

  constructor(options: RunRequestsOptions) {
    const { machine, settings } = options;
    const { redactor, stderr } = machine;
    this.#options = options;
    this.#id = createRunId(machine.clock);
    this.log = settings.log && openEventLog(options, settings.log.value, this.#id, () => this.count);
    const write = (text: string): void => void stderr.write(`${safeCell(text)}\n`).catch(() => {});
    this.#observers = [
      ...(this.log === undefined ? [] : [createRequestLog(this.log)]),
      ...(settings.debug.value ? [createTrace(write, redactor)] : []),
    ];
  }

  /** An id for a request that another process sends. */
  nextId(): string {
    this.count += 1;
    return `${this.#id}-${this.count}`;
  }

  /** Each request gets its number as it is asked for, from 1, and its `X-Request-Id` unless it has one. */
  link(next: Transport): Transport {
    const { clock } = this.#options.machine;
    return (request) => {
      const headers = { [REQUEST_ID]: this.nextId(), ...request.headers };
      return next({ ...request, headers, number: { n: this.count, attempt: 0, since: clock.now() } });
    };
  }

  reconciled({ operation, target }: RequestSubject, reason: ReconcileReason, requestId = ''): void {
    const about = { operation, target };
    this.decide({ decision: 'reconcile', reason }, { about, headers: { [REQUEST_ID]: requestId } });
  }

  result({ target, operation, status, message, error }: Result, requestId?: string): void {
    const { redactor } = this.#options.machine;
    this.log?.write('result', {
      operation,
      target: redactor.text(target),
      outcome: status,
      message: message === undefined ? undefined : redactor.text(message),
      error: error && { code: error.code, message: redactor.text(String(error.message)) },
      request_id: requestId,
    });
  }

  readonly decide: Decide = (decision, subject = {}) => {
    for (const observer of this.#observers)
      observer.decision(decision, subject, this.#options.machine.clock.now());
  };

  /** The last link before the wire. A response may take long: without `--debug` a line shows what is waited for. */
  observe(next: Transport): Transport {
    const { machine, settings, watch } = this.#options;
    const { clock, redactor } = machine;
    const shown: Transport = (request) => {
      const since = clock.now();
      const formatLabel = () => {
        const seconds = Math.floor((clock.now() - since) / 1000);
        return `waiting for the service, ${seconds} s: ${redactor.text(`${request.method} ${request.path}`)}`;
      };
      return watch.during(formatLabel, () => next(request));
    };
    const seen = settings.debug.value ? next : shown;
    return this.#observers.length === 0 ? seen : withObservers(seen, this.#observers, clock);
  }
}

function openEventLog(options: RunRequestsOptions, file: string, id: string, count: () => number) {
  const { machine, settings, args } = options;
  const { clock, redactor, stderr, version, pid } = machine;
  const writeToFile = file === '-' ? undefined : openLineFile(file);
  const startedAt = clock.now();
  let state: 'new' | 'begun' | 'ended' = 'new';
  let loss: Failure | undefined;
  let last: Promise<void> = Promise.resolve();
  const lose = (error: unknown): void => {
    // A reader that has gone wants no more.
    if (error instanceof OutputClosed) return;
    loss ??= new Failure('the log is incomplete', {
      code: 'log_failed',
      exit: EXIT.fault,
      reason: error instanceof Failure ? (error.reason ?? error.message) : (error as Error).message,
      hint: 'The command itself succeeded: do not run it again for the log.',
      cause: error,
    });
  };
  const writeLine = (event: string, time: number, members: LogMembers): void => {
    const line = formatLogLine(event, id, time, members);
    try {
      if (writeToFile !== undefined) writeToFile(line);
      else last = stderr.write(line).catch(lose);
    } catch (error) {
      lose(error);
    }
  };
  const write = (event: string, members: LogMembers): void => {
    // The first line waits for the first event: by then the token is known, and masked in the command.
    if (state === 'new') {
      state = 'begun';
      const { profile, baseUrl, workspace, dryRun } = settings;
      writeLine('run.start', startedAt, {
        ...{ version, pid, command: formatRecordedCommand(args, machine), profile: profile.value },
        base: baseUrl && redactor.text(baseUrl.value),
        workspace: workspace && redactor.text(workspace.value),
        ...(dryRun.value && { dry_run: true }),
        ...readCaller(machine),
      });
    }
    writeLine(event, clock.now(), members);
  };
  /**
   * Writes the last line. Called again it does nothing.
   * @param error why the run ended, where it failed
   * @returns why lines are lost, where some are
   */
  const end = async (exit: number, error?: unknown): Promise<Failure | undefined> => {
    if (state === 'ended') return undefined;
    write('run.end', {
      exit,
      ms: clock.now() - startedAt,
      requests: count(),
      error: error === undefined ? undefined : describeLogError(error, redactor),
    });
    state = 'ended';
    await last;
    return loss;
  };
  return { redactor, write, end };
}

/** How each line begins: nothing else is added to. */
const LINE_START = '{"time":"';

/**
 * Opens a log. Each line goes to the end of the file with one write, so that processes can share it.
 * @returns writes one line; throws where it is not written whole
 * @throws UsageError for what is no file of ours, or cannot be written to
 */
export function openLineFile(file: string): (line: string) => void {
  let problem: string;
  try {
    const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    const there = statSync(file, { throwIfNoEntry: false });
    // A pipe would be waited for.
    if (there?.isFile() === false && !there.isCharacterDevice()) problem = 'it is not a file';
    // Somebody else may have made the link.
    else if (isLink && (there === undefined || (there.isFile() && judgeTrust(there) !== undefined)))
      problem = 'it is a link to nothing, or to what others own or can write to';
    else {
      const fd = openSync(file, 'a+', 0o600);
      const start = Buffer.alloc(LINE_START.length);
      const isEmpty = !fstatSync(fd).isFile() || readSync(fd, start, 0, start.length, 0) === 0;
      if (isEmpty || start.toString() === LINE_START)
        return (line) => {
          if (writeSync(fd, line) < Buffer.byteLength(line)) throw createFullError();
        };
      closeSync(fd);
      problem = 'it is not a log';
    }
    problem = `${file}: ${problem}`;
  } catch {
    problem = findWriteProblem(file) ?? `${file}: no permission to write there`;
  }
  throw new UsageError(`cannot write the log to ${problem}`, {
    code: 'bad_value',
    hint: 'Name a log or a new file in a folder that exists, or use --log - for stderr.',
  });
}

export function formatLogLine(event: string, run: string, time: number, members: LogMembers): string {
  return `${safeJson({ time: new Date(time).toISOString(), run, event, ...members })}\n`;
}

/** No vowels, so that no words result. */
const LETTERS = 'bcdfghjkmnpqrstvwxz';
/** So many that two processes hardly choose the same in one minute: nothing is reserved. */
const UNRESERVED_LETTERS = 8;

/** Id of a run: `20261121-1257-kfmqrtzb`. */
export function createRunId(
  clock: { now(): number; random(): number },
  letters = UNRESERVED_LETTERS,
): string {
  let id = `${new Date(clock.now()).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 13)}-`;
  for (let i = 0; i < letters; i += 1) id += LETTERS[Math.floor(clock.random() * LETTERS.length)];
  return id;
}
