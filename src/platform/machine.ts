import { setMaxListeners } from 'node:events';
import { fstatSync, type Stats, writeFileSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import type { Clock } from '../clock.ts';
import { Cancelled, EXIT, type ExitCode, toFailureJson } from '../errors.ts';
import { createRedactor, isSecretKey } from '../http/redact.ts';
import { createSink, type Sink } from '../output/sink.ts';
import { getColumns } from '../output/terminal.ts';
import { quoteShellWord } from '../parsing/shell-word.ts';

export type Machine = ReturnType<typeof createMachine> & {
  /** Path of the program that renews a sign-in. Default: `dist/renew.cjs`, beside the built program. */
  readonly renewer?: string;
};

export const realClock: Clock = {
  now: Date.now,
  random: Math.random,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      // Taken away again: a long run sleeps very often with one signal.
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, ms);
      signal?.addEventListener('abort', stop, { once: true });
    }),
};

/** What one signal does not cut, and what is said where a second one ends the process at once. */
export class ExitNotices {
  json = false;
  #heldCount = 0;
  #writes = 0;

  get held(): boolean {
    return this.#heldCount > 0;
  }

  /** One signal does not cut what goes on until what is returned is called. @param isWrite whether it is a write on its way */
  hold(isWrite = false): () => void {
    this.#heldCount += 1;
    this.#writes += Number(isWrite);
    return () => {
      this.#heldCount -= 1;
      this.#writes -= Number(isWrite);
    };
  }

  text(exit: ExitCode): string {
    if (this.#writes === 0) return '';
    const message = 'stopped while a write was on its way; its outcome is unknown';
    const hint = 'See what was sent: ttctl history list --status unknown';
    if (!this.json) return `error: ${message}\nhint: ${hint}\n`;
    return `${JSON.stringify({ error: toFailureJson(new Cancelled(message, exit, hint)) })}\n`;
  }
}

/** Others stop a process, or do nothing. */
const DEADLY = ['SIGHUP', 'SIGINT', 'SIGKILL', 'SIGTERM'] as const;

/**
 * Dies of the signal that an exit code tells of, so that loops, make, xargs and systemd see a death by signal. Called
 * last: what was printed is out. The first process of a container cannot die so, and Windows has no signals.
 */
export function dieOfSignal(code: number): void {
  const signal = DEADLY.find((name) => constants.signals[name] === code - 128);
  if (signal === undefined || process.pid === 1 || process.platform === 'win32') return;
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

declare const __VERSION__: string;
/** Of the package; empty where it names none. */
declare const __HOMEPAGE__: string;
declare const __BUGS__: string;

const SIGNALS = [
  ['SIGTERM', EXIT.terminated, 'terminated'],
  ['SIGINT', EXIT.interrupted, 'interrupted'],
  ['SIGHUP', EXIT.hungUp, 'hung up'],
] as const;

/**
 * The first signal lets a write in flight end; the second leaves at once, with a word of what is not known then. A
 * terminal that closes may say so twice, by its shell and by itself: that is no second one.
 */
function watchSignals(exitNotices: ExitNotices, stderr: Sink): AbortController {
  const controller = new AbortController();
  // Every write that is on its way listens.
  setMaxListeners(0, controller.signal);
  const leave = (exit: ExitCode): void => {
    try {
      const notice = exitNotices.text(exit);
      if (notice !== '') writeSync(2, stderr.isTTY ? `\r\x1b[K${notice}` : notice);
    } catch {
      // Nobody reads it, or it would have to be waited for.
    }
    dieOfSignal(exit);
    process.exit(exit);
  };
  for (const [signal, exit, word] of SIGNALS)
    process.on(signal, () => {
      if (controller.signal.aborted && signal !== 'SIGHUP') leave(exit);
      if (controller.signal.aborted) return;
      controller.abort(new Cancelled(word, exit));
      // One signal is enough: what still waits then for something that may never come (a pipe that nobody reads) is
      // left, but for a write on its way. Counted in turns of the event loop: on a busy machine work gets its turns.
      let turnsLeft = 10;
      const tick = (): void => {
        turnsLeft = exitNotices.held ? 10 : turnsLeft - 1;
        if (turnsLeft > 0) setTimeout(tick, 20).unref();
        else leave(exit);
      };
      tick();
      // Node aborts, with a dump, at an end where it finds its terminal gone.
      if (signal === 'SIGHUP') process.once('exit', () => dieOfSignal(exit));
    });
  return controller;
}

/** A file or a pipe is known, and a file written, without Node's stream, which costs. */
function openSink(fd: 1 | 2, open: () => NodeJS.WriteStream): Sink {
  let stats: Stats | undefined;
  try {
    stats = fstatSync(fd);
  } catch {}
  const mayBeTerminal = process.platform === 'win32' || stats?.isCharacterDevice() === true;
  return createSink({
    get isTTY() {
      return mayBeTerminal && open().isTTY;
    },
    writeWhole: stats?.isFile() === true ? (text) => writeFileSync(fd, text) : undefined,
    open,
  });
}

/** Node makes its streams when they are first touched, which costs; so does each part here. */
export function createMachine() {
  const exitNotices = new ExitNotices();
  const stdout = openSink(1, () => process.stdout);
  const stderr = openSink(2, () => process.stderr);
  const signals = watchSignals(exitNotices, stderr);
  return {
    env: process.env as Readonly<Record<string, string | undefined>>,
    platform: process.platform as string,
    home: process.env.HOME ?? process.env.USERPROFILE,
    get stdin(): NodeJS.ReadStream {
      return process.stdin;
    },
    get stderrStream(): NodeJS.WriteStream {
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
    /** Aborted by SIGINT, SIGTERM and SIGHUP with a `Cancelled`. */
    interrupted: signals.signal,
    /** Aborts it as SIGINT does: Ctrl-C at a question is a key, not a signal. */
    interrupt: () => signals.abort(new Cancelled('interrupted', EXIT.interrupted)),
    exitNotices,
    redactor: createRedactor(process.env),
    version: __VERSION__,
    /** Where the program is at home, as its package says; empty where it says nothing. */
    addresses: { homepage: __HOMEPAGE__, bugs: __BUGS__ },
    pid: process.pid,
    /** With signal 0 it only asks. */
    kill: (pid: number, signal: 0 | NodeJS.Signals): boolean => process.kill(pid, signal),
    nodeVersion: process.versions.node,
    node: process.execPath,
    entry: process.argv[1] ?? '',
  };
}

/** `-H "Cookie: x"`, also within the command of `--exec`. */
const SECRET_HEADER = /((?:token|secret|password|authorization|cookie|api[_-]?key):)(?!=)[^'"]*/gi;

/** Words of a command line that are kept; a thousand ids tell nobody more. */
const MAX_WORDS = 24;

/** A command line as files keep it, its secrets masked: shell words, the first of very many. */
export function formatRecordedCommand(
  args: readonly string[],
  { redactor }: Pick<Machine, 'redactor'>,
): string {
  const words = args.slice(0, MAX_WORDS).map((word) => {
    // `-f token=two words`: all of the word is the value.
    const [start, name = ''] = /^(?:--?[\w-]+=)?([\w.[\]-]+):?=/.exec(word) ?? [];
    return start !== undefined && isSecretKey(name)
      ? `${start}***`
      : redactor.text(word).replaceAll(SECRET_HEADER, '$1 ***');
  });
  const more = args.length > MAX_WORDS ? ` … (${args.length - MAX_WORDS} more)` : '';
  return `${words.map(quoteShellWord).join(' ')}${more}`;
}

const RUN_ADDRESSES = [
  ['GITHUB_SERVER_URL', '/', 'GITHUB_REPOSITORY', '/actions/runs/', 'GITHUB_RUN_ID'],
  ['CI_JOB_URL'],
  ['BUILD_URL'],
  ['CIRCLE_BUILD_URL'],
  ['BUILDKITE_BUILD_URL'],
  ['SYSTEM_COLLECTIONURI', 'SYSTEM_TEAMPROJECT', '/_build/results?buildId=', 'BUILD_BUILDID'],
] as const;

/** Who called: a person at a terminal, a script, or a CI run, with its address where the environment has it. */
export function readCaller({ env, stderr, redactor }: Pick<Machine, 'env' | 'stderr' | 'redactor'>) {
  if (['', '0', 'false'].includes(env.CI ?? ''))
    return { caller: stderr.isTTY ? 'person' : 'script' } as const;
  const addresses = RUN_ADDRESSES.map((parts) => {
    const words = parts.map((part) => (/^[A-Z_]+$/.test(part) ? env[part] || ' ' : part));
    return words.join('');
  });
  const address = addresses.find((one) => /^https?:\/\/\S+$/.test(one));
  return { caller: 'ci', caller_url: address && redactor.text(address) } as const;
}
