import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../src/clock.ts';
import { removeFolder } from './folder.ts';
import { type Outcome, runInProcess } from './in-process.ts';
import { finished, lineFrom, startBinary } from './process.ts';

/** A sandbox to try things on with commands: the embedded one, or a server in a process of its own. */

export interface Tried {
  /** What points a command at it. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs a command against it, in this process. */
  run(args: readonly string[], more?: Readonly<Record<string, string>>, clock?: Clock): Promise<Outcome>;
  /** The same, with the JSON that it printed. @throws Error with what it printed when it is none */
  // biome-ignore lint/suspicious/noExplicitAny: tests read literal records
  json(args: readonly string[], more?: Readonly<Record<string, string>>): Promise<any>;
  close(): Promise<void>;
}

const tried = (
  env: Readonly<Record<string, string>>,
  alive: (pid: number) => boolean,
  close: () => Promise<void>,
): Tried => {
  const run: Tried['run'] = (args, more = {}, clock) =>
    runInProcess(args, { env: { ...env, ...more }, machine: { kill: alive, ...(clock && { clock }) } });
  return {
    env,
    run,
    async json(args, more) {
      const { stdout, stderr } = await run([...args, '--json'], more);
      try {
        return JSON.parse(stdout);
      } catch {
        throw new Error(`no JSON of ${args.join(' ')}: ${stdout}${stderr}`);
      }
    },
    close,
  };
};

const folder = () => {
  const path = mkdtempSync(join(tmpdir(), 'ttctl-tried-'));
  return { path, remove: () => removeFolder(path) };
};

const COMMON = { LANG: 'C.UTF-8', TZ: 'UTC', TTCTL_RATE_LIMIT: 'off' };

export const tryEmbedded = async (seed = 'demo'): Promise<Tried> => {
  const { path, remove } = folder();
  const env = {
    ...COMMON,
    TTCTL_STATE_DIR: join(path, 'state'),
    TTCTL_CONFIG_DIR: join(path, 'config'),
    TTCTL_PROFILE: 'sandbox',
  };
  const sandbox = tried(
    env,
    () => true,
    async () => remove(),
  );
  if (seed !== 'demo') await sandbox.json(['sandbox', 'reset', '--seed', seed]);
  return sandbox;
};

export const tryServer = async (flags: readonly string[] = []): Promise<Tried> => {
  const { path, remove } = folder();
  const env = {
    ...COMMON,
    TTCTL_STATE_DIR: join(path, 'state'),
    TTCTL_CONFIG_DIR: join(path, 'config'),
    PATH: process.env.PATH ?? '',
  };
  const child = startBinary(['sandbox', 'start', '--port', '0', ...flags], { env });
  const ended = finished(child);
  await lineFrom(child.stdout);
  const close = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    remove();
  };
  const variables = await tried(env, () => true, close).json(['sandbox', 'env']);
  // Tests say themselves what waits.
  return tried({ ...env, ...variables, TTCTL_RATE_LIMIT: COMMON.TTCTL_RATE_LIMIT }, () => true, close);
};

/** Both kinds, for tests of what holds for either. */
export const KINDS = [
  ['embedded', (seed?: string) => tryEmbedded(seed)],
  ['server', (seed = 'demo') => tryServer(['--seed', seed])],
] as const;
