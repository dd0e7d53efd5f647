import { Command, Option } from 'commander';
import type { Operation } from '../api/operation.ts';
import { offsetMinutes } from '../notation/calendar.ts';
import type { ExitCode } from '../outcome.ts';
import type { Door } from '../run.ts';
import { repeated } from './options.ts';
import { unsafe } from './unsafe.ts';

/** Columns of `--from-file` that no flag's parameter stands behind. */
export interface InputFacts {
  /** Names of the column that names the record, the usual one first. */
  readonly target: readonly string[];
  /** Handed to the command as it is written. */
  readonly plain: readonly string[];
}

/** What `--output json` prints: a list is an array, a record an object, results an array of what became of targets. */
export interface Prints {
  readonly shape: 'list' | 'record' | 'results' | 'text' | 'document';
  /** Members of the record, or of each in the list. */
  readonly fields?: readonly string[];
  /** Members of the record that is printed in place of the list where one is named. */
  readonly named?: readonly string[];
  /** What a text or document is: `the script`. */
  readonly about?: string;
}

/** How a command that asks the service can end, beside what every command can. */
export const SERVICE_EXITS: readonly ExitCode[] = [3, 4, 5, 6, 7];

/** What a command is, beside what commander knows of it: for help, schema, dry run and the tests. */
export interface CommandFacts {
  readonly operation?: Operation;
  /** Whole command lines with long flags; each parses (tested). */
  readonly examples: readonly string[];
  /** What an input file says beside the flags, where that is not the positional alone. */
  readonly input?: InputFacts;
  /** Whether it may change something at the service. Default: what the operation says. */
  readonly writes?: boolean;
  /** The state that the records it is about have to be in: `submitted`. */
  readonly from?: string;
  /** What lists the records that `--all` means, and what does the same to named ones, where the noun has no `list`. */
  readonly oneByOne?: Readonly<Record<'list' | 'write', string>>;
  /** Sections of its help that are its own: how a script is installed; what one has to know, in sentences. */
  readonly more?: readonly Readonly<{ title: string; commands?: readonly string[]; text?: string }>[];
  /** Where no operation says it. */
  readonly prints?: Prints;
  /** Exit codes beside those of every command; for one without an operation. */
  readonly exits?: readonly ExitCode[];
  /** False: it never asks a person, not even for what is missing. */
  readonly asks?: false;
  /** Whether `--profile` may name one that does not exist yet. */
  readonly newProfile?: boolean;
  /** Stored settings that are wrong do not keep it from its work: it mends their values, or examines the whole file. */
  readonly settings?: 'mended' | 'examined';
}

const facts = new WeakMap<Command, CommandFacts>();

export const factsOf = (command: Command): CommandFacts => facts.get(command) ?? { examples: [] };

export const withFacts = (command: Command, about: CommandFacts): Command => {
  facts.set(command, about);
  return command;
};

/** Says what a file for the command has beside its flags. */
export const withInput = (command: Command, input: InputFacts): Command =>
  withFacts(command, { ...factsOf(command), input });

/** A command without an operation of its own: settings, credentials, the sandbox. */
export const localCommand = (name: string, summary: string, about: CommandFacts): Command =>
  withFacts(new Command(name).description(summary), about);

const wanted = new WeakMap<Command, string>();

/** Says which verb of a noun the command line names: `withVerbs` need not make the others. */
export const wantVerb = (group: Command, verb: string): void => void wanted.set(group, verb);

/** Puts the verbs of a noun in place, in this order; only the one that is named, where one is. */
export const withVerbs = (
  group: Command,
  door: Door,
  verbs: Readonly<Record<string, (door: Door) => Command>>,
): Command => {
  const verb = wanted.get(group) ?? '';
  const made = Object.entries(verbs).filter(([name]) => name === verb || !Object.hasOwn(verbs, verb));
  for (const [, make] of made) group.addCommand(make(door));
  return group;
};

/** Heading of the flags that no document stands behind. */
export const RAW = 'Raw values:';

const zones = new WeakSet<Option>();

/** `--timezone` of a command that takes days or times, or shows them. */
export const zoneOption = (): Option => {
  const option = new Option('--timezone <name>', 'zone that days and times are meant and shown in').helpGroup(
    'Dates:',
  );
  zones.add(option);
  return option;
};

/**
 * The zone that `--timezone` names; `undefined` without one.
 * @throws UsageError when there is no such zone
 */
export const zoneOf = (command: Command): string | undefined => {
  const option = command.options.find((candidate) => zones.has(candidate));
  const zone = option && command.getOptionValue(option.attributeName());
  if (zone === undefined) return undefined;
  offsetMinutes(0, String(zone));
  return String(zone);
};

const takesDates = (operation: Operation): boolean =>
  Object.values(operation.parameters).some(({ type }) => type === 'date' || type === 'datetime');

/** `--show-secrets` of a command whose records hold some. */
export const secretsOption = (): Option =>
  unsafe(
    new Option('--show-secrets', 'show tokens and invitation links in full (JSON and the like always do)'),
  );

/** A command that carries out one operation of the table; raw values are never out of reach. */
export const operationCommand = (
  name: string,
  operation: Operation,
  examples: readonly string[],
): Command => {
  const command = localCommand(name, operation.summary, { operation, examples });
  if (takesDates(operation)) command.addOption(zoneOption());
  if (operation.method === 'GET') {
    command.addOption(
      new Option('--param <name=value>', 'add a raw query parameter').argParser(repeated).helpGroup(RAW),
    );
    return command;
  }
  return command
    .addOption(
      new Option('--field <name=value>', 'add a raw body field; name:=json for other than text')
        .argParser(repeated)
        .helpGroup(RAW),
    )
    .addOption(new Option('--input <file>', 'a whole JSON body from a file, or - for stdin').helpGroup(RAW));
};

/** The flags that count and sum what a list has. */
export const groupOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--group-by <field>', 'count the rows for each value of a field')
        .argParser(repeated)
        .helpGroup('Groups:'),
    )
    .addOption(
      new Option('--sum <field>', 'with --group-by: add up a field of each group')
        .argParser(repeated)
        .helpGroup('Groups:'),
    );

/** The flags of a list of the service. */
export const listOptions = (command: Command): Command => {
  groupOptions(command)
    .addOption(new Option('--limit <n>', 'at most so many rows, or groups').helpGroup('Paging:'))
    .addOption(new Option('--page <n>', 'only this page').helpGroup('Paging:'));
  if (factsOf(command).operation?.paging !== 'pages') return command;
  return command.addOption(
    new Option('--per-page <n>', 'rows of one request, 1 to 100').helpGroup('Paging:'),
  );
};

/** `--period` beside `--date-from` and `--date-to`. */
export const periodOption = (): Option =>
  new Option('--period <period>', 'both days at once: last-week, next-month, 2026-W32, 2026-08, 2026-Q3');

const INPUT = 'Input:';

/** The flags of a write over many: targets, or rows of a file. */
export const targetOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--from-file <file>',
        'one for each row of a CSV, JSON or NDJSON file, - for stdin; columns are named like the flags, and a flag counts where a row says nothing',
      ).helpGroup(INPUT),
    )
    .addOption(new Option('--template', 'print the heading of such a file').helpGroup(INPUT))
    .addOption(unsafe(new Option('--max-changes <n>', 'refuse when there are more').helpGroup(INPUT)))
    .addOption(
      unsafe(
        new Option('--no-journal', 'write nothing down, so that the run cannot be resumed').helpGroup(INPUT),
      ),
    );

/** `--all`: act on every record that the list's filters match and that is in the right state. */
export const allOption = (what: string): Option => unsafe(new Option('--all', what).helpGroup('Targets:'));
