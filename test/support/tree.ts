import { type Command, listCommands } from '../../src/cli/command.ts';
import { parseCommandLine } from '../../src/cli/parse.ts';
import { loadProgram } from '../../src/cli/registry.ts';

/** Every command there is, every noun loaded. */

export interface Leaf {
  /** `timesheets approve`. */
  readonly path: string;
  readonly command: Command;
}

export const leaves = async (): Promise<readonly Leaf[]> =>
  listCommands(await loadProgram()).map((command) => ({ path: command.path, command }));

/** The path of the command that a line means. @throws UnresolvedLine for one that cannot be run */
export const commandOf = async (args: readonly string[]): Promise<string> =>
  (await parseCommandLine(args, () => false)).command.path;

export { loadProgram };
