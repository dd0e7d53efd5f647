import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Failure } from '../../src/errors.ts';
import { createRedactor } from '../../src/http/redact.ts';
import { run } from '../../src/main.ts';
import { ExitNotices, type Machine, realClock } from '../../src/platform/machine.ts';

/** One run of the whole program in this process: its streams, environment and exit code are values. */

export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Text on stdin; absent: closed. */
  readonly stdin?: string;
  readonly interrupted?: AbortSignal;
  readonly machine?: Partial<Machine>;
}

export const runInProcess = async (args: readonly string[], options: RunOptions = {}): Promise<Outcome> => {
  const [out, err]: [string[], string[]] = [[], []];
  const sinkOf = (parts: string[]) => ({
    isTTY: false,
    write: async (text: string | Uint8Array) =>
      void parts.push(typeof text === 'string' ? text : Buffer.from(text).toString('latin1')),
  });
  const stdin = Object.assign(Readable.from([options.stdin ?? []].flat()), { isTTY: false });
  const machine: Machine = {
    env: options.env ?? {},
    platform: 'linux',
    home: undefined,
    stdin: stdin as unknown as Machine['stdin'],
    stderrStream: process.stderr,
    stdout: sinkOf(out),
    stderr: sinkOf(err),
    width: undefined,
    stderrWidth: undefined,
    clock: realClock,
    interrupted: options.interrupted ?? new AbortController().signal,
    interrupt: () => {},
    redactor: createRedactor(options.env),
    exitNotices: new ExitNotices(),
    version: '0.0.0-test',
    addresses: { homepage: '', bugs: '' },
    pid: process.pid,
    kill: () => true,
    nodeVersion: process.versions.node,
    node: process.execPath,
    entry: '',
    // Built: it is a process of its own.
    renewer: fileURLToPath(new URL('../../dist/renew.cjs', import.meta.url)),
    ...options.machine,
  };
  const exit = await run(args, machine);
  return { stdout: out.join(''), stderr: err.join(''), exit };
};

/** Splits a command line as a shell would: words and quotes. */
export const words = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((m) => m[1] ?? m[2] ?? m[3] ?? '');

/** The `Failure` that it throws. @throws Error where it throws none, or something else */
export const failureOf = (action: () => unknown): Failure => {
  try {
    action();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('it did not fail');
};
