import type { Machine } from '../host/machine.ts';
import { UsageError } from '../outcome.ts';

/** Text that the command line names. */

/** Reads a file that a flag names, or stdin for `-`. */
export const readText = async (machine: Machine, file: string): Promise<string> => {
  if (file !== '-') {
    const { readInput } = await import('../disk/read.ts');
    return readInput(file);
  }
  return readStdin(machine);
};

/** All of stdin as text. @throws UsageError when it is a terminal */
export const readStdin = async ({ stdin }: Machine): Promise<string> => {
  if (stdin.isTTY)
    throw new UsageError('stdin is a terminal', { hint: 'Pipe the input in, or name a file.' });
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
};
