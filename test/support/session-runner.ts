import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BIN, type Finished, finished, removeFolder } from './binary.ts';

/**
 * Sessions: command lines for `sh` and what they print, as a person would read them (test/scripts/README.md).
 */

export interface Step {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly command: string;
  /** Patterns of stdout. */
  readonly stdout: readonly string[];
  /** Patterns of lines of stderr, in order; other lines may stand between. */
  readonly stderr: readonly string[];
  readonly exit: number;
}

interface Draft {
  line: number;
  command: string;
  stdout: string[];
  stderr: string[];
  exit: number;
}

const trimEnd = (lines: readonly string[]): string[] => {
  const end = lines.findLastIndex((line) => line.trim() !== '');
  return lines.slice(0, end + 1);
};

/** @throws Error for a line before the first command */
export const parseSession = (text: string): Step[] => {
  const steps: Draft[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const step = steps.at(-1);
    if (line.startsWith('$ ')) {
      steps.push({ line: index + 1, command: line.slice(2), stdout: [], stderr: [], exit: 0 });
    } else if (line.startsWith('#')) {
    } else if (step === undefined) {
      if (line.trim() !== '') throw new Error(`line ${index + 1} stands before the first command`);
    } else if (line.startsWith('! ')) step.stderr.push(line.slice(2));
    else if (/^\[\d+\]$/.test(line)) step.exit = Number(line.slice(1, -1));
    else step.stdout.push(line);
  }
  return steps.map((step) => ({ ...step, stdout: trimEnd(step.stdout) }));
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

/** What is wrong with a step's outcome, for people; undefined when nothing is. */
const complaint = (step: Step, { stdout, stderr, exit }: Finished): string | undefined => {
  const out = stdout === '' ? [] : linesOf(stdout);
  const problems = [
    ...(exit === step.exit ? [] : [`exit ${exit}, not ${step.exit}`]),
    ...(matches(step.stdout, out) ? [] : [`stdout is not:\n${step.stdout.join('\n')}`]),
    ...(inOrder(step.stderr, linesOf(stderr)) ? [] : [`stderr lacks:\n${step.stderr.join('\n')}`]),
  ];
  if (problems.length === 0) return undefined;
  return `line ${step.line}: $ ${step.command}\n${problems.join('\n')}\n--- stdout\n${stdout}--- stderr\n${stderr}--- exit ${exit}`;
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

/** Runs the steps one after another. @throws Error at the first that is not as written */
export const runSession = async (steps: readonly Step[], { folder, env }: Place): Promise<void> => {
  for (const step of steps) {
    const child = spawn('sh', ['-c', step.command], { cwd: folder, env: { ...env } });
    const problem = complaint(step, await finished(child));
    if (problem !== undefined) throw new Error(problem);
  }
};

const FOLDER = fileURLToPath(new URL('../scripts/', import.meta.url));

export interface Session {
  readonly name: string;
  readonly steps: readonly Step[];
  /** Where it can run: `#only embedded` or `#only server` says one. */
  readonly only: string | undefined;
}

export const readSession = (name: string): Session => {
  const text = readFileSync(join(FOLDER, `${name}.session`), 'utf8');
  return { name, steps: parseSession(text), only: /^#only (\w+)$/m.exec(text)?.[1] };
};

export const allSessions = (): Session[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.session'))
    .sort()
    .map((file) => readSession(file.slice(0, -'.session'.length)));
