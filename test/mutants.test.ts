import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { faultOf, mutants } from './support/proofs.ts';

/**
 * The list of what `npm run mutants` breaks is current: each text stands once in the present sources, and the tests
 * that are said to notice it are there and run. (That they notice is shown by the command.)
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { misfitOf } = await import(new URL('../scripts/mutants/scratch.mjs', import.meta.url).href);
const ALL = await mutants();

const faultIn = (test: string): string | undefined => {
  if (test.includes('#')) return faultOf(test);
  return existsSync(join(ROOT, `test/${test}.test.ts`)) ? undefined : `no file test/${test}.test.ts`;
};

it.each(ALL)('$name', (mutant) => {
  expect(misfitOf(mutant, ROOT)).toBeUndefined();
  expect(mutant.tests.length).toBeGreaterThan(0);
  expect(mutant.tests.map(faultIn).filter((fault) => fault !== undefined)).toEqual([]);
});

it('each has a name of its own', () => {
  expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
});
