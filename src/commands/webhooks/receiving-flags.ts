import { type Command, Option } from 'commander';
import { repeated } from '../options.ts';
import { unsafe } from '../unsafe.ts';

/** The flags that `listen`, `received` and `replay` share. */

/** Heading of what is done with a delivery. */
export const ON = 'Hand on:';

export const hostOption = (): Option =>
  unsafe(
    new Option('--host <address>', 'address to listen on; 0.0.0.0 lets other machines in').default(
      '127.0.0.1',
    ),
  );

export const withStore = (command: Command): Command =>
  command.option('--store <folder>', 'where deliveries are kept; default: webhooks in the state directory');

export const withHandOn = (command: Command): Command =>
  command
    .addOption(new Option('--forward <url>', 'post each on to this address, byte for byte').helpGroup(ON))
    .addOption(
      unsafe(
        new Option(
          '--exec <command>',
          'run this in the shell for each: its body on stdin, all that it prints to stderr; TTCTL_EVENT, TTCTL_DELIVERY_ID and others in the environment',
        ).helpGroup(ON),
      ),
    )
    .addOption(
      unsafe(
        new Option(
          '--pass-env <name>',
          'pass this variable to the command too; it gets PATH, HOME and the like, and no credentials',
        )
          .argParser(repeated)
          .helpGroup(ON),
      ),
    );
