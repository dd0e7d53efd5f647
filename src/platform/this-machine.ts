import { setMaxListeners } from 'node:events';
import { fstatSync, writeFileSync, writeSync } from 'node:fs';
import { Cancelled, EXIT, type ExitCode } from '../errors.ts';
import { createRedactor } from '../http/redact.ts';
import { getColumns } from '../output/layout.ts';
import { createSink, type Sink } from '../output/sink.ts';
import { ExitNotices } from '../platform/exit-notices.ts';
import { type Machine, realClock } from './machine.ts';

/** What a process dies of after its clean-up, by its exit code. */
const DEADLY: Readonly<Record<number, NodeJS.Signals>> = {
  [EXIT.hungUp]: 'SIGHUP',
  [EXIT.interrupted]: 'SIGINT',
  137: 'SIGKILL',
  [EXIT.terminated]: 'SIGTERM',
};

/**
 * Dies of the signal that an exit code tells of, so that loops, make, xargs and systemd see a death by signal. Called
 * last: what was printed is out. The first process of a container cannot die so, and Windows has no signals.
 */
export function dieOfSignal(code: number): void {
  const signal = DEADLY[code];
  if (signal === undefined || process.pid === 1 || process.platform === 'win32') return;
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** What Node throws of a terminal that closed while it was asked something. */
export const isHangUpError = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  Reflect.get(thrown, 'code') === 'EIO' &&
  Reflect.get(thrown, 'syscall') === 'setRawMode';

/** The real machine: this process, its streams, its clock. */

declare const __VERSION__: string;
/** Of the package; empty where it names none. */
declare const __HOMEPAGE__: string;
declare const __BUGS__: string;

const TICK_MS = 20;
const TICKS = 10;

/**
 * One signal is enough: what still waits then for something that may never come (a pipe that nobody reads) is left,
 * but for a write on its way. Counted in turns of the event loop: on a busy machine work that goes on gets its turns.
 */
const leaveUnlessEnded = (leave: () => void, exitNotices: ExitNotices): void => {
  let ticksLeft = TICKS;
  const tick = (): void => {
    ticksLeft = exitNotices.held ? TICKS : ticksLeft - 1;
    if (ticksLeft > 0) setTimeout(tick, TICK_MS).unref();
    else leave();
  };
  tick();
};

/**
 * The first signal lets a write in flight end; the second leaves at once, with a word of what is not known then. A
 * terminal that closes may say so twice, by its shell and by itself: that is no second one.
 */
const watchSignals = (exitNotices: ExitNotices): Pick<Machine, 'interrupted' | 'interrupt'> => {
  const controller = new AbortController();
  const { signal: interrupted } = controller;
  // Every write that is on its way listens.
  setMaxListeners(0, interrupted);
  const leave = (exit: ExitCode): void => {
    try {
      const notice = exitNotices.text(exit);
      if (notice !== '') writeSync(2, stderrIsTerminal() ? `\r\x1b[K${notice}` : notice);
    } catch {
      // Nobody reads it, or it would have to be waited for.
    }
    dieOfSignal(exit);
    process.exit(exit);
  };
  const cancel = (exit: ExitCode, word: string) => () => {
    controller.abort(new Cancelled(word, exit));
    leaveUnlessEnded(() => leave(exit), exitNotices);
  };
  const watch = (signal: NodeJS.Signals, exit: ExitCode, word: string): void => {
    const first = cancel(exit, word);
    process.on(signal, () => (interrupted.aborted ? leave(exit) : first()));
  };
  watch('SIGTERM', EXIT.terminated, 'terminated');
  watch('SIGINT', EXIT.interrupted, 'interrupted');
  const hangUp = cancel(EXIT.hungUp, 'hung up');
  process.on('SIGHUP', () => {
    if (interrupted.aborted) return;
    hangUp();
    // Node aborts, with a dump, at an end where it finds its terminal gone.
    process.once('exit', () => dieOfSignal(EXIT.hungUp));
  });
  const interrupt = () => controller.abort(new Cancelled('interrupted', EXIT.interrupted));
  return { interrupted, interrupt };
};

const STOPPED_BY_MS = 100;

/** Where no shell could make it go on, the system does not stop it: it goes on by itself. */
const suspend = (): Promise<void> =>
  new Promise((resolve) => {
    const resume = (): void => {
      clearTimeout(timer);
      process.removeListener('SIGCONT', resume);
      resolve();
    };
    process.on('SIGCONT', resume);
    const timer = setTimeout(resume, STOPPED_BY_MS);
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

/** Writes to a file without Node's stream; `undefined` for what is none. */
const createFileWriter = (fd: number): ((text: string | Uint8Array) => void) | undefined => {
  try {
    return fstatSync(fd).isFile() ? (text) => writeFileSync(fd, text) : undefined;
  } catch {
    return undefined;
  }
};

const openStdout = (): Sink =>
  createSink({
    get isTTY() {
      return process.stdout.isTTY;
    },
    writeWhole: createFileWriter(1),
    open: () => process.stdout,
  });

const openStderr = (): Sink =>
  createSink({
    get isTTY() {
      return stderrIsTerminal();
    },
    writeWhole: createFileWriter(2),
    open: () => process.stderr,
  });

/** Node makes its streams when they are first touched, which costs; so does each part here. */
export const createMachine = (): Machine => {
  const exitNotices = new ExitNotices();
  const [stdout, stderr] = [openStdout(), openStderr()];
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
      return stdout.isTTY ? getColumns(process.stdout) : undefined;
    },
    get stderrWidth() {
      return stderr.isTTY ? getColumns(process.stderr) : undefined;
    },
    clock: realClock,
    ...watchSignals(exitNotices),
    exitNotices,
    suspend,
    redactor: createRedactor(process.env),
    version: __VERSION__,
    addresses: { homepage: __HOMEPAGE__, bugs: __BUGS__ },
    pid: process.pid,
    kill: (pid, signal) => process.kill(pid, signal),
    nodeVersion: process.versions.node,
    node: process.execPath,
    entry: process.argv[1] ?? '',
  };
};
