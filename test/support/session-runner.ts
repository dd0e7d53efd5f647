import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeFolder } from './folder.ts';
import { BIN, type Finished, finished } from './process.ts';

/** Sessions: command lines and what they print and send, as a person would read them (test/scripts/README.md). */

export interface Step {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly command: string;
  /** Patterns of stdout. */
  readonly stdout: readonly string[];
  /** Patterns of lines of stderr, in order; other lines may stand between. */
  readonly stderr: readonly string[];
  readonly exit: number;
  /** `PUT /members/17 {"workspace_id":7}`; undefined where the step says nothing of them. */
  readonly requests?: readonly ExpectedRequest[];
}

export interface ExpectedRequest {
  readonly line: string;
  /** `403 Not for you.`, or the data of the answer as JSON; undefined: what the runner answers by itself. */
  readonly answer?: string;
}

const trimEnd = (lines: readonly string[]): string[] => {
  const end = lines.findLastIndex((line) => line.trim() !== '');
  return lines.slice(0, end + 1);
};

/** @param mark of its requests and their answers; in documents they are output. @throws Error for a line before the first command */
export const parseSession = (text: string, mark = /^[<>]( |$)/): Step[] => {
  const lines = text.split('\n');
  const starts = lines.flatMap((line, index) => (line.startsWith('$ ') ? [index] : []));
  const before = lines.slice(0, starts[0]).findIndex((line) => line.trim() !== '' && !line.startsWith('#'));
  if (before !== -1) throw new Error(`line ${before + 1} stands before the first command`);
  return starts.map((start, n) => {
    const own = lines.slice(start + 1, starts[n + 1]).filter((line) => !line.startsWith('#'));
    const requests: ExpectedRequest[] = [];
    for (const line of own.filter((one) => mark.test(one))) {
      if (line.startsWith('> ')) requests.push({ line: line.slice(2) });
      if (line.startsWith('< '))
        requests.push({ ...(requests.pop() ?? { line: '' }), answer: line.slice(2) });
    }
    return {
      line: start + 1,
      command: lines[start]?.slice(2) ?? '',
      stdout: trimEnd(own.filter((line) => !/^(! |\[\d+\]$)/.test(line) && !mark.test(line))),
      stderr: own.filter((line) => line.startsWith('! ')).map((line) => line.slice(2)),
      exit: Number(own.findLast((line) => /^\[\d+\]$/.test(line))?.slice(1, -1) ?? 0),
      ...(own.some((line) => mark.test(line)) && { requests }),
    };
  });
};

const patternOf = (line: string): RegExp =>
  new RegExp(
    `^${line
      .split('*')
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
    'u',
  );

/** Spaces at the end of a line say nothing. */
const fits = (pattern: string, line: string | undefined): boolean =>
  line !== undefined && patternOf(pattern.trimEnd()).test(line.trimEnd());

/** Whether the lines are what the patterns say; `...` stands for any lines. */
export const matches = (patterns: readonly string[], lines: readonly string[]): boolean => {
  const [first, ...rest] = patterns;
  if (first === undefined) return lines.length === 0;
  if (first !== '...') return fits(first, lines[0]) && matches(rest, lines.slice(1));
  return lines.some((_, from) => matches(rest, lines.slice(from))) || matches(rest, []);
};

const inOrder = (patterns: readonly string[], lines: readonly string[]): boolean => {
  let at = 0;
  for (const line of lines) {
    const pattern = patterns[at];
    if (pattern !== undefined && fits(pattern, line)) at += 1;
  }
  return at === patterns.length;
};

const linesOf = (text: string): string[] => text.replace(/\n$/, '').split('\n');

/** What is wrong with a step, for people; undefined when nothing is. @param sent what was sent, where the step judges it */
export const complaint = (
  { line, command, ...step }: Step,
  { stdout, stderr, exit }: Finished,
  sent?: readonly string[],
): string | undefined => {
  const out = stdout === '' ? [] : linesOf(stdout);
  const requests = (step.requests ?? []).map((one) => one.line);
  const isSent = sent === undefined || matches(requests, sent);
  const problems = [
    ...(exit === step.exit ? [] : [`exit ${exit}, not ${step.exit}`]),
    ...(matches(step.stdout, out) ? [] : [`stdout is not:\n${step.stdout.join('\n')}`]),
    ...(inOrder(step.stderr, linesOf(stderr)) ? [] : [`stderr lacks:\n${step.stderr.join('\n')}`]),
    ...(isSent ? [] : [`it did not send:\n${requests.join('\n')}\nbut:\n${sent.join('\n')}`]),
  ];
  if (problems.length === 0) return undefined;
  return `line ${line}: $ ${command}\n${problems.join('\n')}\n--- stdout\n${stdout}--- stderr\n${stderr}--- exit ${exit}`;
};

export interface Place {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

/** A folder of its own with `ttctl` on PATH, run by `node`, and nothing of this machine's environment. */
export const sessionPlace = (more: Readonly<Record<string, string>>, node = process.execPath): Place => {
  const root = mkdtempSync(join(tmpdir(), 'ttctl-session-'));
  const [bin, folder, state] = ['bin', 'work', 'state'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [bin, folder, state]) mkdirSync(path, { mode: 0o700 });
  const command = join(bin, 'ttctl');
  writeFileSync(command, `#!/bin/sh\nexec '${node}' '${BIN}' "$@"\n`);
  chmodSync(command, 0o755);
  const env = {
    PATH: [bin, dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
    HOME: root,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    TTCTL_STATE_DIR: state,
    TTCTL_CONFIG_DIR: join(root, 'config'),
    TTCTL_RATE_LIMIT: 'off',
    ...more,
  };
  return { folder, env, remove: () => removeFolder(root) };
};

const execute = (command: string, { folder, env }: Place): Promise<Finished> =>
  finished(spawn('sh', ['-c', command], { cwd: folder, env: { ...env } }));

/** The writes that the sandbox of a place has seen, oldest first. */
const listSent = async (place: Place): Promise<readonly string[]> => {
  const { stdout } = await execute('ttctl sandbox log --json --columns method,path,body', place);
  return (JSON.parse(stdout) as { method: string; path: string; body: unknown }[])
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path, body }) => `${method} ${path} ${body === null ? '' : JSON.stringify(body)}`.trim());
};

/**
 * Runs the steps one after another.
 * @param sent the writes so far; default: those in the log of the sandbox
 * @throws Error at the first that is not as written
 */
export const runSession = async (
  steps: readonly Step[],
  place: Place,
  sent: () => Promise<readonly string[]> = () => listSent(place),
): Promise<void> => {
  for (const step of steps) {
    const before = step.requests && (await sent()).length;
    const ended = await execute(step.command, place);
    const problem = complaint(step, ended, step.requests && (await sent()).slice(before));
    if (problem !== undefined) throw new Error(problem);
  }
};

const FOLDER = fileURLToPath(new URL('../scripts/', import.meta.url));

export interface Session {
  readonly name: string;
  readonly steps: readonly Step[];
  /** Where it runs: `#only embedded`, `#only server`, or `#only service` with literal requests. */
  readonly only: string | undefined;
}

export const readSession = (name: string): Session => {
  const text = readFileSync(join(FOLDER, `${name}.session`), 'utf8');
  return { name, steps: parseSession(text), only: /^#only (\w+)$/m.exec(text)?.[1] };
};

/** @param where it has to run */
export const sessionsFor = (where: 'embedded' | 'server' | 'service'): Session[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.session'))
    .sort()
    .map((file) => readSession(file.slice(0, -'.session'.length)))
    .filter(({ only }) => only === where || (only === undefined && where !== 'service'));

/** A command that is run in this process: what `sh` pipes into it, and its words behind `ttctl`. */
export const inThisProcess = (command: string, cwd: string): { stdin?: string; line: string } => {
  const [, feed, line] = /^(?:(.*) \| )?ttctl (.*)$/s.exec(command) ?? [];
  if (line === undefined) throw new Error(`not a line of ttctl: ${command}`);
  if (feed === undefined) return { line };
  return { line, stdin: spawnSync('sh', ['-c', feed], { cwd, encoding: 'utf8' }).stdout };
};
