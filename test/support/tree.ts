import { type Command, leavesOf } from '../../src/cli/command.ts';
import { readLine } from '../../src/cli/commander.ts';
import { wholeProgram } from '../../src/cli/registry.ts';

/** Every command there is, every noun loaded. */

export interface Leaf {
  /** `timesheets approve`. */
  readonly path: string;
  readonly command: Command;
}

export const leaves = async (): Promise<readonly Leaf[]> =>
  leavesOf(await wholeProgram()).map((command) => ({ path: command.path, command }));

/** The path of the command that a line means. @throws RefusedLine for one that cannot be run */
export const commandOf = async (args: readonly string[]): Promise<string> =>
  (await readLine(args, () => false)).command.path;

export { wholeProgram };
