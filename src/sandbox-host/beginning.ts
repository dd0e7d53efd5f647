import { resolve } from 'node:path';
import type { Machine } from '../host/machine.ts';
import { commandLine } from '../notation/shell-word.ts';
import { readText } from '../open/read-text.ts';
import { EXIT, Failure, UsageError } from '../outcome.ts';
import { parseHosts } from '../sandbox/deliveries/targets.ts';
import { parseDialect } from '../sandbox/dialect.ts';
import { isSeedFile, seedOrFile } from '../sandbox/seeds/seed-or-file.ts';
import type { ServeOptions } from '../sandbox/service.ts';
import { openStore, type StoreDisk } from '../sandbox/store.ts';
import { requireHolder } from '../sandbox/tokens.ts';
import type { World } from '../sandbox/world.ts';
import { sandboxDisk } from './embedded.ts';

/** What a sandbox server begins with: a seed, or the state of a file. */

interface Kept {
  readonly first: World;
  readonly save?: (world: World) => void;
}

/** `sandbox reset` would begin the wrong one again: nobody but a server uses this file. */
const withOwnHint = (error: unknown, file: string): unknown =>
  error instanceof Failure && error.code === 'sandbox_damaged'
    ? new Failure(error.message, {
        code: error.code,
        exit: error.exit,
        reason: error.reason,
        hint: `Begin it again from a seed: ${commandLine`ttctl sandbox start --state ${file} --seed demo`}`,
      })
    : error;

/** What the disk says names the variables of the other places; this one has a flag. */
const PLACES = /TTCTL_CONFIG_DIR (?:and|or) TTCTL_STATE_DIR/;

const diskOf = (machine: Machine, file: string): StoreDisk => {
  try {
    return sandboxDisk(resolve(file), machine.clock);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { message, code, exit, reason, details } = error;
    const hint = error.hint?.replace(PLACES, '--state');
    throw new Failure(message, { code, exit, reason, hint, details, cause: error });
  }
};

/** The world of a seed; a file may be a pipe, and is read like all input. @throws UsageError, Failure `seed_file` */
const seedOf = async (machine: Machine, name: string): Promise<World> => {
  const now = machine.clock.now();
  if (!isSeedFile(name)) return seedOrFile(name, now);
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
  const { growFromText } = await import('../sandbox/seeds/file.ts');
  return growFromText(text, name, { now });
};

/** The state in the file of a server, looked at alone. @throws Failure (exit 1) for a damaged one */
const keptIn = (machine: Machine, file: string): World | undefined => {
  try {
    return openStore(diskOf(machine, file)).peek();
  } catch (error) {
    throw withOwnHint(error, file);
  }
};

/** The world to begin with, and how it is kept. A state file that exists goes on; `--seed` begins it again. */
export const keep = async (machine: Machine, { state, seed }: ServeOptions): Promise<Kept> => {
  if (state === undefined) return { first: await seedOf(machine, seed ?? 'demo') };
  const store = openStore(diskOf(machine, state));
  try {
    const kept = seed === undefined ? store.peek() : undefined;
    if (kept !== undefined) return { first: kept, save: store.save };
    // Read before the lock is taken: a pipe may take its time.
    const sown = await seedOf(machine, seed ?? 'demo');
    return { first: await store.replace(async () => sown), save: store.save };
  } catch (error) {
    throw withOwnHint(error, state);
  }
};

/**
 * Checks what a server is wished to be, as its start does; nothing is written.
 * @throws as `startSandbox`, but for a taken port
 */
export const checkWish = async (machine: Machine, wish: ServeOptions): Promise<void> => {
  const { dialect, state, seed, autoApprove, allowWebhooksTo = [] } = wish;
  if (dialect !== undefined) parseDialect(dialect);
  parseHosts(allowWebhooksTo);
  const file = seed === undefined ? state : undefined;
  const kept = file === undefined ? undefined : keptIn(machine, file);
  const first = kept ?? (await seedOf(machine, seed ?? 'demo'));
  if (autoApprove !== undefined) requireHolder(first, autoApprove);
};
