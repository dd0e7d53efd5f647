import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect } from 'vitest';
import { realClock } from '../../src/platform/machine.ts';
import { type Outcome, type RunOptions, runInProcess } from '../support/in-process.ts';
import { quickClock } from '../support/quick-clock.ts';
import { words } from '../support/words.ts';

/** An embedded sandbox of its own for each test, with its history. */

export type Row = Readonly<Record<string, unknown>>;

export interface OwnSandbox {
  /** Of this test. */
  env(): Record<string, string>;
  /** A new one, with a new history. */
  start(): void;
  run(line: string, options?: RunOptions): Promise<Outcome>;
  /** @returns stdout of a command that succeeds */
  read(line: string): Promise<string>;
  rows(line: string): Promise<readonly Row[]>;
  /** As the service saw them: `POST /members/17/restore`. */
  writes(): Promise<readonly string[]>;
  /** The entries, the latest first. */
  entries(flags?: string): Promise<readonly Row[]>;
  /** Id of the latest entry. */
  latest(): Promise<string>;
  /** @returns the path */
  file(text: string, name?: string): string;
}

const DAY_MS = 86_400_000;
/** No test runs over midnight: periods are meant by days. */
const LAG_MS = Date.now() % DAY_MS > DAY_MS - 1_200_000 ? 2_400_000 : 0;
const clock = { ...quickClock, random: realClock.random, now: () => realClock.now() - LAG_MS };

export const SEEDS = ['demo', 'messy', 'month-end', 'agency'] as const;

export const ownSandbox = (): OwnSandbox => {
  const folder = mkdtempSync(join(tmpdir(), 'ttctl-history-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let count = 0;
  let env: Record<string, string> = {};
  const start = () => {
    count += 1;
    env = {
      TTCTL_STATE_DIR: join(folder, String(count)),
      TTCTL_CONFIG_DIR: join(folder, 'config'),
      TTCTL_PROFILE: 'sandbox',
      TTCTL_RATE_LIMIT: 'off',
    };
  };
  beforeEach(start);
  const run = (line: string, options: RunOptions = {}) =>
    runInProcess(words(line), { ...options, env: { ...env, ...options.env }, machine: { clock } });
  const read = async (line: string) => {
    const { stdout, stderr, exit } = await run(line);
    expect([line, exit, stderr]).toEqual([line, 0, expect.any(String)]);
    return stdout;
  };
  const rows = async (line: string): Promise<readonly Row[]> =>
    [JSON.parse(await read(`${line} --json`))].flat();
  const entries = (flags = '') => rows(`history list --limit 1000 ${flags}`);
  return {
    env: () => env,
    start,
    run,
    read,
    rows,
    writes: async () =>
      (await rows('sandbox log')).flatMap(({ method, path }) =>
        method === 'GET' ? [] : [`${method} ${path}`],
      ),
    entries,
    latest: async () => String((await entries())[0]?.['id']),
    file(text, name = 'rows.csv') {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    },
  };
};
