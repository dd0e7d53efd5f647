import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { fileURLToPath } from 'node:url';
import { removeFolder } from './folder.ts';

/** The built program as a process of its own, in a clean environment. */

export const BIN = fileURLToPath(new URL('../../bin/ttctl.js', import.meta.url));

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

export interface Home {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

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

/**
 * What a process has said, once it has said it in whole: a pipe passes on what is written in pieces of any size, and the
 * first of them may end in the middle of an address, or of a letter.
 */

/** Resolves with the first line that fits; rejects when the stream ends without one. */
export const lineFrom = (
  stream: NodeJS.ReadableStream | null,
  pattern: RegExp = /^.*/,
): Promise<RegExpExecArray> =>
  new Promise((resolve, reject) => {
    const decoder = new StringDecoder('utf8');
    let [seen, rest] = ['', ''];
    const look = (chunk: Buffer | string): void => {
      const lines = (rest + (typeof chunk === 'string' ? chunk : decoder.write(chunk))).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const found = pattern.exec(line);
        seen += `${line}\n`;
        if (found === null) continue;
        stream?.removeListener('data', look);
        resolve(found);
        return;
      }
    };
    stream?.on('data', look);
    stream?.on('end', () => reject(new Error(`ended without ${pattern}: ${seen}${rest}`)));
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

/** Whether something happens soon, by the measure of the machine as it is now. */

/** A machine that is not busy starts the program many times in this. */
const SOON_MS = 2_000;
/** On a busy one: so many starts of the program more. */
const STARTS = 20;
const TICK_MS = 20;

/** Adds up the time in which this process was not let run: what it waits for was hardly let run then either. */
const watchStalls = () => {
  let [last, stalled] = [performance.now(), 0];
  const tick = setInterval(() => {
    const now = performance.now();
    stalled += Math.max(0, now - last - 2 * TICK_MS);
    last = now;
  }, TICK_MS);
  return (): number => {
    clearInterval(tick);
    return stalled;
  };
};

const startMs = async (): Promise<number> => {
  const home = cleanHome();
  const begun = performance.now();
  await runBinary(['--version'], { env: home.env });
  home.remove();
  return performance.now() - begun;
};

/** From when the work is late until it has ended: the longest that a start takes. */
const slowestStart = async (work: Promise<unknown>): Promise<number> => {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  await Promise.race([work.catch(() => {}), new Promise((resolve) => setTimeout(resolve, SOON_MS))]);
  let slowest = 0;
  while (!isOver) slowest = Math.max(slowest, await startMs());
  return slowest;
};

/**
 * What comes of work that may take two seconds, and on a machine that is busy while it lasts as long as 20 starts of the
 * program more.
 *
 * @throws Error when it took longer
 */
export const promptly = async <T>(work: Promise<T>): Promise<T> => {
  const stalls = watchStalls();
  const begun = performance.now();
  const starts = slowestStart(work);
  const result = await work;
  const took = performance.now() - begun - stalls();
  const allowed = SOON_MS + STARTS * (await starts);
  if (took > allowed) throw new Error(`took ${took.toFixed(0)} ms, where ${allowed.toFixed(0)} ms is soon`);
  return result;
};
