import type { Clock } from '../clock.ts';
import type { Redactor } from '../http/redact.ts';
import type { Sink } from '../output/sink.ts';
import type { ExitNotices } from '../platform/exit-notices.ts';

/** The machine as the program sees it. `platform/this-machine.ts` makes the real one. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly home: string | undefined;
  readonly stdin: NodeJS.ReadStream;
  readonly stderrStream: NodeJS.WriteStream;
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** Columns of the terminal on stdout; `undefined` where stdout is none. */
  readonly width: number | undefined;
  /** Columns of the terminal on stderr; absent or `undefined` where stderr is none. */
  readonly stderrWidth?: number | undefined;
  readonly clock: Clock;
  /** Aborted by SIGINT, SIGTERM and SIGHUP with a `Cancelled`. */
  readonly interrupted: AbortSignal;
  /** Aborts it as SIGINT does: Ctrl-C at a question is a key, not a signal. */
  readonly interrupt: () => void;
  /** Stops this process and those it was started with, as Ctrl-Z does; resolves when it goes on. */
  readonly suspend: () => Promise<void>;
  /** What a second signal says before it ends the process. */
  readonly exitNotices: ExitNotices;
  readonly redactor: Redactor;
  readonly version: string;
  readonly pid: number;
  /** `process.kill`: with signal 0 it only asks. */
  readonly kill: (pid: number, signal: 0 | NodeJS.Signals) => boolean;
  /** `20.18.1` */
  readonly nodeVersion: string;
  /** Path of the running Node. */
  readonly node: string;
  /** Path of the script that Node runs: `bin/ttctl.js`. */
  readonly entry: string;
  /** Where the program is at home, as its package says; empty where it says nothing. */
  readonly addresses?: { readonly homepage: string; readonly bugs: string };
  /** Path of the program that renews a sign-in. Default: `dist/renew.cjs`, beside the built program. */
  readonly renewer?: string;
}

/** The same machine, for what has to be done though a signal has come. A second signal ends it all the same. */
export const ignoreSignals = (machine: Machine): Machine =>
  Object.create(machine, { interrupted: { value: new AbortController().signal } });

/** Time and chance of this machine. */
export const realClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
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
