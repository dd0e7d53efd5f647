import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, normalize, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { tableDrawingInTests } from './scripts/table-drawing.mjs';

/** Those that take longest, the longest first: begun last, one of them would keep a core to itself at the end. */
const LONGEST = [
  'jobs-kill',
  'scripts/dialects',
  'sandbox-commands',
  'inbox-session',
  'scripts/sessions',
  'auth/renewal-together',
  'sandbox-page-browser',
  'documents',
  'exit-codes',
  'auth/renewal-killed',
  'auth/renewal',
  'prompts/missing/at-a-terminal',
  'rate-limit/processes',
  'nodes',
  'package',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const name = relative('test', moduleId).replace(/\.test\.ts$/, '');
      return LONGEST.includes(name) ? LONGEST.indexOf(name) : LONGEST.length;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/** What a test file has among its own sources, itself included: paths from the root, and `node:` modules. */
const sourcesOf = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  for (const [, name = ''] of text.matchAll(/^(?:import|export)\s[^;]*?from '([^']+)';$/gm)) {
    const path = normalize(join(dirname(file), name));
    if (name.startsWith('node:')) seen.add(name);
    else if (path.startsWith('test/') && path.endsWith('.ts')) sourcesOf(path, seen);
  }
  return seen;
};

/** Browsers, other Nodes, the package as others install it; many processes, kills, floods, a fresh clone. */
const SLOW = [
  'test/support/browser.ts',
  'test/support/packed.ts',
  'test/nodes.test.ts',
  'test/newcomer.test.ts',
  'test/jobs-kill.test.ts',
  'test/webhooks-kill.test.ts',
  'test/webhooks-forward-kill.test.ts',
  'test/open-files.test.ts',
  'test/auth/renewal-killed.test.ts',
  'test/auth/renewal-together.test.ts',
  'test/changes/endless-input.test.ts',
  'test/rate-limit/processes.test.ts',
  'test/scripts/dialects.test.ts',
  'test/values/large.test.ts',
];

const projectOf = (file: string): 'quick' | 'process' | 'slow' => {
  const sources = sourcesOf(file);
  if (SLOW.some((name) => sources.has(name))) return 'slow';
  return sources.has('node:child_process') ? 'process' : 'quick';
};

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => join('test', name));

/** quick: within this process; process: the built program; slow: SLOW. Told by what a file is and imports. */
const projects = (['quick', 'process', 'slow'] as const).map((name) => ({
  extends: true as const,
  test: { name, include: files.filter((file) => projectOf(file) === name) },
}));

export default defineConfig({
  plugins: [tableDrawingInTests],
  test: {
    projects,
    environment: 'node',
    // An end for what hangs, far beyond what a busy machine needs.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    teardownTimeout: 60_000,
    // Much of a run is waiting for other processes.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    // What runs in this process has no more of the machine than what runs in one of its own.
    env: { NO_COLOR: '', FORCE_COLOR: '', CI: '', TZ: 'UTC' },
  },
});
