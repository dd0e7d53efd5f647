import { readdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { PLAN_FILE } from '../changes/input/files.ts';
import { UsageError } from '../errors.ts';
import { findWriteProblem } from '../storage/named.ts';
import { checkReplaced } from '../storage/own-files.ts';
import { type Invocation, isFlag, listGiven } from './flag.ts';

/** The files that a run writes must be none that it reads. */

interface NamedFile {
  readonly where: string;
  readonly path: string;
}

const OUTPUT = 'plan';

/** Alike for all names of one file; undefined for a pipe or a device. */
const identify = (path: string): string | undefined => {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return resolve(path);
    return stats.isFile() ? `${stats.dev}:${stats.ino}` : undefined;
  } catch {
    return undefined;
  }
};

const listFolder = (folder: string): readonly NamedFile[] => {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.csv'));
    return names.map((name) => ({ where: name, path: `${folder}/${name}` }));
  } catch {
    return [];
  }
};

const listInputs = (invocation: Invocation): readonly NamedFile[] => [
  { where: 'stdin', path: '/dev/stdin' },
  ...listGiven(invocation).flatMap(({ source, raw, where }) => {
    if (source.name === 'typed-field' && Array.isArray(raw))
      return raw.map((text) => ({ where, path: String(text).replace(/^[^=]*=@/, '') }));
    if (typeof raw !== 'string' || source.name === OUTPUT) return [];
    if (!isFlag(source) && source.name === 'folder') return listFolder(raw);
    const kind = isFlag(source) ? source.value : source.name;
    return kind === 'file' || source.name === 'seed' ? [{ where, path: raw }] : [];
  }),
];

const listOutputs = (invocation: Invocation, log: string | undefined): readonly NamedFile[] => {
  const given = listGiven(invocation).filter(({ source }) => source.name === OUTPUT);
  return [...given.map(({ where, raw }) => ({ where, path: raw })), { where: '--log', path: log }].filter(
    (output): output is NamedFile => typeof output.path === 'string' && output.path !== '-',
  );
};

/** A file would be lost that is read and written, or written twice, by whatever names. */
const findLosses = (invocation: Invocation, log: string | undefined): readonly UsageError[] => {
  const outputs = listOutputs(invocation, log);
  const inputs = listInputs(invocation);
  return outputs.flatMap(({ where, path }, index) => {
    const id = identify(path);
    const others = id === undefined ? [] : [...inputs, ...outputs.slice(index + 1)];
    const same = others.find((other) => identify(other.path) === id);
    if (same === undefined) return [];
    const message = `${where} and ${same.where} are the same file: ${path}`;
    return [new UsageError(message, { hint: `Name another file with ${where}.` })];
  });
};

export const findOutputProblems = (
  invocation: Invocation,
  plan: string | undefined,
  log: string | undefined,
): readonly UsageError[] => {
  const problems = findLosses(invocation, log);
  if (plan === undefined || plan === '-') return problems;
  const problem = findWriteProblem(plan);
  if (problem !== undefined) return [new UsageError(`--plan: cannot write to ${problem}`), ...problems];
  try {
    if (problems.length === 0) checkReplaced(plan, PLAN_FILE);
    return problems;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [error];
  }
};
