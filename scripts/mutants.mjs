// `npm run mutants [-- part of a name]`: breaks the program in one place at a time, in a copy of the tree, and runs the
// tests that are said to notice. Exit 1 where one is not noticed, or its text is not found exactly once.
//
// mutants.txt has what must never break, four lines each: a name; a file of src/ and, behind a dot, a file below test/ with
// perhaps a part of a title behind #; the text, and the broken one.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const wanted = process.argv[2] ?? '';

const parse = (block) => {
  const [name, place = '', find = '', replace = ''] = block.split('\n');
  const [file, tests = ''] = place.split(' · ');
  return { name, file, tests: tests.split(' ; '), find: find.slice(2), replace: replace.slice(2) };
};

const mutants = readFileSync(join(root, 'scripts/mutants.txt'), 'utf8')
  .split(/\n{2,}/)
  .filter((block) => block !== '' && !block.startsWith('#'))
  .map(parse)
  .filter(({ name }) => name.includes(wanted));

const countText = ({ file, find }) => readFileSync(join(root, file), 'utf8').split(find).length - 1;

/** Placeholders of a title stand for anything. */
const toPattern = (title) =>
  title
    .split(/%(?:\d\$)?[sdifjoOc#$%]|\$\{[^}]*\}|\$[\w.]+/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');

const toArguments = (tests) => {
  const files = tests.map((test) => `test/${test.split('#')[0]}.test.ts`);
  const titles = tests.map((test) => test.split('#')[1]);
  return titles.includes(undefined) ? files : [...files, '-t', titles.map(toPattern).join('|')];
};

const folder = mkdtempSync(join(tmpdir(), 'ttctl-mutants-'));
const tree = join(folder, 'tree');
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const LEFT_OUT = new Set(['node_modules', '.git']);
cpSync(root, tree, {
  recursive: true,
  filter: (path) => !LEFT_OUT.has(path.slice(root.length).split('/')[0]),
});
symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'), 'dir');

/** @returns how many tests pass and fail, and which file cannot be loaded */
const runTests = (tests) => {
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json', `--outputFile=${report}`];
  spawnSync(process.execPath, [...args, ...toArguments(tests)], { cwd: tree, stdio: 'ignore' });
  const {
    numPassedTests: passed,
    numFailedTests: failed,
    testResults,
  } = JSON.parse(readFileSync(report, 'utf8'));
  const unloaded = testResults.find((file) => file.status === 'failed' && file.assertionResults.length === 0);
  return { passed, failed, unloaded: unloaded?.message };
};

const judge = (mutant) => {
  const count = countText(mutant);
  if (count !== 1) return `its text is there ${count} times in ${mutant.file}`;
  const whole = runTests(mutant.tests);
  if (whole.failed > 0 || whole.passed === 0) return 'its tests do not pass though nothing is broken';
  const path = join(tree, mutant.file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    text.replace(mutant.find, () => mutant.replace),
  );
  const { failed, unloaded } = runTests(mutant.tests);
  writeFileSync(path, text);
  if (unloaded !== undefined) return `it does not load: ${unloaded}`;
  return failed > 0 ? undefined : 'survived';
};

let wrong = 0;
for (const mutant of mutants) {
  const problem = judge(mutant);
  if (problem !== undefined) wrong += 1;
  console.log(problem === undefined ? `✓ ${mutant.name}` : `✗ ${mutant.name} (${mutant.file}): ${problem}`);
}
console.log(`${mutants.length - wrong} of ${mutants.length} noticed`);
process.exitCode = wrong === 0 && mutants.length > 0 ? 0 : 1;
