// `npm run mutants [-- name …]`: breaks the program in one place at a time, in a copy of the tree, and runs the tests
// that are said to notice. Prints which do. Exit 1 where one is not noticed, or its text is not found exactly once.
//
// To add one, put a line into the list of its layer (scripts/mutants/*.mjs):
//   { name: 'what is broken, in a few words', file: 'src/…', find: 'text that is there once', replace: 'broken text',
//     tests: ['bulk/send#part of a title'] }
// `tests` names as few as notice it: a file below test/ without its ending, and, where that file takes long, a title in
// it after `#`, as the source has it. `build: true` where they start the built program. The broken text must load:
// a file that cannot be read is noticed by everything. test/scripts/mutants.test.ts holds the list to the sources.
import { mutants } from './mutants/list.mjs';
import { createScratch, misfitOf } from './mutants/scratch.mjs';

const SHOWN = 4;

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !mutants.some((mutant) => mutant.name === name));
const chosen = wanted.length === 0 ? mutants : mutants.filter(({ name }) => wanted.includes(name));

/** What became of one: who noticed, or undefined where nobody did. */
const attempt = (scratch, mutant) => {
  const { failed, passed, broken, said } = scratch.during(mutant, () => {
    if (mutant.build) scratch.build();
    return scratch.run(mutant.tests);
  });
  if (broken.length > 0) throw new Error(`does not load: ${broken[0]}`);
  if (failed.length + passed === 0) throw new Error(`no test ran: ${said}`);
  return failed.length === 0 ? undefined : failed;
};

const tell = ({ name, file }, killers) => {
  if (killers === undefined) return console.log(`✗ ${name} (${file}): survived`);
  console.log(`✓ ${name} (${file})`);
  for (const test of killers.slice(0, SHOWN)) console.log(`    ${test}`);
  if (killers.length > SHOWN) console.log(`    and ${killers.length - SHOWN} more`);
};

/** The tests pass on the tree as it is: else they would say nothing. */
const checkWhole = (scratch) => {
  scratch.build();
  const { failed, broken } = scratch.run([...new Set(chosen.flatMap(({ tests }) => tests))]);
  const wrong = [...failed, ...broken];
  if (wrong.length > 0) throw new Error(`tests fail though nothing is broken:\n  ${wrong.join('\n  ')}`);
};

const main = () => {
  if (unknown.length > 0) throw new Error(`no such name: ${unknown.join(', ')}`);
  const misfits = chosen.flatMap((mutant) => {
    const misfit = misfitOf(mutant);
    return misfit === undefined ? [] : [`${mutant.name}: ${misfit}`];
  });
  if (misfits.length > 0) throw new Error(misfits.join('\n'));
  const scratch = createScratch();
  // Ctrl-C ends the tests too; the copy goes in any case.
  process.on('SIGINT', () => {});
  let [killed, survived, built] = [0, 0, true];
  try {
    checkWhole(scratch);
    for (const mutant of chosen) {
      // What the one before has built is whole again.
      if (!built && mutant.tests !== undefined) scratch.build();
      built = mutant.build !== true;
      const killers = attempt(scratch, mutant);
      tell(mutant, killers);
      if (killers === undefined) survived += 1;
      else killed += 1;
    }
  } finally {
    scratch.remove();
  }
  console.log(`${killed} killed, ${survived} survived`);
  process.exitCode = survived === 0 ? 0 : 1;
};

try {
  main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
