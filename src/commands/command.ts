import { Command, Option } from 'commander';
import type { Operation } from '../api/operation.ts';
import { flag, repeated } from './options.ts';

/** What a command is, beside what commander knows of it: for help, schema, dry run and the tests. */
export interface CommandFacts {
  readonly operation?: Operation;
  /** Whole command lines with long flags; each parses (tested). */
  readonly examples: readonly string[];
  /** Whether it may change something at the service. Default: what the operation says. */
  readonly writes?: boolean;
  /** Whether `--profile` may name one that does not exist yet. */
  readonly newProfile?: boolean;
}

const facts = new WeakMap<Command, CommandFacts>();

export const factsOf = (command: Command): CommandFacts => facts.get(command) ?? { examples: [] };

export const withFacts = (command: Command, about: CommandFacts): Command => {
  facts.set(command, about);
  return command;
};

/** A command without an operation of its own: settings, credentials, the sandbox. */
export const localCommand = (name: string, summary: string, about: CommandFacts): Command =>
  withFacts(new Command(name).description(summary), about);

/** A command that carries out one operation of the table; raw values are never out of reach. */
export const operationCommand = (
  name: string,
  operation: Operation,
  examples: readonly string[],
): Command => {
  const command = localCommand(name, operation.summary, { operation, examples });
  if (operation.method === 'GET') {
    command.addOption(
      new Option('--param <name=value>', 'add a raw query parameter')
        .argParser(repeated)
        .helpGroup('Raw values:'),
    );
    return command;
  }
  return command
    .addOption(
      new Option('--field <name=value>', 'add a raw body field; name:=json for other than text')
        .argParser(repeated)
        .helpGroup('Raw values:'),
    )
    .addOption(
      new Option('--input <file>', 'a whole JSON body from a file, or - for stdin').helpGroup('Raw values:'),
    );
};

/** The flags of a list that is paged. */
export const listOptions = (command: Command): Command =>
  command
    .addOption(new Option('--limit <n>', 'at most this many rows').helpGroup('Paging:'))
    .addOption(new Option('--page <n>', 'only this page').helpGroup('Paging:'))
    .addOption(new Option('--per-page <n>', 'rows of one request, 1 to 100').helpGroup('Paging:'));

/** `--period` beside `--date-from` and `--date-to`. */
export const periodOption = (): Option =>
  new Option('--period <period>', 'both days at once: last-week, this-month, 2026-W32, 2026-08, 2026-Q3');

/** The flags of a write over many targets. */
export const targetOptions = (command: Command): Command =>
  command.addOption(
    new Option('--max-changes <n>', 'refuse when there are more targets').helpGroup('Targets:'),
  );

/** The filters of a list, for a write that takes `--all`. */
export const filterOptions = <O extends Operation>(
  command: Command,
  list: O,
  names: readonly (keyof O['parameters'] & string)[],
): Command => {
  for (const name of names) command.addOption(flag(list, name).helpGroup('Filters of --all:'));
  return command;
};

/** `--all`: act on every record that the list's filters match and that is in the right state. */
export const allOption = (what: string): Option => new Option('--all', what).helpGroup('Targets:');
