import { setMaxListeners } from 'node:events';
import { fstatSync } from 'node:fs';
import { createRedactor } from './http/redact.ts';
import type { Machine } from './machine.ts';
import { Cancelled, EXIT, type ExitCode } from './outcome.ts';
import { realClock } from './real-clock.ts';
import { createSink } from './terminal/sink.ts';

/** The real machine: this process, its streams, its clock. */

declare const __VERSION__: string;
/** Of the package; empty where it names none. */
declare const __HOMEPAGE__: string;
declare const __BUGS__: string;

/** The first signal lets a write in flight end; the second leaves at once. */
const watchSignals = (): Pick<Machine, 'interrupted' | 'interrupt'> => {
  const controller = new AbortController();
  // Every write that is on its way listens.
  setMaxListeners(0, controller.signal);
  const end = (exit: ExitCode, word: string) => () => controller.abort(new Cancelled(word, exit));
  const interrupt = end(EXIT.interrupted, 'interrupted');
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', end(EXIT.terminated, 'terminated'));
  return { interrupted: controller.signal, interrupt };
};

const STOPPED_BY_MS = 100;

/** Where no shell could make it go on, the system does not stop it: it goes on by itself. */
const suspend = (): Promise<void> =>
  new Promise((resolve) => {
    const goOn = (): void => {
      clearTimeout(timer);
      process.removeListener('SIGCONT', goOn);
      resolve();
    };
    process.on('SIGCONT', goOn);
    const timer = setTimeout(goOn, STOPPED_BY_MS);
    // 0: all that the shell knows as one job, such as npx and what it runs.
    process.kill(0, 'SIGTSTP');
  });

/** Whether stderr is a terminal. A file or a pipe is known without the stream, which is seldom written to. */
const stderrIsTerminal = (): boolean => {
  try {
    if (process.platform !== 'win32' && !fstatSync(2).isCharacterDevice()) return false;
  } catch {
    return false;
  }
  return process.stderr.isTTY;
};

/** Node makes its streams when they are first touched, which costs; so does each part here. */
export const createMachine = (): Machine => {
  const stdout = createSink({
    get isTTY() {
      return process.stdout.isTTY;
    },
    open: () => process.stdout,
  });
  const stderr = createSink({
    get isTTY() {
      return stderrIsTerminal();
    },
    open: () => process.stderr,
  });
  return {
    env: process.env,
    platform: process.platform,
    home: process.env.HOME ?? process.env.USERPROFILE,
    get stdin() {
      return process.stdin;
    },
    get stderrStream() {
      return process.stderr;
    },
    stdout,
    stderr,
    get width() {
      return stdout.isTTY ? process.stdout.columns : undefined;
    },
    get stderrWidth() {
      // A terminal that does not tell its size says 0.
      return stderr.isTTY ? process.stderr.columns || undefined : undefined;
    },
    clock: realClock,
    ...watchSignals(),
    suspend,
    redactor: createRedactor(),
    version: __VERSION__,
    addresses: { homepage: __HOMEPAGE__, bugs: __BUGS__ },
    pid: process.pid,
    kill: (pid, signal) => process.kill(pid, signal),
    nodeVersion: process.versions.node,
    node: process.execPath,
    entry: process.argv[1] ?? '',
  };
};
