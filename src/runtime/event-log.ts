import type { Settings } from '../config/settings-types.ts';
import { EXIT, Failure, OutputClosed } from '../errors.ts';
import { describeLogError, type LogMembers, type LogWriter } from '../http/observe.ts';
import { lazy } from '../lazy.ts';
import type { Result } from '../output/result.ts';
import type { Machine } from '../platform/machine.ts';
import { formatRecordedCommand } from '../platform/recorded-command.ts';
import { createLogWriter, formatLogLine, openLineFile } from './log-lines.ts';

/** `--log`: what a run does, line by line. Loaded when it is asked for. */

export interface EventLog extends LogWriter {
  result(result: Result, requestId: string | undefined): void;
  /**
   * Writes the last line. Called again it does nothing.
   * @param error why the run ended, where it failed
   * @returns why lines are lost, where some are
   */
  end(exit: number, error?: unknown): Promise<Failure | undefined>;
}

export interface EventLogOptions {
  readonly machine: Machine;
  readonly settings: Settings;
  readonly run: string;
  readonly args: readonly string[];
  readonly countRequests: () => number;
}

const describeRun = ({ machine, settings, args }: EventLogOptions): LogMembers => {
  const { redactor, version, pid } = machine;
  const { profile, baseUrl, workspace, dryRun } = settings;
  return {
    version,
    pid,
    command: formatRecordedCommand(args, machine),
    profile: profile.value,
    base: baseUrl && redactor.text(baseUrl.value),
    workspace: workspace && redactor.text(workspace.value),
    ...(dryRun.value && { dry_run: true }),
  };
};

const createLostError = (error: unknown): Failure =>
  new Failure('the log is incomplete', {
    code: 'log_failed',
    exit: EXIT.fault,
    reason: error instanceof Failure ? (error.reason ?? error.message) : (error as Error).message,
    hint: 'The command itself succeeded: do not run it again for the log.',
    cause: error,
  });

/** Writes lines, and remembers the first that is lost. @throws UsageError for a file that cannot be written to */
const openLines = ({ stderr }: Machine, file: string) => {
  let lost: Failure | undefined;
  let last: Promise<void> = Promise.resolve();
  const lose = (error: unknown): void => {
    // A reader that has gone wants no more.
    if (!(error instanceof OutputClosed)) lost ??= createLostError(error);
  };
  const writeToFile = file === '-' ? undefined : openLineFile(file);
  const writeLine = (line: string): void => {
    try {
      if (writeToFile === undefined) last = stderr.write(line).catch(lose);
      else writeToFile(line);
    } catch (error) {
      lose(error);
    }
  };
  return { writeLine, findLoss: async () => last.then(() => lost) };
};

const describeResult = (
  { target, operation, status, message, error }: Result,
  { redactor }: Machine,
): LogMembers => ({
  operation,
  target: redactor.text(target),
  outcome: status,
  message: message === undefined ? undefined : redactor.text(message),
  error: error && { code: error['code'], message: redactor.text(String(error['message'])) },
});

export const openEventLog = (options: EventLogOptions, file: string): EventLog => {
  const { machine, run } = options;
  const { clock, redactor } = machine;
  const { writeLine, findLoss } = openLines(machine, file);
  const startedAt = clock.now();
  const writer = createLogWriter(run, writeLine, { redactor, clock });
  // The first line waits for the first event: by then the token is known, and masked in the command.
  const writeStart = lazy(() => writeLine(formatLogLine('run.start', run, startedAt, describeRun(options))));
  const write: LogWriter['write'] = (event, members) => {
    writeStart();
    writer.write(event, members);
  };
  let isEnded = false;
  return {
    ...writer,
    write,
    result: (result, requestId) =>
      write('result', { ...describeResult(result, machine), request_id: requestId }),
    async end(exit, error) {
      if (isEnded) return undefined;
      isEnded = true;
      write('run.end', {
        exit,
        ms: clock.now() - startedAt,
        requests: options.countRequests(),
        error: error === undefined ? undefined : describeLogError(error, redactor),
      });
      return findLoss();
    },
  };
};
