import type { Argument, Command, Option } from 'commander';
import { nounOf, type Operation } from '../api/operation.ts';
import { allOperations } from '../api/operations.ts';
import { changesNothing, type Extra, missing, type Values } from '../api/plan.ts';
import { factsOf } from './command.ts';
import { type Bound, given, isFlag, isNeeded, parameterOf } from './options.ts';

/** What a command line leaves out that its command cannot do without: what a person is asked for. */

/** A needed flag or positional. */
export interface Missing {
  readonly what: 'value';
  readonly source: Option | Argument;
  /** Absent: no parameter of the table stands behind it, as behind a positional that names records. */
  readonly binding: Bound | undefined;
}

/** `changes`: any of the fields of an update. */
export type Need = Missing | { readonly what: 'changes' };

const isEmpty = (raw: unknown): boolean => raw === undefined || (Array.isArray(raw) && raw.length === 0);

/** The list that `--all` goes through: `members.list` for `members archive`. */
const listOf = (operation: Operation): Operation | undefined =>
  allOperations().find((other) => other.id === `${nounOf(operation)}.list`);

/** Filters beside named targets are refused in any case: nobody is asked for targets then. */
const hasFilters = (command: Command, operation: Operation): boolean =>
  command.getOptionValue('period') !== undefined ||
  given(command).some(({ source, raw }) => {
    const other = parameterOf(source)?.operation;
    return raw !== undefined && other !== undefined && other.id !== operation.id;
  });

const targetNeeds = (command: Command, rows: boolean): Need[] =>
  command.registeredArguments.flatMap((source, index) => {
    const wanted = rows || isNeeded(source, command.opts());
    if (parameterOf(source) !== undefined || !wanted || !isEmpty(command.processedArgs[index])) return [];
    return [{ what: 'value', source, binding: undefined } as const];
  });

const valueNeeds = (command: Command, names: ReadonlySet<string>): Need[] =>
  given(command).flatMap(({ source, raw }) => {
    const binding = parameterOf(source);
    const own = isFlag(source) && isNeeded(source, command.opts());
    const wanted = binding === undefined ? own : names.has(binding.name);
    return wanted && raw === undefined ? [{ what: 'value', source, binding } as const] : [];
  });

const valuesOf = (command: Command): Values => {
  const period = command.getOptionValue('period') === undefined ? {} : { date_from: true, date_to: true };
  const flags = given(command).flatMap(({ source, raw }) => {
    const binding = parameterOf(source);
    return binding === undefined || raw === undefined ? [] : [[binding.name, raw] as const];
  });
  return { ...period, ...Object.fromEntries(flags) };
};

/**
 * What is missing, in the order in which it is asked for.
 * @param extra what `--param`, `--field` and `--input` give
 */
export const needsOf = (command: Command, extra: Extra): readonly Need[] => {
  const { operation, asks } = factsOf(command);
  const { all, fromFile, template } = command.opts();
  if (asks === false || fromFile !== undefined || template === true) return [];
  const rows = command.options.some(({ long }) => long === '--from-file');
  const values = valuesOf(command);
  if (operation === undefined) return [...targetNeeds(command, rows), ...valueNeeds(command, new Set())];
  const takesAll = command.options.some(({ long }) => long === '--all');
  if (takesAll && all !== true && hasFilters(command, operation)) return [];
  const list = all === true ? listOf(operation) : undefined;
  const names = new Set([
    ...missing(operation, values, extra),
    ...(list === undefined ? [] : missing(list, values, extra)),
  ]);
  return [
    ...(all === true ? [] : targetNeeds(command, rows)),
    ...valueNeeds(command, names),
    ...(changesNothing(operation, values, extra) ? [{ what: 'changes' } as const] : []),
  ];
};
