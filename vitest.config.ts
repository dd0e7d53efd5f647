import { relative } from 'node:path';
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
  'asking/at-a-terminal',
  'limits/processes',
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

export default defineConfig({
  plugins: [tableDrawingInTests],
  test: {
    include: ['test/**/*.test.ts'],
    environment: 'node',
    // An end for what hangs, far beyond what a busy machine needs.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    teardownTimeout: 60_000,
    // Much of a run is waiting for other processes: no core is left out.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    // What runs in this process has no more of the machine than what runs in one of its own.
    env: { NO_COLOR: '', FORCE_COLOR: '', CI: '', TZ: 'UTC' },
  },
});
