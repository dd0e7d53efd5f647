// `npm run mutants [-- name …]`: breaks the program in one place at a time, in a copy of the tree, and runs the tests
// that are said to notice. Prints which do. Exit 1 where one is not noticed, or its text is not found exactly once.
//
// To add one, put a line into the list of its layer (scripts/mutants/*.mjs):
//   { name: 'what is broken, in a few words', file: 'src/…', find: 'text that is there once', replace: 'broken text',
//     tests: ['changes/send#part of a title'] }
// `tests` names as few as notice it: a file below test/ without its ending, and, where that file takes long, a title in
// it after `#`, as the source has it. `build: true` where they start the built program. The broken text must load:
// a file that cannot be read is noticed by everything.
import { mutants } from './mutants/list.mjs';
import { createScratch, misfitOf } from './mutants/scratch.mjs';

/** Of those who notice so many are named. */
const SHOWN = 3;

const chosenBy = (names) => {
  const unknown = names.filter((name) => !mutants.some((mutant) => mutant.name === name));
  if (unknown.length > 0) throw new Error(`no such name: ${unknown.join(', ')}`);
  const chosen = names.length === 0 ? mutants : mutants.filter(({ name }) => names.includes(name));
  const misfits = chosen
    .map((mutant) => [mutant.name, misfitOf(mutant)])
    .filter(([, why]) => why !== undefined);
  if (misfits.length > 0) throw new Error(misfits.map(([name, why]) => `${name}: ${why}`).join('\n'));
  return chosen;
};

/** The tests pass on the tree as it is: else they would say nothing. */
const checkWhole = async (scratch, chosen) => {
  const tests = [...new Set(chosen.flatMap((mutant) => mutant.tests))];
  const wrong = [];
  // Where titles are named no others are run, so whole files are run apart from them.
  for (const titled of [false, true]) {
    const some = tests.filter((test) => test.includes('#') === titled);
    const { failed, broken } = some.length === 0 ? { failed: [], broken: [] } : await scratch.run(some);
    wrong.push(...failed, ...broken);
  }
  if (wrong.length > 0) throw new Error(`these fail though nothing is broken:\n  ${wrong.join('\n  ')}`);
};

/** The tests that notice it. */
const killersOf = async (scratch, mutant) => {
  const { failed, passed, broken, said } = await scratch.during(mutant, () => scratch.run(mutant.tests));
  if (broken.length > 0) throw new Error(`${mutant.name}: does not load: ${broken[0]}`);
  if (failed.length + passed === 0) throw new Error(`${mutant.name}: no test was run\n${said}`);
  return failed;
};

const tell = ({ name, file }, killers) => {
  console.log(killers.length === 0 ? `✗ ${name} (${file}): survived` : `✓ ${name} (${file})`);
  for (const test of killers.slice(0, SHOWN)) console.log(`    ${test}`);
  if (killers.length > SHOWN) console.log(`    and ${killers.length - SHOWN} more`);
};

const main = async () => {
  const chosen = chosenBy(process.argv.slice(2));
  const scratch = await createScratch();
  let survived = 0;
  try {
    await checkWhole(scratch, chosen);
    for (const mutant of chosen) {
      const killers = await killersOf(scratch, mutant);
      tell(mutant, killers);
      if (killers.length === 0) survived += 1;
    }
  } finally {
    scratch.remove();
  }
  console.log(`${chosen.length - survived} killed, ${survived} survived`);
  process.exitCode = survived === 0 ? 0 : 1;
};

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
