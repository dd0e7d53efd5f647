import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, normalize, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Those that take longest, the longest first: begun last, one of them would keep a core to itself at the end. */
const LONGEST = [
  'changes/endless-input',
  'sandbox-commands',
  'scripts/dialects',
  'signals',
  'webhooks-kill',
  'jobs-kill',
  'commands/runner-marks',
  'newcomer',
  'jobs-process',
  'pipelines',
  'commands/workspace-folder',
  'scripts/sessions',
  'inbox-session',
  'auth/renewal-together',
  'nodes',
  'package',
  'documents',
  'exit-codes',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const name = relative('test', moduleId).replace(/\.test\.ts$/, '');
      return LONGEST.includes(name) ? LONGEST.indexOf(name) : LONGEST.length;
    };
    // A worker is shared for as long as the next file is of its project.
    const isShared = ({ project }: TestSpecification): number => Number(project.name === 'shared');
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b) || isShared(a) - isShared(b));
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

/**
 * Browsers, other Nodes, the package as others install it, a fresh clone; many processes, signals and kills, floods;
 * whole sessions and whole workspaces.
 */
const SLOW = [
  'test/support/browser.ts',
  'test/support/packed.ts',
  'test/nodes.test.ts',
  'test/newcomer.test.ts',
  'test/inbox-session.test.ts',
  'test/jobs-kill.test.ts',
  'test/jobs-process.test.ts',
  'test/real-service-process.test.ts',
  'test/sandbox-commands.test.ts',
  'test/signals.test.ts',
  'test/webhooks-kill.test.ts',
  'test/pipelines.test.ts',
  'test/auth/renewal-killed.test.ts',
  'test/auth/renewal-together.test.ts',
  'test/changes/endless-input.test.ts',
  'test/changes/input-size.test.ts',
  'test/commands/runner-marks.test.ts',
  'test/commands/workspace-folder.test.ts',
  'test/prompts/at-a-terminal.test.ts',
  'test/rate-limit/processes.test.ts',
  'test/scripts/dialects.test.ts',
  'test/scripts/schemas.test.ts',
  'test/scripts/sessions.test.ts',
  'test/values/large.test.ts',
];

type Group = 'quick' | 'process' | 'slow';

/** quick: within this process; process: the built program; slow: SLOW. Told by what a file is and imports. */
const groupOf = (file: string): Group => {
  const sources = sourcesOf(file);
  if (SLOW.some((name) => sources.has(name))) return 'slow';
  return sources.has('node:child_process') ? 'process' : 'quick';
};

/**
 * Files share their workers, so that sources are loaded once in each. Those that replace modules or spy have their own:
 * told by what they and their own sources are written with.
 */
const isIsolated = (file: string): boolean =>
  [...sourcesOf(file)].some(
    (name) =>
      name.endsWith('.ts') && /\bvi\.\w+\(|from 'nock'|setFlagsFromString/.test(readFileSync(name, 'utf8')),
  );

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => join('test', name));

/** What is run with `--mode`; without it, all. */
const MODES: Readonly<Record<string, readonly Group[]>> = {
  test: ['quick', 'process', 'slow'],
  everyday: ['quick', 'process'],
  quick: ['quick'],
  slow: ['slow'],
};

const createProjects = (groups: readonly Group[]) => {
  const wanted = files.filter((file) => groups.includes(groupOf(file)));
  return [false, true].map((isolate) => ({
    extends: true as const,
    test: {
      name: isolate ? 'isolated' : 'shared',
      isolate,
      include: wanted.filter((file) => isIsolated(file) === isolate),
    },
  }));
};

export default defineConfig(({ mode }) => ({
  test: {
    projects: createProjects(MODES[mode] ?? []),
    environment: 'node',
    setupFiles: ['test/support/setup.ts'],
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
}));
