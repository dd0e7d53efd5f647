// Runs the tests again and again, to find those that fail by chance: `npm run test:repeat -- [runs] [--load] [files]`.
// Without a number: 20.
// --load keeps every core busy meanwhile. Ends with each test that failed, and how often; exit 1 when one did.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const VITEST = join(root, 'node_modules/vitest/vitest.mjs');
/** Nothing is waited for longer. */
const RUN_MS = 45 * 60_000;

const { values, positionals } = parseArgs({
  options: { load: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [first, ...others] = positionals;
const isCount = /^[1-9]\d*$/.test(first ?? '');
const runs = isCount ? Number(first) : 20;
const files = first === undefined || isCount ? others : positionals;

const folder = mkdtempSync(join(tmpdir(), 'ttctl-test-repeat-'));
const children = new Set();
const start = (args, stdio) => {
  const child = spawn(process.execPath, args, { cwd: root, stdio });
  children.add(child);
  child.once('close', () => children.delete(child));
  return child;
};

// Keeps one core busy for as long as whoever started it is there.
const BUSY = 'const of = process.ppid; while (process.ppid === of) for (let n = 0; n < 1e7; n += 1);';
const load = () => {
  for (let n = 0; n < availableParallelism(); n += 1) start(['-e', BUSY], 'ignore');
};

/** One run of the tests: those that passed, were skipped and failed, as `file › title`, with what was said of them. */
const runOnce = async (number) => {
  const report = join(folder, `${number}.json`);
  const begun = performance.now();
  const child = start(
    [VITEST, 'run', '--reporter=json', `--outputFile=${report}`, ...files],
    ['ignore', 'ignore', 'inherit'],
  );
  const end = setTimeout(() => child.kill('SIGKILL'), RUN_MS);
  await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(end);
  const seconds = Math.round((performance.now() - begun) / 1000);
  const counts = { passed: 0, skipped: 0 };
  if (!existsSync(report))
    return { ...counts, failed: [{ title: 'no report', why: 'vitest ended' }], seconds };
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const failed = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name);
    // A file that could not be loaded has no tests.
    if (status === 'failed' && assertionResults.every((one) => one.status !== 'failed'))
      return [{ title: file, why: message }];
    return assertionResults.flatMap((one) => {
      if (one.status === 'passed') counts.passed += 1;
      else if (one.status !== 'failed') counts.skipped += 1;
      const title = `${file} › ${[...one.ancestorTitles, one.title].join(' › ')}`;
      return one.status === 'failed' ? [{ title, why: one.failureMessages.join('\n') }] : [];
    });
  });
  return { ...counts, failed, seconds };
};

const cleanUp = () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
};
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    cleanUp();
    process.kill(process.pid, signal);
  });
}

const timesFailed = new Map();
let spoilt = 0;
try {
  if (values.load) load();
  for (let number = 1; number <= runs; number += 1) {
    const { passed, skipped, failed, seconds } = await runOnce(number);
    console.log(
      `run ${number} of ${runs}: ${passed} passed, ${failed.length} failed, ${skipped} skipped, ${seconds} s`,
    );
    for (const { title, why } of failed) {
      console.log(`  ✗ ${title}\n${why.slice(0, 2000).replace(/^/gm, '      ')}`);
      timesFailed.set(title, (timesFailed.get(title) ?? 0) + 1);
    }
    if (failed.length > 0) spoilt += 1;
  }
} finally {
  cleanUp();
}
console.log(`\n${runs} runs${values.load ? ' under load' : ''}, ${spoilt} with a failure`);
for (const [title, times] of [...timesFailed].sort((a, b) => b[1] - a[1]))
  console.log(`${String(times).padStart(4)} × ${title}`);
process.exitCode = spoilt === 0 ? 0 : 1;
