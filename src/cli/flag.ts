import type { NamedKind } from '../api/kinds.ts';
import type { Operation, Parameter } from '../api/operation.ts';
import type { ExitCode } from '../errors.ts';

/** What a command is but for what it does, as plain data: help, schema, completion, prompts and the parser read it. */

/** Columns of `--from-file` that no flag's parameter stands behind. */
export interface InputColumns {
  /** Names of the column that names the record, the usual one first. */
  readonly target: readonly string[];
  /** Handed to the command as it is written. */
  readonly plain: readonly string[];
}

/** What `--output json` prints: a list is an array, a record an object, results an array of what became of targets. */
export interface CommandPrints {
  readonly shape: 'list' | 'record' | 'results' | 'text' | 'document';
  /** Members of the record, or of each in the list. */
  readonly fields?: readonly string[];
  /** Members of the record that is printed in place of the list where one is named. */
  readonly named?: readonly string[];
  /** Members of the record that is printed in place of the list with a flag. */
  readonly flagged?: { readonly flag: string; readonly fields: readonly string[] };
  /** What a text or document is: `the script`. */
  readonly about?: string;
}

/** What a noun, a group of commands and a command have in common. */
export interface CommandInfo {
  /** The words behind `ttctl`: `sandbox clock set`; empty for the program itself. */
  readonly path: string;
  /** The last of them. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** A lower-case phrase. */
  readonly about: string;
}

export interface CommandDetails {
  /** Whole command lines with long flags; each parses (tested). */
  readonly examples: readonly string[];
  /** The list that `--all` goes through: its parameters are the filters. */
  readonly list?: Operation;
  /** What an input file says beside the flags, where that is not the positional alone. */
  readonly input?: InputColumns;
  /** Whether it may change something at the service. Default: what the operation says. */
  readonly writes?: boolean;
  /** The state that the records it is about have to be in: `submitted`. */
  readonly from?: string;
  /** Sections of its help that are its own: how a script is installed; what one has to know, in sentences. */
  readonly more?: readonly Readonly<{
    title: string;
    commands?: readonly string[];
    /** Terms and what they mean. */
    entries?: readonly (readonly [term: string, about: string])[];
    text?: string;
  }>[];
  /** Where no operation says it. */
  readonly prints?: CommandPrints;
  /** Exit codes beside those of every command; for one without an operation. */
  readonly exits?: readonly ExitCode[];
  /** False: it never asks a person, not even for what is missing. */
  readonly asks?: false;
  /** Whether `--profile` may name one that does not exist yet. */
  readonly newProfile?: boolean;
  /** Stored settings that are wrong do not keep it from its work: it mends their values, or examines the whole file. */
  readonly settings?: 'mended' | 'examined';
}

/** A command, but for what it does. */
export interface CommandRecord extends CommandInfo, CommandDetails {
  readonly operation?: Operation;
  readonly positionals: readonly Positional[];
  readonly flags: readonly Flag[];
}

/** The noun that a command belongs to, or the group: `clock` of `sandbox clock set`; empty for a noun itself. */
export const getParentName = ({ path }: CommandInfo): string => path.split(' ').at(-2) ?? '';

export const hasFlag = ({ flags }: Pick<CommandRecord, 'flags'>, name: string): boolean =>
  flags.some((flag) => flag.name === name);

/** What a flag is for: an operation, or a command that has filters of its own. */
export type ParameterOwner = Pick<Operation, 'id' | 'parameters'>;

/** The parameter of the API behind a flag or positional. */
export interface Binding {
  readonly operation: ParameterOwner;
  readonly name: string;
  readonly parameter: Parameter;
  readonly lookup?: NamedKind;
}

/** The command cannot do without a value that no parameter stands behind: a person is asked for it. */
interface Requirement {
  /** Kind of record that a person picks for it; absent: a text. */
  readonly kind?: string;
  /** Default: always. */
  readonly when?: (options: Readonly<Record<string, unknown>>) => boolean;
}

interface Taker {
  /** Without hyphens: `from-file`, `no-journal`, `member`. */
  readonly name: string;
  /** A lower-case phrase. */
  readonly about: string;
  readonly binding?: Binding;
  readonly needed?: Requirement;
  /** Words that the shell offers for the value; others may be taken too. */
  readonly offers?: readonly string[];
}

/** A flag. Its value stays text until the command is run, so that all bad values are told at once. */
export interface Flag extends Taker {
  /** One letter. */
  readonly short?: string;
  /** What its value is called; absent: a switch. */
  readonly value?: string;
  readonly repeatable?: true;
  /** The only words that are taken. */
  readonly choices?: readonly string[];
  readonly default?: string;
  /** Shown as the default, which is applied elsewhere: with the settings. */
  readonly usual?: string;
  /** Heading in help; absent: `Flags`. */
  readonly group?: string;
  /** Skips a question, widens what is done or shown, or takes a safeguard away: never suggested for a mistyped word. */
  readonly unsafe?: true;
  /** `--timezone` of a command that takes days or times, or shows them: checked before anything else is done. */
  readonly zone?: true;
}

export interface Positional extends Taker {
  readonly required: boolean;
  /** Takes all words that are left. */
  readonly variadic?: true;
}

/**
 * Words as the positionals take them: where there are too few, those that may be missing are the first ones
 * (`api [method] <path>`).
 */
export const alignOperands = <T>(
  positionals: readonly Positional[],
  words: readonly (T | undefined)[],
): (T | undefined)[] => {
  const given = words.filter((word) => word !== undefined).length;
  const optional = positionals.findIndex(({ required }) => required);
  const omitted = Math.min(optional, positionals.length - given);
  return omitted > 0
    ? [...Array.from({ length: omitted }, () => undefined), ...words.slice(0, given)]
    : [...words];
};

export const isFlag = (source: Flag | Positional): source is Flag => !('required' in source);

/** Headings of groups of flags that the help puts in order. */
export const FILTERS = 'Filters of --all';
export const RAW = 'Raw values';

/** `--from-file` */
export const formatLongFlag = ({ name }: Flag): string => `--${name}`;

/** Whether the command can never do without it, so far as one flag says it. */
export const isRequired = ({ binding, needed }: Flag): boolean =>
  binding?.parameter.required === true || (needed !== undefined && needed.when === undefined);

/** Whether the flag turns something off: `--no-journal`. */
export const isNegated = ({ name }: Flag): boolean => name.startsWith('no-');

/** `fromFile`; `journal` of `--no-journal`. */
export const getOptionKey = ({ name }: Flag): string =>
  name.replace(/^no-/, '').replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());

/** What a flag is without being given, as a person would write it. */
export const formatDefault = (flag: Flag): string | undefined =>
  isNegated(flag) ? undefined : (flag.usual ?? flag.default);

/** `-f, --follow`, `--port <n>` */
export const formatFlagTerm = (flag: Flag): string => {
  const { short, value } = flag;
  return `${short === undefined ? '' : `-${short}, `}${formatLongFlag(flag)}${value === undefined ? '' : ` <${value}>`}`;
};

/** `<member>`, `[id...]` */
export const formatPositionalTerm = ({ name, required, variadic }: Positional): string => {
  const term = `${name}${variadic === true ? '...' : ''}`;
  return required ? `<${term}>` : `[${term}]`;
};

type Camel<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

type Key<Name extends string> = Camel<Name extends `no-${infer Positive}` ? Positive : Name>;

type Option<F extends Flag> = F extends { readonly value: string }
  ? F extends { readonly repeatable: true }
    ? readonly string[] | undefined
    : F extends { readonly default: string }
      ? string
      : string | undefined
  : boolean | undefined;

/** What is given for flags that no parameter stands behind. */
export type OptionValues<Flags extends readonly Flag[]> = {
  readonly [F in Flags[number] as F extends { readonly binding: Binding }
    ? never
    : Key<F['name']>]: Option<F>;
};
