import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Standing, testsIn } from './source.ts';

/** What is promised, and the tests that prove it. */

export interface Promised {
  /** A group and a number. */
  readonly id: string;
  readonly says: string;
  /**
   * `exit-codes#is exit 8 when some failed`: a file below test/ without its ending, and the title of one test or group
   * in it; `group › title` where several have that title.
   */
  readonly proofs: readonly string[];
  /** Why it is otherwise, or why no test proves it. */
  readonly because: string | undefined;
}

/** Title of a section → what is promised in it. */
export type Requirements = Readonly<Record<string, readonly Promised[]>>;

/** @param because where it is otherwise, or not for a test */
export const promised = (
  id: string,
  says: string,
  proofs: readonly string[],
  because?: string,
): Promised => ({ id, says, proofs, because });

const TESTS = fileURLToPath(new URL('../', import.meta.url));

const read = new Map<string, readonly Standing[]>();
const testsOf = (file: string): readonly Standing[] | undefined => {
  const path = `${TESTS}${file}.test.ts`;
  if (!existsSync(path)) return undefined;
  const tests = read.get(path) ?? testsIn(readFileSync(path, 'utf8'));
  read.set(path, tests);
  return tests;
};

const found = (proof: string) => {
  const [, file = '', title = ''] = /^([^#]+)#(.+)$/s.exec(proof) ?? [];
  const all = testsOf(file);
  const named = all?.filter((test) => ` › ${pathOf(test)}`.endsWith(` › ${title}`)) ?? [];
  return { file, title, all, named };
};

/** `group › title` */
const pathOf = ({ groups, title }: Standing): string => [...groups, title].join(' › ');

/** What is wrong with a proof; `undefined` when there is such a test, it is run, and it expects something. */
export const faultOf = (proof: string): string | undefined => {
  const { file, title, all, named } = found(proof);
  if (all === undefined) return `no file test/${file}.test.ts`;
  if (named.length === 0) return `no test “${title}” in test/${file}.test.ts`;
  const run = named.filter(({ idle }) => !idle);
  if (run.length > 1) return `“${title}” in test/${file}.test.ts may be ${run.map(pathOf).join(', or ')}`;
  if (run.length === 0) return `“${title}” in test/${file}.test.ts is not run`;
  return run.some(({ judges }) => judges) ? undefined : `“${title}” in test/${file}.test.ts expects nothing`;
};

/** File and test of a proof that has no fault: `['test/main.test.ts', 'a run › is …']`. */
export const testOf = (proof: string): readonly [file: string, test: string] => {
  const { file, title, named } = found(proof);
  const test = named.find(({ idle }) => !idle);
  return [`test/${file}.test.ts`, test === undefined ? title : pathOf(test)];
};

/** Whether the test is run on every machine. */
export const runsEverywhere = (proof: string): boolean =>
  found(proof).named.some(({ idle, conditional }) => !idle && !conditional);

interface Mutant {
  readonly name: string;
  readonly tests: readonly string[];
}

/** What the program could do wrong, and the tests that notice it (`npm run mutants`). */
export const mutants = async (): Promise<readonly Mutant[]> => {
  const list = new URL('../../scripts/mutants/list.mjs', import.meta.url).href;
  return (await import(list)).mutants;
};

/** Those that are noticed by the test, or by the file that it stands in. */
export const noticedBy = (all: readonly Mutant[], proof: string): readonly string[] => {
  const [file] = proof.split('#');
  return all
    .filter(({ tests }) => tests.some((test) => test === proof || test === file))
    .map(({ name }) => name);
};

/** The ids of groups, of which each has so many. */
export const idsOf = (groups: Readonly<Record<string, number>>, separator: string): readonly string[] =>
  Object.entries(groups).flatMap(([group, count]) =>
    Array.from({ length: count }, (_, n) => `${group}${separator}${n + 1}`),
  );
