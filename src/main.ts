import { CommanderError } from 'commander';
import { directories } from './config/paths.ts';
import type { Machine } from './machine.ts';
import type { Opened } from './open.ts';
import { EXIT, type ExitCode, Failure, UsageError } from './outcome.ts';
import { createProgram } from './program.ts';
import type { Door } from './run.ts';
import { OutputClosed } from './terminal/sink.ts';
import { createMachine } from './this-machine.ts';

/** Composition root: the one place that knows the process. Runs a command line and sets the exit code. */

/** `help members list` and `members help` mean `members list --help`. */
export const withoutHelpWord = (args: readonly string[]): readonly string[] => {
  const [first, second, ...rest] = args;
  if (first === 'help') return [...args.slice(1), '--help'];
  if (second === 'help' && first !== undefined && !first.startsWith('-')) return [first, ...rest, '--help'];
  return first === 'version' ? ['--version', ...args.slice(1)] : args;
};

/** Whether errors are to be JSON, judged from the words alone: the flags may be what is wrong. */
export const wantsJson = (args: readonly string[], env: Machine['env']): boolean => {
  const end = args.indexOf('--');
  const words = end < 0 ? args : args.slice(0, end);
  const named = words.flatMap((word, index) => {
    if (word === '-o' || word === '--output') return [words[index + 1]];
    return /^(?:--output=|-o)(.+)$/.exec(word)?.slice(1, 2) ?? [];
  });
  if (words.includes('--json') || named.some((format) => format === 'json' || format === 'ndjson'))
    return true;
  if (named.length > 0) return false;
  return (
    words.some((word) => word === '--query' || word.startsWith('--query=')) ||
    /^(nd)?json$/.test(env.TTCTL_OUTPUT ?? '')
  );
};

/** What commander says is wrong, as an error of ours; `undefined` when it only showed help or the version. */
const fromCommander = (error: CommanderError): Failure | undefined => {
  if (error.exitCode === 0) return undefined;
  if (error.code === 'commander.help')
    return new UsageError('no command named', { hint: 'See what there is: add --help' });
  const [what = '', ...more] = error.message.replace(/^error: /, '').split('\n');
  const suggestion = more
    .join(' ')
    .trim()
    .replace(/^\((.*)\)$/, '$1');
  return new UsageError(what, { hint: suggestion === '' ? 'See what there is: add --help' : suggestion });
};

const report = async (error: unknown, args: readonly string[], machine: Machine): Promise<ExitCode> => {
  if (error instanceof OutputClosed) return EXIT.done;
  const failure = error instanceof CommanderError ? fromCommander(error) : error;
  if (failure === undefined) return EXIT.done;
  const { renderFailure, renderFailureJson } = await import('./terminal/errors.ts');
  const { colourFor } = await import('./config/colour.ts');
  const debug = args.includes('--debug') || (machine.env.TTCTL_DEBUG ?? '') !== '';
  const flag = args.includes('--no-color') ? false : undefined;
  const style = {
    colour: colourFor(machine.stderr, { flag, env: machine.env }),
    ci: (machine.env.CI ?? '') !== '',
    debug,
  };
  const lines = wantsJson(args, machine.env)
    ? [renderFailureJson(failure)]
    : await renderFailure(failure, style);
  await machine.stderr.write(`${machine.redactor.text(lines.join('\n'))}\n`).catch(() => {});
  return failure instanceof Failure ? failure.exit : EXIT.fault;
};

/** Runs one command line to its exit code. Never rejects. */
export const run = async (args: readonly string[], machine: Machine): Promise<number> => {
  let opened: Opened | undefined;
  let code: number = EXIT.done;
  const door: Door = {
    async open(command) {
      const { openContext } = await import('./open.ts');
      const places = directories(machine.env, machine.platform, machine.home);
      const setCode = (wanted: number): void => {
        code = wanted;
      };
      opened = await openContext(command, machine, places, setCode, args);
      return opened.context;
    },
    values: async () => opened?.values(),
  };
  const help: string[] = [];
  try {
    const words = withoutHelpWord(args);
    const program = createProgram({
      words,
      version: `ttctl ${machine.version}`,
      door,
      write: (text) => void help.push(text),
    });
    await program.parseAsync([...words], { from: 'user' });
  } catch (error) {
    const asked = error instanceof CommanderError && error.exitCode === 0;
    const shown =
      help.length === 0 ? undefined : (asked ? machine.stdout : machine.stderr).write(help.join(''));
    // Help that was asked for is data: that it was lost is told. Beside an error it is only company.
    const lost = await shown?.then(undefined, (fault: unknown) => fault);
    code = await report(asked && lost !== undefined ? lost : error, args, machine);
  }
  await opened?.close().catch(() => {});
  return code;
};

/** Called by the entry file. */
export const start = (): void => {
  // Stands when Node runs out of things to wait for before the run is over: never a success by mistake.
  process.exitCode = EXIT.fault;
  run(process.argv.slice(2), createMachine()).then((code) => {
    process.exitCode = code;
  });
};
