import { parseCommandLine } from './cli/commander.ts';
import { listOperands, UnresolvedLine } from './cli/invocation.ts';
import { loadProgram } from './cli/registry.ts';
import { resolveDirectories } from './config/environment.ts';
import type { RawCommandLine } from './help/entry/answer-line.ts';
import { EXIT, type ExitCode, Failure, OutputClosed } from './outcome.ts';
import type { RecordedFault } from './output/errors.ts';
import { findFormat } from './output/formats/formats.ts';
import type { Machine } from './platform/machine.ts';
import { createMachine, isHangUpError } from './platform/this-machine.ts';
import type { OpenedContext } from './runtime/open-context.ts';

/** Composition root: runs a command line on this machine and sets the exit code. */

/** `help members list` and `members help` mean `members list --help`. */
export const withoutHelpWord = (args: readonly string[]): readonly string[] => {
  const [first, second, ...rest] = args;
  if (first === 'help') return [...args.slice(1), '--help'];
  if (second === 'help' && first !== undefined && !first.startsWith('-')) return [first, ...rest, '--help'];
  return first === 'version' ? ['--version', ...args.slice(1)] : args;
};

/** Help wins over everything else that stands there. */
const asksHelp = (args: readonly string[]): boolean => {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).some((word) => word === '-h' || word === '--help');
};

/** `-o json`, `-ojson`; behind short flags that take no value: `-qo json`. */
const SHORT_OUTPUT = /^-[hnqVy]*o(.*)$/;

/** Whether errors are to be JSON, judged from the words alone: the flags may be what is wrong. */
export const wantsJson = (args: readonly string[], env: Machine['env']): boolean => {
  const end = args.indexOf('--');
  const words = end < 0 ? args : args.slice(0, end);
  const named = words.flatMap((word, index) => {
    if (word === '--output' || SHORT_OUTPUT.exec(word)?.[1] === '') return [words[index + 1]];
    return (SHORT_OUTPUT.exec(word) ?? /^--output=(.+)$/.exec(word))?.slice(1, 2) ?? [];
  });
  if (words.includes('--json') || named.some((name) => findFormat(name)?.errorsAsJson)) return true;
  if (named.length > 0) return false;
  return (
    words.some((word) => word === '--query' || word.startsWith('--query=')) ||
    findFormat(env.TTCTL_OUTPUT)?.errorsAsJson === true
  );
};

/** What was not foreseen is written down, and where is told. */
const keep = async (failure: unknown, args: readonly string[], machine: Machine): Promise<RecordedFault> => {
  if (failure instanceof Failure) return {};
  const { writeFaultReport } = await import('./platform/fault-report.ts');
  return { log: writeFaultReport(failure, args, machine), issuesUrl: machine.addresses?.bugs };
};

const report = async (thrown: unknown, args: readonly string[], machine: Machine): Promise<ExitCode> => {
  if (thrown === undefined || thrown instanceof OutputClosed) return EXIT.done;
  const { findTooManyFiles } = await import('./storage/failure.ts');
  const failure = findTooManyFiles(thrown) ?? thrown;
  const kept = await keep(failure, args, machine);
  const { renderFailure, renderFailureJson } = await import('./output/errors.ts');
  const { isColoured } = await import('./config/environment.ts');
  const debug = args.includes('--debug') || (machine.env.TTCTL_DEBUG ?? '') !== '';
  const flag = args.includes('--no-color') ? false : undefined;
  const style = {
    colour: isColoured(machine.stderr, { flag, env: machine.env }),
    debug,
  };
  const json = wantsJson(args, machine.env);
  const lines = json
    ? [renderFailureJson(failure, kept)]
    : await renderFailure(failure, { ...style, fault: kept });
  // Redacted first: a secret that goes over two lines would not be found.
  const text = machine.redactor.text(lines.join('\n'));
  const width = json ? undefined : machine.stderrWidth;
  const shown = width === undefined ? text : (await import('./output/wrap.ts')).wrapIndented(text, width);
  await machine.stderr.write(`${shown}\n`).catch(() => {});
  return failure instanceof Failure ? failure.exit : EXIT.fault;
};

/** What was thrown where nothing of the run could catch it: in a handler of an event, in a promise of its own. */
export interface UncaughtError {
  readonly thrown: unknown;
}

const lineOf = (words: readonly string[], machine: Machine): RawCommandLine => ({
  args: words,
  errorsAsJson: wantsJson(words, machine.env),
  // Of the flags alone: a variable says how data is to be printed.
  versionAsJson: wantsJson(words, {}),
  machine,
});

/** Whether somebody can be asked: what they type is read, and what they are asked is seen. */
const isAtTerminal = ({ stdin, stderr }: Machine): boolean => stdin.isTTY === true && stderr.isTTY;

/**
 * Runs one command line to its exit code. Never rejects.
 * @param stray what has been thrown beside the run so far; it has been interrupted then, and ends as a fault
 */
export const run = async (
  args: readonly string[],
  machine: Machine,
  stray: () => UncaughtError | undefined = () => undefined,
): Promise<number> => {
  let opened: OpenedContext | undefined;
  let code: number = EXIT.done;
  const setCode = (wanted: number): void => {
    code = wanted;
  };
  const words = withoutHelpWord(args);
  const line = lineOf(words, machine);
  const carryOut = async (): Promise<void> => {
    const invocation = await parseCommandLine(words, () => isAtTerminal(machine));
    const { openContext } = await import('./runtime/open-context.ts');
    const places = resolveDirectories(machine.env, machine.platform, machine.home);
    opened = await openContext(invocation, machine, places, setCode, args);
    await opened.promptForMissing();
    const values = await opened.values();
    if (values === undefined) return;
    const { command, options } = invocation;
    const input = { values, targets: listOperands(invocation), options, program: loadProgram };
    await command.run(opened.context, input);
  };
  const aside = () => import('./help/entry/answer-line.ts');
  try {
    if (asksHelp(words)) await (await aside()).printHelp(line);
    else await carryOut();
    await opened?.reportPrompts();
  } catch (error) {
    await opened?.reportPrompts(error);
    const failure =
      error instanceof UnresolvedLine ? await (await aside()).answerWithoutCommand(error, line) : error;
    if (stray() === undefined) code = await report(failure, args, machine);
  }
  const beside = stray();
  if (beside !== undefined) code = await report(beside.thrown, args, machine);
  await opened?.close().catch(() => {});
  return code;
};

const UNENDED = 'the run stopped unexpectedly';

/** Called by the entry file. */
export const start = (): void => {
  // Stands when Node runs out of things to wait for before the run is over: never a success by mistake.
  process.exitCode = EXIT.fault;
  const args = process.argv.slice(2);
  const machine = createMachine();
  let stray: UncaughtError | undefined;
  let over = false;
  const tell = async ({ thrown }: UncaughtError): Promise<void> => {
    over = true;
    process.exitCode = await report(thrown, args, machine);
  };
  // Rejections that nobody waits for come here too. The first is told; what follows comes of it.
  process.on('uncaughtException', (thrown: unknown) => {
    if (stray !== undefined) return;
    // The signal itself may come too late: nothing else is left to wait for.
    if (isHangUpError(thrown)) return void process.emit('SIGHUP', 'SIGHUP');
    stray = { thrown: thrown ?? new Error('rejected without a reason') };
    // A write in flight ends, as at Ctrl-C, and its outcome is written down.
    if (over) void tell(stray);
    else machine.interrupt();
  });
  process.on('beforeExit', () => {
    if (!over) void tell(stray ?? { thrown: new Error(UNENDED) });
  });
  run(args, machine, () => stray).then((code) => {
    over = true;
    process.exitCode = code;
  });
};
