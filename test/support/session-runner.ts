import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Finished } from './process.ts';
import type { SandboxCli } from './use-cli.ts';

/** Sessions: command lines and what they print and send, as a person would read them (test/scripts/README.md). */

export interface Step {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly command: string;
  /** Patterns of stdout. */
  readonly stdout: string[];
  /** Patterns of lines of stderr, in order; other lines may stand between. */
  readonly stderr: string[];
  exit: number;
  /**
   * `PUT /members/17 {"workspace_id":7}`, and what it is answered with where that is written: `403 Not for you.`, or the data
   * of the answer as JSON. Undefined where the step says nothing of requests.
   */
  requests?: { readonly line: string; answer?: string }[];
}

/** @param marks of requests and their answers; in documents they are output. @throws Error for a line before the first command */
export const parseSession = (text: string, marks = true): Step[] => {
  const steps: Step[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const step = steps.at(-1);
    const rest = line.slice(2);
    if (line.startsWith('$ '))
      steps.push({ line: index + 1, command: rest, stdout: [], stderr: [], exit: 0 });
    else if (line.startsWith('#') || (step === undefined && line.trim() === '')) continue;
    else if (step === undefined) throw new Error(`line ${index + 1} stands before the first command`);
    else if (line.startsWith('! ')) step.stderr.push(rest);
    else if (/^\[\d+\]$/.test(line)) step.exit = Number(line.slice(1, -1));
    else if (marks && /^[<>]( |$)/.test(line)) noteRequest(step, line[0], rest);
    else step.stdout.push(line);
  }
  for (const { stdout } of steps) while (stdout.at(-1)?.trim() === '') stdout.pop();
  return steps;
};

function noteRequest(step: Step, mark: string | undefined, text: string): void {
  step.requests ??= [];
  const last = step.requests.at(-1);
  if (mark === '>' && text !== '') step.requests.push({ line: text });
  if (mark === '<' && last !== undefined) last.answer = text;
}

/** Spaces at the end of a line say nothing. */
const fits = (pattern: string, line: string | undefined): boolean => {
  const parts = pattern.trimEnd().split('*');
  const literal = parts.map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')).join('.*');
  return line !== undefined && new RegExp(`^${literal}$`, 'u').test(line.trimEnd());
};

/** Whether the lines are what the patterns say; `...` stands for any lines. */
export const matches = (patterns: readonly string[], lines: readonly string[]): boolean => {
  const [first, ...rest] = patterns;
  if (first === undefined) return lines.length === 0;
  if (first !== '...') return fits(first, lines[0]) && matches(rest, lines.slice(1));
  return lines.some((_, from) => matches(rest, lines.slice(from))) || matches(rest, []);
};

const linesOf = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** What is wrong with a step, for people; undefined when nothing is. @param sent what was sent, where the step judges it */
export const complaint = (
  { line, command, ...step }: Step,
  { stdout, stderr, exit }: Finished,
  sent?: readonly string[],
): string | undefined => {
  const missing = [...step.stderr];
  for (const one of linesOf(stderr)) if (fits(missing[0] ?? '', one)) missing.shift();
  const requests = (step.requests ?? []).map((one) => one.line);
  const problems = [
    ...(exit === step.exit ? [] : [`exit ${exit}, not ${step.exit}`]),
    ...(matches(step.stdout, linesOf(stdout)) ? [] : [`stdout is not:\n${step.stdout.join('\n')}`]),
    ...missing.map((pattern) => `stderr lacks: ${pattern}`),
    ...(sent === undefined || matches(requests, sent)
      ? []
      : [`it did not send:\n${requests.join('\n')}\nbut:\n${sent.join('\n')}`]),
  ];
  if (problems.length === 0) return undefined;
  return `line ${line}: $ ${command}\n${problems.join('\n')}\n--- stdout\n${stdout}--- stderr\n${stderr}--- exit ${exit}`;
};

/** Runs the steps one after another. @param node that runs them. @throws Error at the first that is not as written */
export const runSession = async (steps: readonly Step[], { shell, sent }: SandboxCli, node?: string) => {
  const listSent = async () => (await sent()).map((line) => line.replace(/\?\S*/, ''));
  for (const step of steps) {
    const before = step.requests && (await listSent()).length;
    const ended = await shell(step.command, node === undefined ? {} : { node });
    const problem = complaint(step, ended, step.requests && (await listSent()).slice(before));
    if (problem !== undefined) throw new Error(problem);
  }
};

const FOLDER = fileURLToPath(new URL('../scripts/', import.meta.url));

/** `only`: where it runs: `#only embedded`, `#only server`, or `#only service` with literal requests. */
export const readSession = (name: string) => {
  const text = readFileSync(`${FOLDER}${name}.session`, 'utf8');
  return {
    name,
    file: `test/scripts/${name}.session`,
    steps: parseSession(text),
    only: /^#only (\w+)$/m.exec(text)?.[1],
  };
};

/** @param where it has to run */
export const sessionsFor = (where: 'embedded' | 'server' | 'service') =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.session'))
    .map((file) => readSession(file.replace('.session', '')))
    .filter(({ only }) => only === where || (only === undefined && where !== 'service'));
