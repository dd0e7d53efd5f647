import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { makeFolder, removeFolder } from './folder.ts';

/** The built program as a process of its own, in a clean environment. */

export const BIN = fileURLToPath(new URL('../../bin/ttctl.js', import.meta.url));
/** `ttctl` is in it. */
const ON_PATH = fileURLToPath(new URL('bin', import.meta.url));

export interface Finished {
  readonly stdout: string;
  readonly stderr: string;
  /** The exit code; 128 + n after signal n, as a shell says it. */
  readonly exit: number;
}

const SIGNALS: Readonly<Record<string, number>> = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

/** Waits for a process whose streams are pipes. @param input null: its stdin stays open */
export const finished = (child: ChildProcess, input: string | null = ''): Promise<Finished> =>
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
    if (input !== null) child.stdin?.end(input);
  });

/** Nothing of this machine's environment but PATH, on which `ttctl` is. @param node that runs it */
export const cleanEnv = (home: string, node = process.execPath) => ({
  ...{ HOME: home, LANG: 'C.UTF-8', TZ: 'UTC' },
  PATH: [ON_PATH, dirname(node), process.env.PATH].join(':'),
});

export type Home = ReturnType<typeof cleanHome>;

/** An empty home, which is removed when the test file ends. */
export const cleanHome = (more: Readonly<Record<string, string>> = {}) => {
  const folder = makeFolder();
  const env: Readonly<Record<string, string>> = { ...cleanEnv(folder), ...more };
  return { folder, env, remove: () => removeFolder(folder) };
};

export interface BinaryOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Another Node than this one. */
  readonly node?: string;
  readonly cwd?: string;
}

export const startBinary = (
  args: readonly string[],
  { env, node = process.execPath, cwd }: BinaryOptions,
): ChildProcess => spawn(node, [BIN, ...args], { env, cwd });

export const runBinary = (args: readonly string[], options: BinaryOptions): Promise<Finished> =>
  finished(startBinary(args, options), options.input);

/** Resolves with the first whole line that fits; rejects when the stream ends without one. */
export const lineFrom = (input: NodeJS.ReadableStream | null, pattern = /^.*/): Promise<RegExpExecArray> =>
  new Promise((resolve, reject) => {
    if (input === null) return reject(new Error('no stream'));
    const seen: string[] = [];
    const lines = createInterface({ input });
    lines.on('close', () => reject(new Error(`ended without ${pattern}: ${seen.join('\n')}`)));
    lines.on('line', (line) => {
      seen.push(line);
      const found = pattern.exec(line);
      if (found !== null) resolve(found);
    });
  });

const said = new Set<string>();

/** The path of a program on PATH. Says once of each that a machine lacks what is skipped for want of it. */
export const installed = (program: string, skipped: string): string | undefined => {
  const { stdout } = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' });
  const missing = `skipped: ${skipped} (no ${program} on PATH)\n`;
  if (stdout === '' && !said.has(missing)) process.stderr.write(missing);
  said.add(missing);
  return stdout.trim() || undefined;
};

/** A machine that is not busy starts the program many times in this. */
const SOON_MS = 2_000;

/**
 * What comes of work that may take two seconds, and as long as 20 starts of the program by the measure of the machine as it
 * is meanwhile. @throws Error when it took longer
 */
export const promptly = async <T>(work: Promise<T>): Promise<T> => {
  const begun = performance.now();
  const env = cleanEnv('/nonexistent');
  let [slowest, took] = [0, 0];
  const over = () => {
    took = performance.now() - begun;
  };
  work.then(over, over);
  do {
    const start = performance.now();
    await runBinary(['--version'], { env });
    slowest = Math.max(slowest, performance.now() - start);
  } while (took === 0);
  const allowed = SOON_MS + 20 * slowest;
  if (took > allowed) throw new Error(`took ${took.toFixed(0)} ms, where ${allowed.toFixed(0)} ms is soon`);
  return work;
};
