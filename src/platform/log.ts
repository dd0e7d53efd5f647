import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import type { Settings } from '../config/settings.ts';
import { EXIT, Failure, OutputClosed, UsageError } from '../errors.ts';
import { RequestNumbers } from '../http/links.ts';
import {
  createRequestLog,
  createTrace,
  describeLogError,
  type LogMembers,
  type LogWriter,
  type Observer,
  withObservers,
} from '../http/observe.ts';
import { type Decide, REQUEST_ID, type TellReconciled, type Transport } from '../http/transport.ts';
import type { ProgressIndicator } from '../output/progress.ts';
import type { Result } from '../output/results.ts';
import { safeCell, safeJson } from '../output/safe-text.ts';
import { createRunId } from '../parsing/names.ts';
import { findWriteProblem, judgeTrust } from '../storage/own-files.ts';
import type { Machine } from './machine.ts';
import { formatRecordedCommand } from './machine.ts';

export interface RunEvents {
  /** What the records showed of a write whose response was lost. */
  readonly reconciled: TellReconciled;
  result(result: Result, requestId?: string): void;
}

interface RunRequestsOptions {
  readonly machine: Machine;
  readonly settings: Settings;
  readonly watch: ProgressIndicator;
  readonly args: readonly string[];
}

/** What is seen of the requests of one run: their numbers, `--debug`, `--log`, and which one a person waits for. */
export class RunRequests {
  readonly numbers: RequestNumbers;
  readonly events: RunEvents;
  readonly log: EventLog | undefined;
  readonly #options: RunRequestsOptions;
  readonly #observers: readonly Observer[];

  /** @throws UsageError for a log that cannot be written to */
  constructor(options: RunRequestsOptions) {
    const { machine, settings } = options;
    const { clock, redactor, stderr } = machine;
    const id = createRunId(clock);
    this.#options = options;
    this.numbers = new RequestNumbers(id, clock);
    this.log = settings.log && new EventLog(settings.log.value, options, id, this.numbers);
    const write = (line: string): void => void stderr.write(`${line}\n`).catch(() => {});
    this.#observers = [
      ...(this.log === undefined ? [] : [createRequestLog(this.log)]),
      ...(settings.debug.value ? [createTrace({ write, safe: safeCell, redactor })] : []),
    ];
    this.events = {
      reconciled: ({ operation, target }, reason, requestId = '') => {
        const about = { operation, target };
        this.decide({ decision: 'reconcile', reason }, { about, headers: { [REQUEST_ID]: requestId } });
      },
      result: ({ target, operation, status, message, error }, requestId) =>
        this.log?.write('result', {
          operation,
          target: redactor.text(target),
          outcome: status,
          message: message === undefined ? undefined : redactor.text(message),
          error: error && { code: error['code'], message: redactor.text(String(error['message'])) },
          request_id: requestId,
        }),
    };
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
      const requestLine = redactor.text(`${request.method} ${request.path}`);
      const formatLabel = () =>
        `waiting for the service, ${Math.floor((clock.now() - since) / 1000)} s: ${requestLine}`;
      return watch.during(formatLabel, () => next(request), true);
    };
    const seen = settings.debug.value ? next : shown;
    return this.#observers.length === 0 ? seen : withObservers(seen, this.#observers, clock);
  }
}

/** `--log`: what a run does, line by line. */
export class EventLog implements LogWriter {
  readonly redactor: LogWriter['redactor'];
  readonly #options: RunRequestsOptions;
  readonly #id: string;
  readonly #numbers: RequestNumbers;
  readonly #startedAt: number;
  readonly #writeToFile: ((line: string) => void) | undefined;
  /** Why the first line that is lost was lost. */
  #loss: Failure | undefined;
  #last: Promise<void> = Promise.resolve();
  #isStarted = false;
  #isEnded = false;

  /** @param file path, or `-` for stderr @throws UsageError for a file that cannot be written to */
  constructor(file: string, options: RunRequestsOptions, id: string, numbers: RequestNumbers) {
    this.redactor = options.machine.redactor;
    this.#options = options;
    this.#id = id;
    this.#numbers = numbers;
    this.#startedAt = options.machine.clock.now();
    this.#writeToFile = file === '-' ? undefined : openLineFile(file);
  }

  write(event: string, members: LogMembers): void {
    const { machine, settings, args } = this.#options;
    const { profile, baseUrl, workspace, dryRun } = settings;
    // The first line waits for the first event: by then the token is known, and masked in the command.
    if (!this.#isStarted) {
      const start = formatLogLine('run.start', this.#id, this.#startedAt, {
        version: machine.version,
        pid: machine.pid,
        command: formatRecordedCommand(args, machine),
        profile: profile.value,
        base: baseUrl && this.redactor.text(baseUrl.value),
        workspace: workspace && this.redactor.text(workspace.value),
        ...(dryRun.value && { dry_run: true }),
      });
      this.#writeLine(start);
    }
    this.#isStarted = true;
    this.#writeLine(formatLogLine(event, this.#id, machine.clock.now(), members));
  }

  /**
   * Writes the last line. Called again it does nothing.
   * @param error why the run ended, where it failed
   * @returns why lines are lost, where some are
   */
  async end(exit: number, error?: unknown): Promise<Failure | undefined> {
    if (this.#isEnded) return undefined;
    this.#isEnded = true;
    this.write('run.end', {
      exit,
      ms: this.#options.machine.clock.now() - this.#startedAt,
      requests: this.#numbers.count,
      error: error === undefined ? undefined : describeLogError(error, this.redactor),
    });
    await this.#last;
    return this.#loss;
  }

  #writeLine(line: string): void {
    try {
      if (this.#writeToFile !== undefined) this.#writeToFile(line);
      else this.#last = this.#options.machine.stderr.write(line).catch((error) => this.#lose(error));
    } catch (error) {
      this.#lose(error);
    }
  }

  #lose(error: unknown): void {
    // A reader that has gone wants no more.
    if (error instanceof OutputClosed) return;
    this.#loss ??= new Failure('the log is incomplete', {
      code: 'log_failed',
      exit: EXIT.fault,
      reason: error instanceof Failure ? (error.reason ?? error.message) : (error as Error).message,
      hint: 'The command itself succeeded: do not run it again for the log.',
      cause: error,
    });
  }
}

/**
 * Opens a log. Each line goes to the end of the file with one write, so that processes can share it.
 * @returns writes one line; throws where it is not written whole
 * @throws UsageError for what is no file, or cannot be written to
 */
export function openLineFile(file: string): (line: string) => void {
  const fd = openLog(file);
  let isTorn = false;
  return (line) => {
    const bytes = Buffer.from(isTorn ? `\n${line}` : line);
    const written = writeSync(fd, bytes);
    isTorn = written < bytes.length;
    if (isTorn) throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
  };
}

function openLog(file: string): number {
  let problem: string;
  try {
    const there = statSync(file, { throwIfNoEntry: false });
    const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    // Somebody else may have made the link: it is followed to a file of ours alone. A pipe would be waited for.
    if (there === undefined && isLink) problem = 'it is a link to nothing';
    else if (there?.isFile() === false && !there.isCharacterDevice()) problem = 'it is not a file';
    else {
      const follow = isLink ? 0 : constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
      const fd = openSync(file, APPEND | follow, 0o600);
      const stats = fstatSync(fd);
      const start = Buffer.alloc(LINE_START.length);
      const isEmpty = !stats.isFile() || readSync(fd, start, 0, start.length, 0) === 0;
      const isForeign = isLink && stats.isFile() && judgeTrust(stats) !== undefined;
      if (!isForeign && (isEmpty || start.toString() === LINE_START)) return fd;
      closeSync(fd);
      problem = isForeign ? 'others own or can write to the file that it links to' : 'it is not a log';
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

/** How each line begins: nothing else is added to. */
const LINE_START = '{"time":"';

const APPEND = constants.O_RDWR | constants.O_APPEND | (constants.O_NONBLOCK ?? 0);

/** @param time when it happened, milliseconds since the epoch */
export function formatLogLine(event: string, run: string, time: number, members: LogMembers): string {
  const known = Object.entries(members).filter(([, value]) => value !== undefined);
  return `${safeJson({ time: new Date(time).toISOString(), run, event, ...Object.fromEntries(known) })}\n`;
}
