import { resolve } from 'node:path';
import type { Invocation } from '../cli/invocation.ts';
import type { Calendar } from '../commands/convert.ts';
import type { InputFile, NameResolver } from '../context.ts';
import { UsageError } from '../outcome.ts';
import type { Machine } from '../platform/machine.ts';
import { describeInput, readBytes } from './read-text.ts';

/** The rows of `--from-file`, and the heading that `--template` prints; loaded when they are asked for. */

interface SheetParts {
  readonly machine: Machine;
  readonly lookUps: NameResolver;
  readonly calendar: Calendar;
  /** @param nameOf how the file calls a parameter @throws UsageError when one is missing */
  readonly complete: (
    values: Readonly<Record<string, unknown>>,
    nameOf: (parameter: string) => string,
  ) => void;
}

async function* watched(
  bytes: AsyncIterable<Uint8Array>,
  watch: (part: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const part of bytes) {
    watch(part);
    yield part;
  }
}

const TURN_MS = 50;

/** Lets signals and what else has come be seen to, now and then. @throws what the run was interrupted with */
const turns = ({ clock, interrupted }: Machine): (() => Promise<void>) => {
  let last = clock.now();
  return async () => {
    if (clock.now() - last < TURN_MS) return;
    await clock.sleep(0, interrupted);
    last = clock.now();
  };
};

/** `undefined` without `--from-file`. */
export const createInputFile = (invocation: Invocation, parts: SheetParts): InputFile | undefined => {
  const { fromFile, input } = invocation.options;
  if (typeof fromFile !== 'string') return undefined;
  if (fromFile === '-' && input === '-') {
    throw new UsageError('--from-file and --input cannot both be stdin');
  }
  const name = describeInput(fromFile);
  return {
    name,
    async read(work) {
      const { decodeText } = await import('../changes/input/decode.ts');
      const { readRows } = await import('../changes/input/read.ts');
      const { openInputFile } = await import('../changes/input/input-file.ts');
      const { createRowSchema } = await import('../commands/row-schema.ts');
      const { createHash } = await import('node:crypto');
      const hash = createHash('sha256');
      const text = decodeText(
        watched(await readBytes(parts.machine, fromFile), (part) => void hash.update(part)),
      );
      const sheet = openInputFile({
        name,
        rows: () => readRows(fromFile, text),
        schema: createRowSchema(invocation, parts.calendar, parts.complete),
        lookUps: parts.lookUps,
        takeTurns: turns(parts.machine),
        input: () => (fromFile === '-' ? undefined : { file: resolve(fromFile), sha256: hash.digest('hex') }),
      });
      return sheet.read(work);
    },
  };
};

/** The heading that `--template` asks for. */
export const createTemplate = async (invocation: Invocation): Promise<string | undefined> => {
  if (invocation.options.template !== true) return undefined;
  const { formatTemplate } = await import('../commands/input-columns.ts');
  return formatTemplate(invocation.command);
};
