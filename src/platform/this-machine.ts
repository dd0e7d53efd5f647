import { setMaxListeners } from 'node:events';
import { fstatSync, readFileSync, writeSync } from 'node:fs';
import { createExitNotices, type ExitNotices } from '../changes/exit-notices.ts';
import { createRedactor } from '../http/redact.ts';
import { Cancelled, EXIT, type ExitCode } from '../outcome.ts';
import { createSink, type Sink } from '../output/sink.ts';
import { type Machine, realClock } from './machine.ts';

/**
 * Whether what started this process wants it to outlive the terminal. Node begins with every signal at its default,
 * so that the mark of `nohup` and of `trap '' HUP` is gone: shells name in `_` what they started, and Linux tells what
 * the parent ignores and handed on. Asked when the signal comes.
 */
const outlivesTerminal = (env: Readonly<Record<string, string | undefined>>, startedBy: number): boolean => {
  if (/(?:^|\/)nohup$/.test(env._ ?? '')) return true;
  // Whose child this has become meanwhile says nothing.
  if (process.ppid !== startedBy) return false;
  try {
    const [, ignored = ''] =
      /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${startedBy}/status`, 'utf8')) ?? [];
    return /[13579bdf]$/.test(ignored);
  } catch {
    return false;
  }
};

const isTerminalGone = (fd: number): boolean => {
  try {
    // Loaded by few: at its end alone.
    return fstatSync(fd).isCharacterDevice() && !process.getBuiltinModule('node:tty').isatty(fd);
  } catch {
    return true;
  }
};

/** Ends by the signal itself: Node aborts, with a dump, at an end where it finds its terminal gone. */
const exitByHangUp = (code: unknown, leave: () => void): void => {
  if (code === EXIT.hungUp || [0, 1, 2].some(isTerminalGone)) leave();
};

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
  const leave = (signal: NodeJS.Signals, exit: ExitCode): void => {
    try {
      const notice = exitNotices.text(exit);
      if (notice !== '') writeSync(2, stderrIsTerminal() ? `\r\x1b[K${notice}` : notice);
    } catch {
      // Nobody reads it, or it would have to be waited for.
    }
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  };
  const cancel = (signal: NodeJS.Signals, exit: ExitCode, word: string) => () => {
    controller.abort(new Cancelled(word, exit));
    leaveUnlessEnded(() => leave(signal, exit), exitNotices);
  };
  const watch = (signal: NodeJS.Signals, exit: ExitCode, word: string): void => {
    const first = cancel(signal, exit, word);
    process.on(signal, () => (interrupted.aborted ? leave(signal, exit) : first()));
  };
  watch('SIGTERM', EXIT.terminated, 'terminated');
  const startedBy = process.ppid;
  const hangUp = cancel('SIGHUP', EXIT.hungUp, 'hung up');
  process.on('SIGHUP', () => {
    if (interrupted.aborted || outlivesTerminal(process.env, startedBy)) return;
    hangUp();
    process.once('exit', (code) => exitByHangUp(code, () => leave('SIGHUP', EXIT.hungUp)));
  });
  watch('SIGINT', EXIT.interrupted, 'interrupted');
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
const createFileWriter = (fd: number): ((bytes: Uint8Array) => number) | undefined => {
  try {
    return fstatSync(fd).isFile() ? (bytes) => writeSync(fd, bytes) : undefined;
  } catch {
    return undefined;
  }
};

const openStdout = (): Sink =>
  createSink({
    get isTTY() {
      return process.stdout.isTTY;
    },
    writeSome: createFileWriter(1),
    open: () => process.stdout,
  });

const openStderr = (): Sink =>
  createSink({
    get isTTY() {
      return stderrIsTerminal();
    },
    writeSome: createFileWriter(2),
    open: () => process.stderr,
  });

/** Node makes its streams when they are first touched, which costs; so does each part here. */
export const createMachine = (): Machine => {
  const exitNotices = createExitNotices();
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
      return stdout.isTTY ? process.stdout.columns : undefined;
    },
    get stderrWidth() {
      // A terminal that does not tell its size says 0.
      return stderr.isTTY ? process.stderr.columns || undefined : undefined;
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
