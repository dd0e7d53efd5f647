import { UsageError } from '../outcome.ts';
import type { Machine } from '../platform/machine.ts';

/** What the command line names to be read: a file, or stdin for `-`. */

/** As messages name it. */
export const describeInput = (file: string): string => (file === '-' ? 'stdin' : file);

/** @throws UsageError for a terminal, for what cannot be read, and for more than the measure of all input */
export const readBytes = async (
  { stdin, interrupted }: Pick<Machine, 'stdin' | 'interrupted'>,
  file: string,
  most?: number,
): Promise<AsyncIterable<Uint8Array>> => {
  const { readBoundedStream, streamInput } = await import('../storage/read.ts');
  if (file !== '-') return streamInput(file, interrupted);
  if (stdin.isTTY) {
    throw new UsageError('stdin is a terminal', { hint: 'Pipe the input in, or use a file.' });
  }
  return readBoundedStream(stdin, interrupted, most);
};

/** All of it as text. @param most bytes of stdin; default: the measure of all input @throws as `readBytes`; UsageError for bytes that are no text */
export const readText = async (
  machine: Pick<Machine, 'stdin' | 'interrupted'>,
  file: string,
  most?: number,
): Promise<string> => {
  const { decodeText } = await import('../changes/input/decode.ts');
  const bytes = await readBytes(machine, file, most);
  let text = '';
  try {
    for await (const part of decodeText(bytes)) text += part;
  } catch (error) {
    if (!(error instanceof UsageError) || error.code === 'unreadable') throw error;
    throw new UsageError(`${describeInput(file)}: ${error.message}`, { hint: error.hint, cause: error });
  }
  return text;
};
