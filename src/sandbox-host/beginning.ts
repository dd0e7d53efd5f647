import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { EXIT, Failure, UsageError } from '../outcome.ts';
import { commandLine } from '../parsing/shell-word.ts';
import type { Machine } from '../platform/machine.ts';
import { readText } from '../runtime/input.ts';
import { parseHosts } from '../sandbox/deliveries/targets.ts';
import { parseDialect, type ServiceDialect } from '../sandbox/dialect.ts';
import { isSeedFile, loadSeed } from '../sandbox/seeds/seed.ts';
import type { ServeOptions } from '../sandbox/service.ts';
import { openStateStore } from '../sandbox/store.ts';
import { requireHolder } from '../sandbox/tokens.ts';
import type { World } from '../sandbox/world.ts';
import { replaceNamed } from '../storage/write-named.ts';
import { createSandboxDisk } from './embedded.ts';

/** What a sandbox server begins with: a seed, or the state of a file. */

interface ServerStart {
  readonly world: World;
  /** Keeps the state in its file; absent: in memory only. */
  readonly save?: ((world: World) => void) | undefined;
  readonly dialect: ServiceDialect | undefined;
  /** Hosts beside this machine that webhooks may point to. */
  readonly allowed: readonly string[];
}

/** `sandbox reset` would begin the wrong one again: nobody but a server uses this file. */
const explainStateFailure = (error: unknown, file: string): unknown => {
  if (!(error instanceof Failure) || error.code !== 'sandbox_damaged') return error;
  const { message, code, exit, reason, details } = error;
  const hint = `Start over from a seed: ${commandLine`ttctl sandbox start --state ${file} --seed demo`}`;
  return new Failure(message, { code, exit, reason, hint, details, cause: error });
};

/** How a state begins, and the windows and changes beside it, whole or torn. */
const STATE = /^\{"version":\d/;
const CHANGES = /^\{"of":"/;
const WINDOWS = /^\{(?:\}$|"[^"]*(?:$|":\{"requests":))/;

/** Undefined for what is no file, or cannot be read: it is judged when it is used. */
const readStart = (file: string): string | undefined => {
  try {
    if (!statSync(file).isFile()) return undefined;
    const fd = openSync(file, 'r');
    try {
      const bytes = Buffer.alloc(200);
      return bytes.toString('latin1', 0, readSync(fd, bytes));
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
};

/** @returns whether it is empty @throws UsageError for what is somebody's own file: it would be lost */
const checkStateFile = (file: string, start: RegExp): boolean => {
  const text = readStart(file);
  if (text && !start.test(text))
    throw new UsageError(`${file} is not the state of a sandbox`, {
      code: 'bad_value',
      hint: 'Name another file with --state.',
    });
  return text === '';
};

/** The world of a seed; a file may be a pipe, and is read like all input. @throws UsageError, Failure `seed_file` */
const readSeed = async (machine: Machine, name: string): Promise<World> => {
  const now = machine.clock.now();
  if (!isSeedFile(name)) return loadSeed(name, now);
  const text = await readText(machine, name).catch((cause: unknown) => {
    if (!(cause instanceof UsageError)) throw cause;
    const reason = cause.reason ?? cause.message;
    throw new Failure(`cannot read the seed file ${name}`, {
      code: 'seed_file',
      exit: EXIT.usage,
      reason,
      cause,
    });
  });
  const { seedFromText } = await import('../sandbox/seeds/file.ts');
  return seedFromText(text, name, { now });
};

/**
 * Checks what a server is to be, and makes the state it begins with: that of its file goes on; `--seed` begins it again.
 * @throws UsageError for an unknown seed, dialect or what is no host; Failure (exit 4, 5) for who cannot approve, (exit 1) for a damaged state file
 */
export const prepareServer = async (
  machine: Machine,
  { state, seed, autoApprove, ...options }: ServeOptions,
): Promise<ServerStart> => {
  const dialect = options.dialect === undefined ? undefined : parseDialect(options.dialect);
  const allowed = parseHosts(options.allowWebhooksTo ?? []);
  const readInitialSeed = () => readSeed(machine, seed ?? 'demo');
  try {
    const isEmpty = state !== undefined && checkStateFile(state, STATE);
    if (state !== undefined) {
      checkStateFile(`${state}.limits`, WINDOWS);
      checkStateFile(`${state}.changes`, CHANGES);
    }
    const store =
      state === undefined
        ? undefined
        : openStateStore(createSandboxDisk(resolve(state), machine.clock, replaceNamed));
    const existing = seed === undefined && !isEmpty ? await store?.peek() : undefined;
    // Read before the lock is taken: a pipe may take its time.
    const initial = existing ?? (await readInitialSeed());
    const isNew = existing === undefined && store !== undefined;
    const world = isNew ? await store.replace(async () => initial) : initial;
    if (autoApprove !== undefined) requireHolder(world, autoApprove);
    return { world, save: store?.save, dialect, allowed };
  } catch (error) {
    throw state === undefined ? error : explainStateFailure(error, state);
  }
};
