import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, listCommands } from '../../src/cli/command.ts';
import { parseCommandLine } from '../../src/cli/parse.ts';
import { loadProgram } from '../../src/cli/registry.ts';
import { words } from './in-process.ts';

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

const FILES = fileURLToPath(new URL('./files/', import.meta.url));

/** The words of an example behind `ttctl`, with the files of `files/` that it names, and without its format. */
export const argsOf = (line: string): string[] =>
  words(line)
    .filter((word, i, all) => i > 0 && !['--output', '--json'].includes(word) && all[i - 1] !== '--output')
    .map((word) => (/^\w+\.csv$/.test(word) ? join(FILES, word) : word));

/** What is loaded with a file of the source. */

export const SRC = fileURLToPath(new URL('../../src/', import.meta.url));

/** Every file that is loaded with this one, dynamic imports and types left out. */
export const loadedWith = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(join(SRC, file), 'utf8');
  for (const [, to = ''] of text.matchAll(/^(?:import|export)\s+(?!type\b)[^;]*?from '(\.[^']+)'/gm))
    loadedWith(normalize(join(dirname(file), to)), seen);
  return seen;
};
