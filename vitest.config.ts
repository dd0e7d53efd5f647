import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * What a test file needs stands before `.test.ts` in its name. `slow`: browsers, other Nodes, the package as others install
 * it, kills and floods, whole sessions and workspaces; `process`: the built program, or shells; `wide`: every command
 * there is, in this process; all the others are quick.
 */
const GROUPS = ['slow', 'process', 'wide', 'quick'] as const;
type Group = (typeof GROUPS)[number];

const groupOf = (file: string): Group =>
  GROUPS.find((group) => file.endsWith(`.${group}.test.ts`)) ?? 'quick';

/** What is run with `--mode`; without it, all. */
const MODES: Readonly<Record<string, readonly Group[]>> = {
  test: GROUPS,
  everyday: ['process', 'wide', 'quick'],
  quick: ['quick'],
  slow: ['slow'],
};

/** Begun last, what takes longest would keep a core to itself at the end. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => GROUPS.indexOf(groupOf(moduleId));
    // A worker is shared for as long as the next file is of its project.
    const isShared = ({ project }: TestSpecification): number => Number(project.name === 'shared');
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b) || isShared(a) - isShared(b));
  }
}

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => join('test', name));

/** Files share their workers, so that sources are loaded once in each. Those that replace modules have their own. */
const isIsolated = (file: string): boolean =>
  /\bvi\.\w+\(|from 'nock'|setFlagsFromString/.test(readFileSync(file, 'utf8'));

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
    sequence: { sequencer: SlowFirst },
    // What runs in this process has no more of the machine than what runs in one of its own.
    env: { NO_COLOR: '', FORCE_COLOR: '', CI: '', TZ: 'UTC' },
  },
}));
