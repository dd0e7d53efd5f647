// Runs the tests again and again, to find those that fail by chance: `npm run test:repeat -- [runs] [--load] [arguments of
// vitest]`; without a number 20. --load keeps every core busy meanwhile. Exit 1 when a test failed.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const words = process.argv.slice(2).filter((word) => word !== '--load');
const isLoaded = process.argv.includes('--load');
const runs = /^\d+$/.test(words[0] ?? '') ? Number(words.shift()) : 20;
const report = join(mkdtempSync(join(tmpdir(), 'ttctl-test-repeat-')), 'report.json');

/** Tests that failed in one run, as `file › title`, with what was said of them. */
const runOnce = async () => {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--reporter=json', `--outputFile=${report}`, ...words];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  await new Promise((resolve) => child.once('close', resolve));
  const { numPassedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  rmSync(report);
  const failed = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const titles = assertionResults
      .filter((one) => one.status === 'failed')
      .map(({ fullName, failureMessages }) => [fullName, failureMessages.join('\n')]);
    // A file that could not be loaded has no tests.
    const all = titles.length === 0 && status === 'failed' ? [['cannot be loaded', message]] : titles;
    return all.map(([title, why]) => ({ title: `${relative(root, name)} › ${title}`, why }));
  });
  return { passed: numPassedTests, failed };
};

// Each keeps one core busy for as long as whoever started it is there.
const BUSY = 'const of = process.ppid; while (process.ppid === of) for (let n = 0; n < 1e7; n += 1);';
for (let n = 0; isLoaded && n < availableParallelism(); n += 1)
  spawn(process.execPath, ['-e', BUSY], { stdio: 'ignore' }).unref();

const timesFailed = new Map();
for (let number = 1; number <= runs; number += 1) {
  const { passed, failed } = await runOnce();
  console.log(`run ${number} of ${runs}: ${passed} passed, ${failed.length} failed`);
  for (const { title, why } of failed) {
    console.log(`  ${title}\n${why.slice(0, 2000).replace(/^/gm, '      ')}`);
    timesFailed.set(title, (timesFailed.get(title) ?? 0) + 1);
  }
}
console.log(`\n${runs} runs${isLoaded ? ' under load' : ''}`);
for (const [title, times] of timesFailed) console.log(`${String(times).padStart(4)} × ${title}`);
process.exit(timesFailed.size === 0 ? 0 : 1);
