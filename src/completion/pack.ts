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
  const places = new Map<string, number>();
  const packed = (command: PlainCommand): PackedCommand => ({
    ...command,
    flags: command.flags.map((flag) => {
      const key = JSON.stringify(flag);
      const place = places.get(key) ?? places.size;
      places.set(key, place);
      return place;
    }),
    commands: command.commands.map(packed),
  });
  const whole = packed(root);
  return { root: whole, flags: [...places.keys()].map((key): PlainFlag => JSON.parse(key)) };
};

export const unpack = ({ flags, root }: Packed): PlainCommand => {
  const whole = (command: PackedCommand): PlainCommand => ({
    ...command,
    flags: command.flags.flatMap((place) => flags[place] ?? []),
    commands: command.commands.map(whole),
  });
  return whole(root);
};
