import type { Command } from 'commander';
import type { Operation, ValuesOf } from './api/operation.ts';
import type { Context } from './context.ts';

/** How a command gets at the world: `main.ts` opens a context for it. */
export interface Door {
  /** @param absent what commander says of positionals that are not there: thrown unless a person can be asked */
  open(command: Command, absent?: Error): Promise<Context>;
  /** The values of the command's flags, checked and looked up. `undefined`: all that was asked for has been said. */
  values(command: Command, context: Context): Promise<Record<string, unknown> | undefined>;
}

/** Without empty ones; with those that a person was asked for. */
const positionals = ({ processedArgs }: Command): readonly string[] =>
  processedArgs.flat().filter((value): value is string => typeof value === 'string');

/**
 * Wraps an action of an operation: it gets the context, the values of its flags by the API's names, its
 * positionals, and its other flags as commander parsed them.
 */
export const runOperation =
  <O extends Operation>(
    door: Door,
    _operation: O,
    action: (
      context: Context,
      values: Partial<ValuesOf<O>>,
      targets: readonly string[],
      options: Readonly<Record<string, unknown>>,
    ) => Promise<void>,
  ) =>
  async (...invocation: unknown[]): Promise<void> => {
    const command = invocation.at(-1) as Command;
    const context = await door.open(command);
    const values = await door.values(command, context);
    if (values === undefined) return;
    await action(context, values as Partial<ValuesOf<O>>, positionals(command), command.opts());
  };

/** Wraps an action that has flags of the table, and no operation of its own. */
export const runFlags =
  (
    door: Door,
    action: (
      context: Context,
      values: Readonly<Record<string, unknown>>,
      options: Readonly<Record<string, unknown>>,
    ) => Promise<void>,
  ) =>
  async (...invocation: unknown[]): Promise<void> => {
    const command = invocation.at(-1) as Command;
    const context = await door.open(command);
    const values = await door.values(command, context);
    if (values !== undefined) await action(context, values, command.opts());
  };

/** Wraps an action that has no operation of its own. */
export const run =
  (
    door: Door,
    action: (
      context: Context,
      targets: readonly string[],
      options: Readonly<Record<string, unknown>>,
    ) => Promise<void>,
  ) =>
  async (...invocation: unknown[]): Promise<void> => {
    const command = invocation.at(-1) as Command;
    const context = await door.open(command);
    await action(context, positionals(command), command.opts());
  };
