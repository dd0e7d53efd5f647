import type { Command } from 'commander';
import { factsOf } from '../../src/commands/command.ts';
import { wholeProgram as load } from '../../src/program.ts';
import type { Door } from '../../src/run.ts';

/** The whole command tree, every noun loaded. */

export interface Leaf {
  /** `timesheets approve`. */
  readonly path: string;
  readonly command: Command;
}

const closed: Door = {
  open: () => Promise.reject(new Error('not to be run')),
  values: () => Promise.resolve({}),
};

export const wholeProgram = async (
  door: Door = closed,
  write: (text: string) => void = () => {},
): Promise<Command> => {
  return load({ version: 'ttctl 0.0.0', door, write });
};

const pathOf = (command: Command): string =>
  command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

const leavesOf = (command: Command): Leaf[] =>
  command.commands.length === 0 ? [{ path: pathOf(command), command }] : command.commands.flatMap(leavesOf);

export const leaves = async (): Promise<readonly Leaf[]> => leavesOf(await wholeProgram());

export { factsOf };
