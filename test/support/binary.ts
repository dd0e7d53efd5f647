import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The built program as a process of its own, in a clean environment. */

export const BIN = fileURLToPath(new URL('../../bin/ttctl.js', import.meta.url));

export interface Finished {
  readonly stdout: string;
  readonly stderr: string;
  /** The exit code; 128 + n after signal n, as a shell says it. */
  readonly exit: number;
}

const SIGNALS: Readonly<Record<string, number>> = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

/** Waits for a process whose streams are pipes. */
export const finished = (child: ChildProcess, input?: string): Promise<Finished> =>
  new Promise((resolve, reject) => {
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', reject);
    child.on('close', (code, signal) =>
      resolve({
        stdout: Buffer.concat(out).toString('utf8'),
        stderr: Buffer.concat(err).toString('utf8'),
        exit: code ?? 128 + (SIGNALS[signal ?? ''] ?? 0),
      }),
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(input ?? '');
  });

export interface Home {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

/**
 * Removes a folder in which a process that is just ending may still write: Node tries to remove the folder again, but not
 * what has come into it meanwhile.
 */
export const removeFolder = (folder: string, tries = 20): void => {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if (tries === 0) throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    removeFolder(folder, tries - 1);
  }
};

/** An empty home with nothing of this machine's environment but PATH. */
export const cleanHome = (more: Readonly<Record<string, string>> = {}): Home => {
  const folder = mkdtempSync(join(tmpdir(), 'ttctl-home-'));
  const env = { HOME: folder, PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', TZ: 'UTC', ...more };
  return { folder, env, remove: () => removeFolder(folder) };
};

export interface BinaryOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Another Node than this one. */
  readonly node?: string;
  readonly cwd?: string;
}

export const startBinary = (args: readonly string[], { env, node, cwd }: BinaryOptions): ChildProcess =>
  spawn(node ?? process.execPath, [BIN, ...args], { env, ...(cwd === undefined ? {} : { cwd }) });

export const runBinary = (args: readonly string[], options: BinaryOptions): Promise<Finished> =>
  finished(startBinary(args, options), options.input);
