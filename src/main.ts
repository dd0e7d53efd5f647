import { openRun, readValues } from './cli/open-run.ts';
import { parseCommandLine, UnresolvedLine } from './cli/parse.ts';
import { isScopeAlone, loadProgram } from './cli/registry.ts';
import { isColoured } from './config/environment.ts';
import { Cancelled, EXIT, type ExitCode, Failure, OutputClosed } from './errors.ts';
import type { RawCommandLine } from './help/answer.ts';
import type { RecordedFault } from './output/errors.ts';
import { findFormat } from './output/formats/formats.ts';
import { safeLines } from './output/safe-text.ts';
import { wrapIndented } from './output/terminal.ts';
import { createMachine, dieOfSignal, type Machine } from './platform/machine.ts';
import type { Run } from './run.ts';

/** Composition root: runs a command line on this machine and sets the exit code. */

export function start(): void {
  // The exit code if Node has nothing left to wait for before the run is over: never 0 by mistake.
  process.exitCode = EXIT.fault;
  const args = process.argv.slice(2);
  const machine = createMachine();
  let uncaught: unknown;
  let isOver = false;
  const reportUncaught = async (thrown: unknown): Promise<void> => {
    isOver = true;
    process.exitCode = await report(thrown, args, machine);
  };
  // Unhandled rejections come here too. Only the first is reported: later ones follow from it.
  process.on('uncaughtException', (thrown: unknown) => {
    if (uncaught !== undefined) return;
    // A terminal that closed while it was asked something. The signal itself may come too late.
    const { code, syscall } = Object(thrown);
    if (code === 'EIO' && syscall === 'setRawMode') return void process.emit('SIGHUP', 'SIGHUP');
    uncaught = thrown ?? new Error('rejected without a reason');
    // A write in flight ends, as at Ctrl-C, and its outcome is recorded.
    if (isOver) void reportUncaught(uncaught);
    else machine.interrupt();
  });
  process.once('exit', dieOfSignal);
  process.on('beforeExit', () => {
    if (!isOver) void reportUncaught(uncaught ?? new Error('the run stopped unexpectedly'));
  });
  run(args, machine, () => uncaught).then((code) => {
    isOver = true;
    process.exitCode = code;
  });
}

/**
 * Runs one command line to its exit code. Never rejects.
 * @param getUncaught the first uncaught error so far; the run is interrupted then, and ends as a fault
 */
export async function run(
  args: readonly string[],
  machine: Machine,
  getUncaught: () => unknown = () => undefined,
): Promise<number> {
  let current: Run | undefined;
  let code: number = EXIT.done;
  const isBare = machine.stdout.isTTY && isAtTerminal(machine) && isScopeAlone(args);
  const words = isBare ? [...args, ...STATUS] : args;
  try {
    const invocation = await parseCommandLine(words, () => isAtTerminal(machine));
    const opened = await openRun(invocation, machine, args, (wanted) => {
      code = wanted;
    });
    current = opened.run;
    const values = await readValues(opened);
    const { command, options, operands } = invocation;
    const targets = operands.flat().filter((value) => value !== undefined);
    const input = { targets, options, program: loadProgram };
    if (values !== undefined) await command.run(opened.run, { ...input, values });
    await endLog(current, machine, code);
  } catch (error) {
    let failure = error;
    const line: RawCommandLine = {
      args: words,
      errorsAsJson: wantsJson(words, machine.env),
      // Of the flags alone: a variable says how data is to be printed.
      versionAsJson: wantsJson(words, {}),
      machine,
    };
    if (isBare) failure = await answerBare(error, line).catch((fault: unknown) => fault);
    else if (error instanceof UnresolvedLine)
      failure = await (await loadAnswers()).answerWithoutCommand(error, line);
    if (getUncaught() === undefined) code = await report(failure, args, machine, current);
  }
  const uncaught = getUncaught();
  if (uncaught !== undefined) code = await report(uncaught, args, machine, current);
  await current?.close().catch(() => {});
  return code;
}

const loadAnswers = () => import('./help/answer.ts');

/** What `ttctl` alone runs at a terminal: nobody waits long for what they did not ask for. */
const STATUS = ['status', '--timeout', '10', '--max-wait', '0'];

/** Whether somebody can be asked: what they type is read, and what they are asked is seen. */
function isAtTerminal({ stdin, stderr }: Machine): boolean {
  return stdin.isTTY === true && stderr.isTTY;
}

/** `ttctl` alone never fails: where there is no status, there is help. @returns what is left to report */
async function answerBare(error: unknown, line: RawCommandLine): Promise<unknown> {
  if (!(error instanceof Failure) || error instanceof Cancelled || error instanceof OutputClosed)
    return error;
  const { stderr, stderrWidth = Number.POSITIVE_INFINITY, redactor } = line.machine;
  const isShown = error.exit === EXIT.partial;
  if (!isShown) await (await loadAnswers()).printCommands(line);
  const note = isShown ? error.message : `\nNo status: ${error.message}`;
  const text = [note, ...(error.hint === undefined ? [] : [error.hint])].join('\n');
  return stderr.write(`${wrapIndented(safeLines(redactor.text(text)), stderrWidth)}\n`);
}

async function report(
  thrown: unknown,
  args: readonly string[],
  machine: Machine,
  run?: Run,
): Promise<ExitCode> {
  if (thrown === undefined || thrown instanceof OutputClosed) {
    await run?.requests.log?.end(EXIT.done);
    return EXIT.done;
  }
  const exit = thrown instanceof Failure ? thrown.exit : EXIT.fault;
  await endLog(run, machine, exit, thrown);
  // What renders an error may be what cannot be loaded.
  const { text, json } = await render(thrown, args, machine).catch(() => ({
    text: `error: ${thrown}`,
    json: false,
  }));
  // Redacted first: a secret that goes over two lines would not be found.
  const safe = machine.redactor.text(text);
  const width = json ? undefined : machine.stderrWidth;
  const shown = width === undefined ? safe : wrapIndented(safe, width);
  await machine.stderr.write(`${shown}\n`).catch(() => {});
  return exit;
}

/** Writes the last line of the log. @throws Failure where lines are lost and nothing else went wrong */
async function endLog(
  run: Run | undefined,
  { stderr }: Machine,
  exit: number,
  error?: unknown,
): Promise<void> {
  const loss = await run?.requests.log?.end(exit, error);
  if (loss === undefined) return;
  if (exit === EXIT.done) throw loss;
  // Of what failed the code matters more.
  await stderr.write(`warning: ${loss.message}: ${loss.reason}\n`).catch(() => {});
}

async function render(failure: unknown, args: readonly string[], machine: Machine) {
  const debug = args.includes('--debug') || (machine.env.TTCTL_DEBUG ?? '') !== '';
  let fault: RecordedFault = {};
  if (!(failure instanceof Failure)) {
    const { writeFaultReport } = await import('./platform/fault-report.ts');
    fault = { log: writeFaultReport(failure, args, machine), issuesUrl: machine.addresses.bugs };
  }
  const { renderFailure, renderFailureJson } = await import('./output/errors.ts');
  if (wantsJson(args, machine.env)) return { text: renderFailureJson(failure, fault), json: true };
  const flag = args.includes('--no-color') ? false : undefined;
  const colour = isColoured(machine.stderr, machine.env, flag);
  return { text: (await renderFailure(failure, { colour, debug, fault })).join('\n'), json: false };
}

/** Whether errors are to be JSON, judged from the words alone: the flags may be what is wrong. */
export function wantsJson(args: readonly string[], env: Machine['env']): boolean {
  const end = args.indexOf('--');
  const words = end < 0 ? args : args.slice(0, end);
  const formats = words.flatMap((word, index) => {
    // `-o json`, `-ojson`; behind others `-qo json`, where a letter of a command may have a value too.
    const [, value] = /^(?:--output(?:=|$)|-\w*?o)(.*)$/.exec(word) ?? [];
    return value === undefined ? [] : (findFormat(value || words[index + 1]) ?? []);
  });
  if (words.includes('--json') || formats.some(({ errorsAsJson }) => errorsAsJson)) return true;
  if (formats.length > 0) return false;
  return (
    words.some((word) => word === '--query' || word.startsWith('--query=')) ||
    findFormat(env.TTCTL_OUTPUT)?.errorsAsJson === true
  );
}
