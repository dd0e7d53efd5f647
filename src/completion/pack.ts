import type { PlainCommand, PlainFlag } from './plain.ts';

/** The tree with each flag once: most flags stand at many commands, and every answer reads the whole of it. */

interface PackedCommand extends Omit<PlainCommand, 'flags' | 'commands'> {
  /** Places in the list of flags. */
  readonly flags: readonly number[];
  readonly commands: readonly PackedCommand[];
}

export interface Packed {
  readonly flags: readonly PlainFlag[];
  readonly root: PackedCommand;
}

export const pack = (root: PlainCommand): Packed => {
  const indexes = new Map<string, number>();
  const packCommand = (command: PlainCommand): PackedCommand => ({
    ...command,
    flags: command.flags.map((flag) => {
      const key = JSON.stringify(flag);
      const index = indexes.get(key) ?? indexes.size;
      indexes.set(key, index);
      return index;
    }),
    commands: command.commands.map(packCommand),
  });
  const packedRoot = packCommand(root);
  return { root: packedRoot, flags: [...indexes.keys()].map((key): PlainFlag => JSON.parse(key)) };
};

export const unpack = ({ flags, root }: Packed): PlainCommand => {
  const unpackCommand = (command: PackedCommand): PlainCommand => ({
    ...command,
    flags: command.flags.flatMap((index) => flags[index] ?? []),
    commands: command.commands.map(unpackCommand),
  });
  return unpackCommand(root);
};
