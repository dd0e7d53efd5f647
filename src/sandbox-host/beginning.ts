import { resolve } from 'node:path';
import type { Machine } from '../host/machine.ts';
import { commandLine } from '../notation/shell-word.ts';
import { Failure } from '../outcome.ts';
import { parseHosts } from '../sandbox/deliveries/targets.ts';
import type { ServeOptions } from '../sandbox/desk.ts';
import { parseDialect } from '../sandbox/dialect.ts';
import { seedOrFile } from '../sandbox/seeds/seed-or-file.ts';
import { openStore } from '../sandbox/store.ts';
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

/** The state in the file of a server, looked at alone. @throws Failure (exit 1) for a damaged one */
const keptIn = (machine: Machine, file: string): World | undefined => {
  try {
    return openStore(sandboxDisk(resolve(file), machine.clock)).peek();
  } catch (error) {
    throw withOwnHint(error, file);
  }
};

/** The world to begin with, and how it is kept. A state file that exists goes on; `--seed` begins it again. */
export const keep = async (machine: Machine, { state, seed }: ServeOptions): Promise<Kept> => {
  const now = machine.clock.now();
  if (state === undefined) return { first: await seedOrFile(seed ?? 'demo', now) };
  const store = openStore(sandboxDisk(resolve(state), machine.clock));
  try {
    const kept = seed === undefined ? store.peek() : undefined;
    const first = kept ?? (await store.replace(() => seedOrFile(seed ?? 'demo', now)));
    return { first, save: store.save };
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
  const first = kept ?? (await seedOrFile(seed ?? 'demo', machine.clock.now()));
  if (autoApprove !== undefined) requireHolder(first, autoApprove);
};
