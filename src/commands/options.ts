import { Argument, type Command, Option } from 'commander';
import type { Operation, Parameter } from '../api/operation.ts';
import type { Lookup } from '../context.ts';
import { UsageError } from '../outcome.ts';
import { PEOPLE } from '../resources/kinds.ts';

/**
 * Flags that come from the operation table: type, choices, help and range. A value stays text until the action
 * runs (`readValues`), so that `--help` wins over a bad one and all bad values are told at once.
 */

/** What a flag is for: an operation, or a command that has filters of its own. */
type Owner = Pick<Operation, 'id' | 'parameters'>;

export interface Bound {
  readonly operation: Owner;
  readonly name: string;
  readonly parameter: Parameter;
  readonly lookup?: Lookup;
}

export const isFlag = (source: Option | Argument): source is Option => 'long' in source;

const bound = new WeakMap<Option | Argument, Bound>();

/** The parameter behind a flag, for the schema and the tests. */
export const parameterOf = (option: Option | Argument): Bound | undefined => bound.get(option);

type Flags = Readonly<Record<string, unknown>>;

interface Asked {
  readonly kind: string;
  readonly when: (flags: Flags) => boolean;
}

const asked = new WeakMap<Option | Argument, Asked>();

/**
 * A needed flag or positional that no parameter of the table stands behind.
 * @param kind of record that a person picks for it; absent: a text
 * @param when it is needed; absent: always
 */
export const needed = <S extends Option | Argument>(
  source: S,
  kind = '',
  when = (_flags: Flags) => true,
): S => {
  asked.set(source, { kind, when });
  return source;
};

/** What a person is asked for what `needed` has made: a kind of record, or `''`; `undefined` for any other. */
export const askedFor = (source: Option | Argument): string | undefined => asked.get(source)?.kind;

const forgiven = new WeakSet<Argument>();

/** Lets commander pass over positionals that are not there: a person is asked for them. */
export const forgive = (command: Command): void => {
  for (const argument of command.registeredArguments.filter(({ required }) => required)) {
    forgiven.add(argument);
    argument.argOptional();
  }
};

/** Whether the command cannot do without it, whatever commander was told. */
export const isNeeded = (source: Option | Argument, flags: Flags): boolean =>
  asked.get(source)?.when(flags) ?? (!isFlag(source) && (source.required || forgiven.has(source)));

const kebab = (name: string): string => name.replaceAll('_', '-');
/** `Regular User` → `regular-user`. */
export const kebabWord = (choice: string): string => choice.toLowerCase().replaceAll(' ', '-');

const placeholder = (parameter: Parameter, lookup: Lookup | undefined, name: string): string => {
  if (lookup !== undefined) return lookup;
  if (parameter.type === 'date') return 'day';
  if (parameter.type === 'datetime') return 'time';
  if (parameter.type === 'integer' && parameter.words === undefined) return 'n';
  return name;
};

const offered = new WeakMap<Option | Argument, readonly string[]>();

/** Words that the shell offers for the value. Which are taken is said where the value is read. */
export const offering = <T extends Option | Argument>(taker: T, words: readonly string[]): T => {
  offered.set(taker, words);
  return taker;
};

export const wordsOffered = (taker: Option | Argument): readonly string[] | undefined => offered.get(taker);

export const choicesOf = (parameter: Parameter): readonly string[] =>
  parameter.choices?.map(kebabWord) ?? Object.keys(parameter.words ?? {});

/**
 * A positional for one parameter of an operation: the address of an invitation. Rows of a file bring their own,
 * so commander does not insist on it; that it is missing is told like a missing flag.
 */
export const positional = <O extends Operation>(
  operation: O,
  name: keyof O['parameters'] & string,
  about: string,
) => {
  const argument = new Argument(`[${kebab(name)}]`, about);
  bound.set(argument, { operation, name, parameter: operation.parameters[name] as Parameter });
  return argument;
};

/** A flag that takes one of these words and stands for no parameter of an operation. */
export const choice = (flags: string, about: string, words: readonly string[]): Option => {
  const option = new Option(flags, about);
  // Not commander's `choices`, which ends at the first bad value: `choiceProblems` tells all.
  option.argChoices = [...words];
  return offering(option, words);
};

/** Collects a flag that may be given several times. */
export const repeated = (value: string, before: readonly string[] = []): string[] => [...before, value];

export interface FlagOptions {
  /** The flag's name where it is not the parameter's: `project` for `project_id`. */
  readonly as?: string;
  readonly lookup?: Lookup;
  readonly about?: string;
}

/** A flag for one parameter of an operation. */
export const flag = <O extends Owner>(
  operation: O,
  name: keyof O['parameters'] & string,
  { as, lookup, about }: FlagOptions = {},
): Option => {
  const parameter = operation.parameters[name] as Parameter;
  const long = as ?? kebab(name);
  const bare = parameter.type === 'boolean' || parameter.on !== undefined;
  const value = bare ? '' : ` <${placeholder(parameter, lookup, long)}>`;
  const choices = choicesOf(parameter);
  const words = choices.length > 0 ? ` (${choices.join(', ')})` : '';
  const who = lookup === undefined ? '' : PEOPLE.has(lookup) ? ' (id or e-mail)' : ' (id or name)';
  const need = parameter.required ? '; needed' : '';
  const option = new Option(`--${long}${value}`, `${about ?? parameter.about}${words}${who}${need}`);
  if (parameter.type.endsWith('[]')) option.argParser(repeated);
  bound.set(option, { operation, name, parameter, ...(lookup === undefined ? {} : { lookup }) });
  return option;
};

const twice = new WeakMap<Command, Set<Option>>();

/** Notes which flags of one value a command line gives more than once: commander keeps the last. */
export const watchRepeats = (command: Command): void => {
  const seen = new Set<Option>();
  const again = new Set<Option>();
  twice.set(command, again);
  for (const option of command.options) {
    if (!option.required || option.parseArg !== undefined) continue;
    command.on(`option:${option.name()}`, () => void (seen.has(option) ? again : seen).add(option));
  }
};

/** What is wrong with a flag of one value that is given more than once. */
export const repeatProblem = ({ long }: Option): UsageError =>
  new UsageError(`${long} is given more than once`, { hint: 'It takes one value.' });

/** The same for each such flag of a command, those of every command among them. */
export const repeatProblems = (command: Command): readonly UsageError[] => [
  ...[...(twice.get(command) ?? [])].map(repeatProblem),
  ...(command.parent === null ? [] : repeatProblems(command.parent)),
];

/** A blank text for what is needed is none: the service refuses it (docs/service.md, Errors). */
const said = (source: Option | Argument, raw: unknown): unknown =>
  bound.get(source)?.parameter.required === true && typeof raw === 'string' && raw.trim() === ''
    ? undefined
    : raw;

/** What was given of flags and positionals, and how each is called. */
export const given = (command: Command) => [
  ...command.registeredArguments.map((source, index) => ({
    source,
    raw: said(source, command.processedArgs[index]),
    where: `<${source.name()}>`,
  })),
  ...command.options.map((source) => ({
    source,
    raw: said(source, command.getOptionValue(source.attributeName())),
    where: source.long ?? '',
  })),
];

/** How a person gives a parameter of this command: `--reason`, `<email>`. */
export const flagNames = (command: Command): ((parameter: string) => string) => {
  const names = new Map<string, string>();
  for (const { source, where } of given(command)) {
    const binding = bound.get(source);
    if (binding !== undefined) names.set(binding.name, where);
  }
  return (parameter) => names.get(parameter) ?? `--${kebab(parameter)}`;
};
